// The public entry `gazette/testing`: the contracts of formats, sources and stores, as tests for any runner. They
// assert with node:assert and need nothing else.
export { type Test, type TestRun } from './test.ts';
export { formatContract, type FormatFacts, type SkippableFormatTest } from './format-contract.ts';
export { type OpenedSource, sourceContract } from './source-contract.ts';
export { SAMPLE_DEFINITION, SAMPLE_HEAD, sampleRecord, sampleRecords } from './sample-register.ts';
export { type OpenStore } from './stores/said.ts';
export { registerStoreContract } from './stores/registers.ts';
export { accountStoreContract } from './stores/accounts/accounts.ts';
export { type OpenServiceStore } from './stores/accounts/keys.ts';
export { signInStoreContract } from './stores/accounts/sign-in.ts';
export { catalogueContract } from './stores/catalogue.ts';
export { deliveryStoreContract } from './stores/deliveries.ts';

// Types that the signatures above name.
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
  ServiceStore,
} from '../stores/contract/accounts.ts';
export type {
  CountedCaller,
  DrawnTokens,
  LimitCounter,
  LimitDraw,
  UnusedTokens,
} from '../stores/contract/nodes/counter.ts';
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
export type { ImportCounts, ImportEnd, ImportEntry, ImportLog, NewImport } from '../stores/contract/imports.ts';
export type { Lease, LeaseHolder, LeaseStore, NewLease, UnderLease } from '../stores/contract/leases.ts';
export type { Money, Tokens } from '../money.ts';
export type * from '../stores/contract/ledger.ts';
export type { MailLimit, NewSession, NewSignInLink, SignInStore } from '../stores/contract/sign-in.ts';
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
export type { Tile } from '../proofs/tiles.ts';
export type { HashTile } from '../proofs/tree.ts';
export type { OwnedRange, OwnedRecord } from '../register/sources/preview-source.ts';
export type { CountedField, ValueCount, ValueStore } from '../stores/contract/values.ts';
export type { RateLimit } from '../web/rate-limit.ts';
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
