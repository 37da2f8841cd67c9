// How a PostgresStore reads a register for pages of filters that the index of terms answers: one statement for each answer,
// which has no part that its look does not need, because it is planned every time.
import type { FoundHead, FoundReads, Searched } from '../../logic/finding/found-reads.ts';
import {
  beginningsIn,
  consecutive,
  type FirstAsked,
  type FoundSet,
  type Look,
  MOST_WORDS,
  type SegmentsAsked,
  termsIn,
} from '../../logic/finding/segments.ts';
import { TERM_STATE } from '../../logic/finding/term-state.ts';
import { SEGMENT } from '../../logic/finding/postings.ts';
import { PAGE_COLUMNS, recordOf, type ShownAs, slotOf, type SqlRow, type SqlValue } from '../../rows/columns.ts';
import { asBytes, asText } from '../../rows/sql.ts';
import type { PostgresConnection } from '../connection.ts';

const PAGE = PAGE_COLUMNS.join(', ');

/** What pages of a register are found in. */
export function searchedIn(connection: PostgresConnection, shown: ShownAs, number: number): Searched {
  const { prefix } = connection;
  const head = `SELECT ${TERM_STATE.of('t')}, g.top, g.change FROM ${prefix}registers g
    JOIN ${prefix}register_terms t ON t.register = g.number WHERE g.number = $1`;
  const records = `SELECT r.*, (SELECT change FROM ${prefix}registers WHERE number = $1) FROM unnest($2::bigint[]) AS s (slot)
    CROSS JOIN LATERAL (SELECT ${PAGE} FROM ${prefix}records r WHERE r.slot = s.slot OFFSET 0) AS r ORDER BY r.slot DESC`;
  const below = `SELECT ${PAGE} FROM ${prefix}records WHERE slot <= $1 AND slot >= $2 ORDER BY slot DESC LIMIT $3`;
  const read = (row: SqlRow) => recordOf(shown, row);
  const reads: FoundReads = {
    // To ask again takes longer than to read another segment.
    firstSegments: 2,
    head: async () => {
      const [row] = await connection.query(head, [number]);
      return row === undefined ? null : headIn(row);
    },
    look: async (asked, look) => {
      const isGiven = 'from' in asked && asked.range === null;
      const chosen = isGiven ? consecutive(asked) : asked;
      const { text, values } = lookQuery(prefix, head, number, chosen, look);
      const [row] = await connection.query(text, values);
      if (row === undefined) return null;
      const [segments, sets, bytes] = row.slice(HEAD_COLUMNS);
      return {
        head: headIn(row),
        segments: 'limit' in chosen ? numbersIn(segments!) : chosen,
        found: foundIn(look, numbersIn(sets!), bytes!),
      };
    },
    records: async (slots) => {
      const rows = await connection.query(records, [number, slots]);
      const change = rows[0]?.at(-1) ?? null;
      return { change: change === null ? null : Number(change), records: rows.map(read) };
    },
    below: async (highest, lowest, limit) => (await connection.query(below, [highest, lowest, limit])).map(read),
  };
  return { shown, number, reads };
}

/** The numbers of a list; null stands for none. */
function numbersIn(list: SqlValue): number[] {
  return list === null ? [] : asText(list).split(' ').map(Number);
}

/** The sets of a look, from their descriptions, three numbers each (segment, name, length), and their bytes one after the other. */
function foundIn(look: Look, sets: readonly number[], all: SqlValue): FoundSet[] {
  const names = [
    ...termsIn(look).map((name) => ({ kind: 'term', name }) as const),
    ...beginningsIn(look).map((name) => ({ kind: 'beginning', name }) as const),
    ...look.ranges.map(({ field }) => ({ kind: 'range', name: field }) as const),
  ];
  const found: FoundSet[] = [];
  for (let at = 0, from = 0; at < sets.length; at += 3) {
    const to = from + sets[at + 2]!;
    found.push({ segment: sets[at]!, ...names[sets[at + 1]! - 1]!, bytes: asBytes(all).subarray(from, to) });
    from = to;
  }
  return found;
}

/**
 * The head of the register, the segments of a look if a range chooses them, and what there is of them: all in one row, because
 * what comes with a row takes longer to read than a set.
 */
