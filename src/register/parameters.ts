// The parameters of requests and their bounds, each defined once. query.ts checks code and the query of a URL against
// them; schemas/parameters.ts derives the validation of the service's requests and openapi.json from them.
import { isWhole, wholeText } from '../checks.ts';
import { GazetteError, quote, shorten } from '../errors.ts';
import { nearest } from '../nearest.ts';
import { PAGE_SIZE } from './page.ts';
import { TIME_PATTERNS } from './time.ts';

/** An integer; in the query of a URL, its decimal digits. */
export interface IntegerParameter {
  readonly kind: 'integer';
  readonly name: string;
  readonly minimum: number;
  readonly maximum: number;
}

/** A text; its length is in characters (code points), as JSON Schema counts them. */
export interface TextParameter {
  readonly kind: 'text';
  readonly name: string;
  readonly minLength: number;
  readonly maxLength: number;
}

/** Texts, of which any may apply: the parameter is repeated. Every filter is one. */
export interface TextsParameter {
  /** Tells it from other parameters. */
  readonly kind: 'texts';
  /** As in the query of a URL. */
  readonly name: string;
  /** The shortest value, in characters (code points). */
  readonly minLength: number;
  /** The longest value, in characters (code points). */
  readonly maxLength: number;
  /** How many values there may be. */
  readonly maxItems: number;
  /** What each must match. Default: any text. */
  readonly pattern?: RegExp;
  /** The pattern in words, for errors. Default: that of dates. */
  readonly expected?: string;
}

/** A change number, with or without the name of its log: `9f8e7d6c.41` or `41`. */
export interface ChangeParameter {
  readonly kind: 'change';
  readonly name: string;
  readonly pattern: RegExp;
}

/** A parameter of a request. */
export type Parameter = IntegerParameter | TextParameter | TextsParameter | ChangeParameter;

/** The largest safe integer. */
const MAX_NUMBER = Number.MAX_SAFE_INTEGER;

/** The number of records or versions. */
export const LIMIT: IntegerParameter = { kind: 'integer', name: 'limit', minimum: 1, maximum: PAGE_SIZE };

/** Which bytes of a page: the beginning of its entity tag. */
export const PAGE_TAG: TextsParameter = {
  kind: 'texts',
  name: 'etag',
  minLength: 16,
  maxLength: 16,
  maxItems: 1,
  pattern: /^[0-9a-f]{16}$/,
  expected: 'the first 16 hex digits of a page’s ETag, in lower case',
};

/** Which bytes of a whole register: its entity tag. */
export const WHOLE_TAG: TextsParameter = {
  kind: 'texts',
  name: 'etag',
  minLength: 22,
  maxLength: 22,
  maxItems: 1,
  pattern: /^[A-Za-z0-9_-]{22}$/,
  expected: 'an ETag of the file, without its quotes',
};

/** How far below the top of the view. */
export const OFFSET: IntegerParameter = { kind: 'integer', name: 'offset', minimum: 0, maximum: MAX_NUMBER };

/** A view of one of gazette's own stores: a position. The maximum of a register may be lower. */
export const AS_OF: IntegerParameter = { kind: 'integer', name: 'as_of', minimum: 0, maximum: MAX_NUMBER };

/** A view of an embedder's source: a position, or a text. */
export const OPAQUE_AS_OF: TextParameter = { kind: 'text', name: 'as_of', minLength: 1, maxLength: 1000 };

/** A moment, as which a register is read: another view. */
export const AT: TextsParameter = {
  kind: 'texts',
  name: 'at',
  minLength: 10,
  maxLength: 35,
  maxItems: 1,
  pattern: TIME_PATTERNS.dateOrDateTime,
};

/** The change number after which to begin. A register's last change may be lower. */
export const SINCE: ChangeParameter = {
  kind: 'change',
  name: 'since',
  pattern: /^(?:[0-9a-f]{8}\.)?(?:0|[1-9][0-9]{0,14})$/,
};

