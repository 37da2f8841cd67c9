// The rules for leases: who may work on a register, and what was already written under a lease.
import { GazetteError } from '../../errors.ts';
import {
  type Lease,
  LEASE_BOUND_MS,
  LEASE_MS,
  type LeaseStore,
  type NewLease,
  type UnderLease,
} from '../contract/leases.ts';
import type { BatchResult, WithdrawResult } from '../contract/registers.ts';
import { unknownFeed } from '../rows/register.ts';
import {
  asFlag,
  FOR_UPDATE,
  type Fragment,
  fragment,
  fromNow,
  IS_PRESENT,
  NOW,
  numberIn,
  type Shape,
  shape,
  table,
  withoutNul,
} from '../rows/sql.ts';
import { byDefault, matching, small, Table, TEXT, TIME, unique } from '../rows/table.ts';
import { checkNoMirror } from './mirrors/mirrored.ts';
import type { Engine, Rule, Sql } from './rule.ts';

const REGISTERS = table('registers');

/** With what is remembered of the last write under each. */
const LEASES = new Table(
  'leases',
  {
    register: small(1),
    token: unique(TEXT),
    what: TEXT,
    host: TEXT,
    pid: small(1),
    since: TIME,
    ends_at: TIME,
    last_write: byDefault(small(0), 0),
    last_result: byDefault(matching(/^(?:\d+(?: \d+)*)?$/, 'whole numbers, or nothing'), ''),
  },
  { key: ['register'] },
);

/** Their table. */
export const LEASE_TABLES: readonly Table[] = [LEASES];

const NUMBER = numberIn('number');

/** The leases `l`, each with whether it is void now. */
export const LEASES_NOW: Fragment = fragment`(SELECT t.*, (ends_at <= ${NOW} OR ends_at > ${fromNow(LEASE_BOUND_MS)}) AS is_void
  FROM ${LEASES} t) AS l`;

const HELD = LEASES.shape({
  token: 'token',
  what: 'what',
  host: 'host',
  pid: 'pid',
  since: 'since',
  until: 'ends_at',
});

/** The columns of a lease. */
export const LEASE: Shape<Lease> = shape([...HELD.columns, 'is_void'], (row) => {
  return { ...HELD.read(row), isVoid: asFlag(row[HELD.columns.length]) };
});

/** The last write under a lease that is remembered, and the numbers of its result. */
const WRITTEN = LEASES.shape({ token: 'token', write: 'last_write', result: 'last_result' }).map((last) => {
  return { ...last, result: last.result.split(' ').map(Number) };
});

/** When a lease ends that is taken or renewed now. */
const END = fromNow(LEASE_MS);

/** The leases of a store. @param marks as in {@link LeaseStore.marks} */
export function leasesOn(engine: Engine, marks: string | null): LeaseStore {
  return {
    marks,
    take: (feedId, lease, { over } = {}) => engine.write(takeLease, feedId, lease, over),
    renew: (token) => engine.write(renewLease, token),
    release: (token) => engine.write(releaseLease, token),
    find: (feedId) => engine.read(findLease, feedId),
  };
}

/**
 * Begins a write in a rule that has locked the register of this number: checks that the lease is the register's.
 *
 * @returns null: the write is to be done, and then {@link endWrite}; otherwise it was done already, with this result
 * @throws GazetteError `import_superseded`
 */
export function* beginWrite(
  sql: Sql,
  feedId: string,
  register: number,
  { lease, write }: UnderLease,
): Rule<readonly number[] | null> {
  if (lease === undefined) return null;
  const last = yield* sql.one(WRITTEN)`SELECT ${WRITTEN} FROM ${LEASES} WHERE register = ${register}`;
  // A write that arrives after later ones was sent again meanwhile: nobody waits for its answer any more.
  if (last?.token !== lease || (write ?? last.write) < last.write) throw superseded({ feed_id: feedId });
  return write === last.write ? last.result : null;
}

/** {@link beginWrite}, which locks the register first. @throws GazetteError `unknown_feed`, `import_superseded` */
export function* beginBatch(sql: Sql, feedId: string, under: UnderLease): Rule<readonly number[] | null> {
  if (under.lease === undefined) return null;
  return yield* beginWrite(sql, feedId, yield* lockRegister(sql, feedId), under);
}

