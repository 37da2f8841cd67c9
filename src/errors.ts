// The one error class of the project and the closed union of its codes. Codes are part of the public contract:
// HTTP answers, command-line messages and library callers all switch on them. No other module declares an Error class.

/** Every code a {@link GazetteError} can carry. `problem.ts` maps each to an HTTP status and a title. */
export type ErrorCode =
  /** A key's account has no paid access (any more). */
  | 'access_lapsed'
  /** An account of this id exists already. */
  | 'account_exists'
  /** A key's account was suspended by the operator. */
  | 'account_suspended'
  /** The operation was cancelled by its caller. */
  | 'aborted'
  /** A request that is no HTTP request to this server. */
  | 'bad_request'
  /** A request whose body is longer than is read. */
  | 'body_too_large'
  /** A definition lacks the `authority` and `year` that permanent ids are made of (RFC 4151). */
  | 'authority_required'
  /** A key stands in the address of a request. */
  | 'credentials_in_url'
  /** What was asked for needs an API key. */
  | 'credentials_required'
  /** An address that webhooks may not be sent to. */
  | 'destination_refused'
  /** A snapshot's files are not those that its manifests name. */
  | 'damaged_snapshot'
  /** Two records carry one id. */
  | 'duplicate_id'
  /** A webhook's event is being handled at this moment. */
  | 'event_in_progress'
  /** A service leads its consumer to another origin, which the key is not for. */
  | 'foreign_address'
  /** A copy of a register lacks records that nobody withdrew. */
  | 'incomplete_copy'
  /** A snapshot was being written when its run ended; the next run completes it. */
  | 'interrupted_snapshot'
  /** A broken promise of gazette itself, or of a source it reads. */
  | 'internal_error'
  /** A service answered what it should not. */
  | 'invalid_answer'
  /** A register definition does not have the documented shape. */
  | 'invalid_definition'
  /** A delivery that is signed and still carries no event, or another than it says. */
  | 'invalid_event'
  /** A publisher's file cannot be read as the format it was said to be in. */
  | 'invalid_input'
  /** A `--map` expression cannot be understood. */
  | 'invalid_mapping'
  /** A programmer passed an option outside its documented range. */
  | 'invalid_option'
  /** A query parameter is out of range, malformed, empty or repeated. */
  | 'invalid_parameter'
  /** A record does not fit its register. */
  | 'invalid_record'
  /** The key that signing secrets are encrypted with is missing, malformed or another one. */
  | 'invalid_secrets_key'
  /** A delivery whose signature is missing, malformed or another's. */
  | 'invalid_signature'
  /** What was to be opened as a store is none. */
  | 'invalid_store'
  /** A port cannot be listened on. */
  | 'listen_failed'
  /** Credentials that cannot be a key of this service. */
  | 'malformed_key'
  /** The method is not served at this address. */
  | 'method_not_allowed'
  /** An optional peer dependency is not installed. */
  | 'missing_peer'
  /** No rotation of an endpoint's secret was prepared. */
  | 'no_next_secret'
  /** Nothing is served at this address. */
  | 'not_found'
  /** The service cannot answer at the moment. */
  | 'not_ready'
  /** The server does not know the method at all. */
  | 'not_implemented'
  /** A request from a page, or to a name, that the agents' endpoint does not answer. */
  | 'origin_refused'
  /** The destination cannot be written. */
  | 'output_failed'
  /** A precondition of the request does not hold (RFC 9110 13.2.2). */
  | 'precondition_failed'
  /** More requests than allowed. */
  | 'rate_limited'
  /** A record that was withdrawn from its register. */
  | 'record_withdrawn'
  /** A register is no longer the one, or no longer has the columns, that its copy was begun with. */
  | 'register_changed'
  /** A register of this feed id exists already. */
  | 'register_exists'
  /** A request names its credentials more than once. */
  | 'repeated_credentials'
  /** A service could not be reached, or not for long enough. */
  | 'request_failed'
  /** A service answered that it will not. */
  | 'request_refused'
  /** A key that was revoked. */
  | 'revoked_key'
  /** A key that was rotated, and whose grace is over. */
  | 'rotated_key'
  /** The store was written by a newer version of gazette. */
  | 'schema_too_new'
  /** A delivery that was signed too long ago, or in the future. */
  | 'signature_expired'
  /** Another run writes the same snapshot. */
  | 'snapshot_busy'
  /** Another process kept the store locked for too long. */
  | 'store_busy'
  /** The export format does not exist. */
  | 'unknown_format'
  /** No account has this id. */
  | 'unknown_account'
  /** No delivery has this id. */
  | 'unknown_delivery'
  /** No endpoint has this id. */
  | 'unknown_endpoint'
  /** No register has this feed id. */
  | 'unknown_feed'
  /** No key has this digest or id. */
  | 'unknown_key'
  /** No record has this id. */
  | 'unknown_record'
  /** A body of a media type that is not read here. */
  | 'unsupported_media_type'
  /** The command line was not understood. */
  | 'usage'
  /** A key of another deployment. */
  | 'wrong_product';

