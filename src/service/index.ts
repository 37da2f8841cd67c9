/**
 * The entry `gazette/service`: the whole service for a store. It is a separate entry, so that programs that only embed
 * exports load no router and no logger.
 *
 * @module
 */
export { createGazette, type Gazette, type GazetteOptions, type Logger } from './create-gazette.ts';
export { type MailOptions } from './owners.ts';
export type { Mail, MailTransport } from '../operate/sign-in-mail.ts';
export { operatorHandler } from './operator.ts';
export { type ServiceMetrics } from '../http/metrics.ts';
export { joinMetrics, METRICS_PATIENCE_MS, type MetricsSource } from '../http/metrics-source.ts';
export { SendingMetrics, type SendingMetricsOptions } from '../http/sending-metrics.ts';
export {
  Accounts,
  type AccountsOptions,
  DEFAULT_GRACE_MS,
  type IssuedKey,
  type KeyRequest,
} from '../operate/accounts.ts';
export {
  type DeliveryPage,
  type EntryPage,
  OwnAccount,
  type OwnAccountOptions,
  type OwnedAccount,
} from '../operate/own-account.ts';
export {
  ADDRESS_LIMIT,
  FAILURE_LIMIT,
  KEY_LIMIT,
  MAX_CALLERS,
  PREVIEW_LIMIT,
  type RateLimitOptions,
} from '../access/rate-limits.ts';
export { DEFAULT_SCHEDULE } from '../webhooks/send/schedule.ts';
export { DEVELOPMENT_DESTINATIONS, type DestinationRules } from '../webhooks/send/destination.ts';
export {
  type DeliveryHistory,
  type EndpointRequest,
  Endpoints,
  type EndpointsOptions,
  type EndpointUpdate,
  type IssuedSecret,
} from '../operate/endpoints.ts';
export { type EraseOptions, type Leftovers, Records, type RecordsOptions } from '../operate/records.ts';
export { defineNew, type RegisterDescription, Registers, type RegistersOptions } from '../operate/registers.ts';
export { NameResolver, type NameResolverOptions, type ResolveHost } from '../webhooks/send/name-resolver.ts';
export { SecretBox } from '../webhooks/send/secret-box.ts';
export { WebhookSender } from '../webhooks/send/sender.ts';
export type { SenderOptions } from '../webhooks/send/sender-options.ts';
export type * from '../telemetry/api.ts';
export { type ServiceStore } from '../stores/contract/accounts.ts';
export { SqliteStore } from '../stores/sqlite/store.ts';
export { PostgresStore } from '../stores/postgres/store.ts';

// Types in the signatures above.
export type * from '../purchases/provider.ts';
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
export type { Fetch } from '../http/app.ts';
export { DEFAULT_TITLE, type PublicationOptions } from '../http/description/publication.ts';
export type { RequestInfo } from '../http/request-context.ts';
export { BUDGET_TOKENS, MIN_BUDGET_TOKENS } from '../mcp/budget.ts';
export type { McpOptions } from '../mcp/route.ts';
export type { AccountState, KeyState } from '../access/state.ts';
export type { JsonValue } from '../register/canonical-json.ts';
export type { DefinitionInput } from '../register/definition.ts';
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
export type { TierOptions } from '../register/tier.ts';
export type {
  Account,
  AccountChange,
  AccountStore,
  ApiKeyEntry,
  Balance,
  ByKey,
  FoundKey,
  KeyUse,
  BudgetChange,
  KeyBudget,
  KeyChange,
  KeyGrants,
  KeyScope,
  NewAccount,
  NewApiKey,
} from '../stores/contract/accounts.ts';
export type { FindingStore, IndexProgress } from '../stores/contract/finding.ts';
export type { ConfigurationStore } from '../stores/contract/nodes/configuration.ts';
export type { IdempotencyStore, NewRequest, RequestState } from '../stores/contract/idempotency.ts';
export { type Backlog, BACKLOG_COUNTED } from '../stores/contract/sending.ts';
export type { ClaimOptions, EndpointNotice, NoticeOptions, SenderMarks } from '../stores/contract/sending.ts';
export type {
  ClaimedDelivery,
  DeliveryAttempt,
  DeliveryEntry,
  DeliveryOutcome,
  DeliveryState,
  DeliveryStore,
  EventVersion,
  LoggedVersion,
} from '../stores/contract/deliveries.ts';
export type { EventName, ReplayedDeliveries } from '../stores/contract/sending.ts';
export type {
  AccountStanding,
  ClaimedEndpoint,
  DisabledReason,
  EndpointChange,
  NewEndpoint,
  WebhookEndpoint,
} from '../stores/contract/endpoints.ts';
export type {
  Batch,
  PreparedParts,
  PreparedRecord,
  PublishedRecord,
  RecordComparison,
} from '../stores/contract/prepared-record.ts';
export type { ImportCounts, ImportEnd, ImportEntry, ImportLog, NewImport } from '../stores/contract/imports.ts';
export type { Lease, LeaseHolder, LeaseStore, NewLease, UnderLease } from '../stores/contract/leases.ts';
export type { PendingPurge, PurgeStore, RedactOptions } from '../stores/contract/purges.ts';
export type { CatalogueStore, RegistersPage, RegistersRange, RegistersWalk } from '../stores/contract/catalogue.ts';
export type {
  ListedCheckpoint,
  LogStore,
  NewCheckpoint,
  ProvedVersion,
  RegisterLog,
  StoredLog,
} from '../stores/contract/proofs/logs.ts';
export type { TreeHead } from '../proofs/verification.ts';
export type {
  LogRecovery,
  MissingChanges,
  RecoveredRow,
  RecoveredTable,
  SignedTree,
} from '../stores/contract/proofs/recovery.ts';
export type { Tile } from '../proofs/tiles.ts';
export type { HashTile } from '../proofs/tree.ts';
export type { OwnedRange, OwnedRecord } from '../register/sources/preview-source.ts';
export type { CountedField, ValueCount, ValueStore } from '../stores/contract/values.ts';
export type { Finding, InspectedPart, InspectedStore, NewLog, StoreInspection } from '../stores/contract/inspection.ts';
export type { Money, Tokens } from '../money.ts';
export type * from '../stores/contract/ledger.ts';
export type { MailLimit, NewSession, NewSignInLink, SignInStore } from '../stores/contract/sign-in.ts';
export type {
  CountedCaller,
  DrawnTokens,
  LimitCounter,
  LimitDraw,
  UnusedTokens,
} from '../stores/contract/nodes/counter.ts';
export type { WaitOptions } from '../stores/lease/hold-register.ts';
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
export type {
  PostgresClient,
  PostgresOptions,
  PostgresPool,
  PostgresQuery,
  PostgresResult,
} from '../stores/postgres/connection.ts';
export type { SqliteOptions } from '../stores/sqlite/connection.ts';
export type { RateLimit } from '../web/rate-limit.ts';
export type { IncomingRequest } from '../web/incoming-request.ts';
export type { HeaderFields, HttpResponse } from '../web/representation.ts';
export { type ErrorCode, type ErrorDetails, GazetteError } from '../errors.ts';
