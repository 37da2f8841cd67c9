// Exact decimal numbers, as the field type `decimal` has them: texts of digits. A text keeps the digits it was given,
// trailing zeros included; an exponent is written out, because `xs:decimal` has none.

/** `-?` digits, with a fraction or without one; no leading zeros, no exponent. */
const DECIMAL = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;

/** A number as JSON writes it (RFC 8259 6), in its parts. */
const NUMBER = /^(-?)(0|[1-9]\d*)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** The longest decimal, in characters: an exponent must not make a text of millions of zeros. */
const MAX_DECIMAL_LENGTH = 1000;

/** What is expected of a value of this type, for messages. */
export const EXPECTED_DECIMAL = 'a decimal number such as 12.50, of at most 1000 digits';

/** Whether a text is a decimal as records hold it. */
export function isDecimal(text: string): boolean {
  return text.length <= MAX_DECIMAL_LENGTH && DECIMAL.test(text);
}

/**
 * The decimal that a text, a number or a big integer states, as text of its digits; null if it states none.
 *
 * @example decimalOf('12.50') // '12.50'
 * @example decimalOf(1e21) // '1000000000000000000000'
 */
export function decimalOf(value: unknown): string | null {
  if (typeof value === 'string') return isDecimal(value) ? value : writtenOut(value);
  if (typeof value === 'number') return Number.isFinite(value) ? writtenOut(String(value)) : null;
  return typeof value === 'bigint' ? writtenOut(String(value)) : null;
}

/**
 * Whether a double gives the number of a text back: the shortest text of the double states the same number.
 *
 * @example isHeldByDouble('0.1') // true
 * @example isHeldByDouble('12345678901234567.89') // false
 */
export function isHeldByDouble(text: string): boolean {
  // Numbers of at most 15 significant digits have a double each, except near the ends of the range.
  if (text.length <= 15 && !text.includes('e') && !text.includes('E')) return NUMBER.test(text);
  const stated = digitsOf(text);
  const number = Number(text);
  if (stated === null || !Number.isFinite(number)) return false;
  const held = digitsOf(String(number));
  return held !== null && held.digits === stated.digits && held.exponent === stated.exponent;
}

/** The most digits that ECMAScript writes of a double. */
const MAX_PRECISION = 100;

/**
 * Whether a text has the digits of a double, rounded to as many as it has: what many programs write that want to lose
 * nothing of one (`%.17g`).
 *
 * @example isWrittenOutDouble('26.912434000000001') // true: the double of 26.912434
 */
export function isWrittenOutDouble(text: string): boolean {
  const [, , whole = '', fraction = ''] = NUMBER.exec(text) ?? [];
  const { length } = (whole + fraction).replace(/^0+/, '');
  const number = Number(text);
  if (length === 0 || length > MAX_PRECISION || !Number.isFinite(number)) return false;
  return isSameNumber(number.toPrecision(length), text);
}

/**
 * Whether two texts state the same number, to its last digit, however they write it.
 *
 * @example isSameNumber('12.50', '1.25e1') // true
 */
export function isSameNumber(a: string, b: string): boolean {
  const key = numberKey(a);
  return key !== null && key === numberKey(b);
}

/**
 * Negative, zero or positive, as the number that `a` states is below, equal to or above that of `b`, to its last digit; null
 * where one of them states none.
 *
 * @example compareNumbers('0.1', '1e-1') // 0
 */
export function compareNumbers(a: string, b: string): number | null {
  if (!NUMBER.test(a) || !NUMBER.test(b)) return null;
  const difference = Number(a) - Number(b);
  // The doubles of two numbers are in the order of the numbers, or equal.
  if (difference !== 0 && !Number.isNaN(difference)) return difference;
  const [one, other] = [digitsOf(a)!, digitsOf(b)!];
  const sign = signOf(a, one);
  if (sign !== signOf(b, other)) return sign - signOf(b, other);
  const power = one.exponent + one.digits.length - other.exponent - other.digits.length;
  return sign * (power || (one.digits < other.digits ? -1 : Number(one.digits > other.digits)));
}

