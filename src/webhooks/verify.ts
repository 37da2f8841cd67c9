/**
 * The public entry `gazette/webhooks/verify`: only the receiver's check, on web-standard globals. It runs wherever
 * `Request` and `crypto.subtle` exist, also at an edge, and imports no module of Node. There the receiver must remember
 * handled events itself; `gazette/webhooks` has stores for that.
 *
 * @module
 */
export {
  type EndpointDisabledEvent,
  RECORD_EVENT_TYPES,
  type RecordEvent,
  type RecordEventType,
  type TestEvent,
  type WebhookEvent,
} from './event.ts';
export type { WebhookHeaders } from './receive/delivery-rules.ts';
export { verifyWebhook } from './receive/verify.ts';
export type { VerifyOptions } from './signature-rules.ts';
