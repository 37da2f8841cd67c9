// What a receiving endpoint does with one delivery, on whatever server: verify, handle once, answer. It answers success
// only after the event is recorded durably (specification 6, "Delivery behaviour" 2).
import { GazetteError, isGazetteError } from '../../errors.ts';
import { PROBLEM_MEDIA_TYPE, toProblem } from '../../problem.ts';
import type { WebhookEvent } from '../event.ts';
import { type EventTransaction, handleOnce, type HandleOnceOptions, type IdempotencyStore } from './idempotency.ts';
import type { VerifyOptions, WebhookHeaders } from './delivery-rules.ts';
import { verifyWebhook } from './verify-web.ts';

/** How long a sender shall wait where nothing better is known, in seconds. */
const RETRY_AFTER_SECONDS = 5;

/** The longest body that is read: an event has a few hundred bytes, and a title may be long. */
const MAX_BODY_BYTES = 1024 * 1024;

/** What a receiving endpoint needs. */
export interface ReceiveOptions<Transaction> extends VerifyOptions, HandleOnceOptions {
  /** The endpoint's signing secret, `whsec_` included; several while it is rotated. */
  readonly secret: string | readonly string[];
  /** Where handled events are remembered. */
  readonly store: IdempotencyStore<Transaction>;
  /**
   * The work. What it writes through `transaction` takes effect exactly once, everything else at least once
   * ({@link handleOnce}). Senders wait 15 seconds: put long work into a queue of your own.
   */
  readonly handle: (event: WebhookEvent, transaction: EventTransaction<Transaction>) => unknown;
  /** The longest body that is read, in bytes. Default 1 MiB. */
  readonly maxBodyBytes?: number;
  /** Told of every failure that is not the sender's. Default: `console.error`. */
  readonly onError?: (error: unknown) => void;
}

/** An answer before it is any server's own. */
export interface ReceiveAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Null for a success, which has none. */
  readonly body: string | null;
}

/** The longest body that `options` allow, in bytes. */
export function maxBodyBytes(options: { readonly maxBodyBytes?: number }): number {
  return options.maxBodyBytes ?? MAX_BODY_BYTES;
}

/** What a body beyond the bound is refused with. */
export function bodyTooLarge(limit: number): GazetteError {
  return new GazetteError('body_too_large', `a body must have at most ${limit} bytes`);
}

/**
 * Answers one delivery: 204 once it is handled, also when it had been before; 400 and 401 for one that is refused; 503
 * with `Retry-After` while another handling has it; 500 when the work fails. Never rejects.
 */
export async function respond<Transaction>(
  rawBody: unknown,
  headers: WebhookHeaders,
  options: ReceiveOptions<Transaction>,
): Promise<ReceiveAnswer> {
  let event: WebhookEvent;
  try {
    event = await verifyWebhook(rawBody as Uint8Array, headers, options.secret, options);
  } catch (error) {
    return refuse(error, options);
  }
  try {
    await handleOnce(event, options.store, (transaction) => options.handle(event, transaction), options);
  } catch (error) {
    // What the work throws has codes and statuses of its own, and some would tell the sender never to come again.
    const isPassing = isGazetteError(error, 'event_in_progress') || isGazetteError(error, 'store_busy');
    return refuse(isPassing ? error : new GazetteError('internal_error', 'the work failed', { cause: error }), options);
  }
  return { status: 204, headers: { 'cache-control': 'no-store' }, body: null };
}

/** The answer that tells the sender of an error (RFC 9457). */
export function refuse(error: unknown, options: { readonly onError?: (error: unknown) => void }): ReceiveAnswer {
  const requestId = crypto.randomUUID();
  const problem = toProblem(error, requestId);
  if (problem.status === 500) {
    const own = isGazetteError(error, 'internal_error') ? error.cause : error;
    if (options.onError === undefined) console.error('gazette: a webhook could not be handled', own);
    else options.onError(own);
  }
  const retryAfter = isGazetteError(error) ? error.details.retryAfterSeconds : undefined;
  return {
    status: problem.status,
    headers: {
      'content-type': PROBLEM_MEDIA_TYPE,
      'cache-control': 'no-store',
      'x-request-id': requestId,
      ...(problem.status === 503 ? { 'retry-after': String(retryAfter ?? RETRY_AFTER_SECONDS) } : {}),
      // RFC 9110 15.5.2: a 401 says what would have been accepted.
      ...(problem.status === 401 ? { 'www-authenticate': 'X-Register-Signature' } : {}),
      ...(problem.status === 405 ? { allow: 'POST' } : {}),
    },
    body: `${JSON.stringify(problem)}\n`,
  };
}
