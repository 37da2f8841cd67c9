// The rules for the log of imports, and for the digests of files in it.
import { checkOneOf } from '../../../checks.ts';
import type { ImportCounts } from '../../contract/imports/counts.ts';
import { IMPORT_CAUSES } from '../../contract/imports/causes.ts';
import type {
  ImportBasis,
  ImportEnd,
  ImportEntry,
  ImportLog,
  MadeVersion,
  NewImport,
} from '../../contract/imports/log.ts';
import type { UnderLease } from '../../contract/leases.ts';
import { SLOT_SPAN, slotOf } from '../../rows/columns.ts';
import { checkImportsLimit, unknownFeed } from '../../rows/register.ts';
import { FOR_UPDATE, IS_PRESENT, numberIn, type Shape,
  table, withoutNul } from '../../rows/sql.ts'; // prettier-ignore
import { byHandOn } from './by-hand.ts';
import { liveVersions, madeVersions } from './made-versions.ts';
import { proposalsOn } from './proposals.ts';
import { findImport, IMPORT, KEY } from './table.ts';
import { beginWrite, endWrite } from '../leases.ts';
import { checkNoMirror } from '../mirrors/mirrored.ts';
import type { Engine, Rule, Sql } from '../rule.ts';
import { REGISTERS } from '../schema/register-tables.ts';

const RECORDS = table('records');
const WITHDRAWN = table('withdrawn');
const VERSIONS = table('versions');
const IMPORTS = table('imports');
const KEYS = table('store_keys');

const NUMBER = numberIn('number');
const REGISTER = numberIn('register');
const CHANGE = numberIn('change');
const SLOT = numberIn('slot');
const ENTRY = numberIn('entry');

const HEAD = REGISTERS.shape({ register: 'number', change: 'change' }) as Shape<{ register: number; change: number }>;

const BASIS = REGISTERS.shape({
  secret: 'row_secret',
  ignored: 'ignored',
  findings: 'findings',
  isRenumbered: 'is_renumbered',
  reading: 'reading',
}) as Shape<ImportBasis>;

/** The log of imports of a store. */
export function importsOn(engine: Engine): ImportLog {
  return {
    proposals: proposalsOn(engine),
    byHand: byHandOn(engine),
    begin: async (feedId, begun, options) => {
      checkOneOf('cause', begun.cause, IMPORT_CAUSES);
      return engine.write(beginImport, feedId, begun, options);
    },
    end: (number, end) => engine.write(endImport, number, end),
    list: async (feedId, { limit }) => {
      checkImportsLimit(limit);
      return engine.read(importsOf, feedId, limit);
    },
    find: async (feedId, number) => (await engine.read(findImport, feedId, number)).entry,
    made: (feedId, number, range) => engine.read(madeBy, feedId, number, range),
    basis: (feedId) => engine.read(basisOf, feedId),
    changedSince: (feedId, number, range) => engine.read(liveSince, feedId, number, range),
    soldOf: (number) => engine.read(soldOf, number),
    setFindings: (feedId, findings, under = {}) => engine.write(setFindings, feedId, findings, under),
  };
}

function* beginImport(
  sql: Sql,
  feedId: string,
  { kind = 'file', undoes = null, file, cause, who, begunAt }: NewImport,
  { key, ...under }: { readonly key: Uint8Array } & UnderLease,
): Rule<{ readonly number: number; readonly key: Uint8Array }> {
  const head = yield* sql.one(HEAD)`SELECT ${HEAD} FROM ${REGISTERS}
    WHERE id = ${withoutNul(feedId)} AND ${IS_PRESENT} ${FOR_UPDATE}`;
  if (head === null) throw unknownFeed(feedId);
  const { register, change } = head;
  yield* checkNoMirror(sql, feedId);
  const done = yield* beginWrite(sql, feedId, register, under);
  yield* sql.run`INSERT INTO ${KEYS} (name, secret) VALUES ('imports', ${key}) ON CONFLICT (name) DO NOTHING`;
  const kept = yield* sql.one(KEY)`SELECT ${KEY} FROM ${KEYS} WHERE name = 'imports'`;
  if (done !== null) return { number: done[0]!, key: kept! };
  yield* sql.run`UPDATE ${IMPORTS} SET state = 'interrupted' WHERE register = ${register} AND state = 'running'`;
  const number = yield* sql.one(NUMBER)`INSERT INTO ${IMPORTS}
      (register, kind, undoes, file, cause, who, begun_at, first_change)
    VALUES (${register}, ${kind}, ${undoes}, ${withoutNul(file)}, ${cause}, ${who}, ${begunAt}, ${change}) RETURNING ${NUMBER}`;
  yield* endWrite(sql, under, [number!]);
  return { number: number!, key: kept! };
}

