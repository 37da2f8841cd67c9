// Pages of filters that the index of terms answers. One statement for each look: what is known of a record's words is then
// true of the record that comes with it.
import type { RecordFilter } from '../../../register/finding/filter.ts';
import type { Page, PageQuery } from '../../../register/page.ts';
import { throwIfAborted } from '../../../register/sources/source.ts';
import { findPage, type Look, type LookAnswer } from '../../logic/finding/found-page.ts';
import { checkSearch, isComplete, TERM_STATE } from '../../logic/finding/term-state.ts';
import { PAGE_COLUMNS, recordOf, type ShownAs, SLOT_SPAN, slotOf } from '../../rows/columns.ts';
import { type PageRange, rangeOf, unknownFeed } from '../../rows/register.ts';
import type { PostgresConnection } from '../connection.ts';
import { SEGMENT, selectFound } from './term-index.ts';

/** The most look-ups in the index for one request: each takes about 10 µs. */
const LOOK_UPS = 2500;

/** The most terms of a group: for each entry the server looks which of them comes next. */
const MOST_TERMS = 64;

const STATE = TERM_STATE.columns.join(', ');
const PAGE = PAGE_COLUMNS.map((name) => `r.${name}`).join(', ');

/** A register in which records are looked for, and its index. */
interface Searched {
  readonly shown: ShownAs;
  readonly number: number;
  /** The generation of the index, if it holds the terms of all records; null: no index is asked. */
  readonly generation: number | null;
}

/**
 * The page of a filter.
 *
 * @throws GazetteError as `rangeOf()` and `checkSearch()`; `unknown_feed`
 */
export async function foundPage(
  connection: PostgresConnection,
  shown: ShownAs,
  number: number,
  filter: RecordFilter,
  query: PageQuery,
): Promise<Page> {
  const { prefix } = connection;
  const head = `SELECT ${STATE}, g.top FROM ${prefix}registers g
    JOIN ${prefix}register_terms t ON t.register = g.number WHERE g.number = $1`;
  for (;;) {
    const [row] = await connection.query(head, [number]);
    if (row === undefined) throw unknownFeed(shown.id);
    const state = TERM_STATE.read(row);
    const isIndexed = isComplete(state, shown);
    checkSearch(filter, shown, isIndexed);
    const range = rangeOf(query, Number(row.at(-1)));
    const searched = { shown, number, generation: isIndexed ? state.generation : null };
    const page = await pageIn(connection, searched, filter, query, range);
    // The terms of the register are made again since it was asked.
    if (page !== null) return page;
  }
}

/** Null when the index is another one than it was. */
async function pageIn(
  connection: PostgresConnection,
  searched: Searched,
  filter: RecordFilter,
  query: PageQuery,
  range: PageRange,
): Promise<Page | null> {
  const steps = findPage(filter, query, range, {
    isIndexed: searched.generation !== null,
    mostTerms: MOST_TERMS,
    reachOf,
  });
  let step = steps.next([]);
  while (step.done !== true) {
    throwIfAborted(query.signal);
    const answer = await answerTo(connection, searched, step.value);
    if (answer === null) return null;
    step = steps.next(answer);
  }
  return step.value;
}

/** How far a request may look, by the number of terms that it looks up in each segment. */
function reachOf(terms: number): number {
  return Math.max(Math.floor(LOOK_UPS / terms), 1) * SEGMENT;
}

async function answerTo(connection: PostgresConnection, searched: Searched, look: Look): Promise<LookAnswer | null> {
  const { shown, number, generation } = searched;
  const groups = look.kind === 'records' ? look.groups : [look.group];
  const [text, limit] =
    look.kind === 'records'
      ? [selectRecords(connection.prefix, groups.length), look.limit]
      : [selectEntry(connection.prefix), look.nth];
  const rows = await connection.query(text, [
    ...[number, slotOf(number, look.from), slotOf(number, look.lowest), limit],
    ...groups.map((terms) => terms.join(' ')),
  ]);
  const [first] = rows;
  if (generation !== null && first?.at(-1) !== generation) return null;
  // The left join gives one row of nulls if nothing is found.
  if (look.kind === 'entry') return first?.[0] === null ? 0 : Number(first![0]) % SLOT_SPAN;
  return first?.[0] === null ? [] : rows.map((row) => recordOf(shown, row));
}

/** Parameters: $1 the register, $2 the highest and $3 the lowest slot, $4 how many, then the groups. */
function selectRecords(prefix: string, groups: number): string {
  return withGeneration(
    prefix,
    groups === 0
      ? `SELECT ${PAGE} FROM ${prefix}records r WHERE r.slot BETWEEN $3::bigint AND $2::bigint ORDER BY r.slot DESC LIMIT $4::bigint`
      : `SELECT ${PAGE} FROM (${found(prefix, groups)}) AS o
      CROSS JOIN LATERAL (SELECT * FROM ${prefix}records WHERE slot = o.slot OFFSET 0) AS r ORDER BY r.slot DESC`,
  );
}

function selectEntry(prefix: string): string {
  return withGeneration(prefix, `SELECT o.slot FROM (${found(prefix, 1)}) AS o OFFSET $4::bigint - 1`);
}

function found(prefix: string, groups: number): string {
  const terms = Array.from({ length: groups }, (_, index) => `$${index + 5}`);
  return selectFound(prefix, { from: '$2::bigint', lowest: '$3::bigint', limit: '$4::bigint', groups: terms });
}

function withGeneration(prefix: string, selected: string): string {
  return `SELECT f.*, g.generation
    FROM (SELECT (SELECT generation FROM ${prefix}register_terms WHERE register = $1) AS generation) AS g
    LEFT JOIN LATERAL (${selected}) AS f ON true`;
}
