// The rules for the log of imports, and for the digests of files in it.
import { checkOneOf } from '../../checks.ts';
import { IMPORT_CAUSES, type ImportCounts, type ImportEnd, type ImportEntry, type ImportLog, type NewImport } from '../contract/imports.ts'; // prettier-ignore
import type { UnderLease } from '../contract/leases.ts';
import { SLOT_SPAN, slotOf } from '../rows/columns.ts';
import { checkImportsLimit, unknownFeed } from '../rows/register.ts';
import { FOR_UPDATE, fragment, IS_PRESENT, numberIn,
  table, withoutNul } from '../rows/sql.ts'; // prettier-ignore
import { BY_NUMBER, byDefault, bytes, index, oneOf, orNull, small, Table, TEXT, TIME, whole } from '../rows/table.ts';
import { beginWrite, endWrite } from './leases.ts';
import type { Engine, Rule, Sql } from './rule.ts';

const REGISTERS = table('registers');
const RECORDS = table('records');
const WITHDRAWN = table('withdrawn');
const VERSIONS = table('versions');

/** The keys of the store's own digests. */
const KEYS = new Table('store_keys', { name: TEXT, secret: bytes(32, 32) }, { key: ['name'], isKeyed: true });

const COUNT = byDefault(whole(0), 0);

const IMPORTS = new Table(
  'imports',
  {
    number: whole(1),
    register: small(1),
    file: TEXT,
    cause: oneOf(IMPORT_CAUSES),
    who: orNull(TEXT),
    begun_at: TIME,
    state: byDefault(oneOf(['running', 'completed', 'failed', 'interrupted']), 'running'),
    added: COUNT,
    changed: COUNT,
    unchanged: COUNT,
    restored: COUNT,
    redacted: COUNT,
    withdrawn: COUNT,
    refused: COUNT,
    ended_at: orNull(TIME),
    error: orNull(TEXT),
    last_change: COUNT,
    digest: orNull(bytes(32, 32)),
  },
  { key: ['number'], isCounted: true, indexes: [index('imports_register', fragment`(register${BY_NUMBER})`)] },
);

/** The tables. */
export const IMPORT_TABLES: readonly Table[] = [KEYS, IMPORTS];

const NUMBER = numberIn('number');
const REGISTER = numberIn('register');
const CHANGE = numberIn('change');
const SLOT = numberIn('slot');
const ENTRY = numberIn('entry');

const KEY = KEYS.shape({ secret: 'secret' }).map(({ secret }) => secret);

