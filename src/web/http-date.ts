// Reads the dates of header fields in all three forms of RFC 9110 5.6.7: IMF-fixdate, and the obsolete forms of RFC 850
// and of C's asctime(). `Date.parse` reads the last one as local time.

const HTTP_DATES: readonly RegExp[] = [
  /^[A-Z][a-z]{2}, (?<day>\d{2}) (?<month>[A-Z][a-z]{2}) (?<year>\d{4}) (?<time>\d{2}:\d{2}:\d{2}) GMT$/,
  /^[A-Z][a-z]{5,8}, (?<day>\d{2})-(?<month>[A-Z][a-z]{2})-(?<year>\d{2}) (?<time>\d{2}:\d{2}:\d{2}) GMT$/,
  /^[A-Z][a-z]{2} (?<month>[A-Z][a-z]{2}) (?<day>[ \d]\d) (?<time>\d{2}:\d{2}:\d{2}) (?<year>\d{4})$/,
];

/**
 * The date of a header field in seconds since 1970; null if there is none, or if it has none of the three forms.
 *
 * @param now the clock, in milliseconds since 1970, for years of two digits
 * @example httpDate('Sun Nov  6 08:49:37 1994') // 784111777
 */
export function httpDate(value: string | null | undefined, now: () => number = Date.now): number | null {
  if (value === null || value === undefined) return null;
  const found = HTTP_DATES.map((form) => form.exec(value)?.groups).find((groups) => groups !== undefined);
  if (found === undefined) return null;
  const { day, month, year, time } = found;
  const ms = Date.parse(`${day} ${month} ${year!.length === 2 ? fullYear(Number(year), now()) : year} ${time} GMT`);
  return Number.isNaN(ms) ? null : ms / 1000;
}

/** RFC 9110 5.6.7: what appears to be more than 50 years in the future is the latest such year in the past. */
function fullYear(twoDigits: number, nowMs: number): number {
  const thisYear = new Date(nowMs).getUTCFullYear();
  const year = thisYear - (thisYear % 100) + twoDigits;
  return year > thisYear + 50 ? year - 100 : year;
}