/** What an error may carry besides its message: small, printable, free of secrets and of whole records. */
export type ErrorDetails = Readonly<Record<string, string | number | boolean | null>>;

/**
 * The only error class gazette throws on purpose.
 *
 * The message says what failed, on which input and what was expected: `limit must be 1..100, got 5000`.
 *
 * @example
 * try { checkLimit(5000); } catch (error) { if (isGazetteError(error, 'invalid_parameter')) console.log(error.details.parameter); }
 */
export class GazetteError extends Error {
  /** What went wrong, for programs. */
  readonly code: ErrorCode;
  /** Which value, where: plain values, never a secret and never a whole record. */
  readonly details: ErrorDetails;

  constructor(
    code: ErrorCode,
    message: string,
    options: { readonly cause?: unknown; readonly details?: ErrorDetails } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'GazetteError';
    this.code = code;
    this.details = options.details ?? {};
  }
}

/** Whether `error` is a {@link GazetteError}, and of this `code` when one is given. */
export function isGazetteError(error: unknown, code?: ErrorCode): error is GazetteError {
  return error instanceof GazetteError && (code === undefined || error.code === code);
}

/** How much of a value a message shows, in UTF-16 units. */
const SHOWN_LENGTH = 60;

/** An API key (access/api-key.ts), or most of one, also as a URL may write it. */
const KEY = /gz(?:_|%5f)[0-9a-z]{16,}(?:(?:_|%5f)[0-9a-z]*)?/gi;

/**
 * A value as an error message may show it: text in quotes, all else as code has it, on one line, cut after 60 characters.
 * Whatever could move a terminal's cursor, break the line or turn its direction is written as `\uXXXX`; an API key, which
 * people put where it does not belong, as `gz_…`. Never throws, whatever it is given.
 *
 * @example quote('5') // '"5"'
 * @example quote(5) // '5'
 */
export function quote(value: unknown): string {
  const json = typeof value === 'object' && value !== null ? jsonOrNull(value) : null;
  const text = (typeof value === 'string' ? value : (json ?? textOf(value))).replace(KEY, 'gz_…');
  // A cut inside a surrogate pair would leave half a character: take the pair out whole.
  const shown = text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH).replace(/[\ud800-\udbff]$/, '')}…` : text;
  // JSON has escaped its texts already; a symbol's or an object's name of itself may hold anything.
  return (json !== null || isPlain(value) ? shown : JSON.stringify(shown)).replace(
    /[\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function isPlain(value: unknown): boolean {
  return value === null || ['number', 'bigint', 'boolean', 'undefined'].includes(typeof value);
}

// What the language's own types leave out: a toJSON may answer undefined, and then there is no text.
const toJson: (value: unknown) => string | undefined = JSON.stringify;

function jsonOrNull(value: object): string | null {
  try {
    return toJson(value) ?? null;
  } catch {
    // JSON cannot say it (a big integer, a circle, a toJSON that throws): its kind has to do.
    return null;
  }
}

function textOf(value: unknown): string {
  return typeof value === 'object' && value !== null ? Object.prototype.toString.call(value) : String(value);
}
