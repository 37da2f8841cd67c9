// How a PostgresStore reads a register for pages of filters that the index of terms answers: one statement for each answer.
import type { RecordFilter } from '../../../register/finding/filter.ts';
import type { Page, PageQuery } from '../../../register/page.ts';
import { type FoundHead, foundPage, type FoundReads } from '../../logic/finding/found-page.ts';
import { POSTINGS } from '../../logic/finding/postings.ts';
import { TERM_STATE } from '../../logic/finding/term-state.ts';
import { PAGE_COLUMNS, recordOf, type ShownAs, type SqlRow } from '../../rows/columns.ts';
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
  // Nested as it is written: a join might read the whole table. The outer one gives the head where nothing is found.
  const postings = `SELECT h.*, p.* FROM (${head}) AS h LEFT JOIN (
      SELECT f.* FROM unnest($2::bigint[]) AS s (segment) CROSS JOIN unnest($3::text[]) AS n (term)
      CROSS JOIN LATERAL (SELECT segment, term, positions FROM ${prefix}term_postings t
        WHERE t.segment = s.segment AND t.term = n.term OFFSET 0) AS f
    ) AS p ON true`;
  const records = `SELECT r.*, (SELECT change FROM ${prefix}registers WHERE number = $1) FROM unnest($2::bigint[]) AS s (slot)
    CROSS JOIN LATERAL (SELECT ${PAGE} FROM ${prefix}records r WHERE r.slot = s.slot OFFSET 0) AS r ORDER BY r.slot DESC`;
  const below = `SELECT ${PAGE} FROM ${prefix}records WHERE slot <= $1 AND slot >= $2 ORDER BY slot DESC LIMIT $3`;
  const read = (row: SqlRow) => recordOf(shown, row);
  const reads: FoundReads = {
    head: async () => {
      const [row] = await connection.query(head, [number]);
      return row === undefined ? null : headIn(row);
    },
    postings: async (segments, terms) => {
      const rows = await connection.query(postings, [number, segments, terms]);
      const [first] = rows;
      if (first === undefined) return null;
      const found = rows.map((row) => row.slice(HEAD_COLUMNS)).filter(([segment]) => segment !== null);
      return { head: headIn(first), postings: found.map(POSTINGS.read) };
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

const HEAD_COLUMNS = TERM_STATE.columns.length + 2;

function headIn(row: SqlRow): FoundHead {
  const [top, change] = row.slice(TERM_STATE.columns.length);
  return { index: TERM_STATE.read(row), top: Number(top), change: Number(change) };
}
