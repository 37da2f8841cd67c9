// Record ids and the permanent URIs made of them (tag URIs, RFC 4151, or UUIDs, RFC 9562). Nothing here depends on the
// address of a site: if it moves, feed readers must not show everything again.
import { GazetteError, isGazetteError, quote } from '../errors.ts';
import type { RegisterDefinition } from './record.ts';
import { uuidsIn } from './uuid.ts';

/** The longest id of a register, in characters. */
export const MAX_FEED_ID_LENGTH = 64;

/** The longest encoded key, in characters. */
export const MAX_KEY_LENGTH = 200;

/**
 * What the ids of records end with whose key was that of another record before: `~~2`, `~~3` … Every `~` of a key is written
 * `~7E`, so that no key ends so.
 */
const REUSED = '~~(?:[2-9]|[1-9][0-9]{1,5})';
const ENDS_REUSED = new RegExp(`${REUSED}$`);

/** The longest id of a record, in characters: `<feed_id>:<key>`, and `~~` with a number of up to six digits. */
export const MAX_ID_LENGTH: number = MAX_FEED_ID_LENGTH + 1 + MAX_KEY_LENGTH + 8;

const FEED_ID = `[a-z0-9][a-z0-9-]{0,${MAX_FEED_ID_LENGTH - 1}}`;

/**
 * The pattern of ids; that of UUIDs is their text form in lower case (RFC 9562 4). A text that matches may still not be
 * the id of a record, such as `permits:~41`.
 */
export const ID_PATTERNS: { readonly feed: RegExp; readonly record: RegExp; readonly uuid: RegExp } = {
  uuid: /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
  feed: new RegExp(`^${FEED_ID}$`),
  record: new RegExp(`^${FEED_ID}:(?:[A-Za-z0-9._-]|~[0-9A-F]{2})+(?:${REUSED})?$`),
};

const encoder = new TextEncoder();
// A byte order mark is part of a key like any other character.
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * The publisher's key in its form in a record id: A–Z a–z 0–9 . _ - stay, every other byte of its UTF-8 becomes `~HH`.
 *
 * @throws GazetteError `invalid_record` when the key is empty, longer than 200 characters once encoded, or not valid
 *   Unicode.
 * @example encodeKey('22/01234/FUL') // '22~2F01234~2FFUL'
 */
export function encodeKey(key: string): string {
  if (!key.isWellFormed()) {
    throw new GazetteError('invalid_record', `id must be Unicode text, got a lone surrogate in ${quote(key)}`, {
      details: { field: 'id' },
    });
  }
  const encoded = /^[A-Za-z0-9._-]*$/.test(key)
    ? key
    : key.replace(/[^A-Za-z0-9._-]+/g, (run) => {
        let bytes = '';
        for (const byte of encoder.encode(run)) bytes += `~${byte.toString(16).toUpperCase().padStart(2, '0')}`;
        return bytes;
      });
  if (encoded.length === 0 || encoded.length > MAX_KEY_LENGTH) {
    throw new GazetteError(
      'invalid_record',
      `id must be 1..${MAX_KEY_LENGTH} characters once encoded, got ${encoded.length} (${quote(key)})`,
      { details: { field: 'id' } },
    );
  }
  return encoded;
}

/** The id of the record with the publisher's `key` in a register: `<feed_id>:<key>`. */
export function recordId(feedId: string, key: string): string {
  return `${feedId}:${encodeKey(key)}`;
}

/** The same; null where no record can have the key, because it is empty or too long. */
export function recordIdOrNull(feedId: string, key: string): string | null {
  try {
    return recordId(feedId, key);
  } catch (error) {
    if (isGazetteError(error, 'invalid_record')) return null;
    throw error;
  }
}

/** The id of a record whose key was another record's when that was first observed. @param number from 2 */
export function reusedId(id: string, number: number): string {
  return `${id}~~${number}`;
}

/**
 * The publisher's key of an encoded form: the inverse of {@link encodeKey}. Null for a text that encodeKey never
 * returns, such as `~41` for `A`: two ids for one key would be two records.
 *
 * @example decodeKey('22~2F01234~2FFUL') // '22/01234/FUL'
 */
