// The rules for webhook endpoints. Each database decides in its own way which deliveries they get (DeliveryHooks).
import { GazetteError } from '../../../errors.ts';
import { checkFilterBounds } from '../../../register/finding/bounds.ts';
import { compileFilter, type Filter } from '../../../register/finding/filter.ts';
import type { RegisterDefinition } from '../../../register/record.ts';
import type { EndpointChange, NewEndpoint, WebhookEndpoint } from '../../contract/endpoints.ts';
import { unknownAccount } from '../../rows/accounts.ts';
import { DELIVERY_CHUNK, noNextSecret, unknownEndpoint } from '../../rows/deliveries.ts';
import { ENDPOINT } from '../../rows/webhook-tables.ts';
import { unknownFeed } from '../../rows/register.ts';
import { jsonText, storedJson } from '../../rows/stored-json.ts';
import {
  asBytes,
  asNumber,
  asText,
  FOR_UPDATE,
  IS_PRESENT,
  numberIn,
  type Shape,
  shape,
  table,
  withoutNul,
} from '../../rows/sql.ts';
import { findAccount, holdAccount } from '../accounts.ts';
import { deleteDeliveries } from './deleted-deliveries.ts';
import type { Rule, Sql } from '../rule.ts';

const ENDPOINTS = table('webhook_endpoints');
const CURSORS = table('webhook_cursors');
const STARTS = table('webhook_starts');
const REGISTERS = table('registers');
const DELIVERIES = table('webhook_deliveries');

const NUMBER = numberIn('number');

/** The latest change of a register. */
interface Progress {
  readonly number: number;
  readonly id: string;
  readonly change: number;
  readonly definition: string;
}

const PROGRESS: Shape<Progress> = shape(
  ['number', 'id', 'change', 'definition'],
  ([number, id, change, definition]) => ({
    number: asNumber(number),
    id: asText(id),
    change: asNumber(change),
    definition: asText(definition),
  }),
);

const SECRET = shape(['id', 'secret'], ([id, secret]) => ({ endpointId: asText(id), secret: asBytes(secret) }));

/**
 * Creates an endpoint of an existing account. It receives events for everything committed from now on to existing
 * registers.
 */
export function* createEndpoint(sql: Sql, endpoint: NewEndpoint): Rule<WebhookEndpoint> {
  const { id, accountId, url, feeds, types, filter, createdAt, secret, isStandard = false } = endpoint;
  yield* holdAccount(sql, accountId);
  // Read once, so that the following queries agree even if registers change meanwhile.
  const registers = yield* existingRegisters(sql, feeds);
  const asked = checkedFilter(filter, feeds, registers);
  const changes = changesOf(registers);
  // Versions committed before the first endpoint are sent to no endpoint.
  yield* sql.run`INSERT INTO ${CURSORS} (register, change)
    SELECT CAST(key AS integer), CAST(CAST(value AS text) AS bigint) FROM json_each(${changes})
    WHERE NOT EXISTS (SELECT 1 FROM ${ENDPOINTS}) ON CONFLICT (register) DO NOTHING`;
  const number = yield* sql.one(NUMBER)`INSERT INTO ${ENDPOINTS}
    (id, account_id, url, feeds, types, filters, created_at, secret, standard_webhooks)
    VALUES (${id}, ${accountId}, ${url}, ${jsonText(feeds)}, ${jsonText(types)}, ${jsonText(asked)}, ${createdAt},
      ${secret}, ${Number(isStandard)})
    RETURNING ${NUMBER}`;
  yield* sql.run`INSERT INTO ${STARTS} (endpoint, register, change)
    SELECT ${number}, CAST(key AS integer), CAST(CAST(value AS text) AS bigint) FROM json_each(${changes})`;
  return yield* endpointById(sql, id);
}

/** Returns an endpoint, or throws if it does not exist. */
export function* endpointById(sql: Sql, endpointId: string): Rule<WebhookEndpoint> {
  const endpoint = yield* sql.one(ENDPOINT)`SELECT ${ENDPOINT} FROM ${ENDPOINTS} WHERE id = ${withoutNul(endpointId)}`;
  return present(endpointId, endpoint);
}

/** All endpoints, in the order of their creation. */
export function* allEndpoints(sql: Sql): Rule<readonly WebhookEndpoint[]> {
  return yield* sql.all(ENDPOINT)`SELECT ${ENDPOINT} FROM ${ENDPOINTS} ORDER BY number`;
}

