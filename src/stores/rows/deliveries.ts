// Endpoints and deliveries in the form that every store uses: their columns, which version goes to which endpoint, the
// checks before a write, and the errors that all stores share.
import { GazetteError, quote } from '../../errors.ts';
import type { VersionCause } from '../../register/record.ts';
import { ACCOUNT, keptTime } from './accounts.ts';
import { SLOT_SPAN, type SqlRow, type SqlValue, textOrNullOf, versionContent, versionTables } from './columns.ts';
import type {
  ClaimedEndpoint,
  DeliveryAttempt,
  DeliveryEntry,
  DeliveryState,
  DisabledReason,
  EventName,
  EventVersion,
  LoggedVersion,
  NewEndpoint,
  WebhookEndpoint,
} from '../contract/deliveries.ts';
import { feedIdOf } from './register.ts';
import { asBytes, asFlag, asNumber, asNumberOrNull, asText, asTextOrNull, type Shape, shape } from './sql.ts';
import { storedJson } from './stored-json.ts';

/** An endpoint's columns. */
export const ENDPOINT: Shape<WebhookEndpoint> = shape(
  [
    ...['id', 'account_id', 'url', 'feeds', 'types', 'created_at', 'disabled_at', 'disabled_reason', 'failing_since'],
    'next_secret IS NOT NULL',
  ],
  ([id, accountId, url, feeds, types, createdAt, disabledAt, disabledReason, failingSince, hasNextSecret]) => ({
    id: asText(id),
    accountId: asText(accountId),
    url: asText(url),
    feeds: asListOrNull(feeds),
    types: asListOrNull(types),
    createdAt: asText(createdAt),
    disabledAt: asTextOrNull(disabledAt),
    disabledReason: disabledReason as DisabledReason | null,
    failingSince: asTextOrNull(failingSince),
    hasNextSecret: asFlag(hasNextSecret),
  }),
);

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

/** An attempt's columns. */
export const ATTEMPT: Shape<DeliveryAttempt> = shape(
  ['at', 'duration_ms', 'status', 'error', 'response'],
  ([at, durationMs, status, error, response]) => ({
    at: asText(at),
    durationMs: asNumber(durationMs),
    status: asNumberOrNull(status),
    error: asTextOrNull(error),
    response: asTextOrNull(response),
  }),
);

/**
 * The maximum number of deliveries that one step of a fan-out, a replay or a pruning writes: about ten milliseconds on
 * SQLite.
 */
export const DELIVERY_CHUNK = 2000;

/** The maximum number of versions that one step of a fan-out reads. */
const FAN_OUT_VERSIONS = 1000;

const DELIVERY_ID = /^dlv_([1-9]\d{0,14})$/;

/** The query for endpoints with their accounts and secrets, up to its condition on `e`. */
export function selectClaimedEndpoints(prefix: string): string {
  return `SELECT ${ENDPOINT.of('e')}, ${ACCOUNT.of('a')}, e.secret, e.number
    FROM ${prefix}webhook_endpoints e JOIN ${prefix}accounts a ON a.id = e.account_id`;
}

/** A row of {@link selectClaimedEndpoints}, by the endpoint's number. */
export function claimedEndpointOf(row: SqlRow): readonly [number, ClaimedEndpoint] {
  const accountAt = ENDPOINT.columns.length;
  const at = accountAt + ACCOUNT.columns.length;
  const account = ACCOUNT.read(row.slice(accountAt, at));
  return [asNumber(row[at + 1]), { ...ENDPOINT.read(row), account, secret: asBytes(row[at]) }];
}

/** The query for versions of the log without erasable content, up to its condition on `v`. */
export function selectLoggedVersions(prefix: string): string {
  return `SELECT v.entry, v.version, v.cause, v.recorded_at, coalesce(r.id, w.id) FROM ${prefix}versions v
    LEFT JOIN ${prefix}records r ON r.slot = v.slot LEFT JOIN ${prefix}withdrawn w ON w.slot = v.slot`;
}

/** The query for versions with the content of their events, up to its condition on `v`. */
export function selectEventVersions(prefix: string): string {
  const contents = ['title', 'source_url', 'published_at', 'observed_at'].map(versionContent);
  return `SELECT v.entry, v.version, v.cause, v.recorded_at, coalesce(r.id, w.id), ${contents.join(', ')},
    coalesce(r.version, w.version) ${versionTables(prefix)}`;
}

