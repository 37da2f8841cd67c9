// Which version of the log goes to which endpoint, the same for every store: one step of a fan-out reads versions and
// subscriptions, and makes deliveries of them.
import type { Filter } from '../../register/finding/filter.ts';
import { STATED_FILTERS } from '../../register/finding/filters.ts';
import type { EventName, LoggedVersion } from '../contract/deliveries.ts';
import type { AccountStanding } from '../contract/endpoints.ts';
import { type SqlRow, textOrNullOf, versionContent, versionTables } from './columns.ts';
import { DELIVERY_CHUNK, noAccess } from './deliveries.ts';
import { asFilterOrNull, asListOrNull } from './endpoint-lists.ts';
import { loggedVersionOf } from './logged-version.ts';
import { asFlag, asNumber, asTextOrNull, type Shape, shape } from './sql.ts';

/** The maximum number of versions that one step of a fan-out reads. */
const FAN_OUT_VERSIONS = 1000;

/** A subscriber of a register: an endpoint by its number, and the change after which it starts. */
export interface Subscription {
  readonly endpoint: number;
  readonly feeds: readonly string[] | null;
  readonly types: readonly string[] | null;
  readonly filter: Filter | null;
  readonly start: number;
  readonly account: AccountStanding;
}

/** The columns of an endpoint `e` of an account `a` that is subscribed to a register, where `s` contains its starts. */
export const SUBSCRIPTION: Shape<Subscription> = shape(
  ['e.number', 'e.feeds', 'e.types', 'e.filters', 'coalesce(s.change, 0)', 'a.access_until', 'a.is_suspended'],
  ([endpoint, feeds, types, filters, start, accessUntil, isSuspended]) => ({
    endpoint: asNumber(endpoint),
    feeds: asListOrNull(feeds),
    types: asListOrNull(types),
    filter: asFilterOrNull(filters),
    start: asNumber(start),
    account: { accessUntil: asTextOrNull(accessUntil), isSuspended: asFlag(isSuspended) },
  }),
);

/** The query for all subscriptions, where `register` is the parameter of the register's number. */
export function selectSubscriptions(prefix: string, register: string): string {
  return `SELECT ${SUBSCRIPTION.columns.join(', ')} FROM ${prefix}webhook_endpoints e
    JOIN ${prefix}accounts a ON a.id = e.account_id
    LEFT JOIN ${prefix}webhook_starts s ON s.endpoint = e.number AND s.register = ${register} ORDER BY e.number`;
}

/** One step of a fan-out through a register: the versions after `since`, at most `limit`, and the subscribers. */
export interface FanOutStep {
  /** The change after which the first subscriber starts: earlier versions are skipped. */
  readonly since: number;
  readonly limit: number;
  readonly subscriptions: readonly Subscription[];
  /** Whether a subscriber has a filter: then what the versions say of their records is read, too. */
  readonly isFiltered: boolean;
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
  return {
    since: Math.max(cursor, first),
    limit: Math.min(FAN_OUT_VERSIONS, Math.max(1, limit)),
    subscriptions,
    isFiltered: subscriptions.some(({ filter }) => filter !== null),
  };
}

/** The values that a record has for the filters, in the order of {@link STATED_FILTERS}. Null: it is not known any more. */
type FilteredValues = readonly (string | null)[] | null;

/** A version of the log that is fanned out. */
export interface FannedVersion {
  readonly version: LoggedVersion;
  /** What the record was after this version, and before it. Both are empty when no subscriber has a filter. */
  readonly states: readonly FilteredValues[];
}

const FILTER_COLUMNS = STATED_FILTERS.map(({ name }) => name);

/** The query for versions of the log without erasable content, up to its condition on `v`. */
export function selectLoggedVersions(prefix: string): string {
  return `SELECT v.entry, v.version, v.cause, v.recorded_at, coalesce(r.id, w.id) FROM ${prefix}versions v
    LEFT JOIN ${prefix}records r ON r.slot = v.slot LEFT JOIN ${prefix}withdrawn w ON w.slot = v.slot`;
}

/** The same with what filters compare, of each version and of the version before it. */
export function selectFilteredVersions(prefix: string): string {
  const names = ['title', ...FILTER_COLUMNS];
  const before = names.map(
    (name) => `CASE WHEN pc.slot IS NOT NULL THEN pc.${name} WHEN r.slot IS NOT NULL THEN r.${name} ELSE w.${name} END`,
  );
  return `SELECT v.entry, v.version, v.cause, v.recorded_at, coalesce(r.id, w.id), p.version,
    ${[...names.map(versionContent), ...before].join(', ')} ${versionTables(prefix)}
    LEFT JOIN ${prefix}versions p ON p.slot = v.slot AND p.version = v.version - 1
    LEFT JOIN ${prefix}contents pc ON pc.slot = p.slot AND pc.version = p.content_version`;
}

/** A row of the query of a step. */
export function fannedVersionOf(row: SqlRow): FannedVersion {
  const version = loggedVersionOf(row);
  if (row.length === 5) return { version, states: [] };
  const width = 1 + FILTER_COLUMNS.length;
  const after = valuesOf(row.slice(6, 6 + width));
  return { version, states: row[5] === null ? [after] : [after, valuesOf(row.slice(6 + width))] };
}

/** The title is null once a content was erased. */
function valuesOf([title, ...values]: SqlRow): FilteredValues {
  return title === null ? null : values.map(textOrNullOf);
}

/** A delivery to create. */
export interface NewDelivery {
  readonly endpoint: number;
  readonly version: LoggedVersion;
  readonly event: EventName;
  /** Why it is recorded as skipped: its account had no access when the version was recorded. Null: it is sent. */
  readonly skipped: string | null;
}

/** Which version goes to which endpoint, in the order of the log. */
export function newDeliveries(
  { subscriptions }: FanOutStep,
  versions: readonly FannedVersion[],
  toEvent: (version: LoggedVersion) => EventName,
): NewDelivery[] {
  return versions.flatMap(({ version, states }) => {
    const event = toEvent(version);
    return subscriptions
      .filter(({ start, types }) => version.change > start && (types === null || types.includes(event.type)))
      .filter(({ filter }) => filter === null || states.some((state) => matches(state, filter)))
      .map(({ endpoint, account }) => ({ endpoint, version, event, skipped: noAccess(account, version.recordedAt) }));
  });
}

/** An erased state matches every filter: a receiver that has the record must learn that it is gone. */
function matches(state: FilteredValues, filter: Filter): boolean {
  return (
    state === null || STATED_FILTERS.every(({ name }, at) => filter[name] === undefined || filter[name] === state[at])
  );
}
