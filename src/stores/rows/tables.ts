// The words in which tables are written once for both databases. Each is what {@link TableWords} says of it.
import { Fragment, type TableWords } from './sql.ts';

function word(name: Exclude<keyof TableWords, 'ownColumns'>): Fragment {
  return new Fragment(({ tables }) => tables[name]);
}

export const TEXT: Fragment = word('text');
export const BIGINT: Fragment = word('bigint');
export const FLAG: Fragment = word('flag');
export const BYTES: Fragment = word('bytes');
export const COUNTER: Fragment = word('counter');
export const ROWS: Fragment = word('rows');
export const KEYED: Fragment = word('keyed');
export const CREATE_FLEETING: Fragment = word('createFleeting');
export const BY_NUMBER: Fragment = word('byNumber');
export const OF_ACCOUNT: Fragment = word('ofAccount');

/** After the last column of a table: the columns that only one database has. */
export function ownColumns(table: string): Fragment {
  return new Fragment(({ tables: { ownColumns: own } }) => (own[table] === undefined ? '' : `,\n  ${own[table]}`));
}
