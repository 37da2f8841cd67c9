// The tables of the log of imports, and what their rows are read as.
import { GazetteError, quote } from '../../../errors.ts';
import { IMPORT_CAUSES } from '../../contract/imports/causes.ts';
import { IMPORT_KINDS, IMPORT_STATES, type ImportEntry } from '../../contract/imports/log.ts';
import { SLOT_SPAN } from '../../rows/columns.ts';
import { unknownFeed } from '../../rows/register.ts';
import { asNumber, fragment, IS_PRESENT, numberIn, shape, type Shape, withoutNul } from '../../rows/sql.ts';
import {
  BY_NUMBER,
  byDefault,
  bytes,
  index,
  JSON_TEXT,
  oneOf,
  orNull,
  small,
  Table,
  TEXT,
  TIME,
  whole,
} from '../../rows/table.ts';
import type { Rule, Sql } from '../rule.ts';
import { REGISTERS } from '../schema/register-tables.ts';

/** The keys of the store's own digests. */
const KEYS = new Table('store_keys', { name: TEXT, secret: bytes(32, 32) }, { key: ['name'], isKeyed: true });

const NUMBER = numberIn('number');
/** The change before the first of an import, and its last: 0 until it has ended. */
const CHANGES = shape(['first_change', 'last_change'], ([first, last]) => [asNumber(first), asNumber(last)] as const);

const COUNT = byDefault(whole(0), 0);

/** Those that are only proposed are among them. The change numbers are those before the first version, and of the last. */
const IMPORTS = new Table(
  'imports',
  {
    number: whole(1),
    register: small(1),
    kind: byDefault(oneOf(IMPORT_KINDS), 'file'),
    undoes: orNull(whole(1)),
    file: TEXT,
    cause: oneOf(IMPORT_CAUSES),
    who: orNull(TEXT),
    begun_at: TIME,
    state: byDefault(oneOf(IMPORT_STATES), 'running'),
    decided_by: orNull(TEXT),
    added: COUNT,
    changed: COUNT,
    unchanged: COUNT,
    restored: COUNT,
    redacted: COUNT,
    withdrawn: COUNT,
    refused: COUNT,
    ended_at: orNull(TIME),
    error: orNull(TEXT),
    first_change: COUNT,
    last_change: COUNT,
    digest: orNull(bytes(32, 32)),
    report: orNull(JSON_TEXT),
    replaced: orNull(JSON_TEXT),
  },
  { key: ['number'], isCounted: true, indexes: [index('imports_register', fragment`(register${BY_NUMBER})`)] },
);

/** The tables. */
export const IMPORT_TABLES: readonly Table[] = [KEYS, IMPORTS];

/** The key of the store's digests. */
export const KEY: Shape<Uint8Array> = KEYS.shape({ secret: 'secret' }).map(({ secret }) => secret);

/** The columns of an import. */
export const IMPORT: Shape<ImportEntry> = IMPORTS.shape({
  number: 'number',
  kind: 'kind',
  undoes: 'undoes',
  file: 'file',
  cause: 'cause',
  who: 'who',
  begunAt: 'begun_at',
  state: 'state',
  decidedBy: 'decided_by',
  added: 'added',
  changed: 'changed',
  unchanged: 'unchanged',
  restored: 'restored',
  redacted: 'redacted',
  withdrawn: 'withdrawn',
  refused: 'refused',
  endedAt: 'ended_at',
  error: 'error',
  digest: 'digest',
}).map(({ added, changed, unchanged, restored, redacted, withdrawn, refused, ...entry }): ImportEntry => {
  return { ...entry, counts: { added, changed, unchanged, restored, redacted, withdrawn, refused } };
});

/** The error for an import that a register does not have. */
export function unknownImport(number: number, feedId?: string): GazetteError {
  const of = feedId === undefined ? '' : ` of register ${quote(feedId)}`;
  return new GazetteError('unknown_import', `there is no import ${number}${of}`, { details: { import: number } });
}

/** An import of a register, with the number of that, and the changes between which its own are. @throws GazetteError `unknown_feed`, `unknown_import` */
export function* findImport(
  sql: Sql,
  feedId: string,
  number: number,
): Rule<{ readonly register: number; readonly after: number; readonly until: number; readonly entry: ImportEntry }> {
  const register = yield* sql.one(NUMBER)`SELECT ${NUMBER} FROM ${REGISTERS}
    WHERE id = ${withoutNul(feedId)} AND ${IS_PRESENT}`;
  if (register === null) throw unknownFeed(feedId);
  const entry = yield* sql.one(IMPORT)`SELECT ${IMPORT} FROM ${IMPORTS}
    WHERE number = ${number} AND register = ${register}`;
  if (entry === null) throw unknownImport(number, feedId);
  const [after, last] = (yield* sql.one(CHANGES)`SELECT ${CHANGES} FROM ${IMPORTS} WHERE number = ${number}`)!;
  return { register, after, until: last === 0 ? SLOT_SPAN - 1 : last, entry };
}
