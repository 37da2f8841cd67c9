// What RSS and Atom have in common: names, ids, titles, dates and the texts people read, already escaped. Built to the
// rules of the W3C feed validator.
import { GazetteError, quote } from '../../errors.ts';
import { feedUri } from '../../register/identity.ts';
import { coreField } from '../../register/fields.ts';
import type { RegisterRecord } from '../../register/record.ts';
import { isDate, isDateTime, toDateTime } from '../../register/time.ts';
import { checkContentType, checkId, checkLastChange, checkText, checkTime, checkUrl } from '../check-value.ts';
import type { DocumentHead } from '../format.ts';
import { escapeAttribute, escapeHtml, escapeHtmlLines, escapeText, type Replacements } from '../xml/text.ts';
import type { XmlWriter } from '../xml/writer.ts';
import { REGISTER_NAMESPACE } from '../xml/xml.ts';

export const ATOM_NAMESPACE = 'http://www.w3.org/2005/Atom';
export const DC_NAMESPACE = 'http://purl.org/dc/elements/1.1/';
export const DCTERMS_NAMESPACE = 'http://purl.org/dc/terms/';
/** RFC 5005 4: what marks an archive. Declared where it is used: only archives need it. */
export const ARCHIVE_ELEMENT = '<fh:archive xmlns:fh="http://purl.org/syndication/history/1.0"/>\n';
export const CONTENT_NAMESPACE = 'http://purl.org/rss/1.0/modules/content/';

/** The declarations of what both kinds of feed take from other vocabularies. */
export const ITEM_NAMESPACES: string = [
  `xmlns:dc="${DC_NAMESPACE}"`,
  `xmlns:dcterms="${DCTERMS_NAMESPACE}"`,
  `xmlns:register="${REGISTER_NAMESPACE}"`,
].join(' ');

/** The scheme (Atom) or domain (RSS) of a category that is a document type. Constant for ever. */
export const DOCUMENT_TYPE_SCHEME = 'urn:gazette:scheme:document-type';
/** The scheme (Atom) or domain (RSS) of a category that is a facility. Constant for ever. */
export const FACILITY_SCHEME = 'urn:gazette:scheme:facility';

/** What stands before the value in an Atom category's label. */
export const DOCUMENT_TYPE_LABEL: string = coreField('document_type').label;
/** What stands before the value in an Atom category's label. */
export const FACILITY_LABEL: string = coreField('facility_id').label;

