/**
 * The public entry `gazette/stores`: persistent registers, with every version of every record. It is separate from the
 * main entry because it loads SQLite; the caller provides `pg`. `gazette/import` imports files.
 *
 * @module
 */
export { SqliteStore } from './sqlite/store.ts';
export type { SqliteOptions } from './sqlite/connection.ts';
export { PostgresStore } from './postgres/store.ts';
export type {
  PostgresClient,
  PostgresOptions,
  PostgresPool,
  PostgresQuery,
  PostgresResult,
} from './postgres/connection.ts';
export { refuseReplicas } from './postgres/replica/refuse-replicas.ts';
export type { WaitOptions } from './lease/hold-register.ts';
export { toPublishedRecord } from './rows/published-record.ts';

// What a store promises.
export {
  type CatalogueStore,
  type RegisterEntry,
  type RegistersPage,
  type RegistersRange,
} from './contract/catalogue.ts';
export {
  type ApplyOptions,
  type BatchResult,
  type ChangesPage,
  type ChangesRange,
  type HistoryRange,
  type RegisterStore,
  type SourceOptions,
  type StoredRecord,
  type WithdrawResult,
  type WriteOptions,
} from './contract/registers.ts';
export {
  type Batch,
  type CompareOptions,
  PreparedRecord,
  type PublishedRecord,
  type RecordComparison,
} from './contract/prepared-record.ts';
export type { ImportCounts } from './contract/imports/counts.ts';
export type { ImportBasis, ImportEnd, ImportEntry, ImportLog, NewImport } from './contract/imports/log.ts';
export type { Lease, LeaseHolder, LeaseStore, NewLease, UnderLease } from './contract/leases.ts';
export type { PendingPurge, PurgeStore, RedactOptions } from './contract/purges.ts';
export type { LiveId } from './contract/record-keys.ts';
export { type ValueCount, type ValueStore } from './contract/values.ts';
export type { CountedField } from '../register/finding/filters.ts';
export type { InspectedStore } from './contract/inspection.ts';
export type { ServiceStore } from './contract/accounts.ts';
export type { CountedCaller, DrawnTokens, LimitCounter, LimitDraw, UnusedTokens } from './contract/nodes/counter.ts';