/** Where in the stream of a register’s versions to begin. */
export const STREAM_OFFSET: TextsParameter = {
  kind: 'texts',
  name: 'offset',
  minLength: 2,
  maxLength: 25,
  maxItems: 1,
  pattern: /^(?:-1|now|[0-9a-f]{8}_[0-9]{16})$/,
  expected: '-1, now, or the Stream-Next-Offset of an answer',
};

/** How to wait for what comes next; absent: not at all. */
export const LIVE: TextsParameter = {
  kind: 'texts',
  name: 'live',
  minLength: 3,
  maxLength: 9,
  maxItems: 1,
  pattern: /^(?:long-poll|sse)$/,
  expected: 'long-poll or sse',
};

/** The cursor of the live answer before. */
export const CURSOR: TextsParameter = {
  kind: 'texts',
  name: 'cursor',
  minLength: 1,
  maxLength: 12,
  maxItems: 1,
  pattern: /^[0-9]{1,12}$/,
  expected: 'the Stream-Cursor of the answer before',
};

/** The fields whose values are counted, with commas between them. */
export const FACET_FIELDS: TextParameter = { kind: 'text', name: 'field', minLength: 1, maxLength: 4000 };

/** What of the records is measured. */
export const MEASURE: TextParameter = { kind: 'text', name: 'measure', minLength: 1, maxLength: 100 };

/** The fields whose values make groups, with a comma between them. */
export const BY: TextParameter = { kind: 'text', name: 'by', minLength: 1, maxLength: 200 };

/** How groups follow each other. */
export const ORDER: TextParameter = { kind: 'text', name: 'order', minLength: 1, maxLength: 10 };

/** How many groups. */
export const TOP: IntegerParameter = { kind: 'integer', name: 'top', minimum: 1, maximum: 100 };

/** Whether each version carries its statement; absent: it does not. */
export const STATEMENT: IntegerParameter = { kind: 'integer', name: 'statement', minimum: 1, maximum: 1 };

/** Whether each version carries its statement and what proves it; absent: it does not. */
export const PROOF: IntegerParameter = { kind: 'integer', name: 'proof', minimum: 1, maximum: 1 };

/** Whether a CSV begins with a byte-order mark; absent: it does not. */
export const BOM: IntegerParameter = { kind: 'integer', name: 'bom', minimum: 1, maximum: 1 };

/** Which version of a record; absent: the newest. */
export const VERSION: IntegerParameter = { kind: 'integer', name: 'version', minimum: 1, maximum: MAX_NUMBER };

/** A change number and, where it is known, the name of the log that it belongs to. */
export interface ChangeToken {
  readonly since: number;
  readonly log?: string;
}

/** A change number as `next_since` gives it. @example changeToken({ log: '9f8e7d6c', since: 41 }) // '9f8e7d6c.41' */
export function changeToken({ log, since }: Required<ChangeToken>): string {
  return `${log}.${since}`;
}

/** The same as the offset of a stream, which sorts as a text. @example streamOffset({ log: '9f8e7d6c', since: 41 }) // '9f8e7d6c_0000000000000041' */
export function streamOffset({ log, since }: Required<ChangeToken>): string {
  return `${log}_${String(since).padStart(16, '0')}`;
}

/** The parts of an offset that {@link streamOffset} made. */
export function readStreamOffset(text: string): Required<ChangeToken> {
  const [log, number] = text.split('_') as [string, string];
  return { since: Number(number), log };
}

/** The parts of a text that matches {@link SINCE}. @example readChangeToken('41') // { since: 41 } */
export function readChangeToken(text: string): ChangeToken {
  const [number, log] = text.split('.').reverse();
  return { since: Number(number), ...(log === undefined ? {} : { log }) };
}

/** Integers as written in a URL; with too many digits for a safe integer the value is not a number. */
const DIGITS = /^(?:0|[1-9]\d{0,15})$/;

