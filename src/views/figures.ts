// The figures of a register as a caller sees it, with what cites them: the same on every surface.
import { GazetteError } from '../errors.ts';
import { compileFilter, type Filter } from '../register/finding/filter.ts';
import { type CheckedFigures, checkFigures, type Figures, type FiguresQuestion } from '../register/finding/figures.ts';
import { OWN_PREFIX } from '../register/finding/own-filters.ts';
import type { AsOf } from '../register/page.ts';
import { countedFacets } from '../register/sources/facets.ts';
import { type CountedRecords, figuresOfSource } from '../register/sources/figures.ts';
import { publicNote, type TierOptions } from '../register/tier.ts';
import type { CitedCheckpoint, SignedState, SignedStates } from './signed.ts';
import type { RegisterView } from './registers.ts';
import type { SeenRegister } from './sight.ts';

/** Where it is asked. */
export interface FiguresServices {
  readonly tiers: TierOptions;
  /** Absent: nothing is signed. */
  readonly signed?: SignedStates | undefined;
}

/** What is asked: a question, and of which records. */
export interface AskedFigures extends FiguresQuestion {
  readonly filter?: Filter;
  /** For a part: `next_offset` and `as_of` of the part before. */
  readonly offset?: number;
  readonly asOf?: AsOf;
}

/** The answer, with what cites it. */
export interface CitedFigures extends Figures {
  /** The register's latest change when it was read; null where it changed meanwhile, or the reader may not know it. */
  readonly change: number | null;
  /** The signed state of the log that has that change; null while there is none. */
  readonly checkpoint: CitedCheckpoint | null;
  /** What a reader must know to understand the figures. */
  readonly notes: readonly string[];
}

/** A question that was checked for its reader. */
export interface PreparedFigures {
  /** Everything that shapes the answer, besides the view: a plain value. */
  readonly shape: unknown;
  /** @throws GazetteError as `RegisterSource.page()` */
  answer(signal?: AbortSignal): Promise<CitedFigures>;
}

/**
 * Checks a question, reading nothing but counters and the log.
 *
 * @throws GazetteError `invalid_parameter`, which names the parameter; `unknown_parameter` for a filter that there is not
 */
export async function prepareFigures(
  { tiers, signed }: FiguresServices,
  { entry, revision, source: whole }: RegisterView,
  { tier, source, kindOf }: SeenRegister,
  { filter, offset = 0, asOf, ...question }: AskedFigures,
): Promise<PreparedFigures> {
  const { id, fields } = entry.definition;
  const checked = checkFigures(question, fields);
  if (kindOf !== null) refuseOwn(checked);
  const isAll = filter === undefined && offset === 0 && asOf === undefined;
  const isCounted = isAll && tier === 'pro' && checked.counters !== null;
  const facets = isCounted ? await countedFacets(source, checked.counters) : null;
  const counted: CountedRecords | null = facets === null ? null : { facets: facets.facets, total: entry.total };
  const checkpoint = tier === 'pro' ? citedOf(await signed?.of(id), entry.change) : null;
  return {
    shape: [checked.asked, filter ?? null, offset, asOf ?? null, counted !== null, checkpoint],
    async answer(signal) {
      const query = { counted, offset, ...(filter && { filter }), ...(asOf !== undefined && { asOf }) };
      const figures = await figuresOfSource(source, checked, { ...query, ...(signal && { signal }) });
      // What was read while the register changed is of no single change.
      const isOfView = tier === 'pro' && (await whole.revision?.()) === revision;
      return {
        ...figures,
        change: isOfView ? entry.change : null,
        checkpoint: isOfView ? checkpoint : null,
        notes: [
          ...(tier === 'pro' ? [] : [kindOf === null ? publicNote(tiers) : PREVIEWS_NOTE]),
          ...notesOf(checked, figures, compileFilter(filter, fields)),
        ],
      };
    },
  };
}

const PREVIEWS_NOTE =
  'Measured in what you see: previews of all records, and whole those that you bought or that everybody may read.';

function notesOf(
  { by }: CheckedFigures,
  { complete }: Figures,
  filter: ReturnType<typeof compileFilter>,
): readonly string[] {
  const isExact = (name: string): boolean =>
    filter?.conditions.some((one) => one.kind === 'exact' && one.name === name) === true;
  const asked = by.find(({ name, type }) => (type === 'text' || type === 'json') && isExact(name));
  const list = by.find(({ type }) => type === 'json');
  return [
    ...(complete ? [] : ['Only a part of the records was examined: add up the parts, from next_offset on.']),
    ...(asked === undefined ? [] : [`Groups have the exact values of ${asked.name}; its filter is blind to case.`]),
    ...(list === undefined ? [] : [`A record is counted in the group of each item of ${list.name}.`]),
  ];
}

function refuseOwn({ asked, measured, by }: CheckedFigures): void {
  for (const [parameter, names] of [
    ['measure', measured === null ? [] : [measured.name]],
    ['by', by.map(({ name }) => name)],
  ] as const) {
    if (!names.some((name) => name.startsWith(OWN_PREFIX))) continue;
    const got = parameter === 'by' ? asked.by.join(',') : asked.measure;
    const message = `${parameter} must not name fields of the register’s own, which previews do not show, got ${got}`;
    throw new GazetteError('invalid_parameter', message, { details: { parameter } });
  }
}

/** The state that was signed last, if it has the change. */
function citedOf(state: SignedState | null | undefined, change: number): CitedCheckpoint | null {
  const cited = state?.cited();
  return cited === undefined || cited.size < change ? null : cited;
}
