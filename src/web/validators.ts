// Validators and preconditions (RFC 9110 section 8.8 and 13). The entity tag is a digest of everything that affects the
// bytes, so a 304 needs no record. If a source has no revision, the body is hashed instead.
import { createHash } from 'node:crypto';
import { httpDate } from './http-date.ts';

/** The `Cache-Control` of what is at one address without end, for everybody (RFC 8246). */
export const IMMUTABLE = 'public, max-age=31536000, immutable';

/** The same for its caller alone. */
export const IMMUTABLE_FOR_ONE = 'private, max-age=31536000, immutable';

/** The `Cache-Control` of what is followed by something newer soon. */
export const BRIEF = 'public, max-age=5';

/** The validators of a representation. */
export interface Validators {
  /** A strong entity tag, quoted (RFC 9110 8.8.3). */
  readonly etag: string;
  /** Seconds since 1970; null if no reliable value is known. */
  readonly lastModified: number | null;
  /** Whether the date alone shows that nothing has changed. Default true. */
  readonly isDateDecisive?: boolean;
}

/** The result of a request's preconditions. */
export type Precondition = 'proceed' | 'not_modified' | 'failed';

/** The age in seconds after which a change's date can be told from the next change's (RFC 9110 8.8.2.2). */
const SETTLED_AFTER_SECONDS = 2;

/** A strong entity tag from the parts, in order: 128 bits of SHA-256, base64url. */
export function entityTag(...parts: readonly (string | Uint8Array)[]): string {
  const hash = createHash('sha256');
  for (const part of parts) {
    // Lengths distinguish ("ab", "c") from ("a", "bc").
    hash.update(`${part.length}:`);
    hash.update(part);
  }
  return `"${hash.digest('base64url').slice(0, 22)}"`;
}

/** The strong entity tag of bytes: their SHA-256 in hex, as manifests of snapshots have it. */
export function byteTag(bytes: Uint8Array): string {
  return `"${createHash('sha256').update(bytes).digest('hex')}"`;
}

/**
 * The `Last-Modified` value for a change at `changedMs` (milliseconds since 1970). Null until the change is more than
 * two seconds old, because a date in whole seconds cannot distinguish two changes within one second, and must not lie
 * ahead of the clock (RFC 9110 8.8.2.1).
 */
export function lastModified(changedMs: number | null, nowMs: number): number | null {
  if (changedMs === null || Number.isNaN(changedMs)) return null;
  const seconds = Math.floor(changedMs / 1000);
  return Math.floor(nowMs / 1000) - seconds > SETTLED_AFTER_SECONDS ? seconds : null;
}

/**
 * The `Last-Modified` value of a register in a store, whose date is unique to its state, where nobody has kept which
 * configuration was served before.
 *
 * @param date in seconds since 1970; null if the register never changed
 * @param startedMs since when this process serves it: another configuration may have made other bytes of the same state. A date
 *   from before decides nothing.
 */
export function registerModified(
  date: number | null,
  startedMs: number,
  nowMs: number,
): Pick<Validators, 'lastModified' | 'isDateDecisive'> {
  const lastMs = date === null ? null : Math.max(date * 1000, startedMs);
  const isSettled = lastModified(lastMs, nowMs) !== null;
  return {
    lastModified: isSettled ? date : null,
    isDateDecisive: date !== null && date > Math.floor(startedMs / 1000),
  };
}

/**
 * Evaluates a GET's or HEAD's preconditions in the order of RFC 9110 13.2.2.
 *
 * @param now the clock, in milliseconds since 1970, for dates with a year of two digits
 */
export function evaluatePreconditions(
  request: Pick<Headers, 'get'>,
  { etag, lastModified, isDateDecisive = true }: Validators,
  now: () => number = Date.now,
): Precondition {
  const ifMatch = request.get('if-match');
  const ifUnmodifiedSince = httpDate(request.get('if-unmodified-since'), now);
  if (ifMatch !== null) {
    // 13.1.1: strong comparison. A weak tag never matches.
    if (!listMatches(ifMatch, (tag) => tag === etag)) return 'failed';
  } else if (ifUnmodifiedSince !== null && lastModified !== null && lastModified > ifUnmodifiedSince) {
    return 'failed';
  }
  const ifNoneMatch = request.get('if-none-match');
  if (ifNoneMatch !== null) {
    // 13.1.2: weak comparison.
    return listMatches(ifNoneMatch, (tag) => opaque(tag) === opaque(etag)) ? 'not_modified' : 'proceed';
  }
  // 13.1.3 allows any later date too. We compare for equality: a date that a client made itself, such as the time of its
  // last request, would hide what was committed since by an importer whose clock is behind.
  const ifModifiedSince = httpDate(request.get('if-modified-since'), now);
  return isDateDecisive && ifModifiedSince !== null && ifModifiedSince === lastModified ? 'not_modified' : 'proceed';
}

/** RFC 9110 8.8.3: entity-tag = [ "W/" ] DQUOTE *etagc DQUOTE. The quotes may contain a comma. */
const ENTITY_TAG = /(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/g;

function listMatches(header: string, matches: (tag: string) => boolean): boolean {
  return header.trim() === '*' || (header.match(ENTITY_TAG) ?? []).some(matches);
}

/**
 * The part of a tag for weak comparison (8.8.3.2), without the suffix that compressing proxies add to tags they
 * forward.
 */
function opaque(tag: string): string {
  return tag.replace(/^W\//, '').replace(/[-;](?:gzip|br|zstd|df)"$/, '"');
}
