// Times as people write them: a day, which is included and in UTC, or an RFC 3339 date-time.
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
