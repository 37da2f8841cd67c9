// The only error class of the project and the closed union of its codes. Codes are part of the public contract: HTTP
// answers, command-line messages and library callers depend on them. No other module declares an Error class.
import { escapeInvisible } from './invisible.ts';
import { jsonOrNull, textOf } from './value-text.ts';

/** All codes of a {@link GazetteError}. `problem.ts` maps those that HTTP answers carry to a status and a title. */
export type ErrorCode =
  /** A key's account has no paid access (any more). */
  | 'access_lapsed'
  /** An account with this id exists already. */
  | 'account_exists'
  /** A key's account was suspended by the operator. */
  | 'account_suspended'
  /** The operation was cancelled by its caller. */
  | 'aborted'
  /** The budget of a key does not cover the price. */
  | 'budget_exhausted'
  /** The request is not an HTTP request to this server. */
  | 'bad_request'
  /** The body of a request is longer than allowed. */
  | 'body_too_large'
  /** A definition has neither a `uuid` nor an `authority` and a `year`: permanent ids are made of these. */
  | 'authority_required'
  /** The URL of a request contains a key. */
  | 'credentials_in_url'
  /** The request needs an API key. */
  | 'credentials_required'
  /** What a key may spend in a day does not cover the price. */
  | 'day_budget_exhausted'
  /** Webhooks may not be sent to this address. */
  | 'destination_refused'
  /** A snapshot's files differ from those in its manifests. */
  | 'damaged_snapshot'
  /** Two records have the same id. */
  | 'duplicate_id'
  /** An editor may not do this: another register, or a role that only approves. */
  | 'editor_refused'
  /** An editor with this name exists already. */
  | 'editor_exists'
  /** A webhook's event is currently being handled. */
  | 'event_in_progress'
  /** The time until which the key was made to work is over. */
  | 'expired_key'
  /** A form does not belong to the session, or is too old. */
  | 'form_expired'
  /** A service refers its client to another origin, for which the key is not meant. */
  | 'foreign_address'
  /** A payment was settled or released already, and cannot end otherwise. */
  | 'hold_ended'
  /** The same request is being carried out. */
  | 'idempotency_in_progress'
  /** The key of a request was used for another one. */
  | 'idempotency_mismatch'
  /** Something was found in a file that stops its import until somebody says that it is meant: `details.findings` has the codes. */
  | 'import_stopped'
  /** Another process took over the register while this one worked on it. */
  | 'import_superseded'
  /** A copy of a register lacks records that were not withdrawn. */
  | 'incomplete_copy'
  /** A run ended while it wrote a snapshot; the next run completes it. */
  | 'interrupted_snapshot'
  /** An account's credit does not cover the price. */
  | 'insufficient_credit'
  /** The key may not be used for this. */
  | 'insufficient_scope'
  /** An error in gazette itself, or in a source it reads. */
  | 'internal_error'
  /** A service sent an invalid answer. */
  | 'invalid_answer'
  /** A register definition does not have the documented shape. */
  | 'invalid_definition'
  /** A signed delivery contains no event, or a different one than it announces. */
  | 'invalid_event'
  /** A publisher's file cannot be read in the given format. */
  | 'invalid_input'
  /** The body of a request is not what it must be. */
  | 'invalid_body'
  /** A key that signs or checks signed notes is malformed. */
  | 'invalid_log_key'
  /** A `--map` expression is invalid. */
  | 'invalid_mapping'
  /** The caller passed an option outside its documented range. */
  | 'invalid_option'
  /** A query parameter is out of range, malformed, empty or repeated. */
  | 'invalid_parameter'
  /** A proof, a checkpoint or a signed note is malformed, or does not prove what it has to. */
  | 'invalid_proof'
  /** A record does not fit its register. */
  | 'invalid_record'
  /** The key that encrypts signing secrets is missing, malformed or not the one that was used. */
  | 'invalid_secrets_key'
  /** The index of a register's words is being built. */
  | 'index_building'
  /** The signature of a delivery is missing, malformed or does not match. */
  | 'invalid_signature'
  /** A definition lacks fields, the title or the language that its register has. */
  | 'definition_loses'
  /** The file or database to open is not a store. */
  | 'invalid_store'
  /** A purchase does not say what it may cost at most. */
  | 'expected_price_required'
  /** The record is not what was offered any more. */
  | 'item_changed'
  /** Another record of the register has the key, or one whose content was erased had it. */
  | 'key_taken'
  /** The server cannot listen on the port. */
  | 'listen_failed'
  /** A log cannot be signed: its store contradicts what was signed before. */
  | 'log_contradicted'
  /** Two roots that were signed cannot be of one log: `details` has the evidence, `kept` and `served`. */
  | 'log_forked'
  /** A change number belongs to a log that has ended: its register was removed, or restored from a backup. */
  | 'log_restarted'
  /** An old state of a log is shown: by what was seen before, by the log of logs, or by the age of its witnesses' signatures. */
  | 'log_stale'
  /** The credentials cannot be a key of this service. */
  | 'malformed_key'
  /** The method is not allowed for this URL. */
  | 'method_not_allowed'
  /** A request has credentials in a header that is not read. */
  | 'misplaced_credentials'
  /** An optional peer dependency is not installed. */
  | 'missing_peer'
  /** The store was opened with a plugin that this process lacks: its registers can only be read. */
  | 'missing_plugin'
  /** The service has no key to encrypt signing secrets with. */
  | 'no_secrets_key'
  /** No rotation of the endpoint's secret was prepared. */
  | 'no_next_secret'
  /** There is nothing at this URL. */
  | 'not_found'
  /** The service cannot answer at the moment. */
  | 'not_ready'
  /** The server does not support the method at all. */
  | 'not_implemented'
  /** The MCP endpoint does not accept requests from this page or for this host name. */
  | 'origin_refused'
  /** The destination cannot be written. */
  | 'output_failed'
  /** Nobody knows yet whether a payment went through. */
  | 'payment_pending'
  /** The record costs something, and nobody paid. */
  | 'payment_required'
  /** A record costs more than was agreed to, or is sold in another currency, or no more. */
  | 'price_changed'
  /** A precondition of the request does not hold (RFC 9110 13.2.2). */
  | 'precondition_failed'
  /** A proposal was carried out or discarded already. */
  | 'proposal_ended'
  /** A register changed since a proposal was made, so that it would do something else, or another one was read. */
  | 'proposal_outdated'
  /** More requests than allowed. */
  | 'rate_limited'
  /** The record was withdrawn from its register. */
  | 'record_withdrawn'
  /** Another process works on the register. */
  | 'register_busy'
  /** The register, or its columns, differ from those with which the copy or the download was begun. */
  | 'register_changed'
  /** A register with this feed id exists already. */
  | 'register_exists'
  /** A request contains credentials more than once. */
  | 'repeated_credentials'
  /** A service could not be reached, or the connection did not last long enough. */
  | 'request_failed'
  /** A service refused the request. */
  | 'request_refused'
  /** The key was revoked. */
  | 'revoked_key'
  /** The key was rotated, and its grace period is over. */
  | 'rotated_key'
  /** The store was written by a newer version of gazette. */
  | 'schema_too_new'
  /** The delivery was signed too long ago, or in the future. */
  | 'signature_expired'
  /** Another run is writing the same snapshot. */
  | 'snapshot_busy'
  /** Another process kept the store locked for too long. */
  | 'store_busy'
  /** The store cannot be reached at the moment: its server is away, or its file cannot be read or written. */
  | 'store_unavailable'
  /** As many whole registers as may be are being sent. */
  | 'too_many_downloads'
  /** As many files as may be are being taken in at the desk. */
  | 'too_many_uploads'
  /** The export format does not exist. */
  | 'unknown_format'
  /** No account has this id. */
  | 'unknown_account'
  /** No delivery has this id. */
  | 'unknown_delivery'
  /** No editor has this name. */
  | 'unknown_editor'
  /** No endpoint has this id. */
  | 'unknown_endpoint'
  /** The ledger has no such entry. */
  | 'unknown_entry'
  /** No register has this feed id. */
  | 'unknown_feed'
  /** No such payment was begun. */
  | 'unknown_hold'
  /** No key has this digest or id. */
  | 'unknown_key'
  /** The account has no key with this id. */
  | 'unknown_key_id'
  /** A register has no import of this number. */
  | 'unknown_import'
  /** A request has a query parameter that does not exist here. */
  | 'unknown_parameter'
  /** No record has this id. */
  | 'unknown_record'
  /** The media type of the body is not supported here. */
  | 'unsupported_media_type'
  /** The arguments of the command line are invalid. */
  | 'usage'
  /** The key belongs to another deployment. */
  | 'wrong_product'
  /** A payment that came with a request is malformed. */
  | 'invalid_payment'
  /** A receipt for a purchase is not one of this service, or opens another record. */
  | 'invalid_receipt'
  /** The key that receipts are made with is missing or malformed. */
  | 'invalid_receipt_key'
  /** A wallet's sign-in is malformed, expired, made for another URL, or not signed by its address. */
  | 'invalid_sign_in'
  /** A payment was not settled. */
  | 'payment_failed'
  /** A payment does not pay what is asked for. */
  | 'payment_refused'
  /** A payment was presented before, alone. */
  | 'payment_replayed'
  /** Payments cannot be checked at the moment. */
  | 'payment_unavailable';

