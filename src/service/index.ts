// The entry `gazette/service`: the whole service over a store. An entry of its own, so that whoever only embeds exports
// loads no router and no logger.
export { createGazette, type Gazette, type GazetteOptions, type Logger } from './create-gazette.ts';
export { operatorHandler } from './operator.ts';
export { type MetricsSource, type ServiceMetrics } from '../http/metrics.ts';
export { Accounts, type AccountsOptions, type IssuedKey } from '../operate/accounts.ts';
export { type RateLimit, type RateLimitOptions } from '../access/rate-limits.ts';
export { DEFAULT_SCHEDULE } from '../webhooks/send/schedule.ts';
export { DEVELOPMENT_DESTINATIONS, type DestinationRules } from '../webhooks/send/destination.ts';
export {
  type DeliveryHistory,
  type EndpointRequest,
  Endpoints,
  type EndpointsOptions,
  type IssuedSecret,
} from '../operate/endpoints.ts';
export { Records, type RecordsOptions } from '../operate/records.ts';
export {
  defineNew,
  type RegisterDescription,
  Registers,
  type RegistersOptions,
  type UpdatedRegister,
} from '../operate/registers.ts';
export { SecretBox } from '../webhooks/send/secret-box.ts';
export { type SenderOptions, WebhookSender } from '../webhooks/send/sender.ts';
export { type ServiceStore } from '../stores/contract/accounts.ts';
export { SqliteStore } from '../stores/sqlite/store.ts';
export { PostgresStore } from '../stores/postgres/store.ts';
