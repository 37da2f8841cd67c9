/**
 * The public entry `gazette/webhooks/verify`: only the receiver's check, on web-standard globals. It runs wherever
 * `Request` and `crypto.subtle` exist, also at an edge, and imports no module of Node. There the receiver must remember
 * handled events itself; `gazette/webhooks` has stores for that.
 *
 * @module
 */
export { type ErrorCode, type ErrorDetails, GazetteError, isGazetteError } from '../errors.ts';
export type { VersionCause } from '../register/record.ts';
export {
  type EndpointDisabledEvent,
  EVENT_HEADER,
  type EventHead,
  RECORD_EVENT_TYPES,
  type RecordEvent,
  type RecordEventType,
  type TestEvent,
  type WebhookEvent,
} from './event.ts';
export { type VerifyOptions, type WebhookHeaders } from './receive/delivery-rules.ts';
export { verifyWebhook } from './receive/verify.ts';
export { SIGNATURE_HEADER, type SignatureCheck, TOLERANCE_SECONDS } from './signature-rules.ts';
