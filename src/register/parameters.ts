// The parameters of requests and their bounds, each written down once: query.ts holds code and the query of a URL to
// them, schemas/parameters.ts makes of them what validates the service's requests and is described in openapi.json.
import { GazetteError, quote } from '../errors.ts';
import { PAGE_SIZE } from './page.ts';

/** A whole number; in the query of a URL, its decimal digits. */
export interface IntegerParameter {
  readonly kind: 'integer';
  readonly name: string;
  readonly minimum: number;
  readonly maximum: number;
}

/** A text; its length is in characters (code points), as JSON Schema counts them. Every filter is one. */
export interface TextParameter {
  readonly kind: 'text';
  readonly name: string;
  readonly minLength: number;
  readonly maxLength: number;
}

/** A parameter of a request. */
export type Parameter = IntegerParameter | TextParameter;

/** The largest number: beyond it a number no longer counts exactly. */
const MAX_NUMBER = Number.MAX_SAFE_INTEGER;

/** How many records or versions. */
export const LIMIT: IntegerParameter = { kind: 'integer', name: 'limit', minimum: 1, maximum: PAGE_SIZE };

/** How far below the top of the view. */
export const OFFSET: IntegerParameter = { kind: 'integer', name: 'offset', minimum: 0, maximum: MAX_NUMBER };

/** A view of one of gazette's own stores: a position. Its register may end below the largest one. */
export const AS_OF: IntegerParameter = { kind: 'integer', name: 'as_of', minimum: 0, maximum: MAX_NUMBER };

/** A view of whatever source an embedder has: a position, or a text of its own. */
export const OPAQUE_AS_OF: TextParameter = { kind: 'text', name: 'as_of', minLength: 1, maxLength: 1000 };

/** The change number after which to begin. The register's last change may be below the largest one. */
export const SINCE: IntegerParameter = { kind: 'integer', name: 'since', minimum: 0, maximum: MAX_NUMBER };

/** Whole numbers as a URL writes them; more digits than any that counts exactly are no number. */
const DIGITS = /^(?:0|[1-9]\d{0,15})$/;

/** What a parameter is given in the query of a URL: all of its values when it is repeated, digits as their number. */
export function givenValue(parameter: Parameter, values: readonly string[]): unknown {
  if (values.length !== 1) return values;
  const value = values[0]!;
  return parameter.kind === 'integer' && DIGITS.test(value) ? Number(value) : value;
}

/** Whether a parameter may have a value. */
export function isWithinBounds(parameter: Parameter, value: unknown): boolean {
  return parameter.kind === 'integer'
    ? Number.isSafeInteger(value) && (value as number) >= parameter.minimum && (value as number) <= parameter.maximum
    : typeof value === 'string' && value.length >= parameter.minLength && hasAtMost(parameter.maxLength, value);
}

/** Whether a text has at most so many characters (code points); each has one or two UTF-16 units. */
function hasAtMost(maxLength: number, text: string): boolean {
  return text.length <= maxLength || (text.length <= maxLength * 2 && Array.from(text).length <= maxLength);
}

/** The error for a value that a parameter may not have, or for several. */
export function refusal(parameter: Parameter, given: unknown): GazetteError {
  const { name } = parameter;
  const several = Array.isArray(given) ? given.join(', ') : null;
  const shown = typeof given === 'number' ? String(given) : quote(several ?? given);
  return new GazetteError('invalid_parameter', `${name} must be ${expectedOf(parameter, given)}, got ${shown}`, {
    details: { parameter: name },
  });
}

function expectedOf(parameter: Parameter, given: unknown): string {
  if (Array.isArray(given)) return 'given once';
  if (given === '') return 'a value, or left out';
  if (parameter.kind === 'text') return `at most ${parameter.maxLength} characters`;
  const { minimum, maximum } = parameter;
  return maximum === MAX_NUMBER ? `a whole number from ${minimum}` : `${minimum}..${maximum}`;
}
