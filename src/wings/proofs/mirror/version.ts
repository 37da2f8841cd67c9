// A version as a service answers it, and the entry of the log that it must be.
import { isObject, isWhole } from '../../../checks.ts';
import { GazetteError } from '../../../errors.ts';
import { fromBase64 } from '../tlog/base64.ts';
import { hmac } from '../../../stores/rows/commitment.ts';
import { HASH_LENGTH, leafHash } from '../tlog/hashes.ts';
import { canonicalJson, type JsonValue } from '../../../register/canonical-json.ts';
import type { VersionCause } from '../../../register/record.ts';

/** A version whose place, time, cause and content are those that were signed. */
export interface ProvedChange {
  /** The change number. */
  readonly change: number;
  /** The record's position in the register. */
  readonly position: number;
  /** The number of the version. */
  readonly version: number;
  /** Why it was recorded. */
  readonly cause: VersionCause;
  /** RFC 3339 date-time. */
  readonly recorded_at: string;
  /** The record; null once its id was erased: `position` says which one it was. */
  readonly record_id: string | null;
  /** What the publisher stated; null in a withdrawal or redaction, and once it was erased. */
  readonly statement: JsonValue;
  /** Whether a redaction erased what this version said. */
  readonly isErased: boolean;
}

/** A version, and the hash of its entry. */
export interface ReadVersion {
  /** As it was answered. */
  readonly given: unknown;
  readonly version: ProvedChange;
  readonly leaf: Uint8Array;
}

/**
 * Reads a version, and makes its entry of what it says. Only where a redaction erased the salts, the entry's own values are taken.
 *
 * @param change the change number that it must have
 * @throws GazetteError `invalid_proof`
 */
export function readVersion(given: unknown, change: number): ReadVersion {
  const refused = (cause?: unknown): GazetteError => {
    const message = `change ${change} must be answered with all that its entry is made of`;
    return new GazetteError('invalid_proof', message, { cause });
  };
  if (!isObject(given) || !isObject(given.proof)) throw refused();
  let read: ReadVersion | null;
  try {
    read = madeOf(given, given.proof, change);
  } catch (cause) {
    // What has no canonical form was never signed: numbers beyond all that JSON can carry, and nesting beyond all stacks.
    throw refused(cause);
  }
  if (read === null) throw refused();
  return read;
}

type Members = Readonly<Record<string, unknown>>;

function madeOf(given: Members, proof: Members, change: number): ReadVersion | null {
  const { position, version, cause, recorded_at, record_id: id } = given;
  const entry = entryIn(proof.entry);
  const [salt, recordSalt] = [saltIn(proof.salt), saltIn(proof.record_salt)];
  if (entry === null || salt === undefined || recordSalt === undefined) return null;
  // A redaction itself has the salt of its commitment, and none for the id.
  const isErased = salt === null;
  if (isErased ? recordSalt !== null : recordSalt === null && cause !== 'redacted') return null;
  if (!isWhole(position, 1) || !isWhole(version, 1)) return null;
  if (typeof cause !== 'string' || typeof recorded_at !== 'string' || typeof id !== 'string') return null;
  const statement = isErased ? null : ((given.statement ?? null) as JsonValue);
  const committed = { v: 1, log: String(proof.log), id, version, statement };
  const commitment = salt === null ? entry.commitment : hmacIn(salt, canonicalJson(committed));
  const record = recordSalt === null ? entry.record : hmacIn(recordSalt, id);
  const made = canonicalJson({ v: 1, change, position, version, cause, recorded_at, record, commitment });
  const shown = { change, position, version, cause: cause as VersionCause, recorded_at };
  return {
    given,
    version: { ...shown, record_id: recordSalt === null ? null : id, statement, isErased },
    leaf: leafHash(Buffer.from(made)),
  };
}

/** An HMAC-SHA-256, in base64. */
export function hmacIn(salt: Uint8Array, text: string): string {
  return Buffer.from(hmac(salt, text), 'latin1').toString('base64');
}

/** What an entry's own text says of what a redaction erased; null when it is something else. */
function entryIn(text: unknown): { readonly record: string; readonly commitment: string } | null {
  try {
    const entry: unknown = JSON.parse(String(text));
    if (!isObject(entry)) return null;
    const { record, commitment } = entry;
    return typeof record === 'string' && typeof commitment === 'string' ? { record, commitment } : null;
  } catch {
    return null;
  }
}

/** The bytes of a salt; null once it was erased; undefined for anything else. */
export function saltIn(text: unknown): Uint8Array | null | undefined {
  if (text === null) return null;
  const bytes = typeof text === 'string' ? fromBase64(text) : null;
  return bytes?.length === HASH_LENGTH ? bytes : undefined;
}
