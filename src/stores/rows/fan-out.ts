// Which version of the log goes to which endpoint, the same for every store: one step of a fan-out reads versions and
// subscriptions, and makes deliveries of them.
import { isGazetteError } from '../../errors.ts';
import { compileFilter, type Filter, type RecordFilter } from '../../register/finding/filter.ts';
import { OWN_PREFIX } from '../../register/finding/own-filters.ts';
import type { RegisterDefinition, RegisterRecord } from '../../register/record.ts';
import type { LoggedVersion } from '../contract/deliveries.ts';
import type { EventName } from '../contract/sending.ts';
import type { AccountStanding } from '../contract/endpoints.ts';
import {
  CONTENT_AT,
  CONTENT_COLUMNS,
  contentRecord,
  type ShownAs,
  SLOT_SPAN,
  type SqlRow,
  type SqlValue,
  versionContent,
  versionTables,
} from './columns.ts';
import { DELIVERY_CHUNK, noAccess } from './deliveries.ts';
import { loggedVersionOf } from './logged-version.ts';
import { storedJson } from './stored-json.ts';
import { asFlag, asNumber, asTextOrNull, type Shape, shape } from './sql.ts';
import { orNull, TEXT_LIST } from './table.ts';
import { FILTER } from './webhook-tables.ts';

/** The maximum number of versions that one step of a fan-out reads. */
const FAN_OUT_VERSIONS = 1000;

/** The same where their texts and own values are read, which may be long. */
const FAN_OUT_TEXTS = 50;

/** A subscriber of a register: an endpoint by its number, and the change after which it starts. */
export interface Subscription {
  readonly endpoint: number;
  readonly feeds: readonly string[] | null;
  readonly types: readonly string[] | null;
  readonly filter: Filter | null;
  readonly start: number;
  readonly account: AccountStanding;
}

const LIST = orNull(TEXT_LIST);
const ASKED = orNull(FILTER);