function lookQuery(
  prefix: string,
  head: string,
  number: number,
  asked: FirstAsked | SegmentsAsked | readonly number[],
  look: Look,
): { readonly text: string; readonly values: readonly unknown[] } {
  const values: unknown[] = [number];
  const given = (value: unknown, type: string): string => `$${values.push(value)}::${type}`;
  // Nested as it is written: a join might read the whole table.
  const inEach = (before: number, names: string, columns: string, found: string): string =>
    `SELECT s.segment, n.at + ${before}, f.bytes FROM s CROSS JOIN ROWS FROM (unnest(${names})) WITH ORDINALITY AS n (${columns}, at)
      CROSS JOIN LATERAL (${found} OFFSET 0) AS f (bytes)`;
  const segments = (): string => {
    if (!('limit' in asked)) return `SELECT unnest(${given(asked, 'bigint[]')})`;
    const { range } = asked;
    const limit = given(asked.limit, 'bigint');
    let from: string;
    let to: string;
    if ('from' in asked) {
      [from, to] = [given(asked.from, 'bigint'), given(asked.to, 'bigint')];
    } else {
      // As firstOf() does.
      const [zero, asOf, offset] = [slotOf(number, 0), asked.asOf, asked.offset].map((value) => given(value, 'bigint'));
      from = `(SELECT (${zero} + greatest(coalesce(${asOf}, top) - ${offset}, 0)) / ${SEGMENT} FROM ${prefix}registers WHERE number = $1)`;
      to = `greatest(${from} - ${given(asked.most - 1, 'bigint')}, ${zero} / ${SEGMENT})`;
    }
    if (range === null) return `SELECT generate_series(${from}, greatest(${from} - ${limit} + 1, ${to}), -1)`;
    return `SELECT segment FROM ${prefix}value_columns WHERE field = ${given(range.field, 'text')}
      AND segment BETWEEN ${to} AND ${from} AND lowest <= ${given(range.highest, 'bigint')} AND highest >= ${given(range.lowest, 'bigint')}
      ORDER BY field DESC, segment DESC LIMIT ${limit}`;
  };
  const parts: string[] = [];
  const terms = termsIn(look);
  const beginnings = beginningsIn(look);
  const { ranges } = look;
  const from = segments();
  if (terms.length > 0) {
    parts.push(
      inEach(
        0,
        given(terms, 'text[]'),
        'name',
        `SELECT positions FROM ${prefix}term_postings t WHERE t.segment = s.segment AND t.term = n.name`,
      ),
    );
  }
  if (beginnings.length > 0) {
    parts.push(
      inEach(
        terms.length,
        `${given(beginnings, 'text[]')}, ${given(
          beginnings.map((word) => word + LAST_CHARACTER),
          'text[]',
        )}`,
        'name, below',
        `SELECT positions FROM ${prefix}term_postings t WHERE t.segment = s.segment AND t.term >= n.name
          AND t.term < n.below LIMIT ${MOST_WORDS + 1}`,
      ),
    );
  }
  if (ranges.length > 0) {
    const list = (member: 'lowest' | 'highest'): string =>
      given(
        ranges.map((range) => range[member]),
        'bigint[]',
      );
    const fields = given(
      ranges.map(({ field }) => field),
      'text[]',
    );
    parts.push(
      inEach(
        terms.length + beginnings.length,
        `${fields}, ${list('lowest')}, ${list('highest')}`,
        'name, lowest, highest',
        `SELECT keys FROM ${prefix}value_columns t WHERE t.segment = s.segment AND t.field = n.name
          AND t.lowest <= n.highest AND t.highest >= n.lowest`,
      ),
    );
  }
  const text = `WITH s (segment) AS MATERIALIZED (${from})
    SELECT h.*, ${'limit' in asked ? `(SELECT string_agg(segment::text, ' ' ORDER BY segment DESC) FROM s)` : 'NULL'}, p.*
    FROM (${head}) AS h CROSS JOIN (SELECT string_agg(concat_ws(' ', segment, at, length(bytes)), ' '), string_agg(bytes, '')
      FROM (${parts.join(' UNION ALL ')}) AS p (segment, at, bytes)) AS p`;
  return { text, values };
}

/** Above every character of a word. */
const LAST_CHARACTER = '\u{10FFFF}';

const HEAD_COLUMNS = TERM_STATE.columns.length + 2;

function headIn(row: SqlRow): FoundHead {
  const [top, change] = row.slice(TERM_STATE.columns.length);
  return { index: TERM_STATE.read(row), top: Number(top), change: Number(change) };
}
