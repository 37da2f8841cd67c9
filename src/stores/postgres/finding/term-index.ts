// The index of terms in PostgreSQL: a GIN index over the terms of each record, each with the number of the segment of
// positions that its record lies in. A look-up reads one segment after the other, newest first, and stops when it has
// enough: of a common term it reads the entries of one segment, never all that the register has.
import type { RunQuery } from '../connection.ts';

/**
 * How many positions a segment has, as a power of two. A smaller one makes common terms quicker, a larger one rare terms,
 * and the index smaller: of 1,000,000 records a rare term takes 244 look-ups of about 10 µs.
 */
const SEGMENT_BITS = 12;

/** The size of a segment in slots. */
export const SEGMENT: number = 2 ** SEGMENT_BITS;

const INDEX = 'record_terms_found';

/** What the table of terms has in PostgreSQL alone. @param schema the prefix of the tables' names */
export function termIndexSql(schema: string): string {
  return `
CREATE INDEX ${INDEX} ON ${schema}record_terms USING gin ((${segmented('terms', `slot >> ${SEGMENT_BITS}`)}))
  WITH (gin_pending_list_limit = 1024);
-- No plan depends on statistics of terms, and none of them can keep an erased word.
ALTER INDEX ${schema}${INDEX} ALTER COLUMN 1 SET STATISTICS 0;
ALTER TABLE ${schema}record_terms ALTER COLUMN terms SET STATISTICS 0;`;
}

/** What {@link selectFound} takes, as SQL. */
export interface FoundIn {
  /** The highest and the lowest slot. */
  readonly from: string;
  readonly lowest: string;
  /** The number of slots. */
  readonly limit: string;
  /** The terms of each group as one text, separated by spaces. */
  readonly groups: readonly string[];
}

/** Selects the slots of the records that have a term of each group, newest first. */
export function selectFound(prefix: string, { from, lowest, limit, groups }: FoundIn): string {
  const own = segmented('t.terms', `t.slot >> ${SEGMENT_BITS}`);
  const conditions = groups.map((group) => {
    const asked = segmented(`${group}::text`, 's.segment');
    // Without statistics the planner takes a term for one that every hundredth record has, and for millions of records a
    // scan of the table for as quick. Asked twice, it takes it for rare; the index looks it up once.
    return `${own} && ${asked} AND ${own} && (${asked} || '{}'::text[])`;
  });
  // An order and a range of `slot + 0` keep the planner from walking the primary key instead. Where it reads a small table
  // whole, the range is the condition that it checks first.
  return `SELECT f.slot
    FROM generate_series((${from}) >> ${SEGMENT_BITS}, (${lowest}) >> ${SEGMENT_BITS}, -1) AS s (segment)
    CROSS JOIN LATERAL (SELECT t.slot FROM ${prefix}record_terms t WHERE ${conditions.join(' AND ')}
      AND t.slot + 0 BETWEEN greatest(${lowest}, s.segment << ${SEGMENT_BITS})
        AND least(${from}, ((s.segment + 1) << ${SEGMENT_BITS}) - 1)
      ORDER BY t.slot + 0 DESC LIMIT ${limit}) AS f LIMIT ${limit}`;
}

/**
 * Brings the entries of new terms to their places. Until then every look-up reads all that wait. A role that does not own
 * the index leaves that to the server, which does it for each megabyte.
 */
export async function placeTerms(query: RunQuery, prefix: string): Promise<void> {
  await query(`SELECT gin_clean_pending_list(oid) FROM pg_class
    WHERE oid = '${prefix}${INDEX}'::regclass AND pg_has_role(relowner, 'USAGE')`);
}

function segmented(terms: string, segment: string): string {
  const mark = `'@' || to_hex(${segment})`;
  return `string_to_array(replace(${terms}, ' ', ${mark} || ' ') || ${mark}, ' ')`;
}
