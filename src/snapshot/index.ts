/**
 * The public entry `gazette/snapshot`: writes registers of a store of `gazette/stores` as a folder of files that any
 * static host can serve, and verifies such a folder.
 *
 * @module
 */
export {
  type SnapshotOptions,
  type SnapshotProgress,
  type SnapshotResult,
  SnapshotWriter,
  writeSnapshot,
} from './run.ts';
export { type SnapshotBucket } from './bucket/requests.ts';
export { type SnapshotLogs, type SnapshotStore } from './log-files.ts';
export { type RegisterSnapshot } from './unchanged.ts';
export { type Finding, type Verification, type VerifyOptions, verifySnapshot } from './verify.ts';

// Types used in the signatures above.
export type {
  DocumentHead,
  DocumentLinks,
  Format,
  FormatOptions,
  Output,
  Sink,
  Withdrawal,
} from '../formats/format.ts';
export type { Report, Warning, WarningCode } from '../formats/report.ts';
export type { JsonValue } from '../register/canonical-json.ts';
export type { Direction, Order } from '../register/sources/order.ts';
export type { AsOf, Page, PageQuery } from '../register/page.ts';
export type { Filter } from '../register/finding/filter.ts';
export type {
  Field,
  FieldType,
  RecordVersion,
  Prices,
  RegisterDefinition,
  ChainPrice,
  RegisterRecord,
  VersionCause,
} from '../register/record.ts';
export type { Facet, FacetValue } from '../register/finding/facets.ts';
export type { RegisterSource } from '../register/sources/source.ts';
export type { Tier, TierOptions } from '../register/tier.ts';
export type {
  Batch,
  PreparedParts,
  PreparedRecord,
  PublishedRecord,
  RecordComparison,
} from '../stores/contract/prepared-record.ts';
export type {
  ApplyOptions,
  BatchResult,
  ChangesOptions,
  ChangesPage,
  HistoryRange,
  RegisterEntry,
  RegisterStore,
  SourceOptions,
  StoredRecord,
  WithdrawResult,
  WriteOptions,
} from '../stores/contract/registers.ts';
export type { KnowledgeFigures, ReplicaFigures } from '../stores/contract/nodes/figures.ts';
export type { ImportCounts, ImportEnd, ImportEntry, ImportLog, NewImport } from '../stores/contract/imports.ts';
export type {
  ListedCheckpoint,
  LogStore,
  NewCheckpoint,
  ProvedVersion,
  RegisterLog,
  StoredLog,
} from '../stores/contract/proofs/logs.ts';
export type { IndexProgress } from '../stores/contract/finding.ts';
export type { Tile } from '../proofs/tiles.ts';
export type { HashTile } from '../proofs/tree.ts';
export type { Lease, LeaseHolder, LeaseStore, NewLease, UnderLease } from '../stores/contract/leases.ts';
export type { PendingPurge, PurgeStore, RedactOptions } from '../stores/contract/purges.ts';
export type { CatalogueStore, RegistersPage, RegistersRange, RegistersWalk } from '../stores/contract/catalogue.ts';
export type { CountedField, ValueCount, ValueStore } from '../stores/contract/values.ts';