/** The endpoints of an existing account, in the order of their creation. */
export function* endpointsOf(sql: Sql, accountId: string): Rule<readonly WebhookEndpoint[]> {
  const endpoints = yield* sql.all(ENDPOINT)`SELECT ${ENDPOINT} FROM ${ENDPOINTS}
    WHERE account_id = ${withoutNul(accountId)} ORDER BY number`;
  if (endpoints.length === 0 && (yield* findAccount(sql, accountId)) === null) throw unknownAccount(accountId);
  return endpoints;
}

/** Changes an endpoint. A new address resets its failures: they were those of the other address. */
export function* updateEndpoint(sql: Sql, endpointId: string, change: EndpointChange): Rule<WebhookEndpoint> {
  const id = withoutNul(endpointId);
  const number = yield* sql.one(NUMBER)`SELECT ${NUMBER} FROM ${ENDPOINTS} WHERE id = ${id} ${FOR_UPDATE}`;
  const before = yield* endpointById(sql, endpointId);
  const { url, feeds, types, filter, isStandard } = { ...before, ...change };
  const registers = yield* existingRegisters(sql, change.feeds ?? null);
  const isAsked = change.filter !== undefined || change.feeds !== undefined;
  const asked = isAsked ? checkedFilter(filter, feeds, registers) : filter;
  const isNew = ({ id: feed }: { readonly id: string }): boolean => {
    return !hears(before.feeds, feed) && hears(feeds, feed);
  };
  const changes = changesOf(registers.filter(isNew));
  // What was committed to a register before the endpoint subscribed to it is not sent, although it may not have been
  // fanned out yet.
  yield* sql.run`INSERT INTO ${STARTS} (endpoint, register, change)
    SELECT ${number}, CAST(key AS integer), CAST(CAST(value AS text) AS bigint) FROM json_each(${changes})
    WHERE true ON CONFLICT (register, endpoint) DO UPDATE SET change = excluded.change`;
  const isMoved = Number(url !== before.url);
  const endpoint = yield* sql.one(ENDPOINT)`UPDATE ${ENDPOINTS} SET url = ${url}, feeds = ${jsonText(feeds)},
      types = ${jsonText(types)}, filters = ${jsonText(asked)}, standard_webhooks = ${Number(isStandard)},
      failing_since = CASE WHEN ${isMoved} = 1 THEN NULL ELSE failing_since END
    WHERE id = ${id} RETURNING ${ENDPOINT}`;
  return present(endpointId, endpoint);
}

/**
 * Deletes some of the deliveries of an endpoint, the oldest first, and the endpoint itself with the last of them.
 *
 * @returns whether there are more
 */
export function* removeSome(sql: Sql, endpointId: string): Rule<boolean> {
  const id = withoutNul(endpointId);
  const number = yield* sql.one(NUMBER)`SELECT ${NUMBER} FROM ${ENDPOINTS} WHERE id = ${id}`;
  if (number === null) throw unknownEndpoint(endpointId);
  // Locked in the order of their numbers and before the endpoint, like outcomes.
  const found = yield* sql.all(NUMBER)`SELECT ${NUMBER} FROM ${DELIVERIES} WHERE endpoint = ${number}
    ORDER BY number LIMIT ${DELIVERY_CHUNK} ${FOR_UPDATE}`;
  yield* deleteDeliveries(sql, found);
  const removed = yield* sql.run`DELETE FROM ${ENDPOINTS}
    WHERE number = ${number} AND NOT EXISTS (SELECT 1 FROM ${DELIVERIES} WHERE endpoint = ${number})`;
  if (removed === 0) {
    yield* endpointById(sql, endpointId);
    return true;
  }
  yield* sql.run`DELETE FROM ${STARTS} WHERE endpoint = ${number}`;
  return false;
}

/** Enables an endpoint and resets its failures. */
export function* enableEndpoint(sql: Sql, endpointId: string): Rule<WebhookEndpoint> {
  const endpoint = yield* sql.one(ENDPOINT)`UPDATE ${ENDPOINTS}
    SET disabled_at = NULL, disabled_reason = NULL, failing_since = NULL
    WHERE id = ${withoutNul(endpointId)} RETURNING ${ENDPOINT}`;
  return present(endpointId, endpoint);
}

