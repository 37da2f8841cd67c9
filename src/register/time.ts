// Dates and date-times in registers: RFC 3339, at the precision of the source. Nothing here reads a clock.

/** The text after the seconds of a date-time: at most nine digits of a fraction, then `Z` or an offset. */
const FRACTION_AND_OFFSET = /^(?:\.\d{1,9})?(?:Z|[+-](\d{2}):(\d{2}))$/;

/** The patterns of date-times and of times, for schemas: as {@link isDateTime}, but for days that the month does not have. */
export const TIME_PATTERNS: { readonly dateTime: RegExp; readonly dateOrDateTime: RegExp } = {
  dateTime:
    /^(?!0000)\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-](?:(?:0\d|1[0-3]):[0-5]\d|14:00))$/,
  dateOrDateTime:
    /^(?!0000)\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])(?:T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-](?:(?:0\d|1[0-3]):[0-5]\d|14:00)))?$/,
};

/**
 * Whether `text` is a calendar date, `YYYY-MM-DD` (RFC 3339 full-date), years 0001 to 9999: XML Schema 1.0 does not
 * allow year 0000.
 */
export function isDate(text: string): boolean {
  return text.length === 10 && startsWithDate(text);
}

/**
 * Whether `text` is an RFC 3339 date-time with `T`, seconds and an offset. Leap seconds are refused: neither XML Schema
 * 1.0 nor spreadsheets can represent them.
 */
export function isDateTime(text: string): boolean {
  if (text.length < 20 || !startsWithDate(text)) return false;
  const h1 = text.charCodeAt(11) - 0x30;
  const h2 = text.charCodeAt(12) - 0x30;
  const m1 = text.charCodeAt(14) - 0x30;
  const m2 = text.charCodeAt(15) - 0x30;
  const s1 = text.charCodeAt(17) - 0x30;
  const s2 = text.charCodeAt(18) - 0x30;
  const separators = (text.charCodeAt(10) ^ 0x54) | (text.charCodeAt(13) ^ 0x3a) | (text.charCodeAt(16) ^ 0x3a);
  // Negative, like the difference of its bounds, as soon as one character is not a digit or is too large for its place.
  const digits =
    h1 | h2 | m1 | m2 | s1 | s2 | (9 - h2) | (23 - h1 * 10 - h2) | (5 - m1) | (9 - m2) | (5 - s1) | (9 - s2);
  if (separators !== 0 || digits < 0) return false;
  if (text.length === 20 && text.charCodeAt(19) === 0x5a) return true;
  const match = FRACTION_AND_OFFSET.exec(text.slice(19));
  if (match === null) return false;
  // XML Schema 1.0 (3.2.7.3): offsets reach from -14:00 to +14:00.
  const [hours, minutes] = [Number(match[1] ?? 0), Number(match[2] ?? 0)];
  return minutes <= 59 && hours * 60 + minutes <= 14 * 60;
}

/** A bare date as midnight UTC; a date-time unchanged. For formats that require a time. */
export function toDateTime(dateOrDateTime: string): string {
  return dateOrDateTime.length === 10 ? `${dateOrDateTime}T00:00:00Z` : dateOrDateTime;
}

/** Milliseconds since 1970-01-01T00:00:00Z; NaN when `text` is neither a date nor a date-time. */
export function toEpochMs(text: string): number {
  return isDate(text) || isDateTime(text) ? Date.parse(text) : NaN;
}

/** The later of two valid dates or date-times; `a` if they are the same to the millisecond. */
export function later(a: string, b: string): string {
  // Nearly all are in UTC and have the same precision: their texts are in the same order.
  const isOrdered = a.length === b.length && (a.length === 10 || (a.endsWith('Z') && b.endsWith('Z')));
  return (isOrdered ? b > a : Date.parse(b) > Date.parse(a)) ? b : a;
}

/** The latest time at which one of these records was observed or updated; null without records. Their times are valid. */
export function latestTime(
  records: readonly { readonly observed_at: string; readonly updated_at: string | null }[],
): string | null {
  let latest: string | null = null;
  for (const { observed_at, updated_at } of records) {
    const time = updated_at === null ? observed_at : later(updated_at, observed_at);
    latest = latest === null ? time : later(latest, time);
  }
  return latest;
}

function startsWithDate(text: string): boolean {
  const y1 = text.charCodeAt(0) - 0x30;
  const y2 = text.charCodeAt(1) - 0x30;
  const y3 = text.charCodeAt(2) - 0x30;
  const y4 = text.charCodeAt(3) - 0x30;
  const m1 = text.charCodeAt(5) - 0x30;
  const m2 = text.charCodeAt(6) - 0x30;
  const d1 = text.charCodeAt(8) - 0x30;
  const d2 = text.charCodeAt(9) - 0x30;
  const year = y1 * 1000 + y2 * 100 + y3 * 10 + y4;
  const month = m1 * 10 + m2;
  const day = d1 * 10 + d2;
  const separators = (text.charCodeAt(4) ^ 0x2d) | (text.charCodeAt(7) ^ 0x2d);
  const digits =
    y1 |
    y2 |
    y3 |
    y4 |
    m1 |
    m2 |
    d1 |
    d2 |
    (9 - y1) |
    (9 - y2) |
    (9 - y3) |
    (9 - y4) |
    (9 - m1) |
    (9 - m2) |
    (9 - d1) |
    (9 - d2);
  return (
    separators === 0 &&
    digits >= 0 &&
    year >= 1 &&
    month >= 1 &&
    month <= 12 &&
    day >= 1 &&
    (day <= 28 || day <= daysInMonth(year, month))
  );
}

function daysInMonth(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}
