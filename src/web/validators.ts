// Validators and preconditions (RFC 9110 section 8.8 and 13). The entity tag is a digest of everything that shapes the
// bytes, so that a 304 needs no record; only a source without a revision has its body hashed instead.
import { createHash } from 'node:crypto';

/** The validators of a representation. */
export interface Validators {
  /** A strong entity tag, quoted (RFC 9110 8.8.3). */
  readonly etag: string;
  /** Seconds since 1970; null when no honest value is known. */
  readonly lastModified: number | null;
}

/** What the request's preconditions come to. */
export type Precondition = 'proceed' | 'not_modified' | 'failed';

/** How old a change must be, in seconds, before its date can tell it from the next one (RFC 9110 8.8.2.2). */
const SETTLED_AFTER_SECONDS = 2;

/** A strong entity tag over the parts, in order: 128 bits of SHA-256, base64url. */
export function entityTag(...parts: readonly (string | Uint8Array)[]): string {
  const hash = createHash('sha256');
  for (const part of parts) {
    // Lengths keep ("ab", "c") and ("a", "bc") apart.
    hash.update(`${part.length}:`);
    hash.update(part);
  }
  return `"${hash.digest('base64url').slice(0, 22)}"`;
}

/**
 * The `Last-Modified` of something that last changed at `changedMs` (milliseconds since 1970): null until the change is
 * more than two seconds old, because a date with whole seconds cannot tell two changes within one apart.
 */
export function lastModified(changedMs: number | null, nowMs: number): number | null {
  if (changedMs === null || Number.isNaN(changedMs)) return null;
  const seconds = Math.floor(changedMs / 1000);
  return Math.floor(nowMs / 1000) - seconds > SETTLED_AFTER_SECONDS ? seconds : null;
}

/** Evaluates a GET's or HEAD's preconditions in the order of RFC 9110 13.2.2. */
export function evaluatePreconditions(request: Pick<Headers, 'get'>, { etag, lastModified }: Validators): Precondition {
  const ifMatch = request.get('if-match');
  const ifUnmodifiedSince = httpDate(request.get('if-unmodified-since'));
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
  const ifModifiedSince = httpDate(request.get('if-modified-since'));
  return ifModifiedSince !== null && lastModified !== null && lastModified <= ifModifiedSince
    ? 'not_modified'
    : 'proceed';
}

/** RFC 9110 8.8.3: entity-tag = [ "W/" ] DQUOTE *etagc DQUOTE. A comma may stand inside the quotes. */
const ENTITY_TAG = /(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/g;

function listMatches(header: string, matches: (tag: string) => boolean): boolean {
  return header.trim() === '*' || (header.match(ENTITY_TAG) ?? []).some(matches);
}

/** What weak comparison compares (8.8.3.2), without the suffix that compressing proxies put on a tag they pass on. */
function opaque(tag: string): string {
  return tag.replace(/^W\//, '').replace(/[-;](?:gzip|br|zstd|df)"$/, '"');
}

/** RFC 9110 5.6.7, IMF-fixdate alone: the obsolete forms are as good as absent. */
function httpDate(value: string | null): number | null {
  if (value === null || !/^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(value)) return null;
  const ms = Date.parse(value);
  return Number.isNaN(ms) ? null : ms / 1000;
}
