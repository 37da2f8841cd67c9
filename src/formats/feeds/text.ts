// What RSS and Atom have in common: names, ids, titles, dates and the texts for people, already escaped. The output
// follows the rules of the W3C feed validator.
import { filterEntries, filterLabel, filterText } from '../../register/finding/filter.ts';
import { GazetteError, quote } from '../../errors.ts';
import { feedUri } from '../../register/identity.ts';
import { coreField } from '../../register/fields.ts';
import { coreValues, type RegisterRecord } from '../../register/record.ts';
import { isDate, isDateTime, later, toDateTime } from '../../register/time.ts';
import { isPlainUri, toUri } from '../../register/url.ts';
import { checkId, checkLastChange, checkUrl, CORE_CHECKS, coreText } from '../check-value.ts';
import type { DocumentHead } from '../format.ts';
import { escapeAttribute, escapeHtml, escapeText, type Replacements } from '../xml/text.ts';
import { REGISTER_NAMESPACE } from '../xml/xml.ts';

export const ATOM_NAMESPACE = 'http://www.w3.org/2005/Atom';
export const DC_NAMESPACE = 'http://purl.org/dc/elements/1.1/';
export const DCTERMS_NAMESPACE = 'http://purl.org/dc/terms/';
/** The element that marks an archive (RFC 5005 4). It declares its own namespace because only archives need it. */
export const ARCHIVE_ELEMENT = '<fh:archive xmlns:fh="http://purl.org/syndication/history/1.0"/>\n';
export const CONTENT_NAMESPACE = 'http://purl.org/rss/1.0/modules/content/';

/** Declarations of the namespaces that both feeds use in their items. */
export const ITEM_NAMESPACES: string = [
  `xmlns:dc="${DC_NAMESPACE}"`,
  `xmlns:dcterms="${DCTERMS_NAMESPACE}"`,
  `xmlns:register="${REGISTER_NAMESPACE}"`,
].join(' ');

/** A field whose values are categories of items. */
export interface Category {
  /** Its value in a record. A function, because reading by a name that varies takes a fortieth of a feed's time. */
  readonly valueIn: (record: RegisterRecord) => string | null;
  /** The scheme of the category in Atom, its domain in RSS. It never changes. */
  readonly scheme: string;
  /** What stands before the value in the category's label in Atom. */
  readonly label: string;
}

/** The categories of an item, in their order. */
export const CATEGORIES: readonly [Category, Category] = [
  {
    valueIn: (record) => record.document_type,
    scheme: 'urn:gazette:scheme:document-type',
    label: coreField('document_type').label,
  },
  {
    valueIn: (record) => record.facility_id,
    scheme: 'urn:gazette:scheme:facility',
    label: coreField('facility_id').label,
  },
];

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
/** Weekday offset of each month, in years counted from March (Sakamoto). */
const MONTH_SHIFT = [0, 3, 2, 5, 0, 3, 5, 1, 4, 6, 2, 4];
/** 10000-01-01T00:00:00Z: RFC 822 dates have four-digit years. */
const YEAR_10000_MS = 253_402_300_800_000;
const MS_PER_MINUTE = 60_000;

/**
 * The permanent id of a feed. A filtered feed is a different feed (RFC 4287 4.2.6), so its filter is part of its id, and
 * so is `head.part`; all pages of one feed have the same id (RFC 5005 3).
 *
 * @throws GazetteError `authority_required`
 */
export function feedId(head: DocumentHead): string {
  const filter = head.filter === undefined ? '' : filterText(head.filter);
  const part = head.part === undefined ? '' : `/${head.part}`;
  return feedUri(head.definition, filter === '' ? part : `${part}?${filter}`);
}

/** The feed's title, never blank. */
export function feedTitle(head: DocumentHead): string {
  const { id, title } = head.definition;
  return isBlank(title) ? id : title;
}

/** The feed's author. Atom requires one (RFC 4287 4.1.1), so without a publisher the register itself is the author. */
export function feedAuthor(head: DocumentHead): string {
  const { author } = head.definition;
  return isBlank(author) ? feedTitle(head) : author!;
}

/**
 * When the register last changed, or was created. RFC 3339, with a time.
 *
 * @throws GazetteError `internal_error` when the source gives an invalid date, `invalid_definition` for an invalid
 *   `created_at`.
 */
export function feedUpdated(head: DocumentHead): string {
  const { lastChange, definition } = head;
  if (checkLastChange(head) === null && !isDateTime(definition.created_at)) {
    throw new GazetteError(
      'invalid_definition',
      `created_at must be an RFC 3339 date-time, got ${quote(definition.created_at)}`,
      { details: { member: 'created_at' } },
    );
  }
  return toDateTime(lastChange ?? definition.created_at);
}

/**
 * Describes the register, the feed's filter and where to find all records, since a reader sees only one page
 * (specification 4.2.6).
 */
export function feedDescription(head: DocumentHead): string {
  const { definition, filter, links, pagingNote } = head;
  const sentences = isBlank(definition.description) ? [] : [definition.description];
  for (const [name, value] of filterEntries(filter))
    sentences.push(`${filterLabel(name, definition.fields)}: ${value}.`);
  const list = links?.list === undefined ? '.' : `: ${links.list}`;
  sentences.push(pagingNote ?? `Newest records first; the complete register is in the list endpoint${list}`);
  return sentences.join(' ');
}

/**
 * Checks what feeds rely on in a record, except its source, which {@link itemSource} checks. All checks happen in one
 * place: checks between an item's elements keep its writer from being compiled as a whole, which takes a twentieth more
 * time.
 *
 * @throws GazetteError `invalid_record`
 */
