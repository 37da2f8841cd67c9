// How a receiving endpoint processes one delivery, on any server: verify, handle once, respond. It responds with
// success only after the event is recorded durably (specification 6, "Delivery behaviour" 2).
import type { IncomingHttpHeaders } from 'node:http';
import { type ErrorCode, GazetteError, isGazetteError } from '../../errors.ts';
import { PROBLEM_MEDIA_TYPE, toProblem } from '../../problem.ts';
import type { WebhookEvent } from '../event.ts';
import { type EventTransaction, handleOnce, type HandleOnceOptions, type IdempotencyStore } from './idempotency.ts';
import type { VerifyOptions } from '../signature-rules.ts';
import { valuesOf, type WebhookHeaders } from './delivery-rules.ts';
import { verifyWebhook } from './verify.ts';

/** How long a sender should wait if no better value is known, in seconds. */
const RETRY_AFTER_SECONDS = 5;

/** Failures of ours that pass: the sender is to try again soon. */
const PASSING: ReadonlySet<ErrorCode> = new Set(['event_in_progress', 'store_busy', 'store_unavailable']);

/** The longest body that is read: an event has a few hundred bytes, but a title may be long. */
const MAX_BODY_BYTES = 1024 * 1024;

/** The options of a receiving endpoint. */
export interface ReceiveOptions<Transaction> extends VerifyOptions, HandleOnceOptions {
  /** The endpoint's signing secret, including `whsec_`; several while it is rotated. */
  readonly secret: string | readonly string[];
  /** Remembers handled events. */
  readonly store: IdempotencyStore<Transaction>;
  /**
   * The work. Its writes through `transaction` take effect exactly once, everything else at least once ({@link
   * handleOnce}). Senders wait 15 seconds: put long work into your own queue.
   */
  readonly handle: (event: WebhookEvent, transaction: EventTransaction<Transaction>) => unknown;
  /** The longest body that is read, in bytes. Default 1 MiB. */
  readonly maxBodyBytes?: number;
  /** Called with every failure that is not the sender's. Default: `console.error`. */
  readonly onError?: (error: unknown) => void;
}

/** The part of the request of Express or Fastify that is used. */
export interface RequestWithBody {
  /** As Node parses them. */
  readonly headers: IncomingHttpHeaders;
  /** The result of a body parser; it must be the raw bytes. */
  readonly body?: unknown;
}

/** A response, independent of the server. */
export interface ReceiveAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Null for a success, which has no body. */
  readonly body: string | null;
}

/** The longest body that `options` allow, in bytes. */
export function maxBodyBytes(options: { readonly maxBodyBytes?: number }): number {
  return options.maxBodyBytes ?? MAX_BODY_BYTES;
}

/** The error for a longer body. */
export function bodyTooLarge(limit: number): GazetteError {
  return new GazetteError('body_too_large', `a body must have at most ${limit} bytes`);
}

/** A media type: `type/subtype`, and parameters (RFC 9110 8.3.1, 5.6.6). */
const MEDIA_TYPE = (() => {
  const token = "[!#$%&'*+.^_`|~0-9a-zA-Z-]+";
  const parameter = `${token}=(?:${token}|"(?:[^"\\\\]|\\\\.)*")`;
  return new RegExp(`^${token}/${token}(?:[ \\t]*;[ \\t]*(?:${parameter})?)*[ \\t]*$`);
})();

/** The error for a `Content-Type` that cannot be read. */
export function unreadableType(): GazetteError {
  return new GazetteError('unsupported_media_type', 'Content-Type must be a media type, such as application/json');
}

/**
 * Responds to one delivery: 204 once it is handled, now or earlier; 400, 401 and 415 for one that is refused; 503 with
 * `Retry-After` while another handling is in progress; 500 when the work fails. Never rejects.
 */
export async function respond<Transaction>(
  rawBody: unknown,
  headers: WebhookHeaders,
  options: ReceiveOptions<Transaction>,
): Promise<ReceiveAnswer> {
  let event: WebhookEvent;
  try {
    // Any type will do, as the signature says what the bytes are.
    for (const type of valuesOf(headers, 'content-type')) if (!MEDIA_TYPE.test(String(type))) throw unreadableType();
    event = await verifyWebhook(rawBody as Uint8Array, headers, options.secret, options);
  } catch (error) {
    return refuse(error, options);
  }
  try {
    await handleOnce(event, options.store, (transaction) => options.handle(event, transaction), options);
  } catch (error) {
    // Errors thrown by the work have their own codes and statuses, and some would tell the sender not to retry.
    const isPassing = isGazetteError(error) && PASSING.has(error.code);
    return refuse(isPassing ? error : new GazetteError('internal_error', 'the work failed', { cause: error }), options);
  }
  return { status: 204, headers: { 'cache-control': 'no-store' }, body: null };
}

/** The response that reports an error to the sender (RFC 9457). */
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
      // RFC 9110 15.5.2: a 401 must say what would have been accepted.
      ...(problem.status === 401 ? { 'www-authenticate': 'X-Register-Signature' } : {}),
      ...(problem.status === 405 ? { allow: 'POST' } : {}),
    },
    body: `${JSON.stringify(problem)}\n`,
  };
}
