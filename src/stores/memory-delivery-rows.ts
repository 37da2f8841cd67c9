// Endpoints and deliveries as MemoryDeliveries keeps them. Rows are replaced, never changed.
import type { RecordVersion } from '../register/record.ts';
import { deliveryId } from './rows/deliveries.ts';
import type {
  DeliveryAttempt,
  DeliveryEntry,
  EventName,
  EventVersion,
  LoggedVersion,
  WebhookEndpoint,
} from './contract/deliveries.ts';
import type { MemoryRegister } from './memory-register.ts';

/** An endpoint as it is kept. */
export interface EndpointRow {
  readonly number: number;
  readonly entry: Omit<WebhookEndpoint, 'hasNextSecret'>;
  readonly secret: Uint8Array;
  readonly nextSecret: Uint8Array | null;
  /** By the number of a register: after which change the endpoint hears of it. */
  readonly starts: ReadonlyMap<number, number>;
}

/** A delivery as it is kept. */
export interface DeliveryRow extends Omit<DeliveryEntry, 'id' | 'lastAttempt'> {
  readonly number: number;
  /** The register's number and the change; null for a test. */
  readonly place: { readonly register: number; readonly feedId: string; readonly change: number } | null;
  readonly baseUrl: string | null;
  readonly tries: number;
  readonly lease: string | null;
}

/** What a delivery that is no test is made of. */
export interface DeliveryOrigin {
  readonly place: NonNullable<DeliveryRow['place']>;
  readonly version: LoggedVersion;
  readonly baseUrl: string;
}

/** A delivery that is due at once. */
export function newDeliveryRow(
  number: number,
  endpointId: string,
  event: EventName,
  at: string,
  of: DeliveryOrigin | null,
): DeliveryRow {
  return {
    ...{ number, endpointId, event, createdAt: at, nextAttemptAt: at, baseUrl: of?.baseUrl ?? null },
    ...{ recordId: of?.version.recordId ?? null, version: of?.version.version ?? null, place: of?.place ?? null },
    ...{ state: 'pending', reason: null, attempts: 0, tries: 0, lease: null },
  };
}

/** A delivery as others see it, with its last attempt. */
export function toDeliveryEntry(row: DeliveryRow, last: DeliveryAttempt | undefined): DeliveryEntry {
  const { number, endpointId, event, recordId, version, createdAt, state, reason, attempts, nextAttemptAt } = row;
  return {
    ...{ id: deliveryId(number), endpointId, event: { ...event }, recordId, version, createdAt, state, reason },
    ...{ attempts, nextAttemptAt, lastAttempt: last === undefined ? null : { ...last } },
  };
}

/** The row as others see it. */
export function toEndpoint({ entry, nextSecret }: EndpointRow): WebhookEndpoint {
  return { ...entry, hasNextSecret: nextSecret !== null };
}

/** A version of the log without what may be erased. */
export function toLogged({ feed_id, record_id, version, change, cause, recorded_at }: RecordVersion): LoggedVersion {
  return { feedId: feed_id, recordId: record_id, version, change, cause, recordedAt: recorded_at };
}

/** A version with what events tell of it. */
export function toEventVersion(version: RecordVersion, register: MemoryRegister): EventVersion {
  const { record } = version;
  return {
    ...toLogged(version),
    title: record?.title ?? null,
    sourceUrl: record?.source_url ?? null,
    publishedAt: record?.published_at ?? null,
    observedAt: record?.observed_at ?? null,
    isLatest: register.record(version.record_id)?.version === version.version,
  };
}

/** The longest due first; of those due at once the one that was made first. */
export function byTurn(a: DeliveryRow, b: DeliveryRow): number {
  if (a.nextAttemptAt === b.nextAttemptAt) return a.number - b.number;
  return a.nextAttemptAt! < b.nextAttemptAt! ? -1 : 1;
}
