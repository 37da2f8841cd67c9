/**
 * The public entry `gazette/webhooks`: everything a receiver needs besides the check of `gazette/webhooks/verify`, and
 * nothing of the service.
 *
 * @module
 */
export { expressWebhook, type ExpressResponse } from './receive/express.ts';
export { fastifyWebhook, type FastifyScope, type FastifyWebhookReply } from './receive/fastify.ts';
export {
  type ClaimOutcome,
  type EventTransaction,
  handleOnce,
  type HandleOnceOptions,
  type IdempotencyStore,
} from './receive/idempotency.ts';
export { MemoryIdempotencyStore } from './receive/memory-idempotency.ts';
export { PostgresIdempotencyStore, type PostgresTransaction } from './receive/postgres-idempotency.ts';
export type { ReceiveOptions, RequestWithBody } from './receive/respond.ts';
export { createSigningSecret, sign } from './signature.ts';
export { SqliteIdempotencyStore } from './receive/sqlite-idempotency.ts';
export { webhookHandler } from './receive/web-handler.ts';