/** A text that two texts share exactly when they state the same number; null if it states none. */
export function numberKey(text: string): string | null {
  const stated = digitsOf(text);
  if (stated === null) return null;
  const sign = signOf(text, stated);
  return sign === 0 ? '0' : `${sign < 0 ? '-' : ''}${stated.digits}e${stated.exponent}`;
}

/** The number of significant digits of a decimal: `0.0120` has two. */
export function significantDigits(decimal: string): number {
  return digitsOf(decimal)?.digits.length ?? 0;
}

/** A number as a whole number of units, of which each is ten to the power of minus `places`. */
export interface Scaled {
  readonly units: bigint;
  readonly places: number;
}

/** A decimal as {@link decimalOf} writes it. @example scaledOf('-12.50') // { units: -1250n, places: 2 } */
export function scaledOf(decimal: string): Scaled {
  const [whole = '', fraction = ''] = decimal.split('.');
  return { units: BigInt(whole + fraction), places: fraction.length };
}

/** The exact sum, with as many places as the longer of the two. */
export function sumOf(a: Scaled, b: Scaled): Scaled {
  const places = Math.max(a.places, b.places);
  const unitsOf = (one: Scaled): bigint => one.units * 10n ** BigInt(places - one.places);
  return { units: unitsOf(a) + unitsOf(b), places };
}

/** A part of a number, with six places more than it has, rounded half to even. @param count from 1 */
export function quotientOf({ units, places }: Scaled, count: number): Scaled {
  const [dividend, divisor] = [units * 1_000_000n, BigInt(count)];
  const whole = dividend / divisor;
  const twice = (dividend % divisor) * 2n;
  const [size, sign] = twice < 0n ? [-twice, -1n] : [twice, 1n];
  const isUp = size > divisor || (size === divisor && whole % 2n !== 0n);
  return { units: isUp ? whole + sign : whole, places: places + 6 };
}

/** The text of its digits, all of its places. */
export function scaledText({ units, places }: Scaled): string {
  const digits = String(units < 0n ? -units : units).padStart(places + 1, '0');
  const at = digits.length - places;
  return `${units < 0n ? '-' : ''}${digits.slice(0, at)}${places === 0 ? '' : `.${digits.slice(at)}`}`;
}

/** A number as digits without zeros at either end, and the power of ten they are multiplied by. */
interface Digits {
  readonly digits: string;
  readonly exponent: number;
}

function digitsOf(text: string): Digits | null {
  const match = NUMBER.exec(text);
  if (match === null) return null;
  const [, , whole = '', fraction = '', exponent = '0'] = match;
  const all = (whole + fraction).replace(/^0+/, '');
  const digits = all.replace(/0+$/, '');
  if (digits === '') return { digits, exponent: 0 };
  return { digits, exponent: Number(exponent) - fraction.length + all.length - digits.length };
}

function signOf(text: string, { digits }: Digits): -1 | 0 | 1 {
  return digits === '' ? 0 : text.startsWith('-') ? -1 : 1;
}

/** A number without its exponent; null if it is none, or too long. */
function writtenOut(text: string): string | null {
  const match = NUMBER.exec(text);
  if (match === null || text.length > MAX_DECIMAL_LENGTH) return null;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match;
  const shift = Number(exponent);
  if (Math.abs(shift) > MAX_DECIMAL_LENGTH) return null;
  const places = Math.max(fraction.length - shift, 0);
  const digits = (whole + fraction.padEnd(shift, '0')).padStart(places + 1, '0');
  const [left, right] = [digits.slice(0, digits.length - places), digits.slice(digits.length - places)];
  const written = `${sign}${left.replace(/^0+(?=\d)/, '')}${right === '' ? '' : `.${right}`}`;
  return isDecimal(written) ? written : null;
}
