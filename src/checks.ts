// Checks that every layer needs: whole numbers within bounds, what counts as an object, white space around texts. Web-standard, so that a
// receiver without Node can load it.
import { GazetteError, quote } from './errors.ts';

/** Whether a value is an object with members: neither null nor an array. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether a value is an object that can be iterated, in steps that are awaited or not. */
export function isIterable(value: unknown): boolean {
  return typeof value === 'object' && value !== null && (Symbol.asyncIterator in value || Symbol.iterator in value);
}

/** Whether a text has white space at its beginning or end, as the text of a file has a newline. */
export function hasSpaceAround(text: string): boolean {
  return text.trim() !== text;
}

/** Whether a value is a number that counts exactly and lies within bounds. */
export function isWhole(value: unknown, min: number, max: number = Number.MAX_SAFE_INTEGER): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= min && value <= max;
}

/**
 * Checks an option that is one of a few words, and returns it: programs without types send others, too.
 *
 * @throws GazetteError `invalid_option`
 */
export function checkOneOf<T extends string>(option: string, value: T, known: readonly T[]): T {
  if (known.includes(value)) return value;
  throw new GazetteError('invalid_option', `${option} must be one of ${known.join(', ')}, got ${quote(value)}`, {
    details: { option },
  });
}

/**
 * The bounds of a whole number, as messages say them.
 *
 * @example wholeText(1, 100) // '1..100'
 * @example wholeText(0) // 'a whole number from 0'
 */
export function wholeText(min: number, max: number = Number.MAX_SAFE_INTEGER): string {
  if (min === max) return String(min);
  return max === Number.MAX_SAFE_INTEGER ? `a whole number from ${min}` : `${min}..${max}`;
}

/**
 * Checks an option that is a whole number, and returns it.
 *
 * @param expected the bounds, as the message says them
 * @throws GazetteError `invalid_option`
 */
export function checkWhole(
  option: string,
  value: number,
  min: number,
  max: number = Number.MAX_SAFE_INTEGER,
  expected: string = wholeText(min, max),
): number {
  if (isWhole(value, min, max)) return value;
  throw new GazetteError('invalid_option', `${option} must be ${expected}, got ${quote(value)}`, {
    details: { option },
  });
}

/**
 * Checks that no name is there twice.
 *
 * @param what the names are of, as the option that gives them is called
 * @throws GazetteError `invalid_option`
 */
export function checkUnique(what: string, names: readonly string[]): void {
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice === undefined) return;
  throw new GazetteError('invalid_option', `${what} must have names of their own, ${quote(twice)} is there twice`, {
    details: { option: what },
  });
}