function* endImport(
  sql: Sql,
  number: number,
  { counts, endedAt, error, digest, report = null }: ImportEnd,
): Rule<void> {
  const register = yield* sql.one(REGISTER)`SELECT ${REGISTER} FROM ${IMPORTS} WHERE number = ${number}`;
  if (register === null) return;
  const change = yield* sql.one(CHANGE)`SELECT ${CHANGE} FROM ${REGISTERS} WHERE number = ${register}`;
  const isFree = error === null && !(yield* mayHoldErased(sql, register, counts));
  const { added, changed, unchanged, restored, redacted, withdrawn, refused } = counts;
  yield* sql.run`UPDATE ${IMPORTS} SET state = ${error === null ? 'completed' : 'failed'}, added = ${added},
    changed = ${changed}, unchanged = ${unchanged}, restored = ${restored}, redacted = ${redacted},
    withdrawn = ${withdrawn}, refused = ${refused}, ended_at = ${endedAt}, error = ${error},
    digest = ${isFree ? digest : null}, report = coalesce(report, ${isFree ? report : null}), last_change = ${change ?? 0} WHERE number = ${number}`;
}

/** How many purchases plugins keep of the records that a proposal withdraws. */
function* soldOf(sql: Sql, proposal: number): Rule<number> {
  let sold = 0;
  for (const plugin of sql.plugins) if (plugin.soldOf !== undefined) sold += yield* plugin.soldOf(sql, proposal);
  return sold;
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

function* madeBy(
  sql: Sql,
  feedId: string,
  number: number,
  { after, limit }: Parameters<ImportLog['made']>[2],
): Rule<readonly MadeVersion[]> {
  const { register, ...own } = yield* findImport(sql, feedId, number);
  return yield* madeVersions(sql, register, number, { after: Math.max(after, own.after), until: own.until, limit });
}

function* liveSince(
  sql: Sql,
  feedId: string,
  number: number,
  { undo, after, limit }: Parameters<ImportLog['changedSince']>[2],
): Rule<readonly Pick<MadeVersion, 'change' | 'now'>[]> {
  const { register, ...own } = yield* findImport(sql, feedId, number);
  return yield* liveVersions(sql, register, undo, { after: Math.max(after, own.after), limit });
}

function* basisOf(sql: Sql, feedId: string): Rule<ImportBasis> {
  const basis = yield* sql.one(
    BASIS,
  )`SELECT ${BASIS} FROM ${REGISTERS} WHERE id = ${withoutNul(feedId)} AND ${IS_PRESENT}`;
  if (basis === null) throw unknownFeed(feedId);
  return basis;
}

function* setFindings(sql: Sql, feedId: string, findings: ImportBasis['findings'], under: UnderLease): Rule<void> {
  const number = yield* sql.one(NUMBER)`UPDATE ${REGISTERS} SET findings = ${JSON.stringify(findings)}
    WHERE id = ${withoutNul(feedId)} AND ${IS_PRESENT} RETURNING ${NUMBER}`;
  if (number === null) throw unknownFeed(feedId);
  yield* beginWrite(sql, feedId, number, under);
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
