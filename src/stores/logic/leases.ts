// The rules for leases: who may work on a register.
import { GazetteError } from '../../errors.ts';
import { toEpochMs } from '../../register/time.ts';
import type { Lease, LeaseStore } from '../contract/leases.ts';
import { unknownFeed } from '../rows/register.ts';
import {
  asNumber,
  asText,
  FOR_UPDATE,
  IS_PRESENT,
  numberIn,
  type Shape,
  shape,
  table,
  withoutNul,
} from '../rows/sql.ts';
import type { Engine, Rule, Sql } from './rule.ts';

const REGISTERS = table('registers');
const LEASES = table('leases');

const NUMBER = numberIn('number');
const TOKEN = shape(['token'], ([token]) => asText(token));

/** The columns of a lease. */
export const LEASE: Shape<Lease> = shape(
  ['token', 'what', 'host', 'pid', 'since', 'ends_at'],
  ([token, what, host, pid, since, until]): Lease => ({
    token: asText(token),
    what: asText(what),
    host: asText(host),
    pid: asNumber(pid),
    since: asText(since),
    until: asText(until),
  }),
);

/** The leases of a store. */
export function leasesOn(engine: Engine): LeaseStore {
  return {
    take: (feedId, lease, { over } = {}) => engine.write(takeLease, feedId, lease, over ?? ''),
    renew: (token, { until }) => engine.write(renewLease, token, until),
    release: (token) => engine.write(releaseLease, token),
    find: (feedId) => engine.read(findLease, feedId),
  };
}

/**
 * Checks inside a write's transaction, which has locked the register, that the lease it was begun under is still the
 * register's.
 *
 * @param current the token of the register's lease; undefined if there is none
 * @param given the token of the write's lease; undefined for a write without one, which is not checked
 * @throws GazetteError `import_superseded`
 */
export function checkLease(feedId: string, current: string | undefined, given: string | undefined): void {
  if (given !== undefined && current !== given) throw superseded({ feed_id: feedId });
}

/** {@link checkLease} in a rule that has locked the register of this number. */
export function* requireLease(sql: Sql, feedId: string, register: number, given: string | undefined): Rule<void> {
  if (given === undefined) return;
  const current = yield* sql.one(TOKEN)`SELECT ${TOKEN} FROM ${LEASES} WHERE register = ${register}`;
  checkLease(feedId, current ?? undefined, given);
}

function* takeLease(sql: Sql, feedId: string, lease: Lease, over: string): Rule<Lease | null> {
  // Locked: every batch locks it too, so that a batch is complete before the register changes hands, or finds out.
  const register = yield* sql.one(NUMBER)`SELECT ${NUMBER} FROM ${REGISTERS}
    WHERE id = ${withoutNul(feedId)} AND ${IS_PRESENT} ${FOR_UPDATE}`;
  if (register === null) throw unknownFeed(feedId);
  const held = yield* sql.one(LEASE)`SELECT ${LEASE} FROM ${LEASES} WHERE register = ${register} ${FOR_UPDATE}`;
  if (held !== null && held.token !== over && toEpochMs(held.until) > toEpochMs(lease.since)) return held;
  const { token, what, host, pid, since, until } = lease;
  yield* sql.run`DELETE FROM ${LEASES} WHERE register = ${register}`;
  yield* sql.run`INSERT INTO ${LEASES} (register, token, what, host, pid, since, ends_at)
    VALUES (${register}, ${token}, ${what}, ${host}, ${pid}, ${since}, ${until})`;
  return null;
}

function* renewLease(sql: Sql, token: string, until: string): Rule<void> {
  const renewed = yield* sql.run`UPDATE ${LEASES} SET ends_at = ${until} WHERE token = ${token}`;
  if (renewed === 0) throw superseded({});
}

function* releaseLease(sql: Sql, token: string): Rule<void> {
  yield* sql.run`DELETE FROM ${LEASES} WHERE token = ${token}`;
}

function* findLease(sql: Sql, feedId: string): Rule<Lease | null> {
  const register = yield* sql.one(NUMBER)`SELECT ${NUMBER} FROM ${REGISTERS}
    WHERE id = ${withoutNul(feedId)} AND ${IS_PRESENT}`;
  if (register === null) return null;
  return yield* sql.one(LEASE)`SELECT ${LEASE} FROM ${LEASES} WHERE register = ${register}`;
}

function superseded(details: { readonly feed_id?: string }): GazetteError {
  return new GazetteError(
    'import_superseded',
    'another process works on the register now, because this one did not renew its lease in time; whole batches remain, run the command again to complete it',
    { details },
  );
}
