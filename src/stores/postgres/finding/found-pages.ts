// How a PostgresStore reads a register for pages of filters that the index of terms answers: one statement for each answer,
// which has no part that its look does not need, because it is planned every time.
import type { RecordFilter } from '../../../register/finding/filter.ts';
import type { Page, PageQuery } from '../../../register/page.ts';
import { type FoundHead, foundPage, type FoundReads } from '../../logic/finding/found-page.ts';
import {
  consecutive,
  type FoundSet,
  type Look,
  MOST_WORDS,
  type SegmentsAsked,
  termsIn,
} from '../../logic/finding/segments.ts';
import { TERM_STATE } from '../../logic/finding/term-state.ts';
import { PAGE_COLUMNS, recordOf, type ShownAs, type SqlRow } from '../../rows/columns.ts';
import { asBytes, asText } from '../../rows/sql.ts';
import type { PostgresConnection } from '../connection.ts';

const PAGE = PAGE_COLUMNS.join(', ');

/** As `foundPage()`. */
export async function foundPageIn(
  connection: PostgresConnection,
  shown: ShownAs,
  number: number,
  filter: RecordFilter,
  query: PageQuery,
): Promise<Page> {
  const { prefix } = connection;
  const head = `SELECT ${TERM_STATE.of('t')}, g.top, g.change FROM ${prefix}registers g
    JOIN ${prefix}register_terms t ON t.register = g.number WHERE g.number = $1`;
  const records = `SELECT r.*, (SELECT change FROM ${prefix}registers WHERE number = $1) FROM unnest($2::bigint[]) AS s (slot)
    CROSS JOIN LATERAL (SELECT ${PAGE} FROM ${prefix}records r WHERE r.slot = s.slot OFFSET 0) AS r ORDER BY r.slot DESC`;
  const below = `SELECT ${PAGE} FROM ${prefix}records WHERE slot <= $1 AND slot >= $2 ORDER BY slot DESC LIMIT $3`;
  const read = (row: SqlRow) => recordOf(shown, row);
  const reads: FoundReads = {
    head: async () => {
      const [row] = await connection.query(head, [number]);
      return row === undefined ? null : headIn(row);
    },
    look: async (asked, look) => {
      const chosen = 'from' in asked && asked.range === null ? consecutive(asked) : asked;
      const { text, values } = lookQuery(prefix, head, number, chosen, look);
      const rows = await connection.query(text, values);
      const [first] = rows;
      if (first === undefined) return null;
      const found = rows.map((row) => row.slice(HEAD_COLUMNS)).filter(([segment]) => segment !== null);
      const chosenHere = found.filter(([, kind]) => kind === SEGMENT_ROW).map(([segment]) => Number(segment));
      return {
        head: headIn(first),
        segments: 'from' in chosen ? chosenHere.sort((a, b) => b - a) : chosen,
        found: found.flatMap(([segment, kind, name, bytes]): FoundSet[] =>
          kind === SEGMENT_ROW
            ? []
            : [
                {
                  segment: Number(segment),
                  kind: kind as FoundSet['kind'],
                  name: asText(name),
                  bytes: asBytes(bytes),
                },
              ],
        ),
      };
    },
    records: async (slots) => {
      const rows = await connection.query(records, [number, slots]);
      const change = rows[0]?.at(-1) ?? null;
      return { change: change === null ? null : Number(change), records: rows.map(read) };
    },
    below: async (highest, lowest, limit) => (await connection.query(below, [highest, lowest, limit])).map(read),
  };
  return foundPage({ shown, number, reads }, filter, query);
}

/** What a row of a segment says in the place of the kind of a set. */
const SEGMENT_ROW = 'segment';

/** The segments of a look, if a range chooses them, and what there is of each. Without any, the head comes alone. */
function lookQuery(
  prefix: string,
  head: string,
  number: number,
  asked: SegmentsAsked | readonly number[],
  look: Look,
): { readonly text: string; readonly values: readonly unknown[] } {
  const values: unknown[] = [number];
  const given = (value: unknown, type: string): string => `$${values.push(value)}::${type}`;
  // Nested as it is written: a join might read the whole table.
  const inEach = (names: string, found: string): string =>
    `SELECT s.segment, f.* FROM s CROSS JOIN ${names} CROSS JOIN LATERAL (${found} OFFSET 0) AS f`;
  const segments = (): string => {
    if (!('from' in asked)) return `SELECT unnest(${given(asked, 'bigint[]')})`;
    const { from, to, limit, range } = asked;
    if (range === null) throw new TypeError('they are consecutive');
    return `SELECT segment FROM ${prefix}value_columns WHERE field = ${given(range.field, 'text')}
      AND segment BETWEEN ${given(to, 'bigint')} AND ${given(from, 'bigint')}
      AND lowest <= ${given(range.highest, 'bigint')} AND highest >= ${given(range.lowest, 'bigint')}
      ORDER BY field DESC, segment DESC LIMIT ${given(limit, 'bigint')}`;
  };
  const parts = 'from' in asked ? [`SELECT segment, '${SEGMENT_ROW}', NULL, NULL FROM s`] : [];
  const terms = termsIn(look);
  const { beginnings, ranges } = look;
  const from = segments();
  if (terms.length > 0) {
    parts.push(
      inEach(
        `unnest(${given(terms, 'text[]')}) AS n (name)`,
        `SELECT 'term', term, positions FROM ${prefix}term_postings t WHERE t.segment = s.segment AND t.term = n.name`,
      ),
    );
  }
  if (beginnings.length > 0) {
    parts.push(
      inEach(
        `unnest(${given(beginnings, 'text[]')}, ${given(
          beginnings.map((word) => word + LAST_CHARACTER),
          'text[]',
        )}) AS n (name, below)`,
        `SELECT 'beginning', n.name, positions FROM ${prefix}term_postings t WHERE t.segment = s.segment AND t.term >= n.name
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
        `unnest(${fields}, ${list('lowest')}, ${list('highest')}) AS n (name, lowest, highest)`,
        `SELECT 'range', field, keys FROM ${prefix}value_columns t WHERE t.segment = s.segment AND t.field = n.name
          AND t.lowest <= n.highest AND t.highest >= n.lowest`,
      ),
    );
  }
  const text = `WITH s (segment) AS MATERIALIZED (${from})
    SELECT h.*, p.* FROM (${head}) AS h LEFT JOIN (${parts.join(' UNION ALL ')}) AS p ON true`;
  return { text, values };
}

/** Above every character of a word. */
const LAST_CHARACTER = '\u{10FFFF}';

const HEAD_COLUMNS = TERM_STATE.columns.length + 2;

function headIn(row: SqlRow): FoundHead {
  const [top, change] = row.slice(TERM_STATE.columns.length);
  return { index: TERM_STATE.read(row), top: Number(top), change: Number(change) };
}