/** Stores the next secret. */
export function* prepareSecret(sql: Sql, endpointId: string, secret: Uint8Array): Rule<WebhookEndpoint> {
  const endpoint = yield* sql.one(ENDPOINT)`UPDATE ${ENDPOINTS} SET next_secret = ${secret}
    WHERE id = ${withoutNul(endpointId)} RETURNING ${ENDPOINT}`;
  return present(endpointId, endpoint);
}

/** Replaces the current secret with the prepared one, and keeps it until a time, if there is one. */
export function* activateSecret(sql: Sql, endpointId: string, previousUntil: string | null): Rule<WebhookEndpoint> {
  const isKept = Number(previousUntil !== null);
  const endpoint = yield* sql.one(ENDPOINT)`UPDATE ${ENDPOINTS} SET secret = next_secret, next_secret = NULL,
      previous_secret = CASE WHEN ${isKept} = 1 THEN secret END, previous_until = ${previousUntil}
    WHERE id = ${withoutNul(endpointId)} AND next_secret IS NOT NULL RETURNING ${ENDPOINT}`;
  if (endpoint !== null) return endpoint;
  yield* endpointById(sql, endpointId);
  throw noNextSecret(endpointId);
}

/** Stores another encryption of a secret, wherever a rotation has moved it. */
export function* replaceSecret(
  sql: Sql,
  endpointId: string,
  { from, to }: { readonly from: Uint8Array; readonly to: Uint8Array },
): Rule<boolean> {
  const replaced = yield* sql.run`UPDATE ${ENDPOINTS}
    SET secret = CASE WHEN secret = ${from} THEN ${to} ELSE secret END,
      next_secret = CASE WHEN next_secret = ${from} THEN ${to} ELSE next_secret END,
      previous_secret = CASE WHEN previous_secret = ${from} THEN ${to} ELSE previous_secret END
    WHERE id = ${withoutNul(endpointId)} AND (secret = ${from} OR next_secret = ${from} OR previous_secret = ${from})`;
  return replaced === 1;
}

/** The secret of the first endpoint; null when there is none. */
export function* anySecret(sql: Sql): Rule<{ readonly endpointId: string; readonly secret: Uint8Array } | null> {
  return yield* sql.one(SECRET)`SELECT ${SECRET} FROM ${ENDPOINTS} ORDER BY number LIMIT 1`;
}

function present(endpointId: string, endpoint: WebhookEndpoint | null): WebhookEndpoint {
  if (endpoint === null) throw unknownEndpoint(endpointId);
  return endpoint;
}

/** The registers that exist, with their latest changes. @throws GazetteError `unknown_feed` if one of `feeds` does not */
export function* existingRegisters(sql: Sql, feeds: readonly string[] | null): Rule<readonly Progress[]> {
  const registers = yield* sql.all(PROGRESS)`SELECT ${PROGRESS} FROM ${REGISTERS} WHERE ${IS_PRESENT} ORDER BY number`;
  const unknown = feeds?.find((feed) => !registers.some((register) => register.id === feed));
  if (unknown !== undefined) throw unknownFeed(unknown);
  return registers;
}

/**
 * A filter in its one form. One of own fields must be known, as a whole, to a register that the endpoint is subscribed to;
 * records of the others never match it.
 *
 * @throws GazetteError `invalid_option`
 */
function checkedFilter(
  filter: Filter | null,
  feeds: readonly string[] | null,
  registers: readonly Progress[],
): Filter | null {
  if (filter === null) return null;
  let wrong: GazetteError | undefined;
  const heard = registers.filter(({ id }) => hears(feeds, id)).map(({ definition }) => storedJson(definition));
  // Without registers, the filters of the table are known all the same.
  for (const { fields } of [...(heard as RegisterDefinition[]), { fields: [] }]) {
    try {
      checkFilterBounds(filter);
      return compileFilter(filter, fields)?.canonical ?? null;
    } catch (error) {
      if (!(error instanceof GazetteError)) throw error;
      // A value that does not fit says more than a field that another register has.
      if (wrong === undefined || error.code === 'invalid_parameter') wrong = error;
    }
  }
  throw new GazetteError('invalid_option', `filter: ${wrong!.message}`, { details: { option: 'filter' } });
}

/** A JSON object, because both databases can read one as rows of a key and a value. */
function changesOf(registers: readonly Progress[]): string {
  return JSON.stringify(Object.fromEntries(registers.map(({ number, change }) => [number, change])));
}

function hears(feeds: readonly string[] | null, feed: string): boolean {
  return feeds === null || feeds.includes(feed);
}
