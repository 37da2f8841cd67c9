// The rules for requests that must not take effect twice.
import { isObject } from '../../checks.ts';
import { GazetteError } from '../../errors.ts';
import type { IdempotencyStore, NewRequest, RequestState } from '../contract/idempotency.ts';
import { checkDigest, keptTime } from '../rows/accounts.ts';
import { FOR_UPDATE } from '../rows/sql.ts';
import { bytes, JSON_TEXT, orNull, Table, TEXT, TIME, unique } from '../rows/table.ts';
import { holdAccount } from './accounts.ts';
import type { Engine, Rule, Sql } from './rule.ts';

const REQUESTS = new Table(
  'idempotency_keys',
  {
    account_id: TEXT,
    route: TEXT,
    name: TEXT,
    digest: bytes(32, 32),
    token: unique(TEXT),
    begun_at: TIME,
    ends_at: TIME,
    result: orNull(JSON_TEXT),
  },
  { key: ['account_id', 'route', 'name'] },
);

/** Their table. */
export const IDEMPOTENCY_TABLES: readonly Table[] = [REQUESTS];

const REQUEST = REQUESTS.shape({ digest: 'digest', begunAt: 'begun_at', endsAt: 'ends_at', result: 'result' });

/** The requests of a store. @param storesOn makes the parts that requests change, of an engine */
export function idempotencyOn<Changed>(
  engine: Engine,
  storesOn: (engine: Engine) => Changed,
): IdempotencyStore<Changed> {
  return {
    begin: async (request) => engine.write(beginRequest, keptRequest(request)),
    ending: (token) => storesOn(endingWith(engine, token)),
    abandon: (token) => engine.write(abandonRequest, token),
  };
}

function keptRequest(request: NewRequest): NewRequest {
  const { at, until, forgetBefore } = request;
  checkDigest(request.digest);
  return {
    ...request,
    at: keptTime('at', at),
    until: keptTime('until', until),
    forgetBefore: keptTime('forgetBefore', forgetBefore),
  };
}

/** An engine whose writing rules end a request in their transactions. */
function endingWith(engine: Engine, token: string): Engine {
  return {
    read: (rule, ...given) => engine.read(rule, ...given),
    write(rule, ...given) {
      function* ended(sql: Sql): ReturnType<typeof rule> {
        const result = yield* rule(sql, ...given);
        if (!hasMore(result)) yield* endRequest(sql, token, JSON.stringify(result));
        return result;
      }
      return engine.write(Object.defineProperty(ended, 'name', { value: rule.name }));
    },
  };
}

/** Whether a rule that works in parts, and tells where the next one begins, has not come to the last. */
function hasMore(result: unknown): boolean {
  return isObject(result) && (result.next ?? null) !== null;
}

/** Begins a request. The account is locked, so that of several attempts one begins. */
export function* beginRequest(sql: Sql, request: NewRequest): Rule<RequestState> {
  const { accountId, route, key, digest, token, at, until, forgetBefore } = request;
  yield* holdAccount(sql, accountId);
  yield* sql.run`DELETE FROM ${REQUESTS} WHERE account_id = ${accountId} AND begun_at < ${forgetBefore}`;
  const begun = yield* sql.run`INSERT INTO ${REQUESTS} (account_id, route, name, digest, token, begun_at, ends_at)
    VALUES (${accountId}, ${route}, ${key}, ${digest}, ${token}, ${at}, ${until})
    ON CONFLICT (account_id, route, name) DO NOTHING`;
  if (begun === 1) return { kind: 'begun' };
  const known = yield* sql.one(REQUEST)`SELECT ${REQUEST} FROM ${REQUESTS}
    WHERE account_id = ${accountId} AND route = ${route} AND name = ${key} ${FOR_UPDATE}`;
  // It was abandoned in this moment.
  if (known === null) return { kind: 'running' };
  if (Buffer.compare(known.digest, digest) !== 0) return { kind: 'mismatch' };
  if (known.result !== null) return { kind: 'done', result: known.result, at: known.begunAt };
  if (at < known.endsAt) return { kind: 'running' };
  yield* sql.run`UPDATE ${REQUESTS} SET token = ${token}, begun_at = ${at}, ends_at = ${until}
    WHERE account_id = ${accountId} AND route = ${route} AND name = ${key}`;
  return { kind: 'begun' };
}

function* endRequest(sql: Sql, token: string, result: string): Rule<void> {
  const ended = yield* sql.run`UPDATE ${REQUESTS} SET result = ${result} WHERE token = ${token} AND result IS NULL`;
  if (ended === 1) return;
  throw new GazetteError('idempotency_in_progress', 'another attempt of the same request has begun meanwhile');
}

function* abandonRequest(sql: Sql, token: string): Rule<void> {
  yield* sql.run`DELETE FROM ${REQUESTS} WHERE token = ${token} AND result IS NULL`;
}
