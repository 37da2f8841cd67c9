// The header fields of every answer, as openapi.json describes them: each once, with what its value may be.
import { BRIEF, IMMUTABLE, IMMUTABLE_FOR_ONE } from '../../web/validators.ts';

/** A header field in openapi.json. */
export interface DescribedHeader {
  readonly description: string;
  readonly required?: true;
  readonly schema: Readonly<Record<string, unknown>>;
}

const text = (pattern: string): DescribedHeader['schema'] => ({ type: 'string', pattern });

/** By their names in the document; those with `: ` are a field with another value in other answers. */
export const HEADERS: Readonly<Record<string, DescribedHeader>> = {
  'Access-Control-Allow-Origin': {
    description: 'Pages of every site may read the answer.',
    required: true,
    schema: { type: 'string', const: '*' },
  },
  'Access-Control-Expose-Headers': {
    description: 'The fields that they may read.',
    required: true,
    schema: text('^[A-Za-z-]+(?:, [A-Za-z-]+)*$'),
  },
  'Access-Control-Allow-Methods': { description: 'What they may send.', schema: text('^[A-Z]+(?:, [A-Z]+)*$') },
  'Access-Control-Allow-Headers': {
    description: 'The fields that they may send.',
    schema: text('^[A-Za-z-]+(?:, [A-Za-z-]+)*$'),
  },
  'Access-Control-Max-Age': { description: 'For how many seconds that holds.', schema: { type: 'integer' } },
  Allow: { description: 'The methods that there are here.', required: true, schema: text('^[A-Z]+(?:, [A-Z]+)*$') },
  'Cache-Control': {
    description: 'The public’s answers may be shared for a minute; with a key, ask each time.',
    required: true,
    schema: { type: 'string', enum: ['public, max-age=60', 'private, no-cache'] },
  },
  'Cross-Origin-Resource-Policy': {
    description: 'Pages of every site may read the answer.',
    schema: { type: 'string', const: 'cross-origin' },
  },
  'Stream-Next-Offset': {
    description: 'What to ask for next; of events, in `control`.',
    schema: text('^[0-9a-f]{8}_[0-9]{16}$'),
  },
  'Stream-Up-To-Date': { description: 'There was nothing more.', schema: { type: 'string', const: 'true' } },
  'Stream-Cursor': { description: 'Of live answers: the `cursor` to ask with next.', schema: text('^[0-9]{1,13}$') },
  'Cache-Control: brief': {
    description: 'What follows it may be there five seconds later.',
    required: true,
    schema: { type: 'string', const: BRIEF },
  },
  'Cache-Control: stream': {
    description: 'What is read from `now` on, and events, no cache keeps.',
    required: true,
    schema: { type: 'string', enum: ['public, max-age=60', 'private, no-cache', 'private, no-store', 'no-store'] },
  },
  'Cache-Control: immutable': {
    description: 'What is at this address never changes.',
    required: true,
    schema: { type: 'string', const: IMMUTABLE },
  },
  'Cache-Control: page': {
    description: 'With `etag`, what is at this address never changes. It is for you alone unless the register is open.',
    required: true,
    schema: { type: 'string', enum: [IMMUTABLE, IMMUTABLE_FOR_ONE, 'public, max-age=60', 'private, no-cache'] },
  },
  'Cache-Control: no-store': {
    description: 'No cache keeps it.',
    required: true,
    schema: { type: 'string', const: 'no-store' },
  },
  'Cache-Control: private': {
    description: 'It is for you alone, and no cache keeps it.',
    required: true,
    schema: { type: 'string', const: 'private, no-store' },
  },
  'Accept-Ranges': { description: 'Parts can be asked for.', schema: { type: 'string', const: 'bytes' } },
  'Content-Range': {
    description: 'Which bytes these are, of how many.',
    required: true,
    schema: text('^bytes (?:[0-9]+-[0-9]+|[*])/[0-9]+$'),
  },
  'Content-Location': {
    description: 'The address of exactly these bytes, for the request without `etag`.',
    schema: text('^https?://[^<>"]+[?&]etag=[0-9A-Za-z_-]+$'),
  },
  'Content-Disposition': {
    description: 'A name for the file.',
    required: true,
    schema: text('^(?:attachment|inline); filename="[A-Za-z0-9._-]+"$'),
  },
  'Content-Encoding': {
    description: 'How the body is compressed, if the request accepts it.',
    schema: { type: 'string', enum: ['br', 'gzip', 'zstd'] },
  },
  'Content-Length': {
    description: 'The bytes of the body. A whole register is written while it is sent, and has none.',
    schema: { type: 'integer', minimum: 0 },
  },
  ETag: { description: 'A strong entity tag: send it as `If-None-Match`.', required: true, schema: text('^"[!-~]+"$') },
  'Gazette-Matched': {
    description: 'Under a filter alone: how many records match; `20000+`: at least so many.',
    schema: text('^[0-9]+[+]?$'),
  },
  'Gazette-Warnings': {
    description: 'What the format had to change: codes, each with how often.',
    schema: text('^[a-z_]+;count=[0-9]+(?:, [a-z_]+;count=[0-9]+)*$'),
  },
  'Last-Modified': {
    description: 'When the register or the service last changed, once that is two seconds ago.',
    schema: text('^[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9:]{8} GMT$'),
  },
  Link: {
    description: 'The next page, `rel="next"`; there is none on the last one.',
    schema: text('^<https?://[^<>"]+>; rel="next"$'),
  },
  'Link: service': {
    description: 'The descriptions of the service: `service-desc` and `service-doc` (RFC 8631).',
    required: true,
    schema: text('^<https?://[^<>"]+>; rel="service-desc", <https?://[^<>"]+>; rel="service-doc"$'),
  },
  Location: { description: 'The path without the slash.', required: true, schema: text('^https?://[^<>"]+$') },
  'PAYMENT-REQUIRED': {
    description: 'What is to be paid, and how (x402 v2): JSON in Base64.',
    schema: { type: 'string' },
  },
  'PAYMENT-RESPONSE': {
    description: 'What became of a payment (x402 v2): JSON in Base64.',
    schema: { type: 'string' },
  },
  RateLimit: {
    description: 'What is left of the limit, and the seconds until it is whole again.',
    schema: text('^"[a-z]+";r=[0-9]+;t=[0-9]+$'),
  },
  'RateLimit-Policy': {
    description: 'The limit that holds: requests and seconds.',
    schema: text('^"[a-z]+";q=[0-9]+;w=[0-9]+$'),
  },
  'Retry-After': {
    description: 'The seconds to wait before the next request.',
    required: true,
    schema: { type: 'integer', minimum: 0 },
  },
  Vary: {
    description: 'What of a request decides the answer.',
    required: true,
    schema: text('^Authorization, Accept-Encoding(?:, [A-Za-z-]+)*$'),
  },
  'WWW-Authenticate': {
    description: 'How to send a key, and what is wrong with the one that was sent (RFC 6750).',
    required: true,
    schema: text('^Bearer realm="[^"]+"'),
  },
  'WWW-Authenticate: scope': {
    description: 'With `insufficient_scope`: that the key may not be used for this (RFC 6750).',
    schema: text('^Bearer realm="[^"]+", error="insufficient_scope"'),
  },
  'X-Content-Type-Options': {
    description: 'The media type is right.',
    required: true,
    schema: { type: 'string', const: 'nosniff' },
  },
  'X-Request-Id': {
    description: 'What to quote when you ask for help. Answers that caches share have none.',
    schema: text('^[!-~]{1,200}$'),
  },
};

