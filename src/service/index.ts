/**
 * The entry `gazette/service`: the whole service for a store of `gazette/stores`. It is a separate entry, so that programs
 * that only embed exports load no router and no logger.
 *
 * @module
 */
export { createGazette, type Gazette } from './create-gazette.ts';
export type { GazetteOptions, Logger } from './gazette-options.ts';
export type { MailOptions } from './owners.ts';
export type { Mail, MailTransport } from '../operate/sign-in-mail.ts';
export type { PublicationOptions } from '../http/description/publication.ts';
export type { Fetch } from '../http/app.ts';
export type { ServiceMetrics } from '../http/metrics.ts';
export { definePlugin } from './plugins/check.ts';
export type {
  JsonObject,
  Plugin,
  PluginCall,
  PluginCommand,
  PluginCommandCall,
  PluginMetric,
  PluginPage,
  PluginRegister,
  PluginRequest,
  PluginRoute,
  PluginTool,
} from './plugins/plugin.ts';
export { type Content, markup, type Markup } from '../templates/markup.ts';
export type { McpOptions } from '../mcp/route.ts';
export type { RateLimitOptions } from '../access/rate-limits.ts';
export type { RateLimit } from '../web/rate-limit.ts';
export type { TelemetryApi } from '../telemetry/api.ts';

// What an operator does with the store of a service.
export { Accounts, type IssuedKey, type KeyRequest } from '../operate/accounts.ts';
export type { AccountState, KeyState } from '../access/state.ts';
export type {
  Account,
  ApiKeyEntry,
  Balance,
  BudgetChange,
  KeyBudget,
  KeyChange,
  KeyGrants,
  KeyScope,
} from '../stores/contract/accounts.ts';
export type { Money } from '../money.ts';
export type { DeliveryAttempt, DeliveryEntry, DeliveryOutcome, DeliveryState } from '../stores/contract/deliveries.ts';
export type { EventName, ReplayedDeliveries } from '../stores/contract/sending.ts';
export {
  type DeliveryHistory,
  type EndpointRequest,
  Endpoints,
  type EndpointsOptions,
  type EndpointUpdate,
  type IssuedSecret,
} from '../operate/endpoints.ts';
export type { DisabledReason, WebhookEndpoint } from '../stores/contract/endpoints.ts';
export { type Leftovers, Records } from '../operate/records.ts';
export { defineNew, type RegisterDescription, Registers } from '../operate/registers.ts';

// Sending webhooks.
export { WebhookSender } from '../webhooks/send/sender.ts';
export type { SenderOptions } from '../webhooks/send/sender-options.ts';
export { SecretBox } from '../webhooks/send/secret-box.ts';
export { DEVELOPMENT_DESTINATIONS, type DestinationRules } from '../webhooks/send/destination.ts';
export type { ResolveHost } from '../webhooks/send/name-resolver.ts';

// What an operator is shown.
export { operatorHandler } from './operator.ts';
export { joinMetrics, type MetricsSource } from '../http/metrics-source.ts';
export { SendingMetrics } from '../http/sending-metrics.ts';

// Who moves money for records that are bought.
export type { PaymentProvider } from '../views/selling.ts';
