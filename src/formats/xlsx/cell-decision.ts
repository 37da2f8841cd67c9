// Decides which kind of cell a value becomes. The native writer and the one on exceljs both use it, so they cannot
// differ. Nothing in this file writes XML.
import type { FieldType } from '../../register/record.ts';
import { isDecimal, isHeldByDouble, significantDigits } from '../../register/decimal.ts';
import { isDate, isDateTime } from '../../register/time.ts';
import type { Cell } from '../cell.ts';
import { MAX_DIGITS } from './limits.ts';

/** How a serial is displayed: with the precision of the text it came from. */
export type TimeStyle = 'date' | 'datetime' | 'datetime_ms';

/** A cell of a sheet; null means no cell. */
export type SheetCell =
  | { readonly kind: 'text'; readonly text: string }
  /** Text, because the sheet cannot hold the number, date or boolean as such: `value_as_text`. */
  | { readonly kind: 'instead'; readonly text: string }
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'boolean'; readonly value: boolean }
  | { readonly kind: 'time'; readonly serial: number; readonly style: TimeStyle };

/** Serial of 1970-01-01 in the 1900 date system (ECMA-376 part 1, 18.17.4.1). */
const SERIAL_OF_EPOCH = 25_569;
const MS_PER_DAY = 86_400_000;
/** 1900-03-01: before it, Excel counts a 29 February 1900 that did not exist, and other readers do not. */
const MIN_SERIAL = 61;
/** 10000-01-01, the first day that no reader supports. */
const END_SERIAL = 2_958_466;
/** The first integer with more digits than a sheet keeps. */
const FIRST_LONG_INTEGER = 10 ** MAX_DIGITS;

/** The kind of cell for a field's value, null if there is none. Texts are cut later: see cut-text.ts. */
export function decideCell(type: FieldType, value: Cell): SheetCell | null {
  switch (typeof value) {
    case 'string':
      if (type === 'date' || type === 'datetime') return timeCell(value);
      if (type === 'integer') return integerCell(value);
      if (type === 'decimal') return decimalCell(value);
      return { kind: 'text', text: value };
    case 'number':
      return numberCell(type, value);
    case 'boolean':
      return { kind: 'boolean', value };
    default:
      return null;
  }
}

/**
 * The serial of a date or date-time in UTC. NaN if a sheet cannot give its text back: before 1900-03-01, after 9999, with
 * an offset other than `Z`, with a fraction of other than three digits, or not a date.
 */
export function toSerial(text: string): number {
  const ms = utcMs(text);
  const serial = ms / MS_PER_DAY + SERIAL_OF_EPOCH;
  return serial >= MIN_SERIAL && serial < END_SERIAL ? serial : NaN;
}

/**
 * Whether a sheet shows a number without changing it. A declared integer becomes text from 16 digits on; a measurement
 * such as 3.7e16 stays a number as long as it has at most 15 significant digits.
 */
export function isHeldNumber(type: FieldType, value: number): boolean {
  if (Math.abs(value) < FIRST_LONG_INTEGER) return true;
  if (!Number.isFinite(value)) return false;
  return !Number.isInteger(value) || (type !== 'integer' && Number(value.toPrecision(MAX_DIGITS)) === value);
}

/** The style for a text that has a serial. */
export function timeStyle(text: string): TimeStyle {
  if (text.length === 10) return 'date';
  return text.charCodeAt(19) === 0x2e ? 'datetime_ms' : 'datetime';
}

function timeCell(text: string): SheetCell {
  const serial = toSerial(text);
  return Number.isNaN(serial) ? { kind: 'instead', text } : { kind: 'time', serial, style: timeStyle(text) };
}

/** An integer beyond the safe range is given as text (record.ts); with at most 15 digits it becomes a number again. */
function integerCell(text: string): SheetCell {
  if (!/^-?(?:0|[1-9]\d*)$/.test(text)) return { kind: 'text', text };
  const digits = text.length - (text.startsWith('-') ? 1 : 0);
  return digits > MAX_DIGITS ? { kind: 'instead', text } : { kind: 'number', value: Number(text) };
}

/** A sheet keeps 15 significant digits; it shows them without trailing zeros. */
function decimalCell(text: string): SheetCell {
  if (!isDecimal(text)) return { kind: 'text', text };
  const value = Number(text);
  const isHeld = significantDigits(text) <= MAX_DIGITS && isHeldByDouble(text);
  return isHeld ? { kind: 'number', value } : { kind: 'instead', text };
}

function numberCell(type: FieldType, value: number): SheetCell {
  return isHeldNumber(type, value) ? { kind: 'number', value } : { kind: 'instead', text: String(value) };
}

/** Milliseconds since 1970 of a date or date-time, NaN if a serial and its style do not give the text back. */
function utcMs(text: string): number {
  if (text.length === 10) return isDate(text) ? days(text) * MS_PER_DAY : NaN;
  // Two lengths are left: a serial has no offset, and a style shows three digits of a fraction or none.
  if ((text.length !== 20 && text.length !== 24) || !isDateTime(text)) return NaN;
  // YYYY-MM-DDTHH:MM:SSZ is by far the most frequent form, and this takes a fraction of Date.parse's time.
  return text.length === 20 ? days(text) * MS_PER_DAY + seconds(text) * 1000 : Date.parse(text);
}

/** Days from 1970-01-01 to the valid YYYY-MM-DD at the start of `text`. */
function days(text: string): number {
  const year = twoDigits(text, 0) * 100 + twoDigits(text, 2);
  const month = twoDigits(text, 5);
  // Years are counted from March, so that the leap day is the last day of its year.
  const y = month > 2 ? year : year - 1;
  const dayOfYear = ((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) | 0;
  return y * 365 + ((y / 4) | 0) - ((y / 100) | 0) + ((y / 400) | 0) + dayOfYear + twoDigits(text, 8) - 719_469;
}

/** Seconds since midnight of the valid time in `text`. */
function seconds(text: string): number {
  return (twoDigits(text, 11) * 60 + twoDigits(text, 14)) * 60 + twoDigits(text, 17);
}

function twoDigits(text: string, at: number): number {
  return (text.charCodeAt(at) - 0x30) * 10 + text.charCodeAt(at + 1) - 0x30;
}