export function decodeKey(encoded: string): string | null {
  if (encoded.length > MAX_KEY_LENGTH) return null;
  if (/^[A-Za-z0-9._-]+$/.test(encoded)) return encoded;
  if (!/^(?:[A-Za-z0-9._-]|~[0-9A-F]{2})+$/.test(encoded)) return null;
  const bytes = encoded.match(/~..|[^~]/g)!.map((unit) => {
    return unit.length === 3 ? Number.parseInt(unit.slice(1), 16) : unit.charCodeAt(0);
  });
  try {
    const key = decoder.decode(Uint8Array.from(bytes));
    return encodeKey(key) === encoded ? key : null;
  } catch {
    // The bytes are not valid UTF-8: no key has this form.
    return null;
  }
}

/**
 * The publisher's key in a record's id, exactly as the publisher writes it: the inverse of {@link recordId}. It is the key under
 * which the record was first observed. An id that gazette did not make gives its text after the register's id. Writers ask this
 * of every record, so that only escaped keys are decoded.
 *
 * @example recordKey('permits:22~2F01234~2FFUL') // '22/01234/FUL'
 */
export function recordKey(id: string): string {
  const encoded = id.slice(id.indexOf(':') + 1);
  let escape = encoded.indexOf('~');
  if (escape < 0) return encoded;
  if (ENDS_REUSED.test(encoded)) return recordKey(encoded.replace(ENDS_REUSED, ''));
  let key = '';
  let start = 0;
  for (; escape >= 0; escape = encoded.indexOf('~', start)) {
    const byte = Number.parseInt(encoded.slice(escape + 1, escape + 3), 16);
    // Other characters have several bytes, and what is no key stays as it is.
    if (!(byte < 0x80)) return decodeKey(encoded) ?? encoded;
    key += encoded.slice(start, escape) + String.fromCharCode(byte);
    start = escape + 3;
  }
  return key + encoded.slice(start);
}

/** Whether `text` is already an id of this register, as gazette itself writes it. */
export function isRecordId(feedId: string, text: string): boolean {
  return text.startsWith(`${feedId}:`) && decodeKey(text.slice(feedId.length + 1).replace(ENDS_REUSED, '')) !== null;
}

/**
 * The permanent URI of a record: `tag:{authority},{year}:record/{id}` (RFC 4151 2.1) where the definition has an
 * authority and a year, else `urn:uuid:` with the UUID of version 5 of the id in the register's own UUID (RFC 9562 5.5).
 *
 * @throws GazetteError `authority_required`
 */
export function recordUri(definition: RegisterDefinition, id: string): string {
  return recordUris(definition)(id);
}

/**
 * Returns the function that gives each id of a register's records its permanent URI, as {@link recordUri}.
 *
 * @throws GazetteError `authority_required` for a definition with neither an authority nor a uuid.
 */
export function recordUris(definition: RegisterDefinition): (id: string) => string {
  const { authority, year } = definition;
  if (authority !== null && year !== null) {
    const prefix = `tag:${authority},${year}:record/`;
    return (id) => prefix + id;
  }
  const uuidOf = uuidsIn(requireUuid(definition));
  return (id) => `urn:uuid:${uuidOf(id)}`;
}

/**
 * The permanent URI of the register as a feed: `tag:{authority},{year}:feed/{id}`, or `urn:uuid:` with its own UUID.
 *
 * @param part what distinguishes another feed of this register, such as `/changes` or `?document_type=adopted`. Default
 *   none. It must not contain `:` before a `?`, so that it is never the id of a record.
 * @throws GazetteError `authority_required`
 */
export function feedUri(definition: RegisterDefinition, part = ''): string {
  const { authority, year, id } = definition;
  if (authority !== null && year !== null) return `tag:${authority},${year}:feed/${id}${part}`;
  const uuid = requireUuid(definition);
  return `urn:uuid:${part === '' ? uuid : uuidsIn(uuid)(part)}`;
}

function requireUuid({ id, uuid }: RegisterDefinition): string {
  if (uuid !== null) return uuid;
  throw new GazetteError(
    'authority_required',
    `register ${quote(id)} needs a uuid, or an authority and a year such as example.org and 2026, for permanent ids in RSS and Atom`,
    { details: { feed_id: id } },
  );
}