const IMPORT = IMPORTS.shape({
  number: 'number',
  file: 'file',
  cause: 'cause',
  who: 'who',
  begunAt: 'begun_at',
  state: 'state',
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

/** The log of imports of a store. */
export function importsOn(engine: Engine): ImportLog {
  return {
    begin: async (feedId, begun, options) => {
      checkOneOf('cause', begun.cause, IMPORT_CAUSES);
      return engine.write(beginImport, feedId, begun, options);
    },
    end: (number, end) => engine.write(endImport, number, end),
    list: async (feedId, { limit }) => {
      checkImportsLimit(limit);
      return engine.read(importsOf, feedId, limit);
    },
  };
}

function* beginImport(
  sql: Sql,
  feedId: string,
  { file, cause, who, begunAt }: NewImport,
  { key, ...under }: { readonly key: Uint8Array } & UnderLease,
): Rule<{ readonly number: number; readonly key: Uint8Array }> {
  const register = yield* sql.one(NUMBER)`SELECT ${NUMBER} FROM ${REGISTERS}
    WHERE id = ${withoutNul(feedId)} AND ${IS_PRESENT} ${FOR_UPDATE}`;
  if (register === null) throw unknownFeed(feedId);
  const done = yield* beginWrite(sql, feedId, register, under);
  yield* sql.run`INSERT INTO ${KEYS} (name, secret) VALUES ('imports', ${key}) ON CONFLICT (name) DO NOTHING`;
  const kept = yield* sql.one(KEY)`SELECT ${KEY} FROM ${KEYS} WHERE name = 'imports'`;
  if (done !== null) return { number: done[0]!, key: kept! };
  yield* sql.run`UPDATE ${IMPORTS} SET state = 'interrupted' WHERE register = ${register} AND state = 'running'`;
  const number = yield* sql.one(NUMBER)`INSERT INTO ${IMPORTS} (register, file, cause, who, begun_at)
    VALUES (${register}, ${withoutNul(file)}, ${cause}, ${who}, ${begunAt}) RETURNING ${NUMBER}`;
  yield* endWrite(sql, under, [number!]);
  return { number: number!, key: kept! };
}

function* endImport(sql: Sql, number: number, { counts, endedAt, error, digest }: ImportEnd): Rule<void> {
  const register = yield* sql.one(REGISTER)`SELECT ${REGISTER} FROM ${IMPORTS} WHERE number = ${number}`;
  if (register === null) return;
  const change = yield* sql.one(CHANGE)`SELECT ${CHANGE} FROM ${REGISTERS} WHERE number = ${register}`;
  const isFree = error === null && !(yield* mayHoldErased(sql, register, counts));
  const { added, changed, unchanged, restored, redacted, withdrawn, refused } = counts;
  yield* sql.run`UPDATE ${IMPORTS} SET state = ${error === null ? 'completed' : 'failed'}, added = ${added},
    changed = ${changed}, unchanged = ${unchanged}, restored = ${restored}, redacted = ${redacted},
    withdrawn = ${withdrawn}, refused = ${refused}, ended_at = ${endedAt}, error = ${error},
    digest = ${isFree ? digest : null}, last_change = ${change ?? 0} WHERE number = ${number}`;
}

/** Whether a file may have contained the content of an erased record: then nothing derived from it is kept. */
function* mayHoldErased(sql: Sql, register: number, { redacted, refused }: ImportCounts): Rule<boolean> {
  if (redacted > 0 || refused === 0) return redacted > 0;
  // The refused records may have been erased ones.
  const erased = yield* sql.one(SLOT)`SELECT ${SLOT} FROM ${WITHDRAWN} WHERE is_redacted = 1
    AND slot > ${slotOf(register, 0)} AND slot < ${slotOf(register + 1, 0)} LIMIT 1`;
  return erased !== null;
}

function* importsOf(sql: Sql, feedId: string, limit: number): Rule<readonly ImportEntry[]> {
  const register = yield* sql.one(NUMBER)`SELECT ${NUMBER} FROM ${REGISTERS}
    WHERE id = ${withoutNul(feedId)} AND ${IS_PRESENT}`;
  if (register === null) throw unknownFeed(feedId);
  return yield* sql.all(IMPORT)`SELECT ${IMPORT} FROM ${IMPORTS} WHERE register = ${register}
    ORDER BY number DESC LIMIT ${limit}`;
}

/**
 * Erases the digests of all files that may have contained a record, before its content is erased: who guesses a file
 * could otherwise confirm the guess. Those remain that were imported whole, without a refused record, before the record
 * was first observed: it would have been added.
 */
export function* eraseImportDigests(sql: Sql, recordId: string): Rule<void> {
  const id = withoutNul(recordId);
  const slot = yield* sql.one(SLOT)`SELECT ${SLOT} FROM ${RECORDS} WHERE id = ${id}
    UNION ALL SELECT ${SLOT} FROM ${WITHDRAWN} WHERE id = ${id}`;
  if (slot === null) return;
  const entry = yield* sql.one(ENTRY)`SELECT ${ENTRY} FROM ${VERSIONS} WHERE slot = ${slot} AND version = 1`;
  yield* sql.run`UPDATE ${IMPORTS} SET digest = NULL WHERE register = ${Math.floor(slot / SLOT_SPAN)}
    AND (state <> 'completed' OR refused > 0 OR last_change >= ${(entry ?? 0) % SLOT_SPAN})`;
}
