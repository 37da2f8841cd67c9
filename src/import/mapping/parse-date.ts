// Dates in another form than RFC 3339: `17.04.2026`, `4/17/2026 8:12`. The form is said by the caller, never guessed,
// because nobody can tell the day from the month in `04/05/2026`.
import { GazetteError, quote } from '../../errors.ts';
import { isDate, isDateTime } from '../../register/time.ts';

/** A form of dates, ready to use. */
export interface DateFormat {
  /** The form as written: `DD.MM.YYYY`. */
  readonly written: string;
  readonly pattern: RegExp;
}

/** The parts of a form and what they match. One digit is enough where a separator shows the end. */
const PARTS: Readonly<Record<string, string>> = {
  YYYY: '(?<year>\\d{4})',
  YY: '(?<short>\\d{2})',
  MM: '(?<month>\\d{1,2})',
  M: '(?<month>\\d{1,2})',
  DD: '(?<day>\\d{1,2})',
  D: '(?<day>\\d{1,2})',
};

/** A time of day after the date, whether the form has one or not. */
const TIME = '(?:[T ,]+(?<hour>\\d{1,2}):(?<minute>\\d{2})(?::(?<second>\\d{2})(?<fraction>[.,]\\d+)?)?)?';

/** The time in a form, for those who write it. */
const WRITTEN_TIME = /[T ,]+HH?:mm(?::ss)?$/;

/**
 * A form of dates: `DD`, `MM` and `YYYY` (or `YY`) once each, in any order, with separators between them. A time
 * (`HH:mm`, `HH:mm:ss`) may follow, and is accepted after every date.
 *
 * @throws GazetteError `invalid_option` for any other form.
 * @example parseDate(compileDateFormat('DD.MM.YYYY'), '17.4.2026') // '2026-04-17'
 */
export function compileDateFormat(written: string): DateFormat {
  const date = written.trim().replace(WRITTEN_TIME, '');
  const parts = /^(YYYY|YY|MM?|DD?)([-./ ]+)(YYYY|YY|MM?|DD?)([-./ ]+)(YYYY|YY|MM?|DD?)$/.exec(date);
  const names = parts === null ? [] : [parts[1]!, parts[3]!, parts[5]!];
  if (new Set(names.map((name) => name.charAt(0))).size !== 3) {
    if (date === 'YYYYMMDD')
      return { written, pattern: new RegExp(`^(?<year>\\d{4})(?<month>\\d\\d)(?<day>\\d\\d)${TIME}$`) };
    throw new GazetteError(
      'invalid_option',
      `date format must be made of DD, MM and YYYY, such as DD.MM.YYYY, MM/DD/YYYY or DD.MM.YYYY HH:mm, got ${quote(written)}`,
      { details: { option: 'date_format' } },
    );
  }
  const separators = [parts![2]!, parts![4]!].map((text) => text.replace(/[./]/g, '\\$&'));
  const source = `${PARTS[names[0]!]!}${separators[0]!}${PARTS[names[1]!]!}${separators[1]!}${PARTS[names[2]!]!}`;
  return { written, pattern: new RegExp(`^${source}${TIME}$`) };
}

/** Years of two digits: 69 to 99 are of the 20th century, as in POSIX. */
const FIRST_OF_20TH = 69;

/**
 * A text in this form as RFC 3339: a date, or a date-time where the text has a time, which is read as UTC. Null for any
 * other text, and for a date that no calendar has.
 */
export function parseDate({ pattern }: DateFormat, text: string): string | null {
  const {
    year,
    short,
    month,
    day,
    hour,
    minute,
    second = '00',
    fraction = '',
  } = pattern.exec(text.trim())?.groups ?? {};
  if (month === undefined || day === undefined) return null;
  const century = Number(short) >= FIRST_OF_20TH ? '19' : '20';
  const date = `${year ?? `${century}${short!}`}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  if (hour === undefined || minute === undefined) return isDate(date) ? date : null;
  const rest = /[1-9]/.test(fraction) ? fraction.replace(',', '.') : '';
  const time = `${date}T${hour.padStart(2, '0')}:${minute}:${second}${rest}Z`;
  return isDateTime(time) ? time : null;
}