/** Keeps the result of a write with its lease, where its number says so. */
export function* endWrite(sql: Sql, { lease, write }: UnderLease, result: readonly number[]): Rule<void> {
  if (lease === undefined || write === undefined) return;
  yield* sql.run`UPDATE ${LEASES} SET last_write = ${write}, last_result = ${result.join(' ')} WHERE token = ${lease}`;
}

/** A write of many records, which is not done twice under its lease. @throws GazetteError `unknown_feed`, `import_superseded`, `register_busy` */
export function* writeOnce<T>(
  sql: Sql,
  feedId: string,
  under: UnderLease,
  result: KeptResult<T>,
  work: (sql: Sql) => Rule<T>,
): Rule<T> {
  yield* checkNoMirror(sql, feedId);
  const kept = yield* beginBatch(sql, feedId, under);
  if (kept !== null) return result.read(kept);
  const done = yield* work(sql);
  yield* endWrite(sql, under, result.keep(done));
  return done;
}

/** How the result of a write is kept as numbers. */
export interface KeptResult<T> {
  readonly keep: (result: T) => readonly number[];
  readonly read: (kept: readonly number[]) => T;
}

/** Of records that were applied. */
export const BATCH_RESULT: KeptResult<BatchResult> = {
  keep: ({ added, changed, unchanged, restored, redacted }) => [added, changed, unchanged, restored, redacted],
  read: ([added = 0, changed = 0, unchanged = 0, restored = 0, redacted = 0]) => {
    return { added, changed, unchanged, restored, redacted };
  },
};

/** Of records that were withdrawn. */
export const WITHDRAW_RESULT: KeptResult<WithdrawResult> = {
  keep: ({ withdrawn, unchanged }) => [withdrawn, unchanged],
  read: ([withdrawn = 0, unchanged = 0]) => ({ withdrawn, unchanged }),
};

function* lockRegister(sql: Sql, feedId: string): Rule<number> {
  const register = yield* sql.one(NUMBER)`SELECT ${NUMBER} FROM ${REGISTERS}
    WHERE id = ${withoutNul(feedId)} AND ${IS_PRESENT} ${FOR_UPDATE}`;
  if (register === null) throw unknownFeed(feedId);
  return register;
}

function* takeLease(
  sql: Sql,
  feedId: string,
  { token, what, host, pid, since, ofMirror = false }: NewLease,
  over: Pick<Lease, 'token' | 'until'> | undefined,
): Rule<Lease | null> {
  // Locked: every batch locks it too, so that a batch is complete before the register changes hands, or finds out.
  const register = yield* lockRegister(sql, feedId);
  if (!ofMirror) yield* checkNoMirror(sql, feedId);
  const held = yield* sql.one(LEASE)`SELECT ${LEASE} FROM ${LEASES_NOW} WHERE register = ${register} ${FOR_UPDATE}`;
  const isOver = held?.token === over?.token && held?.until === over?.until;
  if (held !== null && held.token !== token && !isOver) return held;
  yield* sql.run`DELETE FROM ${LEASES} WHERE register = ${register}`;
  yield* sql.run`INSERT INTO ${LEASES} (register, token, what, host, pid, since, ends_at)
    VALUES (${register}, ${token}, ${what}, ${host}, ${pid}, ${since}, ${END})`;
  return null;
}

function* renewLease(sql: Sql, token: string): Rule<void> {
  const renewed = yield* sql.run`UPDATE ${LEASES} SET ends_at = ${END} WHERE token = ${token}`;
  if (renewed === 0) throw superseded({});
}

function* releaseLease(sql: Sql, token: string): Rule<void> {
  yield* sql.run`DELETE FROM ${LEASES} WHERE token = ${token}`;
}

function* findLease(sql: Sql, feedId: string): Rule<Lease | null> {
  const register = yield* sql.one(NUMBER)`SELECT ${NUMBER} FROM ${REGISTERS}
    WHERE id = ${withoutNul(feedId)} AND ${IS_PRESENT}`;
  if (register === null) return null;
  return yield* sql.one(LEASE)`SELECT ${LEASE} FROM ${LEASES_NOW} WHERE register = ${register}`;
}

function superseded(details: { readonly feed_id?: string }): GazetteError {
  return new GazetteError(
    'import_superseded',
    'another process works on the register now, because this one did not renew its lease in time; whole batches remain, run the command again to complete it',
    { details },
  );
}
