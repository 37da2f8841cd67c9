// iCalendar (RFC 5545, with the names of RFC 7986): records as events of one of their dates, for programs that follow an
// address. No format: it has a few records of a register, those that were withdrawn among them. It reads no clock.
import { coreField } from '../register/fields.ts';
import { recordUris } from '../register/identity.ts';
import type { Field, RegisterDefinition, RegisterRecord } from '../register/record.ts';
import { toDateTime } from '../register/time.ts';
import { toUri } from '../register/url.ts';
import { VERSION } from '../version.ts';
import { anyCellOf } from './cell.ts';
import { CATEGORIES } from './feeds/text.ts';

/** Its media type. */
export const CALENDAR_TYPE = 'text/calendar; charset=utf-8';

/** A record as it is, or last was. */
export interface CalendarEntry {
  readonly record: RegisterRecord;
  /** The number of its version, and when that was recorded. */
  readonly version: number;
  readonly recordedAt: string;
  readonly isWithdrawn: boolean;
}

/** The date that records of every register have. */
export const PUBLICATION: Field = coreField('published_at');

/** The fields of a register that calendars are made of: the publication date, and its own dates. */
export function calendarFields({ fields }: Pick<RegisterDefinition, 'fields'>): readonly Field[] {
  return [PUBLICATION, ...fields.filter(({ type }) => type === 'date' || type === 'datetime')];
}

/**
 * The calendar of a field. Records without the date are left out.
 *
 * @param self the absolute URL of the calendar
 */
export function calendarOf(
  definition: RegisterDefinition,
  field: Field,
  entries: readonly CalendarEntry[],
  self: string,
): string {
  const name = text(`${definition.title}: ${field.label}`);
  const uriOf = recordUris(definition);
  const events = entries.flatMap((entry) => event(entry, field, uriOf));
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    `PRODID:-//gazette//${VERSION}//EN`,
    'CALSCALE:GREGORIAN',
    `NAME:${name}`,
    // What most programs read instead.
    `X-WR-CALNAME:${name}`,
    ...(definition.description === '' ? [] : [`DESCRIPTION:${text(definition.description)}`]),
    ...(definition.homepage === null ? [] : [`URL:${toUri(definition.homepage)}`]),
    `SOURCE;VALUE=URI:${toUri(self)}`,
    'REFRESH-INTERVAL;VALUE=DURATION:PT1H',
    ...(events.length === 0 ? UTC : events),
    'END:VCALENDAR',
  ];
  return lines.map(folded).join('');
}

/** RFC 5545 3.6: a calendar has at least one component. */
const UTC = [
  ...['BEGIN:VTIMEZONE', 'TZID:Etc/UTC', 'BEGIN:STANDARD', 'DTSTART:19700101T000000'],
  ...['TZOFFSETFROM:+0000', 'TZOFFSETTO:+0000', 'END:STANDARD', 'END:VTIMEZONE'],
];

function event(entry: CalendarEntry, field: Field, uriOf: (id: string) => string): string[] {
  const { record, version, recordedAt, isWithdrawn } = entry;
  const date = anyCellOf(record, field);
  if (typeof date !== 'string') return [];
  const { title, summary, source_url } = record;
  const categories = CATEGORIES.flatMap(({ valueIn }) => valueIn(record) ?? []);
  return [
    'BEGIN:VEVENT',
    `UID:${text(uriOf(record.id))}`,
    `DTSTAMP:${instant(recordedAt)}`,
    `LAST-MODIFIED:${instant(recordedAt)}`,
    `SEQUENCE:${version - 1}`,
    date.length === 10 ? `DTSTART;VALUE=DATE:${date.replaceAll('-', '')}` : `DTSTART:${instant(date)}`,
    `SUMMARY:${text(title)}`,
    ...(summary === null ? [] : [`DESCRIPTION:${text(summary)}`]),
    ...(categories.length === 0 ? [] : [`CATEGORIES:${categories.map(text).join(',')}`]),
    `URL:${toUri(source_url)}`,
    `STATUS:${isWithdrawn ? 'CANCELLED' : 'CONFIRMED'}`,
    // Nobody is busy on that day because of it.
    'TRANSP:TRANSPARENT',
    'END:VEVENT',
  ];
}

/** RFC 5545 3.3.5, form 2. Years have four digits: an instant outside of them keeps its own hands of the clock. */
function instant(time: string): string {
  const utc = new Date(toDateTime(time)).toISOString();
  return `${(utc.length === 24 ? utc : time).slice(0, 19).replaceAll(/[-:]/g, '')}Z`;
}

/** RFC 5545 3.3.11. Other control characters than line ends and tabs are no part of a text: they become U+FFFD. */
function text(value: string): string {
  return value
    .replaceAll(/[\\;,]/g, '\\$&')
    .replaceAll(/\r\n|\r|\n/g, '\\n')
    .replaceAll(/[\0-\x08\x0b-\x1f\x7f]/g, '\ufffd')
    .toWellFormed();
}

/** The most bytes of a line, its end not counted (RFC 5545 3.1). */
const LINE = 75;

/** A line with its end, folded so that no character is cut. */
function folded(line: string): string {
  if (line.length * 3 <= LINE) return `${line}\r\n`;
  let result = '';
  let bytes = 0;
  for (const character of line) {
    const code = character.codePointAt(0)!;
    const more = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    if (bytes + more > LINE) {
      result += '\r\n ';
      bytes = 1;
    }
    result += character;
    bytes += more;
  }
  return `${result}\r\n`;
}
