// A register over objects: the shortest way to embed the exports. An array is checked and copied once; positions are dense
// from 1, as in a store. Any other iterable is read once, as it is written, and no more than a page of it is in memory.
import { compileFilter } from '../finding/filter.ts';
import { checkOneOf, isIterable } from '../../checks.ts';
import { GazetteError, quote } from '../../errors.ts';
import { canonicalJson, type JsonValue } from '../canonical-json.ts';
import { indexesByDate, type Order, OrderFinder, ORDERS } from './order.ts';
import { offsetAfter, type Page, PAGE_SIZE, type PageQuery, startPosition } from '../page.ts';
import { checkLimit, checkOffset, resolveAsOf } from '../query.ts';
import { type RecordInput, toRecord } from '../record-input.ts';
import type { Field, RegisterDefinition, RegisterRecord } from '../record.ts';
import { IdSet } from './id-set.ts';
import { matchedInPages } from './matched.ts';
import { readSteps, type RegisterSource, type RegisterStream, throwIfAborted } from './source.ts';
import { latestTime } from '../time.ts';

/**
 * A {@link RegisterSource} over an array of records; over any other iterable or async iterable, such as a generator, a cursor
 * or a stream of objects, a {@link RegisterStream}, which `exportRegister()` and `pages()` read once, in constant memory.
 *
 * @param options.order which end of the array is the newest; `by-date` sorts it by publication date. Default: as at least 95 %
 *   of the neighbouring pairs of different dates show; oldest first where no two dates differ. Another iterable is
 *   written as it comes: `newest-first`.
 * @throws GazetteError `invalid_record` naming the index and the field, `duplicate_id` naming both indexes, which of a
 *   stream are thrown while it is read;
 *   `invalid_option` for an unknown order, for an array without `order` whose dates run both ways, for a value that
 *   is not iterable, and for an iterable that is to be read in another order than its own, or twice.
 * @example
 * const permits = fromRecords(definition, [
 *   { id: '2026-0417', title: 'Permit', source_url: 'https://example.org/p/0417', observed_at: '2026-04-19T08:12:44Z' },
 * ]);
 */
export function fromRecords(
  definition: RegisterDefinition,
  records: readonly RecordInput[],
  options?: { readonly order?: Order },
): RegisterSource;
export function fromRecords(
  definition: RegisterDefinition,
  records: Iterable<RecordInput> | AsyncIterable<RecordInput>,
  options?: { readonly order?: Order },
): RegisterSource | RegisterStream;
export function fromRecords(
  definition: RegisterDefinition,
  inputs: Iterable<RecordInput> | AsyncIterable<RecordInput>,
  options: { readonly order?: Order } = {},
): RegisterSource | RegisterStream {
  if (options.order !== undefined) checkOneOf('order', options.order, ORDERS);
  if (Array.isArray(inputs)) return sourceOf(definition, inputs, options);
  if (!isIterable(inputs)) {
    throw new GazetteError(
      'invalid_option',
      `records must be an array or another iterable of objects, got ${quote(inputs)}`,
      { details: { option: 'records' } },
    );
  }
  if (options.order !== undefined && options.order !== 'newest-first') {
    throw new GazetteError(
      'invalid_option',
      `order must be newest-first for records that are read once, as they come (await Array.fromAsync(…) makes an array of them), got ${quote(options.order)}`,
      { details: { option: 'order' } },
    );
  }
  return streamOf(definition, inputs);
}

function sourceOf(
  definition: RegisterDefinition,
  inputs: readonly RecordInput[],
  options: { readonly order?: Order },
): RegisterSource {
  const order = options.order ?? orderOf(inputs);
  const positions = order === 'by-date' ? positionsByDate(inputs) : null;
  const indexes = new Map<string, number>();
  // records[p - 1] is the record at position p.
  const records = new Array<RegisterRecord>(inputs.length);
  // entries() also visits holes, which are refused like any other invalid record.
  for (const [index, input] of inputs.entries()) {
    const position = positions?.[index] ?? (order === 'newest-first' ? inputs.length - index : index + 1);
    const record = toRecord(definition, input, { where: `record ${index}`, position });
    const earlier = indexes.get(record.id);
    if (earlier !== undefined) throw duplicateId(record.id, index, earlier);
    indexes.set(record.id, index);
    records[position - 1] = record;
  }

  let revision: Promise<string> | undefined;
  let lastChange: string | null | undefined;
  const page: RegisterSource['page'] = (query) => pageOf(records, query, definition.fields);
  return {
    definition,
    page,
    matched: (query) => matchedInPages({ definition, page }, query),
    revision: () => (revision ??= digest(records)),
    // Computed once: a conditional request asks for it and must not read any record.
    lastChange: () => (lastChange ??= latestTime(records)),
  };
}

