// Problem details (RFC 9457): the only table from error codes to HTTP statuses, and the JSON shape of an error answer.
// It makes plain data, no Response: every surface that speaks HTTP wraps it in its own.
import { GazetteError, type ErrorCode } from './errors.ts';

/** The media type of an error answer (RFC 9457 section 3). */
export const PROBLEM_MEDIA_TYPE = 'application/problem+json';

/** Status and title of every code. A title never changes with the occurrence (RFC 9457 section 3.1.3). */
export const PROBLEMS: Readonly<Record<ErrorCode, { readonly status: number; readonly title: string }>> = {
  access_lapsed: { status: 401, title: 'Paid access has ended' },
  account_exists: { status: 409, title: 'The account exists already' },
  account_suspended: { status: 401, title: 'The account is suspended' },
  aborted: { status: 499, title: 'The request was cancelled' },
  bad_request: { status: 400, title: 'Bad request' },
  body_too_large: { status: 413, title: 'The body is too large' },
  authority_required: { status: 404, title: 'The register has no authority for permanent ids' },
  credentials_in_url: { status: 400, title: 'A key must not stand in a URL' },
  credentials_required: { status: 401, title: 'An API key is required' },
  destination_refused: { status: 400, title: 'The destination is not allowed' },
  damaged_snapshot: { status: 500, title: 'The snapshot is damaged' },
  duplicate_id: { status: 422, title: 'Two records have one id' },
  event_in_progress: { status: 503, title: 'The event is being handled' },
  foreign_address: { status: 502, title: 'The service leads elsewhere' },
  incomplete_copy: { status: 502, title: 'The copy is incomplete' },
  interrupted_snapshot: { status: 500, title: 'The snapshot was interrupted' },
  internal_error: { status: 500, title: 'Internal error' },
  invalid_answer: { status: 502, title: 'The service answered what it should not' },
  invalid_definition: { status: 422, title: 'The register definition is not valid' },
  invalid_event: { status: 400, title: 'The delivery carries no event' },
  invalid_input: { status: 422, title: 'The input cannot be read' },
  invalid_mapping: { status: 422, title: 'The mapping is not valid' },
  invalid_option: { status: 500, title: 'An option is not valid' },
  invalid_parameter: { status: 400, title: 'A parameter is not valid' },
  invalid_record: { status: 422, title: 'A record is not valid' },
  invalid_secrets_key: { status: 500, title: 'Signing secrets cannot be read' },
  invalid_signature: { status: 401, title: 'The signature is not valid' },
  invalid_store: { status: 500, title: 'The store cannot be opened' },
  listen_failed: { status: 500, title: 'The server cannot listen' },
  malformed_key: { status: 401, title: 'The credentials are not an API key' },
  method_not_allowed: { status: 405, title: 'Method not allowed' },
  missing_peer: { status: 500, title: 'An optional package is not installed' },
  no_next_secret: { status: 409, title: 'No new secret was prepared' },
  not_found: { status: 404, title: 'Not found' },
  not_implemented: { status: 501, title: 'Not implemented' },
  not_ready: { status: 503, title: 'The service is not ready' },
  origin_refused: { status: 403, title: 'The origin is not allowed' },
  output_failed: { status: 500, title: 'The output cannot be written' },
  precondition_failed: { status: 412, title: 'A precondition does not hold' },
  rate_limited: { status: 429, title: 'Too many requests' },
  record_withdrawn: { status: 410, title: 'The record was withdrawn' },
  register_changed: { status: 502, title: 'The register changed meanwhile' },
  register_exists: { status: 409, title: 'The register exists already' },
  repeated_credentials: { status: 400, title: 'Credentials were given more than once' },
  request_failed: { status: 502, title: 'The service cannot be reached' },
  request_refused: { status: 502, title: 'The service refused' },
  revoked_key: { status: 401, title: 'The API key was revoked' },
  rotated_key: { status: 401, title: 'The API key was rotated' },
  schema_too_new: { status: 500, title: 'The store is newer than this version of gazette' },
  signature_expired: { status: 401, title: 'The signature is too old or too new' },
  snapshot_busy: { status: 503, title: 'The snapshot is being written' },
  store_busy: { status: 503, title: 'The store is busy' },
  unknown_account: { status: 404, title: 'Unknown account' },
  unknown_delivery: { status: 404, title: 'Unknown delivery' },
  unknown_endpoint: { status: 404, title: 'Unknown endpoint' },
  unknown_format: { status: 404, title: 'Unknown export format' },
  unknown_feed: { status: 404, title: 'Unknown register' },
  unknown_key: { status: 401, title: 'Unknown API key' },
  unknown_record: { status: 404, title: 'Unknown record' },
  unsupported_media_type: { status: 415, title: 'The media type is not supported' },
  usage: { status: 400, title: 'Wrong usage' },
  wrong_product: { status: 401, title: 'The API key is for another product' },
};

/** An error answer's body (RFC 9457 section 3.1) with gazette's extension members. */
export interface Problem {
  /** A URN that names the code; it identifies and is not meant to be fetched. */
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: ErrorCode;
  readonly request_id: string;
  /** The query parameter at fault, where there is one. */
  readonly parameter?: string;
}

/**
 * The problem that tells a client about `error`. Only errors that are the client's to mend say what happened; of
 * everything else the answer holds the request id and nothing of the inside, but for 503: that it will pass.
 *
 * @example toProblem(new GazetteError('invalid_parameter', 'limit must be 1..100, got 0'), 'req-1').status // 400
 */
export function toProblem(error: unknown, requestId: string): Problem {
  const known = error instanceof GazetteError ? PROBLEMS[error.code] : undefined;
  const clientError = known !== undefined && (known.status < 500 || known.status === 501) && known.status !== 422;
  const code = clientError || known?.status === 503 ? (error as GazetteError).code : 'internal_error';
  const parameter = clientError ? (error as GazetteError).details.parameter : undefined;
  return {
    type: `urn:gazette:problem:${code}`,
    title: PROBLEMS[code].title,
    status: PROBLEMS[code].status,
    detail: clientError
      ? (error as GazetteError).message
      : `The request could not be answered. Please quote the request id ${requestId}.`,
    code,
    request_id: requestId,
    ...(typeof parameter === 'string' ? { parameter } : {}),
  };
}
