// What pages know of registers besides their records, kept for all who see the same: the values to choose from, how many records match,
// and the charts.
import type { AuthenticatedRequest } from '../access/route.ts';
import { facetNames } from '../register/finding/facets.ts';
import { type Filter, filterText } from '../register/finding/filter.ts';
import { countedFacets } from '../register/sources/facets.ts';
import type { Markup } from '../templates/markup.ts';
import { chart, MONTHS_ASKED } from '../templates/parts/chart.ts';
import type { Wording } from '../templates/wording.ts';
import type { Point, ReadPoint } from '../register/places/readers.ts';
import { examineMatches, type Matches, matchesOf } from '../views/matches.ts';
import type { RegisterView } from '../views/registers.ts';
import type { SeenRegister } from '../views/sight.ts';
import { Shared } from '../shared.ts';
import type { PageServices } from './services.ts';

/** What a reader sees of a register. */
export interface SeenView extends SeenRegister {
  readonly view: RegisterView;
}

/** What the sender of a request sees of a register. */
export function seenBy(
  { sight }: Pick<PageServices, 'sight'>,
  view: RegisterView,
  { access }: AuthenticatedRequest,
): SeenView {
  return { ...sight.of(access, view), view };
}

/** Of how many readers values are kept for one revision: one for each tier, and each who owns records. */
const MAX_SIGHTS = 100;

/** Of how many searches it is kept what matches. */
const MAX_SEARCHES = 200;

/** The values of registers and of searches, and how many records match, read once for each revision and sight. */
export class FoundValues {
  readonly #services: PageServices;
  readonly #counted = new WeakMap<RegisterView, Map<string, Matches>>();
  readonly #found = new Shared<string, Matches, RegisterView>({ capacity: MAX_SEARCHES });

  constructor(services: PageServices) {
    this.#services = services;
  }

  /** What the store's counters say of all records; null while they are not complete. */
  async counted({ view, source, key }: SeenView): Promise<Matches | null> {
    const known = ofSights(this.#counted, view);
    const before = known.get(key);
    if (before !== undefined) return before;
    const { definition, total } = view.entry;
    const facets = await countedFacets(source, facetNames(definition.fields));
    if (facets === null) return null;
    const hasDates = (await this.#services.store.values.months(definition.id, { limit: 1 })).length > 0;
    const counted = { ...facets, hasDates, matched: total, isAtLeast: false };
    known.set(key, counted);
    return counted;
  }

  /** Those of the records that match. @throws GazetteError as `RegisterSource.page()` */
  async of(sight: SeenView, filter: Filter | undefined, signal: AbortSignal): Promise<Matches> {
    const { view, source, key } = sight;
    const counted = await this.counted(sight);
    if (filter === undefined && counted !== null) return counted;
    const { id, fields } = view.entry.definition;
    const asked = { names: facetNames(fields), counted, ...(filter && { filter }) };
    const make = async (abandoned: AbortSignal): Promise<{ readonly value: Matches; readonly isLasting: boolean }> => {
      return { value: await matchesOf(source, { ...asked, signal: abandoned }), isLasting: true };
    };
    const { value } = await this.#found.of(JSON.stringify([id, key, filterText(filter ?? {})]), view, make, signal);
    return value;
  }
}

/** Of how many registers it is kept where their records are. */
const MAX_MAPS = 50;

/** Where the records of registers are, as far as one request may examine them, read once for each revision and sight. */
export class RegisterPoints {
  readonly #points = new Shared<string, readonly Point[], RegisterView>({ capacity: MAX_MAPS });

  /** @throws GazetteError as `RegisterSource.page()` */
  async of({ view, source, key }: SeenView, read: ReadPoint, signal: AbortSignal): Promise<readonly Point[]> {
    const make = async (
      abandoned: AbortSignal,
    ): Promise<{ readonly value: readonly Point[]; readonly isLasting: boolean }> => {
      const points: Point[] = [];
      await examineMatches(source, { signal: abandoned }, (records) => {
        for (const record of records) {
          const point = read(record);
          if (point !== null) points.push(point);
        }
      });
      return { value: points, isLasting: true };
    };
    return (await this.#points.of(JSON.stringify([view.entry.definition.id, key]), view, make, signal)).value;
  }
}

/** The charts of registers, made once for each revision and language. */
export class RegisterCharts {
  readonly #services: PageServices;
  readonly #made = new WeakMap<RegisterView, Map<string, Promise<Markup>>>();

  constructor(services: PageServices) {
    this.#services = services;
  }

  of(view: RegisterView, wording: Wording): Promise<Markup> {
    const known = ofSights(this.#made, view);
    let made = known.get(wording.language);
    if (made === undefined) {
      made = this.#make(view, wording);
      known.set(wording.language, made);
      // A failure is told to those who wait for it, and the next one asks again.
      made.catch(() => known.delete(wording.language));
    }
    return made;
  }

  async #make({ entry }: RegisterView, wording: Wording): Promise<Markup> {
    const counted = await this.#services.store.values.months(entry.definition.id, { limit: MONTHS_ASKED });
    const months = counted.map(({ value, records }) => ({ month: value, records }));
    return chart(wording, months, entry.lastChange);
  }
}

/** What is known of a register for each sight. */
function ofSights<Value>(known: WeakMap<RegisterView, Map<string, Value>>, view: RegisterView): Map<string, Value> {
  const before = known.get(view);
  if (before !== undefined && before.size < MAX_SIGHTS) return before;
  const values = new Map<string, Value>();
  known.set(view, values);
  return values;
}
