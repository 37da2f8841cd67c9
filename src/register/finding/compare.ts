// How values compare in filters: times as instants, a date being its midnight UTC, and numbers exactly, to their last digit.
import { isSameNumber } from '../decimal.ts';
import type { FieldType } from '../record.ts';
import { isDate, isDateTime } from '../time.ts';

/** The digits of a fraction of a second below its milliseconds. */
const BELOW_MS = /\.\d{3}(\d{1,6})/;

/** A time: milliseconds since 1970, and the nanoseconds below them. */
export interface Instant {
  readonly ms: number;
  readonly ns: number;
}

/** The instant of a date or a date-time; null for another text. @example instantOf('2026-04-01') */
export function instantOf(text: string): Instant | null {
  if (!isDate(text) && !isDateTime(text)) return null;
  const rest = text.length > 24 ? (BELOW_MS.exec(text)?.[1] ?? '') : '';
  return { ms: Math.floor(Date.parse(text)), ns: rest === '' ? 0 : Number(rest.padEnd(6, '0')) };
}

/** Negative, zero or positive, as `a` is before, at or after `b`. */
export function compareInstants(a: Instant, b: Instant): number {
  return a.ms - b.ms || a.ns - b.ns;
}

/**
 * Negative, zero or positive, as the number that `a` writes is below, equal to or above that of `b`. Exact where the doubles
 * are equal.
 *
 * @param a a number as JSON writes it (RFC 8259 6), as is `b`
 */
export function compareNumbers(a: string, b: string): number {
  const difference = Number(a) - Number(b);
  if (difference !== 0 && !Number.isNaN(difference)) return difference;
  return isSameNumber(a, b) ? 0 : compareDigits(a, b);
}

/** A text that two values of a type share exactly when they are equal. */
export function valueKey(type: FieldType, value: string | number | boolean): string {
  if (type === 'datetime') {
    const { ms, ns } = instantOf(String(value))!;
    return `${ms}.${ns}`;
  }
  return type === 'number' || type === 'decimal' || type === 'integer' ? numberKey(String(value)) : String(value);
}

/** A number's sign, its digits without zeros at either end, and its power of ten. */
interface Digits {
  readonly sign: 1 | -1;
  readonly digits: string;
  /** The number is 0.DIGITS × 10^exponent. */
  readonly exponent: number;
}

const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

function digitsOf(text: string): Digits {
  const [, sign, whole = '', fraction = '', power = '0'] = NUMBER.exec(text)!;
  const all = whole + fraction;
  const first = all.search(/[1-9]/);
  if (first < 0) return { sign: 1, digits: '', exponent: 0 };
  return {
    sign: sign === '-' ? -1 : 1,
    digits: all.slice(first).replace(/0+$/, ''),
    exponent: whole.length - first + Number(power),
  };
}

function numberKey(text: string): string {
  const { sign, digits, exponent } = digitsOf(text);
  return digits === '' ? '0' : `${sign < 0 ? '-' : ''}${digits}e${exponent}`;
}

function compareDigits(a: string, b: string): number {
  const [one, other] = [digitsOf(a), digitsOf(b)];
  const [x, y] = [one, other].map(({ sign, digits }) => (digits === '' ? 0 : sign)) as [number, number];
  if (x !== y) return x - y;
  if (one.exponent !== other.exponent) return x * (one.exponent - other.exponent);
  return x * (one.digits < other.digits ? -1 : one.digits > other.digits ? 1 : 0);
}
