// Asks for figures: counts, sums, averages and extremes of groups of records. What a service answers in parts is added up here.
import { isObject } from '../checks.ts';
import { GazetteError } from '../errors.ts';
import { checkFigures, type Figure } from '../register/finding/figures.ts';
import { type FiguresPart, FiguresTally } from '../register/finding/figures-tally.ts';
import type { Filter } from '../register/page.ts';
import type { RegisterDefinition } from '../register/record.ts';
import { addQuery, addressOf, numberIn } from './address.ts';
import type { ClientOptions } from './client-options.ts';
import { jsonOf, Requester, where } from './requester.ts';

/** The question; what is absent is as the URL says. */
export interface FiguresOptions extends ClientOptions {
  /** `count`, or `sum:`, `avg:`, `min:`, `max:` and a field: `sum:data.area`. */
  readonly measure?: string;
  /** At most two fields whose values make groups; a date may end with `:year`, `:month`, `:day`. */
  readonly by?: readonly string[];
  /** By falling value, by rising value, or by what the groups share. */
  readonly order?: '-value' | 'value' | 'key';
  /** How many groups, 1 to 100. */
  readonly top?: number;
  /** Which records. */
  readonly filter?: Filter;
}

/** The answer: every figure is exact. */
export interface RegisterFigures {
  /** What was measured. */
  readonly measure: string;
  /** The fields whose values make groups. */
  readonly by: readonly string[];
  /** The first groups, in the order that was asked for. */
  readonly groups: readonly Figure[];
  /** How many more groups there are. */
  readonly more: number;
  /** How many records matched. */
  readonly matched: number;
  /** How many of them are in no group, for they lack a value. Null: the service does not tell. */
  readonly ungrouped: number | null;
  /** The view; null for the public. */
  readonly as_of: number | null;
  /** The register's change that the figures have; null for the public, and where it changed meanwhile. */
  readonly change: number | null;
  /** What must be known to understand them. */
  readonly notes: readonly string[];
}

interface Answer extends RegisterFigures {
  readonly complete: boolean;
  readonly next_offset: number | null;
}

/**
 * Figures of the records of a register, all of them: where a service examines only a part at a time, the parts are asked for
 * one after the other, in one view, and added up.
 *
 * @param url URL of the facets: `https://example.org/api/v1/feeds/permits/facets`
 * @throws GazetteError `invalid_option`, `invalid_answer`, `body_too_large`, `request_refused`, `request_failed`, `aborted`.
 * @example const { groups } = await figures(url, { key, measure: 'sum:data.area', by: ['data.country'], top: 3 });
 */
export async function figures(url: string | URL, options: FiguresOptions = {}): Promise<RegisterFigures> {
  const address = addressOf(url);
  const requester = new Requester(address, options);
  const { measure, by, order, top, filter } = options;
  for (const [name, value] of Object.entries({ measure, by: by?.join(','), order, top })) {
    if (value !== undefined) address.searchParams.set(name, String(value));
  }
  addQuery(address, filter === undefined ? {} : { filter });
  const first = answerOf(jsonOf(await requester.get(address, 'application/json')), address);
  if (first.complete) return first;
  const sum = new FiguresTally(checkFigures(questionIn(address), await fieldsOf(requester, address)));
  for (let part = first; ;) {
    sum.addPart(part);
    if (part.next_offset === null) {
      const { more, matched, ungrouped, groups } = sum.whole();
      const change = part.change === first.change ? first.change : null;
      const notes = first.notes.filter((note) => part.notes.includes(note) && !note.includes('next_offset'));
      return { ...first, groups, more, matched, ungrouped, change, notes };
    }
    address.searchParams.set('offset', String(part.next_offset));
    if (first.as_of !== null) address.searchParams.set('as_of', String(first.as_of));
    part = answerOf(jsonOf(await requester.get(address, 'application/json')), address);
  }
}

/** What an address asks for. */
function questionIn({ searchParams }: URL): Parameters<typeof checkFigures>[0] {
  const [measure, by, order, top] = ['measure', 'by', 'order', 'top'].map((name) => searchParams.get(name));
  return {
    ...(measure != null && { measure }),
    ...(by != null && { by: by.split(',') }),
    ...(order != null && { order }),
    ...(top != null && { top: Number(top) }),
  };
}

/** The own fields of the register, whose types say how parts are put together. */
async function fieldsOf(requester: Requester, facets: URL): Promise<RegisterDefinition['fields']> {
  const feed = new URL(facets);
  feed.search = '';
  feed.pathname = feed.pathname.replace(/\/facets$/, '');
  const body = jsonOf(await requester.get(feed, 'application/json'));
  const { definition } = isObject(body) ? body : {};
  if (isObject(definition) && Array.isArray(definition.fields))
    return definition.fields as RegisterDefinition['fields'];
  throw new GazetteError('invalid_answer', `${where(feed)} must answer a register with its definition`);
}

function answerOf(body: unknown, asked: URL): Answer {
  const { groups, complete, next_offset: next } = isObject(body) ? body : {};
  // A `next_offset` that does not increase would be requested endlessly.
  const leadsOn = next === null || (Number.isSafeInteger(next) && (next as number) > numberIn(asked, 'offset', 0));
  if (!Array.isArray(groups) || !groups.every(isObject) || typeof complete !== 'boolean' || !leadsOn) {
    throw new GazetteError('invalid_answer', `${where(asked)} must answer figures: { groups, complete, next_offset }`);
  }
  return body as FiguresPart & Answer;
}
