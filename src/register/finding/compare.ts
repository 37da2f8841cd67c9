// How values compare in filters: times as instants, a date being its midnight UTC, and numbers exactly, to their last digit.
import { numberKey } from '../decimal.ts';
import type { FieldType } from '../record.ts';
import { isDate, isDateTime } from '../time.ts';
import { foldCase } from './words.ts';

/** The digits of a fraction of a second below its milliseconds. */
const BELOW_MS = /\.\d{3}(\d{1,6})/;

/** A time: milliseconds since 1970, and the nanoseconds after them. */
export interface Instant {
  readonly ms: number;
  readonly ns: number;
}

/** The instant of a date or a date-time; null for another text. @example instantOf('2026-04-01') */
export function instantOf(text: string): Instant | null {
  if (!isDate(text) && !isDateTime(text)) return null;
  const rest = text.length > 24 ? (BELOW_MS.exec(text)?.[1] ?? '') : '';
  // Date.parse() reads three digits of a fraction and passes over the others.
  return { ms: Date.parse(text), ns: rest === '' ? 0 : Number(rest.padEnd(6, '0')) };
}

/** Negative, zero or positive, as `a` is before, at or after `b`. */
export function compareInstants(a: Instant, b: Instant): number {
  return a.ms - b.ms || a.ns - b.ns;
}

/**
 * A text that two values of a type share exactly when they are equal, texts whatever their case. A value that does not fit the
 * type equals its text.
 *
 * @param type null: of a core field, whose texts are equal when they are the same
 */
export function valueKey(type: FieldType | null, value: string | number | boolean): string {
  const text = String(value);
  if (type === 'text' || type === 'json') return foldCase(text);
  if (type === 'datetime') {
    const at = instantOf(text);
    return at === null ? text : `${at.ms}.${at.ns}`;
  }
  return type === 'number' || type === 'decimal' || type === 'integer' ? (numberKey(text) ?? text) : text;
}