/** The value of a parameter in the query of a URL: all values if it is repeated or may be, digits as a number. */
export function givenValue(parameter: Parameter, values: readonly string[]): unknown {
  if (parameter.kind === 'texts' || values.length !== 1) return values;
  const value = values[0]!;
  return parameter.kind === 'integer' && DIGITS.test(value) ? Number(value) : value;
}

/** Whether a parameter may have a value. */
export function isWithinBounds(parameter: Parameter, value: unknown): boolean {
  if (parameter.kind === 'integer') return isWhole(value, parameter.minimum, parameter.maximum);
  if (parameter.kind === 'change') return typeof value === 'string' && parameter.pattern.test(value);
  if (parameter.kind === 'text') return isTextWithin(parameter, value);
  return (
    Array.isArray(value) &&
    isWhole(value.length, 1, parameter.maxItems) &&
    value.every((item) => isItem(parameter, item))
  );
}

function isItem(parameter: TextsParameter, value: unknown): boolean {
  return isTextWithin(parameter, value) && (parameter.pattern === undefined || parameter.pattern.test(value));
}

function isTextWithin(
  { minLength, maxLength }: Pick<TextParameter, 'minLength' | 'maxLength'>,
  value: unknown,
): value is string {
  return typeof value === 'string' && value.length >= minLength && hasAtMost(maxLength, value);
}

/** Whether a text has at most this many characters (code points); each has one or two UTF-16 units. */
function hasAtMost(maxLength: number, text: string): boolean {
  return text.length <= maxLength || (text.length <= maxLength * 2 && Array.from(text).length <= maxLength);
}

/** The error for an invalid value of a parameter, or for several values. */
export function refusal(parameter: Parameter, given: unknown): GazetteError {
  if (parameter.kind === 'texts' && Array.isArray(given) && given.length <= parameter.maxItems) {
    return refused(
      parameter,
      given.find((item) => !isItem(parameter, item)),
    );
  }
  return refused(parameter, given);
}

function refused(parameter: Parameter, given: unknown): GazetteError {
  const { name } = parameter;
  const several = Array.isArray(given) ? given.join(', ') : null;
  const shown = typeof given === 'number' ? String(given) : quote(several ?? given);
  return new GazetteError('invalid_parameter', `${name} must be ${expectedOf(parameter, given)}, got ${shown}`, {
    details: { parameter: name },
  });
}

/**
 * The error for a parameter that does not exist: a misspelt filter that is ignored would give wrong data.
 *
 * @param known the names that there are
 * @param more what else there is, in words
 */
export function unknownParameter(given: string, known: readonly string[], more: readonly string[] = []): GazetteError {
  const parameter = shorten(given);
  const [near] = nearest(parameter, known);
  const all = known.length === 0 ? 'there are none here' : `there are ${[...known, ...more].join(', ')}`;
  return new GazetteError(
    'unknown_parameter',
    `unknown parameter ${quote(given)}: ${near === undefined ? all : `did you mean ${near}?`}`,
    { details: { parameter } },
  );
}

function expectedOf(parameter: Parameter, given: unknown): string {
  if (Array.isArray(given)) {
    return parameter.kind === 'texts' && parameter.maxItems > 1
      ? `given at most ${parameter.maxItems} times`
      : 'given once';
  }
  if (given === '') return 'a value, or left out';
  if (parameter.kind === 'change') return 'next_since of an answer, such as 9f8e7d6c.41, or 0';
  if (parameter.kind === 'texts' && parameter.pattern !== undefined) {
    return parameter.expected ?? 'a date such as 2026-04-01, or a date-time such as 2026-04-01T00:00:00Z';
  }
  if (parameter.kind !== 'integer') return `at most ${parameter.maxLength} characters`;
  return wholeText(parameter.minimum, parameter.maximum);
}
