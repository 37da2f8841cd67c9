// Times as people write them: a day, which is included and in UTC, or an RFC 3339 date-time.
import { GazetteError, quote } from '../errors.ts';
import { isDate, isDateTime } from '../register/time.ts';

/** A time at which something ends: a day's last moment, as expected of "paid until 31 December"; null for no time. */
export function endTime(text: string): string | null {
  if (isDate(text)) return `${text}T23:59:59.999Z`;
  return isDateTime(text) ? text : null;
}

/** A time at which something begins: a day's first moment; null for no time. */
export function startTime(text: string): string | null {
  if (isDate(text)) return `${text}T00:00:00Z`;
  return isDateTime(text) ? text : null;
}

/** What times must be, in the words of a refusal. */
const TIME = 'a day or a date-time such as 2027-01-01T12:00:00Z';

/** Refuses what is no time. @param option how the error names it @throws GazetteError `invalid_option` */
export function checkTime(option: string, time: string | null, text: string): string {
  if (time !== null) return time;
  throw invalidTime(option, TIME, text);
}

/** Refuses an end that is over. @param option how the error names it @throws GazetteError `invalid_option` */
export function checkAhead(option: string, end: string, nowMs: number): string {
  if (Date.parse(end) > nowMs) return end;
  throw invalidTime(option, 'a time to come', end);
}

function invalidTime(option: string, expected: string, text: string): GazetteError {
  return new GazetteError('invalid_option', `${option} must be ${expected}, got ${quote(text)}`, {
    details: { option },
  });
}

/** One hour, in milliseconds. */
export const HOUR_MS = 3_600_000;

/** A year. What must work for longer need not be replaced yet. */
export const MAX_GRACE_HOURS: number = 366 * 24;

/** Checks for how long what is replaced keeps working, in milliseconds. @throws GazetteError `invalid_option` */
export function checkGrace(graceMs: number): number {
  if (graceMs >= 0 && graceMs <= MAX_GRACE_HOURS * HOUR_MS) return graceMs;
  throw new GazetteError('invalid_option', `grace must be 0..${MAX_GRACE_HOURS} hours`, {
    details: { option: 'grace' },
  });
}
