/**
 * The public entry `gazette/webhooks/verify`: the receiver's check alone, on web-standard globals. It runs wherever
 * `Request` and `crypto.subtle` are, at an edge too, and reaches no module of Node. What remembers handled events is the
 * receiver's own there; `gazette/webhooks` has stores for it.
 *
 * @module
 */
export { type ErrorCode, type ErrorDetails, GazetteError, isGazetteError } from '../errors.ts';
export type { VersionCause } from '../register/record.ts';
export {
  EVENT_HEADER,
  type EventHead,
  RECORD_EVENT_TYPES,
  type RecordEvent,
  type RecordEventType,
  type TestEvent,
  type WebhookEvent,
} from './event.ts';
export { type VerifyOptions, type WebhookHeaders } from './receive/delivery-rules.ts';
export { verifyWebhook } from './receive/verify-web.ts';
export { SIGNATURE_HEADER, type SignatureCheck, TOLERANCE_SECONDS } from './signature-rules.ts';