const NO_URI = /[^\w;/?:@&=+$.\-!~*'()%,#]/;
const ALL_NO_URI = /[^\w;/?:@&=+$.\-!~*'()%,#]/g;

/** A paragraph of HTML begins, escaped for XML. */
export const PARAGRAPH = '&lt;p&gt;';
/** A paragraph of HTML ends, escaped for XML. */
export const PARAGRAPH_END = '&lt;/p&gt;';

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
/** Weekdays by which each month is shifted against the year's begin, in years counted from March (Sakamoto). */
const MONTH_SHIFT = [0, 3, 2, 5, 0, 3, 5, 1, 4, 6, 2, 4];
/** 10000-01-01T00:00:00Z: RFC 822 dates have years of four digits. */
const YEAR_10000_MS = 253_402_300_800_000;
const MS_PER_MINUTE = 60_000;

/**
 * The permanent id of a feed. A filtered feed is another feed (RFC 4287 4.2.6), so its filter is part of its id; pages of
 * one feed share theirs (RFC 5005 3).
 *
 * @throws GazetteError `authority_required`
 */
export function feedId(head: DocumentHead): string {
  const uri = feedUri(head.definition);
  const parameters = new URLSearchParams();
  if (head.filter?.documentType !== undefined) parameters.set('document_type', head.filter.documentType);
  if (head.filter?.facilityId !== undefined) parameters.set('facility_id', head.filter.facilityId);
  return parameters.size === 0 ? uri : `${uri}?${parameters.toString()}`;
}

/** The feed's title, never blank. */
export function feedTitle(head: DocumentHead): string {
  const { id, title } = head.definition;
  return isBlank(title) ? id : title;
}

/** Who publishes the feed. Atom asks for somebody (RFC 4287 4.1.1): the register itself where nobody is named. */
export function feedAuthor(head: DocumentHead): string {
  const { author } = head.definition;
  return isBlank(author) ? feedTitle(head) : author!;
}

/**
 * When the register last changed, or began. RFC 3339, with a time.
 *
 * @throws GazetteError `internal_error` when the source gives no date, `invalid_definition` when `created_at` is none.
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

/** What the register is, what the feed's filter leaves, and where all of it is: a reader sees one page (specification 4.2.6). */
export function feedDescription(head: DocumentHead): string {
  const { definition, filter, links, pagingNote } = head;
  const sentences = isBlank(definition.description) ? [] : [definition.description];
  if (filter?.documentType !== undefined) sentences.push(`${DOCUMENT_TYPE_LABEL}: ${filter.documentType}.`);
  if (filter?.facilityId !== undefined) sentences.push(`${FACILITY_LABEL}: ${filter.facilityId}.`);
  const list = links?.list === undefined ? '.' : `: ${links.list}`;
  sentences.push(pagingNote ?? `Newest records first; the complete register is in the list endpoint${list}`);
  return sentences.join(' ');
}

/**
 * Holds a record to what feeds rest on, but for its source, which {@link itemSource} checks. All at once: checks between
 * the elements of an item keep what writes it from being compiled as a whole, which takes a twentieth of the time more.
 *
 * @throws GazetteError `invalid_record`
 */
export function checkItem(record: RegisterRecord): void {
  const { summary, content, author, document_type, facility_id, published_at, updated_at } = record;
  checkId(record);
  checkText(record, 'title', record.title);
  if (summary !== null) checkText(record, 'summary', summary);
  if (content !== null) {
    checkText(record, 'content', content);
    checkContentType(record);
  }
  if (author !== null) checkText(record, 'author', author);
  if (document_type !== null) checkText(record, 'document_type', document_type);
  if (facility_id !== null) checkText(record, 'facility_id', facility_id);
  checkTime(record, 'observed_at', record.observed_at);
  if (published_at !== null) checkTime(record, 'published_at', published_at);
  if (updated_at !== null) checkTime(record, 'updated_at', updated_at);
}

/** The record's title, its id where the title is blank: both feeds want a title people can see. */
export function itemTitle({ title, id }: RegisterRecord): string {
  return isBlank(title) ? id : title;
}

/** The moments of a record, at the source's own precision. */
interface ItemTimes {
  readonly published: string | null;
  readonly observed: string;
  /** When the current version was recorded; where the source keeps none, when the record was observed. */
  readonly updated: string;
}

/** The times of a record that {@link checkItem} let pass. */
export function itemTimes({ published_at, observed_at, updated_at }: RegisterRecord): ItemTimes {
  return { published: published_at, observed: observed_at, updated: updated_at ?? observed_at };
}

/** What both kinds of feed end an item with: where it comes from, and when. `source` is escaped. */
export function itemEnd(source: string, { published, observed }: ItemTimes): string {
  const issued = published === null ? '' : `<dcterms:issued>${published}</dcterms:issued>\n`;
  return `<dc:source>${source}</dc:source>\n${issued}<register:observedAt>${observed}</register:observedAt>\n`;
}

/** The original source. @throws GazetteError `invalid_record` unless it is an http(s) URL: readers make a link of it. */
export function itemSource(record: RegisterRecord): string {
  return checkUrl(record, 'source_url', record.source_url);
}

/** A record's source in the forms that feeds show it in. */
interface SourceTexts {
  /** As a URI, escaped for an attribute or an element. */
  readonly link: string;
  /** As the record has it, escaped for an element. */
  readonly shown: string;
  /** As the record has it, as a text of HTML, escaped for XML. */
  readonly html: string;
}

/** The original source, checked as {@link itemSource} checks it: escaped once, it serves everywhere. */
export function itemSourceTexts(record: RegisterRecord, replacements?: Replacements): SourceTexts {
  const source: unknown = record.source_url;
  // Nearly all are URIs already: those stand on one line, and `&` is all in them that XML or HTML writes in another way.
  if (typeof source === 'string' && source.startsWith('https://') && source.length > 8 && !NO_URI.test(source)) {
    const first = source.indexOf('&');
    if (first < 0) return { link: source, shown: source, html: source };
    const link = replaceAmpersands(source, first, '&amp;');
    return { link, shown: link, html: replaceAmpersands(source, first, '&amp;amp;') };
  }
  const url = checkUrl(record, 'source_url', source);
  const link = escapeAttribute(toUri(url), replacements);
  return { link, shown: escapeText(url, replacements), html: escapeHtml(url, replacements) };
}

/** Half the time of `replaceAll()`. `first` is where the first one stands. */
function replaceAmpersands(text: string, first: number, reference: string): string {
  let replaced = '';
  let start = 0;
  for (let at = first; at >= 0; at = text.indexOf('&', start)) {
    replaced += text.slice(start, at) + reference;
    start = at + 1;
  }
  return replaced + text.slice(start);
}

/** A text; null where there is nothing to read. */
export function readable(text: string | null): string | null {
  return isBlank(text) ? null : text;
}

/** As {@link XmlWriter.append}: the record's content, which has something to read, as HTML. */
export function appendContent(
  before: string,
  { content_type }: RegisterRecord,
  content: string,
  xml: XmlWriter,
): string {
  return content_type === 'html'
    ? xml.append(before, content, escapeText)
    : xml.append(before + PARAGRAPH, content, escapeHtmlLines) + PARAGRAPH_END;
}

/** The source as a link people can see, in HTML escaped for XML. `html` is {@link SourceTexts.html}. */
export function sourceParagraph(html: string): string {
  return `&lt;p&gt;Source: &lt;a href="${html}"&gt;${html}&lt;/a&gt;&lt;/p&gt;`;
}

/** Whether a text shows nothing: null, empty, or white space alone. */
export function isBlank(text: string | null): boolean {
  if (text === null) return true;
  // Nearly every text begins with something to see, and a record has six of them.
  const first = text.charCodeAt(0);
  return !((first > 0x20 && first < 0x7f) || (first > 0xa0 && first < 0x1680) || /[^\s\u0085]/.test(text));
}

/**
 * A date or date-time as RSS writes it: RFC 822 with four digits of year, in GMT, whole seconds; a bare date is midnight.
 *
 * @param time a valid date or RFC 3339 date-time.
 * @example rfc822('2026-04-17') // 'Fri, 17 Apr 2026 00:00:00 GMT'
 */
export function rfc822(time: string): string {
  if (isDate(time)) return `${rfc822Day(time)} 00:00:00 GMT`;
  if (time.endsWith('Z')) return `${rfc822Day(time)} ${time.slice(11, 19)} GMT`;
  const ms = Date.parse(time);
  if (ms < YEAR_10000_MS) return new Date(ms).toUTCString();
  // The last hours of the last year, west of Greenwich: only there the offset has to stay.
  const [sign, hours, minutes] = [time.at(-6)!, time.slice(-5, -3), time.slice(-2)];
  const local = new Date(ms - (Number(hours) * 60 + Number(minutes)) * MS_PER_MINUTE).toUTCString();
  return local.replace('GMT', `${sign}${hours}${minutes}`);
}

/**
 * A URL in the characters of a URI (RFC 3986 appendix A), as links of feeds need it: validators refuse others. Nearly
 * all are one already.
 */
export function toUri(url: string): string {
  if (!NO_URI.test(url)) return url;
  const href = URL.parse(url)?.href;
  if (href === undefined) return url;
  // Brackets belong in a host alone; the URL standard leaves them, and a few more, where they are.
  const path = href.indexOf('/', href.indexOf('//') + 2);
  return href.slice(0, path) + href.slice(path).replace(ALL_NO_URI, encodeURIComponent);
}

/** Weekday, day, month and year of a text that begins with a date: Sakamoto's method, without a Date. */
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