/** The fields of every answer, which are described once. */
export const EVERYWHERE: readonly string[] = [
  ...['Access-Control-Allow-Origin', 'Access-Control-Expose-Headers', 'Vary', 'X-Content-Type-Options'],
  ...['X-Request-Id', 'RateLimit', 'RateLimit-Policy', 'Content-Encoding', 'Content-Length'],
];

/** The further fields of an answer that has a body, or stands for one, and may be kept. */
export const KEPT: readonly string[] = ['Cache-Control', 'ETag', 'Last-Modified'];

/** The further fields of an answer that may not be kept. */
export const NOT_KEPT: readonly string[] = ['Cache-Control: no-store'];

/** The further fields of an answer for its caller alone. */
export const PRIVATE: readonly string[] = ['Cache-Control: private'];

/** The fields of the answer to OPTIONS. */
export const OF_OPTIONS: readonly string[] = [
  'Allow',
  'Access-Control-Allow-Methods',
  'Access-Control-Allow-Headers',
  'Access-Control-Max-Age',
];

/** The fields that errors of a status have besides. */
export const OF_STATUS: Readonly<Record<string, readonly string[]>> = {
  401: ['WWW-Authenticate'],
  402: ['PAYMENT-REQUIRED', 'PAYMENT-RESPONSE'],
  403: ['WWW-Authenticate: scope'],
  405: ['Allow'],
  429: ['Retry-After'],
  503: ['Retry-After'],
};
