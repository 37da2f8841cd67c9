// Reads a register's list from its newest record on, page by page (specification 4.1).
import { isObject } from '../checks.ts';
import { GazetteError } from '../errors.ts';
import { type Matched, PAGE_SIZE } from '../register/page.ts';
import type { RegisterRecord } from '../register/record.ts';
import { addQuery, addressOf, numberIn, type PageOptions } from './address.ts';
import type { ClientOptions } from './client-options.ts';
import { MAX_REPEATED, Remembered, repeats } from './repeats.ts';
import { jsonOf, Requester, where } from './requester.ts';
import type { RecordOf } from './typed-record.ts';

/** Options of {@link records}. */
export interface RecordsOptions extends ClientOptions, Omit<PageOptions, 'fields'> {
  /** Called with the walk's view as soon as the service names it. */
  readonly onView?: (asOf: number | string) => void;
  /** Called with the first page of a filter: how many records match, if the service says it. */
  readonly onMatched?: (matched: Matched) => void;
}

/** A record with the members that were asked for; `data` has the own fields that were. */
export type ChosenRecord = Pick<RegisterRecord, 'id'> & Partial<RegisterRecord>;

/** The records of a list with only some members of each record. */
export function records(
  url: string | URL,
  options: RecordsOptions & Required<Pick<PageOptions, 'fields'>>,
): AsyncGenerator<ChosenRecord, void, undefined>;
/**
 * The records of a list, newest first, each exactly once. In a view (`as_of`, which the service gives to every key) no
 * record that existed all the time is missed, even if the register changes meanwhile.
 *
 * @typeParam Definition the register's definition, by which `data` is typed: `records<typeof permits>(…)`
 * @param url URL of the list: `https://example.org/api/v1/feeds/permits/records`
 * @throws GazetteError `invalid_option`, `invalid_answer`, `body_too_large`, `request_refused`, `request_failed`, `aborted`.
 * @example
 * for await (const { id, title } of records('https://example.org/api/v1/feeds/permits/records', { key })) console.log(id, title);
 */
export function records<Definition = undefined>(
  url: string | URL,
  options?: RecordsOptions,
): AsyncGenerator<RecordOf<Definition>, void, undefined>;
export async function* records(
  url: string | URL,
  options: RecordsOptions & Pick<PageOptions, 'fields'> = {},
): AsyncGenerator<ChosenRecord, void, undefined> {
  const list = addressOf(url);
  const requester = new Requester(list, options);
  addQuery(list, { ...options, limit: options.limit ?? numberIn(list, 'limit', PAGE_SIZE) });
  const seen = new Seen();
  let isInView = false;
  let repeated = 0;
  for (let isFirst = true; ; isFirst = false) {
    const page = listPage(await requester.getPage(list, 'application/json'), list);
    if (isFirst && page.matched !== null) options.onMatched?.(page.matched);
    if (!isInView && page.asOf !== null) {
      isInView = true;
      list.searchParams.set('as_of', String(page.asOf));
      options.onView?.(page.asOf);
    }
    let isNew = page.records.length === 0;
    for (const record of page.records) {
      if (!seen.isNew(record)) continue;
      isNew = true;
      yield record;
    }
    repeated = isNew ? 0 : repeated + 1;
    if (repeated === MAX_REPEATED) throw repeats(list);
    // Specification 4.1.1 and 4.1.2: only null is the end; an empty page is not.
    if (page.nextOffset === null) return;
    list.searchParams.set('offset', String(page.nextOffset));
  }
}

/**
 * Detects repeated records. Positions decrease; without positions, ids are remembered: what is added to a register meanwhile
 * moves records down by as much, and no further.
 */
class Seen {
  #lowest = Infinity;
  readonly #ids = new Remembered();

  isNew({ id, position }: ChosenRecord): boolean {
    if (typeof position === 'number') {
      if (position >= this.#lowest) return false;
      this.#lowest = position;
      return true;
    }
    if (this.#ids.has(id)) return false;
    this.#ids.add(id);
    return true;
  }
}

interface ListPage {
  readonly records: readonly ChosenRecord[];
  readonly nextOffset: number | null;
  readonly asOf: number | string | null;
  readonly matched: Matched | null;
}

function listPage(answer: Parameters<typeof jsonOf>[0], asked: URL): ListPage {
  const body = jsonOf(answer) as Partial<Record<string, unknown>> | null;
  const offset = numberIn(asked, 'offset', 0);
  const { records, next_offset: nextOffset, as_of: asOf = null, matched: count } = body ?? {};
  const isIn = typeof asOf === 'number' || typeof asOf === 'string' || asOf === null;
  // A `next_offset` that does not increase would be requested endlessly.
  const leadsOn = nextOffset === null || (Number.isSafeInteger(nextOffset) && (nextOffset as number) > offset);
  if (!Array.isArray(records) || !records.every(isRecord) || !leadsOn || !isIn) {
    throw new GazetteError(
      'invalid_answer',
      `${where(asked)} must answer { records, next_offset, as_of }, next_offset null or beyond ${offset}`,
    );
  }
  const matched = Number.isSafeInteger(count)
    ? { matched: count as number, isAtLeast: body?.matched_at_least === true }
    : null;
  return { records, nextOffset: nextOffset as number | null, asOf, matched };
}

function isRecord(value: unknown): value is ChosenRecord {
  return isObject(value) && typeof value.id === 'string';
}
