// Endpoints and deliveries in the form that every store uses: their columns, which version goes to which endpoint, the
// checks before a write, and the errors that all stores share.
import { hash } from 'node:crypto';
import { GazetteError, quote } from '../../errors.ts';
import { checkOneOf } from '../../checks.ts';
import { DISABLED_EVENT_TYPE, EVENT_TYPES } from '../../register/record.ts';
import { isHttpUrl } from '../../register/url.ts';
import { ACCOUNT, keptTime } from './accounts.ts';
import { type SqlRow, textOrNullOf, versionContent, versionTables } from './columns.ts';
import type { ClaimedDelivery, DeliveryEntry, DeliveryState, EventVersion } from '../contract/deliveries.ts';
import type { EventName } from '../contract/sending.ts';
import type { AccountStanding, ClaimedEndpoint, EndpointChange, NewEndpoint } from '../contract/endpoints.ts';
import { loggedVersionOf } from './logged-version.ts';
import { storedJson } from './stored-json.ts';
import { asBytes, asBytesOrNull, asNumber, asNumberOrNull, asText, asTextOrNull, type Shape, shape } from './sql.ts';
import { ATTEMPT, ENDPOINT } from './webhook-tables.ts';

/** A delivery's columns: of `d`, of its endpoint `e` and of its last attempt `t`. */
export const DELIVERY: Shape<DeliveryEntry> = shape(
  [
    ...['d.number', 'e.id', 'd.event_id', 'd.type', 'd.record_id', 'd.version', 'd.created_at', 'd.state', 'd.reason'],
    ...['d.attempts', 'd.due_at', 't.at', 't.duration_ms', 't.status', 't.error', 't.response'],
  ],
  (row) => {
    const [number, endpointId, eventId, type, recordId, version, createdAt, state, reason, attempts, dueAt] = row;
    return {
      id: deliveryId(asNumber(number)),
      endpointId: asText(endpointId),
      event: { id: asText(eventId), type: asText(type) },
      recordId: asTextOrNull(recordId),
      version: asNumberOrNull(version),
      createdAt: asText(createdAt),
      state: state as DeliveryState,
      reason: asTextOrNull(reason),
      attempts: asNumber(attempts),
      nextAttemptAt: asTextOrNull(dueAt),
      lastAttempt: row[11] === null ? null : ATTEMPT.read(row.slice(11)),
    };
  },
);

/**
 * The maximum number of deliveries that one step of a fan-out, a replay or a pruning writes: about ten milliseconds on
 * SQLite.
 */
export const DELIVERY_CHUNK = 2000;

/** The ids of deliveries: `dlv_` and a number. */
export const DELIVERY_IDS: { readonly pattern: RegExp } = { pattern: /^dlv_([1-9][0-9]{0,14})$/ };

/** The query for endpoints with their accounts and secrets, up to its condition on `e`. */
export function selectClaimedEndpoints(prefix: string): string {
  return `SELECT ${ENDPOINT.of('e')}, ${ACCOUNT.of('a')}, e.number, e.secret, e.previous_secret
    FROM ${prefix}webhook_endpoints e JOIN ${prefix}accounts a ON a.id = e.account_id`;
}

/** A row of {@link selectClaimedEndpoints}, by the endpoint's number. */
export function claimedEndpointOf(row: SqlRow): readonly [number, ClaimedEndpoint] {
  const accountAt = ENDPOINT.columns.length;
  const at = accountAt + ACCOUNT.columns.length;
  const account = ACCOUNT.read(row.slice(accountAt, at));
  const [number, secret, previous] = row.slice(at);
  return [
    asNumber(number),
    { ...ENDPOINT.read(row), account, secret: asBytes(secret), previousSecret: asBytesOrNull(previous) },
  ];
}

