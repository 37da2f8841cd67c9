// The checks of a receiver other than the digest, the same under Node's crypto and WebCrypto: which bytes and headers
// are accepted, and what an event must contain. Web-standard globals only.
import { GazetteError, quote } from '../../errors.ts';
import { EVENT_HEADER, type WebhookEvent } from '../event.ts';
import { SIGNATURE_HEADER } from '../signature-rules.ts';

/** The headers of a request: the web's, Node's, or any object with one property per header. Names in any case. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

/** The allowed form of an id, so that a header can contain it and any database can store it. */
const EVENT_ID = /^[\x21-\x7e]{1,1000}$/;

/**
 * The bytes of a body, in the memory of the caller.
 *
 * @throws GazetteError `invalid_option` for a body that was already parsed: the most common mistake of receivers. A
 *   framework has parsed it, and the signed bytes are lost.
 */
export function bytesOf(rawBody: unknown): Uint8Array {
  if (ArrayBuffer.isView(rawBody)) return new Uint8Array(rawBody.buffer, rawBody.byteOffset, rawBody.byteLength);
  if (isArrayBuffer(rawBody)) return new Uint8Array(rawBody);
  let got = 'nothing';
  if (typeof rawBody === 'string') got = 'a text (pass its bytes)';
  else if (typeof rawBody === 'object' && rawBody !== null) got = 'an object that was parsed already';
  throw new GazetteError(
    'invalid_option',
    `rawBody must be the bytes of the request as they came (an ArrayBuffer, or a view of one such as Uint8Array), got ${got}: ` +
      'read the body raw, with express.raw() for example, and let nothing parse it before',
    { details: { option: 'rawBody' } },
  );
}

/** Test runners hand over buffers of another realm, which are no instances of this one's class. */
function isArrayBuffer(value: unknown): value is ArrayBuffer {
  return Object.prototype.toString.call(value) === '[object ArrayBuffer]';
}

/**
 * The signature header of a delivery, which must be checked next; null when there is none.
 *
 * @throws GazetteError `invalid_signature` when the header occurs more than once; `invalid_option` for `headers` of
 *   another type.
 */
export function signatureOf(headers: WebhookHeaders): string | null {
  if (typeof (headers as unknown) !== 'object' || (headers as unknown) === null) {
    throw new GazetteError('invalid_option', `headers must be those of the request, got ${quote(headers)}`, {
      details: { option: 'headers' },
    });
  }
  return signatureIn(headers);
}

/**
 * The event of a delivery whose signature is valid.
 *
 * @throws GazetteError `invalid_event` (`details.reason`: `header`, `body`, `id`)
 */
export function eventOf(rawBody: Uint8Array, headers: WebhookHeaders): WebhookEvent {
  const id = only(valuesOf(headers, EVENT_HEADER));
  if (id === null) throw refusal('header', `the header ${EVENT_HEADER} must be present exactly once`);
  const event = parseEvent(rawBody);
  if (event.id !== id) {
    throw refusal('id', `${EVENT_HEADER} must be the id in the body, ${quote(event.id)}, got ${quote(id)}`);
  }
  return event;
}

/** @throws GazetteError `invalid_signature` when the header occurs more than once */
function signatureIn(headers: WebhookHeaders): string | null {
  const values = valuesOf(headers, SIGNATURE_HEADER);
  if (values.length === 0) return null;
  const value = only(values);
  if (value !== null) return value;
  throw new GazetteError('invalid_signature', `the header ${SIGNATURE_HEADER} must be present exactly once`, {
    details: { reason: 'malformed' },
  });
}

/** All values of a header, of any type: an object's properties can be anything. */
export function valuesOf(headers: WebhookHeaders, name: string): readonly unknown[] {
  if (isWebHeaders(headers)) {
    const value = headers.get(name);
    return value === null ? [] : [value];
  }
  const wanted = name.toLowerCase();
  return Object.entries(headers)
    .filter(([key, value]) => value !== undefined && key.toLowerCase() === wanted)
    .flatMap(([, value]) => value);
}

function isWebHeaders(headers: WebhookHeaders): headers is Headers {
  return typeof headers.get === 'function';
}

function only(values: readonly unknown[]): string | null {
  return values.length === 1 && typeof values[0] === 'string' ? values[0] : null;
}

/** @throws GazetteError `invalid_event` */
function parseEvent(rawBody: Uint8Array): WebhookEvent {
  let body: unknown;
  try {
    body = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(rawBody));
  } catch (cause) {
    throw new GazetteError('invalid_event', 'the body must be JSON in UTF-8', { cause, details: { reason: 'body' } });
  }
  const { id, type } = (body ?? {}) as { readonly id?: unknown; readonly type?: unknown };
  if (typeof id !== 'string' || !EVENT_ID.test(id) || typeof type !== 'string') {
    throw refusal('body', 'the body must be an event with an id (1..1000 visible ASCII characters) and a type');
  }
  return body as WebhookEvent;
}

function refusal(reason: string, message: string): GazetteError {
  return new GazetteError('invalid_event', message, { details: { reason } });
}
