// The rules for registers that go on under a log that was signed elsewhere: a store that was restored from an older state takes in what
// it lacks, as mirrors do, and a mirror becomes a register of its own.
import { GazetteError, quote } from '../../../errors.ts';
import {
  definitionOf,
  definitionText,
  REGISTER,
  type RegisterRow,
  unknownFeed,
} from '../../../stores/rows/register.ts';
import { FOR_UPDATE, GREATEST, IS_PRESENT, numberIn, table, withoutNul } from '../../../stores/rows/sql.ts';
import { slotOf } from '../../../stores/rows/columns.ts';
import { LOG } from '../../../stores/rows/commitment.ts';
import { renewTerms } from '../../../stores/logic/finding/term-state.ts';
import { checkNoMirror } from '../../../stores/logic/mirrors/mirrored.ts';
import { endMirror } from '../../../stores/logic/mirrors/mirrors.ts';
import { beginLog, takeVersions } from '../../../stores/logic/mirrors/taking-in.ts';
import { AFTER_CONFIGURATION } from '../../../stores/logic/nodes/configuration.ts';
import type { Engine, Rule, Sql } from '../../../stores/logic/rule.ts';
import { renewCounts } from '../../../stores/logic/values.ts';
import { sameHash } from '../tlog/hashes.ts';
import { hashesOf, tilesOf } from '../tlog/tree.ts';
import type { LogRecovery, MissingChanges, SignedTree } from './contract/recovery.ts';
import { SIGNED } from './log-of-logs.ts';
import { storedTiles } from './log-tree.ts';

const REGISTERS = table('registers');
const LOGS = table('logs');
const REMOVED = table('removed_registers');
const VERSIONS = table('versions');

const NUMBER = numberIn('number');

/** The recovery of a store. @param parts what of the database is to be rewritten once something is erased */
export function recoveryOn(engine: Engine, parts: readonly string[]): LogRecovery {
  return {
    putBack: (feedId, missing, signed) => engine.write(putBack, feedId, { missing, signed, parts }),
    promote: (feedId, signed) => engine.write(promoteSigned, feedId, signed),
  };
}

interface PutBack {
  readonly missing: MissingChanges;
  readonly signed: SignedTree;
  readonly parts: readonly string[];
}

function* putBack(sql: Sql, feedId: string, { missing, signed, parts }: PutBack): Rule<void> {
  const head = yield* sql.one(REGISTER)`SELECT ${REGISTER} FROM ${REGISTERS}
    WHERE id = ${withoutNul(feedId)} AND ${IS_PRESENT} ${FOR_UPDATE}`;
  if (head === null) throw unknownFeed(feedId);
  yield* checkNoMirror(sql, feedId);
  const { number } = head;
  if (head.change !== missing.since)
    throw new GazetteError('store_busy', `register ${quote(feedId)} was written meanwhile: stop what writes it`);
  yield* endUnusedLogs(sql, head, signed.uuid);
  const now = yield* takeVersions(sql, yield* redefined(sql, head, missing), missing.versions, parts);
  const latest = yield* latestLog(sql, number);
  if (latest !== signed.uuid) yield* beginLog(sql, now, signed.uuid, now.change);
  yield* sql.run`DELETE FROM ${SIGNED} WHERE register = ${number} AND uuid NOT IN (SELECT uuid FROM ${LOGS})`;
  // A date for conditional requests that lies ahead of the clock was never sent.
  const lastModified = Math.max(head.lastModified, missing.lastModified ?? 0) + 1;
  yield* sql.run`UPDATE ${REGISTERS} SET last_modified = ${GREATEST}(${lastModified}, ${AFTER_CONFIGURATION}), log = ${signed.uuid},
    is_successor = CASE WHEN EXISTS (SELECT 1 FROM ${REMOVED} o WHERE o.id = ${feedId})
      OR (SELECT count(*) FROM ${LOGS} l WHERE l.register = ${number}) > 1 THEN 1 ELSE 0 END
    WHERE number = ${number}`;
  if (yield* hasRoot(sql, number, signed)) return;
  throw contradicted(feedId, 'is not the one that was signed with what the other store has');
}

/** Gives a register the definition that another store has of it. */
function* redefined(sql: Sql, head: RegisterRow, missing: MissingChanges): Rule<RegisterRow> {
  const { number, top } = head;
  const { definitionVersion } = missing;
  const definition = definitionText(missing.definition);
  const now = { ...head, definition, definitionVersion };
  yield* sql.run`UPDATE ${REGISTERS} SET definition = ${definition}, definition_version = ${definitionVersion}
    WHERE number = ${number}`;
  if (definition === head.definition) return now;
  yield* renewTerms(sql, number, definitionOf(now), top);
  yield* renewCounts(sql, number, definitionOf(now));
  return now;
}

function* latestLog(sql: Sql, register: number): Rule<string | undefined> {
  const log = yield* sql.one(LOG)`SELECT ${LOG} FROM ${LOGS} WHERE register = ${register}
    ORDER BY number DESC LIMIT 1`;
  return log?.uuid;
}

/** Ends the logs that were begun for the older state, behind the one that was signed or written to: nothing was written to them. */
function* endUnusedLogs(sql: Sql, { number, change }: RegisterRow, uuid: string): Rule<void> {
  const signed = yield* sql.one(NUMBER)`SELECT ${NUMBER} FROM ${LOGS} WHERE uuid = ${uuid} AND register = ${number}`;
  // One that nothing was written to at all gives way by itself.
  if (change === 0 && signed === null) return;
  // No index finds the versions of a log: only those of its register are read.
  yield* sql.run`DELETE FROM ${LOGS} WHERE register = ${number} AND number > ${signed ?? 0}
    AND NOT EXISTS (SELECT 1 FROM ${VERSIONS} v WHERE v.log = ${LOGS}.number
      AND v.entry > ${slotOf(number, 0)} AND v.entry < ${slotOf(number + 1, 0)})`;
}

function* promoteSigned(sql: Sql, feedId: string, signed: SignedTree): Rule<void> {
  const head = yield* endMirror(sql, feedId);
  const { number, log, change } = head;
  const { uuid, size } = signed;
  if (log !== uuid || change !== size)
    throw contradicted(
      feedId,
      `has ${log === uuid ? `${change} changes, and ${size}` : 'another name than what'} were signed last`,
    );
  if (!(yield* hasRoot(sql, number, signed))) throw contradicted(feedId, 'is not the one that was signed last');
}

function* hasRoot(sql: Sql, register: number, { size, root }: SignedTree): Rule<boolean> {
  const ranges = [{ from: 0, to: size }];
  const tiles = tilesOf(ranges, size);
  const stored = yield* storedTiles(sql, register, tiles);
  const hashes = new Map(stored.map((tile) => [`${tile.level}/${tile.index}`, tile.hashes]));
  const isThere = tiles.every(
    ({ level, index, width }) => (hashes.get(`${level}/${index}`)?.length ?? 0) >= width * 32,
  );
  const [made] = isThere ? hashesOf(ranges, size, ({ level, index }) => hashes.get(`${level}/${index}`)!) : [];
  return made !== undefined && sameHash(made, root);
}

function contradicted(feedId: string, how: string): GazetteError {
  return new GazetteError('log_contradicted', `the log of register ${quote(feedId)} ${how}: nothing was written`, {
    details: { feed_id: feedId },
  });
}