/** The query for versions with the content of their events, up to its condition on `v`. */
export function selectEventVersions(prefix: string): string {
  const contents = ['title', 'source_url', 'published_at', 'observed_at'].map((name) => versionContent(name));
  return `SELECT v.entry, v.version, v.cause, v.recorded_at, coalesce(r.id, w.id), ${contents.join(', ')}, i.undoes
    ${versionTables(prefix)} LEFT JOIN ${prefix}imports i ON i.number = v.import`;
}

/** A row of {@link selectEventVersions}. */
export function eventVersionOf(row: SqlRow): EventVersion {
  return {
    ...loggedVersionOf(row),
    title: textOrNullOf(row[5]!),
    sourceUrl: textOrNullOf(row[6]!),
    publishedAt: row[7] as string | null,
    observedAt: row[8] as string | null,
    undoes: asNumberOrNull(row[9]),
  };
}

/** The event that an endpoint was disabled at a time: the same for all endpoints that get it. */
export function disabledEventName(endpointId: string, at: string): EventName {
  const identity = JSON.stringify([endpointId, 'disabled', at]);
  return { id: `evt_${hash('sha256', identity).slice(0, 32)}`, type: DISABLED_EVENT_TYPE };
}

/** What a delivery without a version is about: an endpoint that was disabled, or nothing, which is a test. */
export function aboutOf(entry: unknown, about: unknown): Pick<ClaimedDelivery, 'disabled' | 'isTest'> {
  if (typeof about !== 'string') return { disabled: null, isTest: entry === null };
  return { disabled: storedJson(about) as ClaimedDelivery['disabled'], isTest: false };
}

/** Why nothing is sent to an account at this time. Null: it has access. */
export function noAccess({ accessUntil, isSuspended }: AccountStanding, at: string): string | null {
  if (isSuspended) return 'account_suspended';
  return accessUntil !== null && at < accessUntil ? null : 'access_lapsed';
}

/** The stored form of a new endpoint. @throws GazetteError `invalid_option`, `destination_refused` */
export function keptEndpoint(endpoint: NewEndpoint): NewEndpoint {
  checkEndpoint(endpoint);
  return { ...endpoint, createdAt: keptTime('createdAt', endpoint.createdAt) };
}

/** Checks what a row of an endpoint says. Which addresses are called is the sender's matter. @throws as {@link keptEndpoint} */
export function checkEndpoint({ url, types }: EndpointChange): void {
  if (url !== undefined && !isHttpUrl(url)) {
    throw new GazetteError(
      'destination_refused',
      `the address of events must be an absolute http(s) URL, got ${quote(url)}`,
    );
  }
  const known: readonly string[] = EVENT_TYPES;
  for (const type of types ?? []) checkOneOf('event', type, known);
}

/** The id of a delivery. */
export function deliveryId(number: number): string {
  return `dlv_${number}`;
}

/** The number in a delivery's id. @throws GazetteError `unknown_delivery` for a malformed id */
export function deliveryNumber(id: string): number {
  const number = deliveryNumberIn(id);
  if (number === null) throw unknownDelivery(id);
  return number;
}

/** The number in a delivery's id; null for a text that is not one. */
export function deliveryNumberIn(id: string): number | null {
  const number = DELIVERY_IDS.pattern.exec(id)?.[1];
  return number === undefined ? null : Number(number);
}

/** The error for an endpoint that does not exist. */
export function unknownEndpoint(id: string): GazetteError {
  return new GazetteError('unknown_endpoint', `there is no endpoint ${quote(id)}`, { details: { endpoint: id } });
}

/** The error for a delivery that does not exist. */
export function unknownDelivery(id: string): GazetteError {
  return new GazetteError('unknown_delivery', `there is no delivery ${quote(id)}`, { details: { delivery: id } });
}

/** The error for activating a secret that was not prepared. */
export function noNextSecret(id: string): GazetteError {
  return new GazetteError('no_next_secret', `no new secret was prepared for endpoint ${quote(id)}`, {
    details: { endpoint: id },
  });
}
