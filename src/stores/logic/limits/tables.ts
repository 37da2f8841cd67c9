// How the counters of limits lie in tables. A window is a row; `granted` is what the last draw was given.
import { Fragment, fragment, table } from '../../rows/sql.ts';
import { BIGINT, CREATE_FLEETING, ROWS, TEXT } from '../../rows/tables.ts';

/** The table of a caller's windows, by whether it outlives a crash of the database. */
export function limitTable(isKept: boolean): string {
  return isKept ? 'failure_counts' : 'limit_counts';
}

/** The tables. SQLite has them too, and does not use them: its processes share one machine. */
export const LIMIT_TABLES: Fragment = fragment`${counts(CREATE_FLEETING, false)}${counts(fragment`CREATE TABLE`, true)}
${CREATE_FLEETING} ${table('limit_nodes')} (node ${TEXT} PRIMARY KEY, seen_at ${BIGINT} NOT NULL)${ROWS};`;

function counts(create: Fragment, isKept: boolean): Fragment {
  const name = limitTable(isKept);
  const index = new Fragment(() => `${name}_ends_at`);
  return fragment`
${create} ${table(name)} (
  caller ${TEXT} PRIMARY KEY,
  used ${BIGINT} NOT NULL,
  granted ${BIGINT} NOT NULL,
  ends_at ${BIGINT} NOT NULL
)${ROWS};
CREATE INDEX ${index} ON ${table(name)} (ends_at);`;
}
