// A register over an array: the shortest way to embed the exports, for tests and small sites. The array is checked and
// copied once; positions are dense from 1, as in a store.
import { compileFilter } from '../finding/filter.ts';
import { GazetteError, quote } from '../../errors.ts';
import { canonicalJson, type JsonValue } from '../canonical-json.ts';
import { indexesByDate, type Order, OrderFinder, ORDERS } from './order.ts';
import { offsetAfter, type Page, type PageQuery, startPosition } from '../page.ts';
import { checkLimit, checkOffset, resolveAsOf } from '../query.ts';
import { type RecordInput, toRecord } from '../record-input.ts';
import type { Field, RegisterDefinition, RegisterRecord } from '../record.ts';
import { matchedInPages } from './matched.ts';
import type { RegisterSource } from './source.ts';
import { latestTime } from '../time.ts';

/**
 * A {@link RegisterSource} over an array of records.
 *
 * @param options.order which end of the array is the newest; `by-date` sorts it by publication date. Default: as at least 95 %
 *   of the neighbouring pairs of different dates show; oldest first where no two dates differ.
 * @throws GazetteError `invalid_record` naming the index and the field, `duplicate_id` naming both indexes,
 *   `invalid_option` for an unknown order, for an array without `order` whose dates run both ways, and for a value that
 *   is not an array.
 * @example
 * const permits = fromRecords(definition, [
 *   { id: '2026-0417', title: 'Permit', source_url: 'https://example.org/p/0417', observed_at: '2026-04-19T08:12:44Z' },
 * ]);
 */
export function fromRecords(
  definition: RegisterDefinition,
  inputs: readonly RecordInput[],
  options: { readonly order?: Order } = {},
): RegisterSource {
  const given: unknown = inputs;
  if (!Array.isArray(given)) {
    throw new GazetteError(
      'invalid_option',
      `records must be an array (await Array.fromAsync(…) makes one of an iterable), got ${quote(given)}`,
      { details: { option: 'records' } },
    );
  }
  const order = options.order ?? orderOf(inputs);
  if (!ORDERS.includes(order)) {
    throw new GazetteError('invalid_option', `order must be one of ${ORDERS.join(', ')}, got ${quote(order)}`, {
      details: { option: 'order' },
    });
  }
  const positions = order === 'by-date' ? positionsByDate(inputs) : null;
  const indexes = new Map<string, number>();
  // records[p - 1] is the record at position p.
  const records = new Array<RegisterRecord>(inputs.length);
  // entries() also visits holes, which are refused like any other invalid record.
  for (const [index, input] of inputs.entries()) {
    const position = positions?.[index] ?? (order === 'newest-first' ? inputs.length - index : index + 1);
    const record = toRecord(definition, input, { where: `record ${index}`, position });
    const earlier = indexes.get(record.id);
    if (earlier !== undefined) {
      throw new GazetteError(
        'duplicate_id',
        `record ${index}: id ${quote(record.id)} is also that of record ${earlier}`,
        {
          details: { id: record.id },
        },
      );
    }
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
