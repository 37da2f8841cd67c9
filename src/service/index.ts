// The entry `gazette/service`: the whole service over a store. An entry of its own, so that whoever only embeds exports
// loads no router and no logger.
export { createGazette, type Gazette, type GazetteOptions, type Logger } from './create-gazette.ts';
export { operatorHandler, type MetricsSource } from './operator.ts';
export { Accounts, type AccountsOptions, type IssuedKey } from '../access/accounts.ts';
export { type RateLimit, type RateLimitOptions } from '../access/rate-limits.ts';
export { DEFAULT_SCHEDULE } from '../webhooks/schedule.ts';
export { DEVELOPMENT_DESTINATIONS, type DestinationRules } from '../webhooks/destination.ts';
export { type EndpointRequest, Endpoints, type EndpointsOptions, type IssuedSecret } from '../webhooks/endpoints.ts';
export { SecretBox } from '../webhooks/secret-box.ts';
export { type SenderOptions, WebhookSender } from '../webhooks/sender.ts';
export { MemoryStore } from '../stores/memory.ts';
export { type ServiceStore } from '../stores/service-store.ts';
export { SqliteStore } from '../stores/sqlite.ts';
export { PostgresStore } from '../stores/postgres.ts';