/** The columns of an endpoint `e` of an account `a` that is subscribed to a register, where `s` contains its starts. */
export const SUBSCRIPTION: Shape<Subscription> = shape(
  ['e.number', 'e.feeds', 'e.types', 'e.filters', 'coalesce(s.change, 0)', 'a.access_until', 'a.is_suspended'],
  ([endpoint, feeds, types, filters, start, accessUntil, isSuspended]) => ({
    endpoint: asNumber(endpoint),
    feeds: LIST.read(feeds),
    types: LIST.read(types),
    filter: ASKED.read(filters),
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

/** What a subscription asks of the records of a register. Null: it has a filter that the register does not know. */
interface Hearing extends Subscription {
  readonly asked: RecordFilter | 'all' | null;
}

/** What is read of the records, besides the versions: nothing, short values, or their texts and own values too. */
export type FanOutReading = 'versions' | 'values' | 'texts';

/** One step of a fan-out through a register: the versions after `since`, at most `limit`, and the subscribers. */
export interface FanOutStep {
  /** The change after which the first subscriber starts: earlier versions are skipped. */
  readonly since: number;
  readonly limit: number;
  readonly subscriptions: readonly Hearing[];
  readonly reading: FanOutReading;
  /** What the register's records show. */
  readonly shown: ShownAs;
}

/** The next step of a register from its cursor `cursor`, when its latest change is `change`. */
export function fanOutStep(
  { feedId, definition }: { readonly feedId: string; readonly definition: string },
  cursor: number,
  change: number,
  endpoints: readonly Subscription[],
): FanOutStep {
  const hearing = endpoints.filter(({ feeds }) => feeds === null || feeds.includes(feedId));
  const isFiltered = hearing.some(({ filter }) => filter !== null);
  const fields = isFiltered ? (storedJson(definition) as RegisterDefinition).fields : [];
  const subscriptions = hearing.map((one): Hearing => ({ ...one, asked: askedOf(one.filter, fields) }));
  const hasTexts = subscriptions.some(({ asked }) => asked !== null && asked !== 'all' && needsTexts(asked));
  const first = Math.min(change, ...subscriptions.map(({ start }) => start));
  const limit = Math.floor(DELIVERY_CHUNK / Math.max(1, subscriptions.length));
  return {
    since: Math.max(cursor, first),
    limit: Math.min(hasTexts ? FAN_OUT_TEXTS : FAN_OUT_VERSIONS, Math.max(1, limit)),
    subscriptions,
    reading: hasTexts ? 'texts' : isFiltered ? 'values' : 'versions',
    shown: { id: feedId, fields },
  };
}

/** A filter for a register. One of own fields that another register has matches nothing in this one. */
function askedOf(filter: Filter | null, fields: ShownAs['fields']): Hearing['asked'] {
  if (filter === null) return 'all';
  try {
    return compileFilter(filter, fields) ?? 'all';
  } catch (error) {
    if (isGazetteError(error, 'unknown_parameter') || isGazetteError(error, 'invalid_parameter')) return null;
    throw error;
  }
}

function needsTexts({ conditions, words }: RecordFilter): boolean {
  return words !== null || conditions.some(({ name }) => name.startsWith(OWN_PREFIX));
}

/** A version of the log that is fanned out. */
export interface FannedVersion {
  readonly version: LoggedVersion;
  /**
   * What the record was after this version, and before it; null where it is not known any more. Both are absent when no
   * subscriber has a filter.
   */
  readonly states: readonly (RegisterRecord | null)[];
}

/** The query for versions of the log, up to its condition on `v`. */
export function selectFannedVersions(prefix: string, reading: FanOutReading): string {
  const version = 'SELECT v.entry, v.version, v.cause, v.recorded_at, coalesce(r.id, w.id)';
  if (reading === 'versions') {
    return `${version} FROM ${prefix}versions v
      LEFT JOIN ${prefix}records r ON r.slot = v.slot LEFT JOIN ${prefix}withdrawn w ON w.slot = v.slot`;
  }
  const after = CONTENT_COLUMNS.map((name) => unread(name, reading) ?? versionContent(name));
  const before = CONTENT_COLUMNS.map((name) => unread(name, reading) ?? versionContent(name, 'pc'));
  return `${version}, v.slot, p.version, p.recorded_at, ${[...after, ...before].join(', ')} ${versionTables(prefix)}
    LEFT JOIN ${prefix}versions p ON p.slot = v.slot AND p.version = v.version - 1
    LEFT JOIN ${prefix}contents pc ON pc.slot = p.slot AND pc.version = p.content_version`;
}

/** What stands in place of a column that no filter needs; undefined: it is read. */
function unread(name: string, reading: FanOutReading): string | undefined {
  if (reading === 'texts') return undefined;
  return UNREAD[name];
}

const UNREAD: Readonly<Record<string, string>> = {
  author: 'NULL',
  source_url: "''",
  summary: 'NULL',
  content: 'NULL',
  data: "'{}'",
};

/** A row of the query of a step. */
export function fannedVersionOf({ shown, reading }: FanOutStep, row: SqlRow): FannedVersion {
  const version = loggedVersionOf(row);
  if (reading === 'versions') return { version, states: [] };
  const [, number, , recordedAt, id, slot, beforeNumber, beforeAt] = row;
  const head = { id: id as string, position: Number(slot) % SLOT_SPAN };
  const stateAt = (at: number, of: SqlValue | undefined, time: SqlValue | undefined): RegisterRecord | null =>
    // The title is null once a content was erased.
    row[at + CONTENT_AT.title] === null
      ? null
      : contentRecord(shown, row, at, { ...head, version: of as number, updatedAt: time as string });
  const after = stateAt(STATES_AT, number, recordedAt);
  if (beforeNumber === null) return { version, states: [after] };
  return { version, states: [after, stateAt(STATES_AT + CONTENT_COLUMNS.length, beforeNumber, beforeAt)] };
}

/** Where the content after a version begins in a row. */
const STATES_AT = 8;

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
      .filter(({ asked }) => asked === 'all' || (asked !== null && states.some((state) => isHeard(state, asked))))
      .map(({ endpoint, account }) => ({ endpoint, version, event, skipped: noAccess(account, version.recordedAt) }));
  });
}

/** An erased state matches every filter: a receiver that has the record must learn that it is gone. */
function isHeard(state: RegisterRecord | null, asked: RecordFilter): boolean {
  return state === null || asked.matches(state);
}