/** A row of {@link selectLoggedVersions}. */
export function loggedVersionOf([entry, version, cause, recordedAt, recordId]: SqlRow): LoggedVersion {
  return {
    feedId: feedIdOf(recordId as string),
    recordId: recordId as string,
    version: version as number,
    change: Number(entry) % SLOT_SPAN,
    cause: cause as VersionCause,
    recordedAt: recordedAt as string,
  };
}

/** A row of {@link selectEventVersions}. */
export function eventVersionOf(row: SqlRow): EventVersion {
  return {
    ...loggedVersionOf(row),
    title: textOrNullOf(row[5]!),
    sourceUrl: textOrNullOf(row[6]!),
    publishedAt: row[7] as string | null,
    observedAt: row[8] as string | null,
    isLatest: row[9] === row[1],
  };
}

/** The subscribers of a register: endpoints by number, and the change after which each of them starts. */
export interface Subscription {
  readonly endpoint: number;
  readonly feeds: readonly string[] | null;
  readonly types: readonly string[] | null;
  readonly start: number;
}

/** The columns of an endpoint `e` that is subscribed to a register, where `s` contains its starts. */
export const SUBSCRIPTION: Shape<Subscription> = shape(
  ['e.number', 'e.feeds', 'e.types', 'coalesce(s.change, 0)'],
  ([endpoint, feeds, types, start]) => ({
    endpoint: asNumber(endpoint),
    feeds: asListOrNull(feeds),
    types: asListOrNull(types),
    start: asNumber(start),
  }),
);

/** One step of a fan-out through a register: the versions after `since`, at most `limit`, and the subscribers. */
export interface FanOutStep {
  /** The change after which the first subscriber starts: earlier versions are skipped. */
  readonly since: number;
  readonly limit: number;
  readonly subscriptions: readonly Subscription[];
}

/** The next step of a register from its cursor `cursor`, when its latest change is `change`. */
export function fanOutStep(
  feedId: string,
  cursor: number,
  change: number,
  endpoints: readonly Subscription[],
): FanOutStep {
  const subscriptions = endpoints.filter(({ feeds }) => feeds === null || feeds.includes(feedId));
  const first = Math.min(change, ...subscriptions.map(({ start }) => start));
  const limit = Math.floor(DELIVERY_CHUNK / Math.max(1, subscriptions.length));
  return { since: Math.max(cursor, first), limit: Math.min(FAN_OUT_VERSIONS, Math.max(1, limit)), subscriptions };
}

/** A delivery to create. */
export interface NewDelivery {
  readonly endpoint: number;
  readonly version: LoggedVersion;
  readonly event: EventName;
}

/** Which version goes to which endpoint, in the order of the log. */
export function newDeliveries(
  { subscriptions }: FanOutStep,
  versions: readonly LoggedVersion[],
  toEvent: (version: LoggedVersion) => EventName,
): NewDelivery[] {
  return versions.flatMap((version) => {
    const event = toEvent(version);
    return subscriptions
      .filter(({ start, types }) => version.change > start && (types === null || types.includes(event.type)))
      .map(({ endpoint }) => ({ endpoint, version, event }));
  });
}

/** The stored form of a new endpoint. @throws GazetteError `invalid_option` */
export function keptEndpoint(endpoint: NewEndpoint): NewEndpoint {
  return { ...endpoint, createdAt: keptTime('createdAt', endpoint.createdAt) };
}

/** A list as a column stores it. */
export function listText(list: readonly string[] | null): string | null {
  return list === null ? null : JSON.stringify(list);
}

function asListOrNull(column: SqlValue | undefined): readonly string[] | null {
  return column == null ? null : (storedJson(asText(column)) as string[]);
}

/** The id of a delivery. */
export function deliveryId(number: number): string {
  return `dlv_${number}`;
}

/** The number in a delivery's id. @throws GazetteError `unknown_delivery` for a malformed id */
export function deliveryNumber(id: string): number {
  const number = DELIVERY_ID.exec(id)?.[1];
  if (number === undefined) throw unknownDelivery(id);
  return Number(number);
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
