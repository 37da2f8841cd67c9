// Processes one claimed delivery: either it is not sent, for a reason; or it is signed and sent, and the response
// determines the outcome.
import type { ClaimedDelivery, DeliveryOutcome } from '../../stores/contract/deliveries.ts';
import type { AccountStanding, ClaimedEndpoint } from '../../stores/contract/endpoints.ts';
import { VERSION } from '../../version.ts';
import type { TelemetryApi } from '../../telemetry/api.ts';
import { endSpan, portOf, SPAN_KIND, tracerOf } from '../../telemetry/spans.ts';
import type { Poster, PostResult } from './attempt.ts';
import { EVENT_HEADER } from '../event.ts';
import { deliveryBody } from './record-event.ts';
import { nextDelayMs, retryAfterMs } from './schedule.ts';
import type { SecretBox } from './secret-box.ts';
import { sign } from '../signature.ts';
import { SIGNATURE_HEADER } from '../signature-rules.ts';
import { standardHeaders } from '../standard-signature.ts';

/** Options for delivering. */
export interface DeliverOptions {
  readonly poster: Poster;
  readonly box: SecretBox;
  readonly schedule: readonly number[];
  readonly now: () => number;
  readonly random: () => number;
  /** Makes a span of each attempt. */
  readonly telemetry?: TelemetryApi | undefined;
}

/** Statuses whose `Retry-After` is honoured. */
const BUSY: ReadonlySet<number> = new Set([429, 503]);

const GONE = 410;

/**
 * Sends a delivery, or decides not to.
 *
 * @param brokenOff ends the attempt
 * @returns null when the attempt was ended or aborted: its result is unknown, and it is to be sent again
 * @throws GazetteError `invalid_secrets_key`
 */
export async function deliver(
  delivery: ClaimedDelivery,
  lease: string,
  brokenOff: AbortSignal,
  options: DeliverOptions,
): Promise<DeliveryOutcome | null> {
  const { poster, box, now } = options;
  const { id, endpoint, event } = delivery;
  const outcome = { id, lease, attempt: null, nextAttemptAt: null, isGone: false };
  const body = deliveryBody(delivery);
  // It waits: the store hands it out again once its account has access.
  if (!hasAccess(endpoint.account, now())) {
    return { ...outcome, state: 'pending', reason: null, nextAttemptAt: delivery.dueAt };
  }
  const reason = whyNot(delivery, body);
  if (reason !== null || body === null) return { ...outcome, state: 'skipped', reason };

  const bytes = Buffer.from(body);
  const startedMs = now();
  const secrets = signingSecrets(endpoint, box, startedMs);
  const timestampSeconds = Math.floor(startedMs / 1000);
  const headers = {
    'content-type': 'application/json',
    'user-agent': `gazette/${VERSION}`,
    [SIGNATURE_HEADER]: sign(bytes, secrets, timestampSeconds),
    [EVENT_HEADER]: event.id,
    ...(endpoint.isStandard ? standardHeaders({ id: event.id, timestampSeconds, rawBody: bytes }, secrets) : {}),
  };
  const began = performance.now();
  const post = (): Promise<PostResult> => poster.post(endpoint.url, headers, bytes, brokenOff);
  const result = await (options.telemetry === undefined ? post() : tracedAttempt(options.telemetry, delivery, post));
  if (result.error === 'aborted') return null;
  const isSuccess = result.status !== null && result.status >= 200 && result.status < 300;
  const attempt = {
    at: new Date(startedMs).toISOString(),
    durationMs: Math.round(performance.now() - began),
    status: result.status,
    error: result.error,
    response: isSuccess || result.body === '' ? null : result.body,
  };
  if (isSuccess) return { ...outcome, attempt, state: 'acknowledged', reason: null };
  const isGone = result.status === GONE;
  const delayMs = isGone ? null : nextDelayMs(options.schedule, delayOf(delivery, result, options));
  if (delayMs === null) return { ...outcome, attempt, state: 'failed', reason: isGone ? 'gone' : 'exhausted', isGone };
  return {
    ...outcome,
    attempt,
    state: 'pending',
    reason: null,
    nextAttemptAt: new Date(now() + delayMs).toISOString(),
  };
}

/**
 * Makes a span of an attempt, by the semantic conventions for HTTP clients. Of the receiver's address it tells the host
 * alone: paths of webhooks are often secret. The receiver is not told of the span: it belongs to somebody else.
 */
async function tracedAttempt(
  telemetry: TelemetryApi,
  { id, endpoint, event, tries }: ClaimedDelivery,
  post: () => Promise<PostResult>,
): Promise<PostResult> {
  const url = URL.parse(endpoint.url);
  const span = tracerOf(telemetry).startSpan('POST', {
    kind: SPAN_KIND.client,
    attributes: {
      'http.request.method': 'POST',
      ...(url === null ? {} : { 'server.address': url.hostname, 'server.port': portOf(url) }),
      ...(tries === 0 ? {} : { 'http.request.resend_count': tries }),
      'gazette.webhook.delivery': id,
      'gazette.webhook.endpoint': endpoint.id,
      'gazette.webhook.event': event.id,
      'gazette.webhook.event_type': event.type,
    },
  });
  const { context, trace } = telemetry;
  const result = await context.with(trace.setSpan(context.active(), span), post);
  const { status, error } = result;
  if (status === null) endSpan(span, {}, error ?? 'no_answer');
  else endSpan(span, { 'http.response.status_code': status }, status >= 400 ? String(status) : undefined);
  return result;
}

/** The current secret, and the previous one while it is kept. */
function signingSecrets(
  { id, secret, previousSecret, previousUntil }: ClaimedEndpoint,
  box: SecretBox,
  nowMs: number,
): readonly string[] {
  const current = box.open(secret, id);
  if (previousSecret === null || previousUntil === null || nowMs >= Date.parse(previousUntil)) return [current];
  return [current, box.open(previousSecret, id)];
}

/** Why a delivery is not sent. Null: it is sent. */
function whyNot({ endpoint, version, isTest }: ClaimedDelivery, body: string | null): string | null {
  // A disabled endpoint can be tested before it is enabled.
  if (endpoint.disabledAt !== null && !isTest) return 'endpoint_disabled';
  if (body !== null) return null;
  return version === null ? 'register_removed' : 'redacted';
}

function hasAccess({ accessUntil, isSuspended }: AccountStanding, nowMs: number): boolean {
  return !isSuspended && accessUntil !== null && nowMs < Date.parse(accessUntil);
}

function delayOf(
  { tries }: ClaimedDelivery,
  { status, retryAfter }: PostResult,
  { now, random }: DeliverOptions,
): Parameters<typeof nextDelayMs>[1] {
  const isBusy = status !== null && BUSY.has(status);
  return { tries: tries + 1, random, retryAfterMs: isBusy ? retryAfterMs(retryAfter, now()) : null };
}