/** What an error may contain besides its message: small, printable values without secrets and without whole records. */
export type ErrorDetails = Readonly<Record<string, string | number | boolean | null>>;

/**
 * The only error class that gazette throws on purpose.
 *
 * The message says what failed, on which input and what was expected: `limit must be 1..100, got 5000`.
 *
 * @example
 * try { checkLimit(5000); } catch (error) { if (isGazetteError(error, 'invalid_parameter')) console.log(error.details.parameter); }
 */
export class GazetteError extends Error {
  /** What went wrong, for programs. */
  readonly code: ErrorCode;
  /** Which value, and where: plain values, never a secret and never a whole record. */
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

/** Whether `error` is a {@link GazetteError}, and has this `code` if one is given. */
export function isGazetteError(error: unknown, code?: ErrorCode): error is GazetteError {
  return error instanceof GazetteError && (code === undefined || error.code === code);
}

/** How much of a value a message shows, in UTF-16 units. */
const SHOWN_LENGTH = 60;

/** An API key (access/api-key.ts), or most of one, possibly URL-encoded. */
const KEY = /gz(?:_|%5f)[0-9a-z]{16,}(?:(?:_|%5f)[0-9a-z]*)?/gi;

/**
 * Formats a value for an error message: text in quotes, other values as in code, on one line, cut after 60 characters.
 * Characters that could move a terminal's cursor, break the line or change its direction, or that nobody sees, are written as `\uXXXX`; API
 * keys, which people often paste in the wrong place, as `gz_…`. Never throws, whatever the value is.
 *
 * @example quote('5') // '"5"'
 * @example quote(5) // '5'
 */
export function quote(value: unknown): string {
  const json = typeof value === 'object' && value !== null ? jsonOrNull(value) : null;
  const shown = shorten(typeof value === 'string' ? value : (json ?? textOf(value)));
  // JSON text is already escaped; the text of a symbol or of an object may contain anything.
  return escapeInvisible(json !== null || isPlain(value) ? shown : JSON.stringify(shown));
}

/** A text for an error's details: API keys as `gz_…`, cut after 60 characters. */
export function shorten(text: string): string {
  const shown = text.replace(KEY, 'gz_…');
  // A cut inside a surrogate pair would leave half a character, so the pair is removed.
  return shown.length > SHOWN_LENGTH ? `${shown.slice(0, SHOWN_LENGTH).replace(/[\ud800-\udbff]$/, '')}…` : shown;
}

function isPlain(value: unknown): boolean {
  return value === null || ['number', 'bigint', 'boolean', 'undefined'].includes(typeof value);
}
