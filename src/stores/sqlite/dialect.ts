// How SQLite writes what the two databases write differently.
import type { Dialect } from '../rows/sql.ts';

/** Of SQLite. */
export const DIALECT: Dialect = {
  table: (name) => name,
  parameter: () => '?',
  // SQLite has one writer at a time.
  forUpdate: '',
  forShare: '',
  least: 'min',
  greatest: 'max',
  isPresent: 'is_removed = 0',
  // RFC 9562 5.4
  randomUuid: `lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2)
  || '-' || substr('89ab', (random() & 3) + 1, 1) || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6)))`,
  fromNow: (seconds) => `strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '+${seconds} seconds')`,
  eachText: 'json_each',
  tables: {
    text: 'TEXT',
    bigint: 'INTEGER',
    flag: 'INTEGER',
    bytes: 'BLOB',
    counter: 'PRIMARY KEY AUTOINCREMENT',
    rows: ' STRICT',
    keyed: ' STRICT, WITHOUT ROWID',
    createFleeting: 'CREATE TABLE',
    // Every entry of an index ends with the key of its row.
    byNumber: '',
    ofAccount: '',
    uncompressed: () => '',
    ownColumns: { registers: 'is_removed INTEGER NOT NULL DEFAULT 0' },
  },
};