export function checkItem(record: RegisterRecord): void {
  checkId(record);
  const values = coreValues(record);
  for (const core of CHECKED) coreText(record, core, values[core.at]!);
}

const CHECKED = CORE_CHECKS.filter(({ type }) => type !== 'url' && type !== 'integer');

/** The record's title, or its id if the title is blank, since both feeds need a visible title. */
export function itemTitle({ title, id }: RegisterRecord): string {
  return isBlank(title) ? id : title;
}

/** The times of a record, with the source's precision. */
interface ItemTimes {
  readonly published: string | null;
  readonly observed: string;
  /**
   * When a reader should look at the record again. The first version: when the record was observed, so that a register that
   * is imported late does not look new. Later ones: when the version was recorded, or observed if that was later.
   */
  readonly updated: string;
}

/** The times of a record that passed {@link checkItem}. */
export function itemTimes({ published_at, observed_at, updated_at, version }: RegisterRecord): ItemTimes {
  const updated = version === 1 || updated_at === null ? observed_at : later(updated_at, observed_at);
  return { published: published_at, observed: observed_at, updated };
}

/** The end of an item in both feeds: its source, its times and the publisher's key. `source` and `key` are escaped. */
export function itemEnd(source: string, { published, observed }: ItemTimes, key: string): string {
  const issued = published === null ? '' : `<dcterms:issued>${published}</dcterms:issued>\n`;
  return `<dc:source>${source}</dc:source>\n${issued}<register:observedAt>${observed}</register:observedAt>\n<register:key>${key}</register:key>\n`;
}

/**
 * The original source. @throws GazetteError `invalid_record` unless it is an http(s) URL, since readers make it a link.
 */
export function itemSource(record: RegisterRecord): string {
  return checkUrl(record, 'source_url', record.source_url);
}

/** A record's source in the forms that feeds show. */
interface SourceTexts {
  /** As a URI, escaped for an attribute or an element. */
  readonly link: string;
  /** As in the record, escaped for an element. */
  readonly shown: string;
  /** As in the record, as HTML text in a CDATA section. */
  readonly html: string;
}

/** The original source, checked like {@link itemSource} and escaped only once. */
export function itemSourceTexts(record: RegisterRecord, replacements?: Replacements): SourceTexts {
  const source: unknown = record.source_url;
  // Nearly all sources are URIs already: they have no line break, and `&` is the only character that XML or HTML
  // escapes.
  if (typeof source === 'string' && isPlainUri(source)) {
    const first = source.indexOf('&');
    const link = first < 0 ? source : replaceAmpersands(source, first);
    return { link, shown: link, html: link };
  }
  const url = checkUrl(record, 'source_url', source);
  const link = escapeAttribute(toUri(url), replacements);
  return { link, shown: escapeText(url, replacements), html: escapeHtml(url, replacements) };
}

/** Takes half the time of `replaceAll()`. `first` is the position of the first one. */
function replaceAmpersands(text: string, first: number): string {
  let replaced = '';
  let start = 0;
  for (let at = first; at >= 0; at = text.indexOf('&', start)) {
    replaced += `${text.slice(start, at)}&amp;`;
    start = at + 1;
  }
  return replaced + text.slice(start);
}

/** The text, or null if it is blank. */
export function readable(text: string | null): string | null {
  return isBlank(text) ? null : text;
}

/** Whether a text is null, empty, or only white space. */
export function isBlank(text: string | null): boolean {
  if (text === null) return true;
  // Nearly every text begins with a visible character, and a record has six texts.
  const first = text.charCodeAt(0);
  return !((first > 0x20 && first < 0x7f) || (first > 0xa0 && first < 0x1680) || /[^\s\u0085]/.test(text));
}

/**
 * A date or date-time in RSS's form: RFC 822 with a four-digit year, in GMT, in whole seconds. A bare date is midnight.
 *
 * @param time a valid date or RFC 3339 date-time.
 * @example rfc822('2026-04-17') // 'Fri, 17 Apr 2026 00:00:00 GMT'
 */
export function rfc822(time: string): string {
  if (isDate(time)) return `${rfc822Day(time)} 00:00:00 GMT`;
  if (time.endsWith('Z')) return `${rfc822Day(time)} ${time.slice(11, 19)} GMT`;
  const ms = Date.parse(time);
  if (ms < YEAR_10000_MS) return new Date(ms).toUTCString();
  // The offset must stay only in the last hours of the year 9999 west of Greenwich.
  const [sign, hours, minutes] = [time.at(-6)!, time.slice(-5, -3), time.slice(-2)];
  const local = new Date(ms - (Number(hours) * 60 + Number(minutes)) * MS_PER_MINUTE).toUTCString();
  return local.replace('GMT', `${sign}${hours}${minutes}`);
}

/** Weekday, day, month and year of a text that begins with a date, without creating a Date (Sakamoto's method). */
function rfc822Day(date: string): string {
  const month = (date.charCodeAt(5) - 0x30) * 10 + date.charCodeAt(6) - 0x30;
  const day = (date.charCodeAt(8) - 0x30) * 10 + date.charCodeAt(9) - 0x30;
  const century = (date.charCodeAt(0) - 0x30) * 10 + date.charCodeAt(1) - 0x30;
  const year = century * 100 + (date.charCodeAt(2) - 0x30) * 10 + date.charCodeAt(3) - 0x30;
  const y = month < 3 ? year - 1 : year;
  const shift = MONTH_SHIFT[month - 1]! + day;
  const weekday = (y + Math.floor(y / 4) - Math.floor(y / 100) + Math.floor(y / 400) + shift) % 7;
  return `${DAYS[weekday]}, ${date.slice(8, 10)} ${MONTHS[month - 1]} ${date.slice(0, 4)}`;
}
