/**
 * The public entry `gazette/stores`: persistent registers, with every version of every record. It is separate from the
 * main entry because it loads SQLite; the caller provides `pg`. `gazette/import` imports files.
 *
 * @module
 */
export type { FindingStore, IndexProgress } from './contract/finding.ts';
export type { ConfigurationStore } from './contract/nodes/configuration.ts';
export type { IdempotencyStore, NewRequest, RequestState } from './contract/idempotency.ts';
export {
  type CatalogueStore,
  REGISTERS_PAGE_SIZE,
  type RegistersPage,
  type RegistersRange,
  type RegistersWalk,
} from './contract/catalogue.ts';
export type {
  ListedCheckpoint,
  LogStore,
  NewCheckpoint,
  ProvedVersion,
  RegisterLog,
  StoredLog,
} from './contract/proofs/logs.ts';
export type { TreeHead } from '../proofs/verification.ts';
export type {
  LogRecovery,
  MissingChanges,
  RecoveredRow,
  RecoveredTable,
  SignedTree,
} from './contract/proofs/recovery.ts';
export type { Tile } from '../proofs/tiles.ts';
export type { HashTile } from '../proofs/tree.ts';
export type { OwnedRange, OwnedRecord } from '../register/sources/preview-source.ts';
export {
  type Backlog,
  BACKLOG_COUNTED,
  type ClaimOptions,
  type EndpointNotice,
  type NoticeOptions,
} from './contract/sending.ts';
export type { RecordVersion, VersionCause } from '../register/record.ts';
export {
  type ClaimedDelivery,
  type DeliveryAttempt,
  type DeliveryEntry,
  type DeliveryOutcome,
  type DeliveryState,
  type DeliveryStore,
  type EventVersion,
  type LoggedVersion,
} from './contract/deliveries.ts';
export { type EventName, type ReplayedDeliveries, type SenderMarks } from './contract/sending.ts';
export {
  type AccountStanding,
  type ClaimedEndpoint,
  type DisabledReason,
  type EndpointChange,
  type NewEndpoint,
  type WebhookEndpoint,
} from './contract/endpoints.ts';
export {
  type PostgresClient,
  type PostgresOptions,
  type PostgresPool,
  type PostgresQuery,
  type PostgresResult,
} from './postgres/connection.ts';
export { PostgresStore } from './postgres/store.ts';
export { type Batch, PreparedRecord, type PublishedRecord, type RecordComparison } from './contract/prepared-record.ts';
export {
  type Account,
  type AccountChange,
  type AccountStore,
  type ApiKeyEntry,
  type Balance,
  type ByKey,
  type BudgetChange,
  type KeyBudget,
  type KeyChange,
  type KeyGrants,
  type KeyScope,
  type FoundKey,
  type KeyUse,
  type NewAccount,
  type NewApiKey,
  type ServiceStore,
} from './contract/accounts.ts';
export type { CountedCaller, DrawnTokens, LimitCounter, LimitDraw, UnusedTokens } from './contract/nodes/counter.ts';
export {
  type ImportCounts,
  type ImportEnd,
  type ImportEntry,
  type ImportLog,
  type NewImport,
} from './contract/imports.ts';
export {
  type Finding,
  type InspectedPart,
  type InspectedStore,
  type NewLog,
  type StoreInspection,
} from './contract/inspection.ts';
export {
  type CountedField,
  NEAR_IDS_PAGE_SIZE,
  type ValueCount,
  VALUES_EXAMINED,
  VALUES_PAGE_SIZE,
  type ValueStore,
} from './contract/values.ts';
export type { Lease, LeaseHolder, LeaseStore, NewLease, UnderLease } from './contract/leases.ts';
export type * from './contract/ledger.ts';
export type { Money, Tokens } from '../money.ts';
export type { MailLimit, NewSession, NewSignInLink, SignInStore } from './contract/sign-in.ts';
export { type PendingPurge, type PurgeStore, type RedactOptions } from './contract/purges.ts';
export { type HeldRegister, type HoldOptions, holdRegister, type WaitOptions } from './lease/hold-register.ts';
export { type SqliteOptions } from './sqlite/connection.ts';
export { refuseReplicas } from './postgres/replica/refuse-replicas.ts';
export { SqliteStore } from './sqlite/store.ts';
export { toPublishedRecord } from './rows/published-record.ts';
export {
  type ApplyOptions,
  BATCH_SIZE,
  type BatchResult,
  type ChangesOptions,
  type ChangesPage,
  type HistoryRange,
  IDS_PAGE_SIZE,
  type RegisterEntry,
  type RegisterStore,
  type SourceOptions,
  type StoredRecord,
  VERSIONS_PAGE_SIZE,
  type WithdrawResult,
  type WriteOptions,
} from './contract/registers.ts';
export type { KnowledgeFigures, ReplicaFigures } from './contract/nodes/figures.ts';

// Types used in the signatures above.
export type { JsonValue } from '../register/canonical-json.ts';
export type { Direction, Order } from '../register/sources/order.ts';
export type { AsOf, Page, PageQuery } from '../register/page.ts';
export type { Filter } from '../register/finding/filter.ts';
export type { ChainPrice, Field, FieldType, Prices, RegisterDefinition, RegisterRecord } from '../register/record.ts';
export type { Facet, FacetValue } from '../register/finding/facets.ts';
export type { RegisterSource } from '../register/sources/source.ts';
export type { PreparedParts } from './contract/prepared-record.ts';
export type { RateLimit } from '../web/rate-limit.ts';
