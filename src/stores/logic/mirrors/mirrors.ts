// The rules for mirrors: registers that take in the versions of another service's, and that nobody else writes until they are promoted.
import { GazetteError, quote } from '../../../errors.ts';
import { defineRegister } from '../../../register/definition.ts';
import type { UnderLease } from '../../contract/leases.ts';
import type { Mirror, MirrorStore, RegisterState, Taking } from '../../contract/mirrors.ts';
import {
  checkRecordedAt,
  commitTimes,
  definitionOf,
  definitionText,
  identified,
  REGISTER,
  type RegisterRow,
  unknownFeed,
} from '../../rows/register.ts';
import { toEpochMs } from '../../../register/time.ts';
import { FOR_UPDATE, GREATEST, IS_PRESENT, numberIn, table, withoutNul } from '../../rows/sql.ts';
import { findMirror, FROM_MIRRORS, MIRROR, MIRRORS } from './mirrored.ts';
import { renewTerms } from '../finding/term-state.ts';
import { beginWrite, endWrite } from '../leases.ts';
import { AFTER_CONFIGURATION } from '../nodes/configuration.ts';
import { beginNewLogs, createRegister, keepIdentity } from '../registers.ts';
import type { Engine, Rule, Sql } from '../rule.ts';
import { wrong } from './next-version.ts';
import { beginLog, takeVersions } from './taking-in.ts';
import { renewCounts } from '../values.ts';

const REGISTERS = table('registers');

const NUMBER = numberIn('register');

/** How far the clock of a source may be ahead. */
const CLOCKS_APART_MS = 86_400_000;

/** What mirrors need of their store. */
export interface MirrorHooks {
  /** What of the database is to be rewritten once something is erased. */
  readonly parts: readonly string[];
  /** 32 random bytes. */
  readonly random: () => Uint8Array;
  /** Rewrites it. */
  readonly purge: () => Promise<void>;
  readonly completeRemoval: (feedId: string) => Promise<void>;
}

/** The mirrors of a store. */
export function mirrorsOn(engine: Engine, { parts, random, purge, completeRemoval }: MirrorHooks): MirrorStore {
  return {
    async begin(source, state, at) {
      const named = { ...state, definition: identified(state.definition) };
      checkRecordedAt(at);
      while (!(await engine.write(beginMirror, source, named, at, random())))
        await completeRemoval(named.definition.id);
    },
    find: async (feedId) => engine.read(findMirror, feedId),
    all: async () => engine.read(allMirrors),
    async takeIn(feedId, taking, under = {}) {
      checkRecordedAt(taking.at);
      await engine.write(takeIn, feedId, taking, under, parts);
      if (parts.length > 0 && taking.versions.some(({ cause }) => cause === 'redacted')) await purge();
    },
    promote: async (feedId, { at }) => engine.write(promote, feedId, at),
  };
}

function* allMirrors(sql: Sql): Rule<readonly Mirror[]> {
  return yield* sql.all(MIRROR)`SELECT ${MIRROR} ${FROM_MIRRORS} WHERE ${IS_PRESENT} ORDER BY g.id`;
}

/** @returns false while a register with this id is being removed */
function* beginMirror(
  sql: Sql,
  source: string,
  { definition, definitionVersion, log }: RegisterState,
  at: string,
  secret: Uint8Array,
): Rule<boolean> {
  const made = yield* createRegister(sql, definition, null, log, secret);
  if (made === null) return false;
  yield* sql.run`UPDATE ${REGISTERS} SET definition_version = ${definitionVersion} WHERE number = ${made.number}`;
  yield* sql.run`INSERT INTO ${MIRRORS} (register, source, log, behind, asked_at)
    VALUES (${made.number}, ${source}, ${log}, 0, ${at})`;
  return true;
}

