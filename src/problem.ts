// Problem details (RFC 9457): the only table from error codes to HTTP statuses, and the JSON shape of an error answer.
// It creates plain data, not a Response: every HTTP surface wraps it itself.
import { type ErrorCode, type ErrorDetails, GazetteError } from './errors.ts';

/** The media type of an error answer (RFC 9457 section 3). */
export const PROBLEM_MEDIA_TYPE = 'application/problem+json';

/** The common part of all answers with one code. */
export interface ProblemKind {
  /** The HTTP status. */
  readonly status: number;
  /** The same in every answer with this code (RFC 9457 section 3.1.3). */
  readonly title: string;
}

const INTERNAL_ERROR: ProblemKind = { status: 500, title: 'Internal error' };

/** Every code that HTTP answers carry. The others are for programs and for the command line. */
export const PROBLEMS: Readonly<Partial<Record<ErrorCode, ProblemKind>>> = {
  access_lapsed: { status: 401, title: 'Paid access has ended' },
  account_suspended: { status: 401, title: 'The account is suspended' },
  aborted: { status: 499, title: 'The request was cancelled' },
  bad_request: { status: 400, title: 'Bad request' },
  body_too_large: { status: 413, title: 'The body is too large' },
  authority_required: { status: 404, title: 'The register has no constants for permanent ids' },
  budget_exhausted: { status: 402, title: 'The budget of the API key is used up' },
  credentials_in_url: { status: 400, title: 'API keys are not accepted in a URL' },
  credentials_required: { status: 401, title: 'An API key is required' },
  day_budget_exhausted: { status: 402, title: 'The API key has spent its budget for today' },
  destination_refused: { status: 422, title: 'Webhooks may not be sent to this address' },
  editor_refused: { status: 403, title: 'The editor may not do this' },
  event_in_progress: { status: 503, title: 'The event is already being handled' },
  expected_price_required: { status: 400, title: 'The purchase must say the price it expects' },
  expired_key: { status: 401, title: 'The API key has ended' },
  form_expired: { status: 403, title: 'The form is too old' },
  idempotency_in_progress: { status: 409, title: 'The same request is being carried out' },
  idempotency_mismatch: { status: 422, title: 'The Idempotency-Key was used for another request' },
  index_building: { status: 503, title: 'The index of the words is being built' },
  insufficient_credit: { status: 402, title: 'The credit of the account is used up' },
  insufficient_scope: { status: 403, title: 'The API key may not be used for this' },
  internal_error: INTERNAL_ERROR,
  invalid_body: { status: 400, title: 'The body is not valid' },
  invalid_event: { status: 400, title: 'The delivery does not contain an event' },
  invalid_parameter: { status: 400, title: 'A parameter is not valid' },
  invalid_signature: { status: 401, title: 'The signature is not valid' },
  item_changed: { status: 409, title: 'The record has changed' },
  log_restarted: { status: 410, title: 'The register counts its changes from the beginning again' },
  malformed_key: { status: 401, title: 'The credentials are not an API key' },
  method_not_allowed: { status: 405, title: 'Method not allowed' },
  misplaced_credentials: { status: 400, title: 'API keys are accepted in the header Authorization only' },
  no_next_secret: { status: 409, title: 'No new secret was prepared' },
  no_secrets_key: { status: 501, title: 'Signing secrets cannot be made here' },
  not_found: { status: 404, title: 'Not found' },
  not_implemented: { status: 501, title: 'Not implemented' },
  not_ready: { status: 503, title: 'The service is not ready' },
  origin_refused: { status: 403, title: 'The origin is not allowed' },
  payment_pending: { status: 402, title: 'The payment is not settled yet' },
  payment_required: { status: 402, title: 'The record is to be paid for' },
  precondition_failed: { status: 412, title: 'A precondition failed' },
  price_changed: { status: 409, title: 'The price has changed' },
  rate_limited: { status: 429, title: 'Too many requests' },
  record_withdrawn: { status: 410, title: 'The record was withdrawn' },
  register_changed: { status: 409, title: 'The register has changed' },
  repeated_credentials: { status: 400, title: 'Credentials were given more than once' },
  revoked_key: { status: 401, title: 'The API key was revoked' },
  rotated_key: { status: 401, title: 'The API key was rotated' },
  signature_expired: { status: 401, title: 'The signature is too old or too new' },
  store_busy: { status: 503, title: 'The store is busy' },
  store_unavailable: { status: 503, title: 'The store cannot be reached' },
  too_many_downloads: { status: 503, title: 'As many whole registers as possible are being sent' },
  too_many_uploads: { status: 503, title: 'As many files as possible are being taken in' },
  unknown_delivery: { status: 404, title: 'Unknown delivery' },
  unknown_endpoint: { status: 404, title: 'Unknown endpoint' },
  unknown_import: { status: 404, title: 'Unknown import' },
  unknown_format: { status: 404, title: 'Unknown export format' },
  unknown_feed: { status: 404, title: 'Unknown register' },
  unknown_key: { status: 401, title: 'Unknown API key' },
  unknown_key_id: { status: 404, title: 'Unknown key' },
  unknown_parameter: { status: 400, title: 'Unknown parameter' },
  unknown_record: { status: 404, title: 'Unknown record' },
  unsupported_media_type: { status: 415, title: 'The media type is not supported' },
  invalid_payment: { status: 400, title: 'The payment is malformed' },
  invalid_receipt: { status: 401, title: 'The receipt is not valid here' },
  invalid_sign_in: { status: 400, title: 'The sign-in of the wallet is not valid' },
  payment_failed: { status: 402, title: 'The payment was not settled' },
  payment_refused: { status: 402, title: 'The payment is not valid' },
  payment_replayed: { status: 402, title: 'The payment was presented before' },
  payment_unavailable: { status: 503, title: 'Payments cannot be checked at the moment' },
  wrong_product: { status: 401, title: 'The API key is for another product' },
};

