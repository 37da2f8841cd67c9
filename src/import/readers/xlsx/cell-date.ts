// Dates in spreadsheets: numbers of days whose number format is a date format (ECMA-376-1 18.17.4, 18.8.30). They have
// no time zone; a date-time is treated as UTC, as gazette writes it.

/** What a number format displays: a number, a calendar date, a time of day, both, or an amount of time. */
export type NumberKind = 'number' | 'date' | 'time' | 'datetime' | 'duration';

/** How a cell displays a number. */
export interface CellFormat {
  readonly kind: NumberKind;
  /** The digits that are always shown, for a format of zeros alone (`00000`, for post codes); otherwise 0. */
  readonly digits: number;
  /** Whether seconds are shown with three decimals. Absent: no. */
  readonly showsMs?: boolean;
}

/** The format of cells that say none. */
export const GENERAL: CellFormat = { kind: 'number', digits: 0 };

const DAY_MS = 86_400_000;

/** Day 0 of the 1900 system, for days from 61 on: Excel counts a 29 February 1900, which did not exist. */
const EPOCH_1900_MS = Date.UTC(1899, 11, 30);
const EPOCH_1904_MS = Date.UTC(1904, 0, 1);

/** The days from 1900 to 9999: the longest duration that a spreadsheet displays. */
const MAX_DAYS = 2_958_466;

/** 9999-12-31, the last day in both systems and RFC 3339. */
const MAX_MS = Date.UTC(10_000, 0, 1);

/** A built-in number format. */
export function builtInFormat(id: number): CellFormat {
  return { kind: builtInKind(id), digits: 0 };
}

/** A custom number format. */
export function formatOfCode(code: string): CellFormat {
  const first = code.split(';', 1)[0]!;
  const digits = /^0{2,15}$/.test(first) ? first.length : 0;
  return { kind: kindOfFormat(code), digits, ...(/s\.000/i.test(first) ? { showsMs: true } : {}) };
}

/** The kind of a built-in number format (ECMA-376-1 18.8.30 and its East Asian tables). */
function builtInKind(id: number): NumberKind {
  if (
    (id >= 14 && id <= 17) ||
    (id >= 27 && id <= 31) ||
    (id >= 50 && id <= 54) ||
    id === 36 ||
    id === 57 ||
    id === 58
  ) {
    return 'date';
  }
  if (id === 46) return 'duration';
  if ((id >= 18 && id <= 21) || (id >= 32 && id <= 35) || (id >= 45 && id <= 47) || id === 55 || id === 56)
    return 'time';
  return id === 22 ? 'datetime' : 'number';
}

/** The kind of a custom number format, such as `dd/mm/yyyy hh:mm`. */
export function kindOfFormat(code: string): NumberKind {
  const letters = code
    .split(';', 1)[0]!
    // Texts in quotes, escaped, padding and repeated characters, colours, conditions and currencies.
    .replace(/"[^"]*"|\\.|_.|\*.|\[[^\]]*\]/g, '')
    .replace(/General|AM\/PM|A\/P/gi, (word) => (/^g/i.test(word) ? '' : 'h'))
    .toLowerCase();
  // [h] hours may be more than a day has.
  if (/\[(?:h+|m+|s+)\]/i.test(code.replace(/"[^"]*"|\\./g, ''))) return 'duration';
  const hasTime = /[hs]/.test(letters);
  // Alone, m is the month; next to hours or seconds it is the minutes.
  const hasDate = /[yd]/.test(letters) || (!hasTime && letters.includes('m'));
  return hasDate ? (hasTime ? 'datetime' : 'date') : hasTime ? 'time' : 'number';
}

/**
 * A serial number as text at its kind's precision (`2026-04-17`, `2026-04-17T08:12:44Z`, `08:12:44`, `PT36H30M`); the
 * number itself if there is no such date.
 *
 * @param date1904 whether days count from 1904-01-01
 */
export function serialToText(
  serial: number,
  { kind, showsMs = false }: Pick<CellFormat, 'kind' | 'showsMs'>,
  date1904: boolean,
): string | number {
  if (kind === 'number' || !Number.isFinite(serial)) return serial;
  if (kind === 'duration') return Math.abs(serial) > MAX_DAYS ? serial : durationText(Math.round(serial * DAY_MS));
  if (serial < 0) return serial;
  const isTimeOnly = serial < 1 && !date1904;
  if (kind === 'time')
    return serial < 1 ? new Date(Math.round(serial * DAY_MS) % DAY_MS).toISOString().slice(11, 19) : serial;
  // Day 0 is not a date, and day 60 is the one that did not exist.
  if (!date1904 && (isTimeOnly || Math.floor(serial) === 60)) return serial;
  const epoch = date1904 ? EPOCH_1904_MS : serial < 60 ? EPOCH_1900_MS + DAY_MS : EPOCH_1900_MS;
  const ms = epoch + Math.round(serial * DAY_MS);
  if (ms >= MAX_MS) return serial;
  const text = new Date(ms).toISOString();
  return kind === 'date' && ms % DAY_MS === 0 ? text.slice(0, 10) : showsMs ? text : text.replace('.000Z', 'Z');
}

/** An amount of time as ISO 8601-2 writes it, with a sign: `PT36H30M`, `-PT0.5S`. Excel counts no days. */
function durationText(milliseconds: number): string {
  const size = Math.abs(milliseconds);
  const hours = Math.floor(size / 3_600_000);
  const minutes = Math.floor(size / 60_000) % 60;
  const seconds = (size % 60_000) / 1000;
  const parts = [
    hours === 0 ? '' : `${hours}H`,
    minutes === 0 ? '' : `${minutes}M`,
    seconds === 0 ? '' : `${seconds}S`,
  ];
  return `${milliseconds < 0 ? '-' : ''}PT${parts.join('') || '0S'}`;
}

/** A cell with an ISO 8601 date (ECMA-376-1 18.18.11, type `d`) as text: without a zone it is UTC, like all others. */
export function isoToText(text: string, kind: NumberKind): string {
  const match = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(:\d\d(?:\.\d+)?)?Z?$/.exec(text);
  if (match === null) return text;
  const [, date, minutes, seconds = ':00'] = match;
  const time = `${minutes!}${seconds.replace(/\.0+$/, '')}`;
  return kind === 'date' && time === '00:00:00' ? date! : `${date!}T${time}Z`;
}
