// A register over an embedder's own data, which has to answer only two questions. This file computes offsets, views,
// the end of a walk and the members that every record has, and checks the embedder's answers.
import { type FilterInput, compileFilter, type RecordFilter } from '../finding/filter.ts';
import { FILTERS } from '../finding/filters.ts';
import { GazetteError, quote } from '../../errors.ts';
import { offsetAfter, type Page, type PageQuery, startPosition } from '../page.ts';
import { checkLimit, checkOffset, resolveAsOf } from '../query.ts';
import { type RecordInput, toRecord } from '../record-input.ts';
import type { RegisterDefinition, RegisterRecord } from '../record.ts';
import type { RegisterSource } from './source.ts';

/** The filters that `rows` is taken to know. */
const KNOWN_FILTERS = FILTERS.filter(({ test }) => test === 'exact').map(({ name }) => name);

/** A record with its position in the register. */
export interface SourceRow extends RecordInput {
  /** From 1; the newest record has the highest. A record's position never changes. */
  readonly position: number;
}

/** Which rows are requested. */
export interface RowsQuery {
  /** Only rows with a lower position than this. */
  readonly below: number;
  /** At most this many: up to 101, one more than a page has. */
  readonly limit: number;
  /** Only rows that match it: a value of each list. It has only filters that {@link SourceParts.filters} names. */
  readonly filter?: FilterInput;
  /** Fires when the rows are no longer needed. */
  readonly signal?: AbortSignal;
}

/** Options of {@link defineSource}. */
export interface SourceParts {
  /** The definition of the register. */
  readonly definition: RegisterDefinition;
  /**
   * The names of the filters that `rows` knows; others are refused by name. Default: the exact ones, such as
   * `key` and `document_type`.
   */
  readonly filters?: readonly string[];
  /** The highest position that a record has or ever had; 0 if there was none. It never decreases. */
  top(): number | Promise<number>;
  /** The requested rows, newest first. Fewer than `limit` mean that no more are left. */
  rows(query: RowsQuery): readonly SourceRow[] | Promise<readonly SourceRow[]>;
  /** As in {@link RegisterSource.revision}. */
  revision?(): string | Promise<string>;
  /** As in {@link RegisterSource.lastChange}. */
  lastChange?(): string | null | Promise<string | null>;
}

/**
 * A {@link RegisterSource} over a database, a service, or anything else that can return the rows below a position.
 *
 * Its pages throw GazetteError `invalid_parameter` for invalid queries, `invalid_record` for a row that is not a record
 * of the definition, naming its position and member, and `internal_error` for rows or a top that are not as promised.
 *
 * @example
 * const permits = defineSource({
 *   definition,
 *   top: async () => (await db.get('SELECT coalesce(max(position), 0) AS top FROM permits')).top,
 *   rows: ({ below, limit }) =>
 *     db.all('SELECT * FROM permits WHERE position < ? ORDER BY position DESC LIMIT ?', below, limit),
 * });
 */
export function defineSource(parts: SourceParts): RegisterSource {
  const { definition } = parts;
  return {
    definition,
    filters: parts.filters ?? KNOWN_FILTERS,
    page: (query) => pageOf(parts, query),
    ...(parts.revision === undefined ? {} : { revision: () => parts.revision!() }),
    ...(parts.lastChange === undefined ? {} : { lastChange: () => parts.lastChange!() }),
  };
}

async function pageOf(parts: SourceParts, query: PageQuery): Promise<Page> {
  const limit = checkLimit(query.limit);
  const offset = checkOffset(query.offset);
  const asOf = resolveAsOf(query.asOf, checkTop(parts, await parts.top()));
  const below = startPosition(asOf, offset) + 1;
  const { signal } = query;
  const known = parts.filters ?? KNOWN_FILTERS;
  const filter = compileFilter(query.filter, parts.definition.fields, { known });
  if (below <= 1) return { records: [], nextOffset: null, asOf };
  // One row more than the page tells whether another page follows.
  const asked = {
    below,
    limit: limit + 1,
    ...(filter === null ? {} : { filter: filter.canonical }),
    ...(signal === undefined ? {} : { signal }),
  };
  const found = checkRows(parts, asked, filter, await parts.rows(asked));
  const records = found.slice(0, limit);
  const nextOffset = found.length > limit ? offsetAfter(asOf, records.at(-1)!.position!) : null;
  return { records, nextOffset, asOf };
}

function checkTop(parts: SourceParts, top: unknown): number {
  if (typeof top === 'number' && Number.isSafeInteger(top) && top >= 0) return top;
  throw broken(parts, 'top() must give a whole number from 0', top);
}

/** The rows as records. @throws GazetteError `internal_error`, `invalid_record` */
function checkRows(
  parts: SourceParts,
  { below, limit }: RowsQuery,
  filter: RecordFilter | null,
  rows: unknown,
): RegisterRecord[] {
  if (!Array.isArray(rows)) throw broken(parts, 'rows() must give an array', rows);
  if (rows.length > limit) throw broken(parts, `rows() must give at most ${limit} rows`, rows.length);
  let bound = below;
  for (const row of rows) {
    const position = positionOf(row);
    if (typeof position !== 'number' || !Number.isSafeInteger(position) || position < 1) {
      throw broken(parts, 'a row must have a position, a whole number from 1', position);
    }
    if (position >= bound) {
      const expected = bound === below ? `below ${below}, as asked` : `in falling order, below ${bound}`;
      throw broken(parts, `the positions of rows must be ${expected}`, position);
    }
    bound = position;
  }
  return rows.map((row: SourceRow) => checkRecord(parts, row, filter));
}

function checkRecord(parts: SourceParts, row: SourceRow, filter: RecordFilter | null): RegisterRecord {
  const { definition } = parts;
  const { position, feed_id } = row;
  if (feed_id !== undefined && feed_id !== definition.id) {
    throw broken(parts, `the row at position ${position} must be of this register`, feed_id);
  }
  const where = `register ${definition.id}, position ${position}`;
  const record = toRecord(definition, row, { where, position });
  if (filter !== null && !filter.matches(record)) {
    throw broken(parts, `the row at position ${position} must match the filter ${quote(filter.canonical)}`, record.id);
  }
  return record;
}

function positionOf(row: unknown): unknown {
  return typeof row === 'object' && row !== null && 'position' in row ? row.position : undefined;
}

function broken({ definition }: SourceParts, expected: string, got: unknown): GazetteError {
  return new GazetteError('internal_error', `register ${definition.id}: ${expected}, got ${quote(got)}`);
}