/** Status and title for an error code; a code that no answer carries becomes `internal_error`. */
export function problemKind(code: ErrorCode): ProblemKind {
  return PROBLEMS[code] ?? INTERNAL_ERROR;
}

/** What a service refuses by itself for a while, in words made for clients. The other 503s may name a file, a database or a node. */
const TOLD: ReadonlySet<ErrorCode> = new Set([
  'event_in_progress',
  'index_building',
  'not_ready',
  'too_many_downloads',
  'too_many_uploads',
]);

/** An error answer's body (RFC 9457 section 3.1) with gazette's extension members. */
export interface Problem {
  /** A URN that identifies the code; it is not meant to be fetched. */
  readonly type: string;
  /** The kind of problem, the same for all errors with this code. */
  readonly title: string;
  /** The HTTP status. */
  readonly status: number;
  /** What went wrong in this case. */
  readonly detail: string;
  /** What went wrong, for programs. */
  readonly code: ErrorCode;
  /** The request id, as in the `X-Request-Id` header and the log. */
  readonly request_id: string;
  /** The invalid query parameter, if there is one. */
  readonly parameter?: string;
  /** What the record costs, where it is to be paid for (402), or costs more than was agreed to (409). */
  readonly price?: { readonly amount: number; readonly currency: string };
  /** Where it is bought. */
  readonly buy_url?: string;
}

/** What is offered where something is to be paid: `amount`, `currency` and `buyUrl` of the details. */
function offerIn({ amount, currency, buyUrl }: ErrorDetails): Pick<Problem, 'price' | 'buy_url'> {
  if (typeof amount !== 'number' || typeof currency !== 'string' || typeof buyUrl !== 'string') return {};
  return { price: { amount, currency }, buy_url: buyUrl };
}

/**
 * The problem document that tells a client about `error`. Only errors that the client can correct, or can wait for
 * because the service itself refuses for a while, say what happened. For any other error the answer has the request id and no internal
 * details; a 503 has its own code, because it is temporary.
 *
 * @example toProblem(new GazetteError('invalid_parameter', 'limit must be 1..100, got 0'), 'req-1').status // 400
 */
export function toProblem(error: unknown, requestId: string): Problem {
  const known = error instanceof GazetteError ? PROBLEMS[error.code] : undefined;
  const clientError = known !== undefined && (known.status < 500 || known.status === 501);
  const code = clientError || known?.status === 503 ? (error as GazetteError).code : 'internal_error';
  const parameter = clientError ? (error as GazetteError).details.parameter : undefined;
  return {
    type: `urn:gazette:problem:${code}`,
    title: problemKind(code).title,
    status: problemKind(code).status,
    detail:
      clientError || TOLD.has(code)
        ? (error as GazetteError).message
        : `The request could not be answered. Please quote the request id ${requestId}.`,
    code,
    request_id: requestId,
    ...(typeof parameter === 'string' ? { parameter } : {}),
    ...(clientError ? offerIn((error as GazetteError).details) : {}),
  };
}