function* takeIn(
  sql: Sql,
  feedId: string,
  { since, versions, state, change, kept, at }: Taking,
  under: UnderLease,
  parts: readonly string[],
): Rule<void> {
  const before = yield* lockMirror(sql, feedId);
  if ((yield* beginWrite(sql, feedId, before.number, under)) !== null) return;
  if (before.change !== since)
    throw new GazetteError('import_superseded', `another process takes in the changes of ${quote(feedId)}`, {
      details: { feed_id: feedId },
    });
  const times = commitTimes(before, at);
  const after = yield* takeVersions(sql, before, versions, parts);
  if (versions.length > 0) yield* dated(sql, before, times.lastModified);
  if (state !== null && (yield* takeState(sql, after, state, at)) && versions.length === 0)
    yield* dated(sql, before, times.lastModified);
  yield* sql.run`UPDATE ${MIRRORS} SET kept = coalesce(${kept}, kept), behind = ${Math.max(change - after.change, 0)},
    asked_at = ${at} WHERE register = ${before.number}`;
  yield* endWrite(sql, under, []);
}

function* dated(sql: Sql, { number }: RegisterRow, lastModified: number): Rule<void> {
  yield* sql.run`UPDATE ${REGISTERS} SET last_modified = ${GREATEST}(${lastModified}, ${AFTER_CONFIGURATION})
    WHERE number = ${number}`;
}

/** Gives a register what its source has besides its versions. @returns whether that is something else than it had */
function* takeState(sql: Sql, head: RegisterRow, state: RegisterState, at: string): Rule<boolean> {
  const { number } = head;
  const { definitionVersion, lastChange, log } = state;
  // Nobody signs it, and no version could come behind one that lies ahead.
  const latestChange = Math.max(toEpochMs(head.lastChange ?? at), toEpochMs(at) + CLOCKS_APART_MS);
  if (lastChange !== null && toEpochMs(lastChange) > latestChange)
    throw wrong(head.change, `the last one: its register was changed at ${lastChange}, which is ahead`);
  const definition = definitionText(keepIdentity(definitionOf(head), defineRegister(state.definition)));
  const latest = yield* sql.one(REGISTER)`SELECT ${REGISTER} FROM ${REGISTERS} WHERE number = ${number}`;
  if (latest!.log !== log) yield* beginLog(sql, head, log, head.change);
  yield* sql.run`UPDATE ${MIRRORS} SET log = ${log} WHERE register = ${number}`;
  yield* sql.run`UPDATE ${REGISTERS} SET definition = ${definition}, definition_version = ${definitionVersion},
    last_change = ${lastChange} WHERE number = ${number}`;
  if (definition !== head.definition) {
    const now = definitionOf({ ...head, definition });
    yield* renewTerms(sql, number, now, head.top);
    yield* renewCounts(sql, number, now);
  }
  return (
    definition !== head.definition ||
    definitionVersion !== head.definitionVersion ||
    lastChange !== latest!.lastChange ||
    log !== latest!.log
  );
}

function* promote(sql: Sql, feedId: string, at: string): Rule<void> {
  yield* endMirror(sql, feedId);
  yield* beginNewLogs(sql, at, feedId);
}

/** From now on a mirror follows nothing. @throws GazetteError `unknown_feed`, `not_found` */
export function* endMirror(sql: Sql, feedId: string): Rule<RegisterRow> {
  const head = yield* lockMirror(sql, feedId);
  yield* sql.run`DELETE FROM ${MIRRORS} WHERE register = ${head.number}`;
  return head;
}

/** @throws GazetteError `unknown_feed`, `not_found` */
function* lockMirror(sql: Sql, feedId: string): Rule<RegisterRow> {
  const head = yield* sql.one(REGISTER)`SELECT ${REGISTER} FROM ${REGISTERS}
    WHERE id = ${withoutNul(feedId)} AND ${IS_PRESENT} ${FOR_UPDATE}`;
  if (head === null) throw unknownFeed(feedId);
  const mirror = yield* sql.one(NUMBER)`SELECT ${NUMBER} FROM ${MIRRORS} WHERE register = ${head.number}`;
  if (mirror !== null) return head;
  throw new GazetteError('not_found', `register ${quote(feedId)} is no mirror`, { details: { feed_id: feedId } });
}