function duplicateId(id: string, index: number, earlier: number): GazetteError {
  return new GazetteError('duplicate_id', `record ${index}: id ${quote(id)} is also that of record ${earlier}`, {
    details: { id },
  });
}

/** Records as they come. Which ids there were is all that is kept of them. */
function streamOf(
  definition: RegisterDefinition,
  inputs: Iterable<RecordInput> | AsyncIterable<RecordInput>,
): RegisterStream {
  let isRead = false;
  let lastChange: string | null = null;
  async function* read(signal: AbortSignal | undefined): AsyncGenerator<Page, void, undefined> {
    const ids = new IdSet();
    let index = 0;
    let records: RegisterRecord[] = [];
    for await (const input of inputs) {
      throwIfAborted(signal);
      const record = toRecord(definition, input, { where: `record ${index}`, position: null });
      const earlier = ids.add(record.id, index);
      if (earlier !== null) throw duplicateId(record.id, index, earlier);
      // Only when another record follows is it known that the page is not the last.
      if (records.length === PAGE_SIZE) {
        lastChange ??= latestTime(records);
        yield { records, nextOffset: index, asOf: null };
        records = [];
      }
      records.push(record);
      index++;
    }
    lastChange ??= latestTime(records);
    yield { records, nextOffset: null, asOf: null };
  }
  return {
    definition,
    pages: ({ signal } = {}) => {
      if (isRead) {
        throw new GazetteError(
          'invalid_option',
          `register ${definition.id}: its records were read before, which is possible once`,
          {
            details: { option: 'records' },
          },
        );
      }
      isRead = true;
      return readSteps(signal, read(signal));
    },
    // It is asked for after the first page, which has the newest records.
    lastChange: () => lastChange,
  };
}

/** The order that the dates show. @throws GazetteError `invalid_option` when they run both ways. */
function orderOf(inputs: readonly RecordInput[]): Order {
  const finder = new OrderFinder();
  for (const input of inputs) finder.add(input);
  if (finder.found === 'both-ways') {
    throw finder.refusal('the records', `give an order: ${ORDERS.map((name) => `'${name}'`).join(', ')}`);
  }
  return finder.direction ?? 'oldest-first';
}

/** The position of each record, by its index. */
function positionsByDate(inputs: readonly RecordInput[]): readonly number[] {
  const positions = new Array<number>(inputs.length);
  for (const [place, index] of indexesByDate(inputs).entries()) positions[index] = place + 1;
  return positions;
}

function pageOf(records: readonly RegisterRecord[], query: PageQuery, fields: readonly Field[]): Page {
  const filter = compileFilter(query.filter, fields);
  const limit = checkLimit(query.limit);
  const asOf = resolveAsOf(query.asOf, records.length);
  const found: RegisterRecord[] = [];
  let nextOffset: number | null = null;
  for (let position = startPosition(asOf, checkOffset(query.offset)); position > 0; position--) {
    const record = records[position - 1]!;
    if (filter !== null && !filter.matches(record)) continue;
    if (found.length === limit) {
      nextOffset = offsetAfter(asOf, found.at(-1)!.position!);
      break;
    }
    found.push(record);
  }
  return { records: found, nextOffset, asOf };
}

/**
 * The number of records hashed at a time. One by one takes two and a half times as long; all at once would block a
 * server.
 */
const DIGEST_BATCH = 128;

/** SHA-256 over the records' canonical JSON: the same array gives the same revision in every process. */
async function digest(records: readonly RegisterRecord[]): Promise<string> {
  let digests = '';
  for (let start = 0; start < records.length; start += DIGEST_BATCH) {
    const batch = records.slice(start, start + DIGEST_BATCH);
    // JSON text contains no raw line feed, so two different lists of records have different texts.
    digests += await sha256(batch.map((record) => canonicalJson(digestible(record))).join('\n'));
  }
  return sha256(digests);
}

async function sha256(text: string): Promise<string> {
  const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** The record as JSON. Numbers that JSON cannot represent become texts that no field of type `number` can hold. */
function digestible(record: RegisterRecord): JsonValue {
  const data: Record<string, JsonValue> = {};
  for (const [name, value] of Object.entries(record.data)) {
    data[name] = typeof value === 'number' && !Number.isFinite(value) ? String(value) : value;
  }
  return { ...record, data };
}
