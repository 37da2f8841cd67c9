/**
 * The public entry `gazette/webhooks`: everything a receiver needs, and nothing of the service.
 *
 * @module
 */
export { type ErrorCode, type ErrorDetails, GazetteError, isGazetteError } from '../errors.ts';
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
export { expressWebhook, type ExpressRequest, type ExpressResponse } from './receive/express.ts';
export {
  fastifyWebhook,
  type FastifyScope,
  type FastifyWebhookReply,
  type FastifyWebhookRequest,
} from './receive/fastify.ts';
export {
  type ClaimOutcome,
  type EventTransaction,
  handleOnce,
  type HandleOnceOptions,
  type IdempotencyStore,
  type PruneOptions,
} from './receive/idempotency.ts';
export { MemoryIdempotencyStore } from './receive/memory-idempotency.ts';
export {
  type PostgresIdempotencyOptions,
  PostgresIdempotencyStore,
  type PostgresTransaction,
} from './receive/postgres-idempotency.ts';
export { type ReceiveOptions } from './receive/respond.ts';
export { type VerifyOptions, type WebhookHeaders } from './receive/delivery-rules.ts';
export { createSigningSecret, sign } from './signature.ts';
export { SIGNATURE_HEADER, TOLERANCE_SECONDS } from './signature-rules.ts';
export { type SqliteIdempotencyOptions, SqliteIdempotencyStore } from './receive/sqlite-idempotency.ts';
export { webhookHandler } from './receive/web-handler.ts';

// Types used in the signatures above.
export type { VersionCause } from '../register/record.ts';
export type { PostgresClient, PostgresPool, PostgresQuery, PostgresResult } from '../stores/postgres/connection.ts';
export type { SignatureCheck } from './signature-rules.ts';
