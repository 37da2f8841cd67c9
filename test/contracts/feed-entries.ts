// RSS and Atom read back into one shape by saxes (by feedsmith in test/conformance), and what that shape must be for a record.
import { cleanHtml } from '../../src/formats/feeds/clean-html.ts';
import { recordUri } from '../../src/register/identity.ts';
import { canonicalJson } from '../../src/register/canonical-json.ts';
import type { DocumentHead } from '../../src/formats/format.ts';
import { isHttpUrl, toUri } from '../../src/register/url.ts';
import type { RegisterRecord } from '../../src/register/record.ts';
import { placeOf } from './uri.ts';
import { carried, childOf, childrenOf, parseXml, textOf, type XmlElement } from './xml-tree.ts';

export const ATOM = '{http://www.w3.org/2005/Atom}';
export const DC = '{http://purl.org/dc/elements/1.1/}';
export const DCTERMS = '{http://purl.org/dc/terms/}';
export const CONTENT = '{http://purl.org/rss/1.0/modules/content/}';
export const REGISTER = '{urn:gazette:register:1}';

/** The domain or scheme of the categories. */
export const DOCUMENT_TYPE = 'urn:gazette:scheme:document-type';
export const FACILITY = 'urn:gazette:scheme:facility';

/** What a reader finds in an item or entry. Instants are milliseconds since 1970. */
export interface ReadEntry {
  readonly id: string | undefined;
  readonly title: string | undefined;
  /** What a reader opens on a click: RSS `link`, Atom `alternate`. */
  readonly link: string | undefined;
  readonly via: string | undefined;
  readonly source: string | undefined;
  readonly published: number | null;
  readonly issued: string | null;
  readonly updated: number | null;
  /** As it is written; undefined from feedsmith, which does not know the vocabulary. */
  readonly observed?: string | null | undefined;
  /** As `observed`. */
  readonly key?: string | null | undefined;
  readonly author: string | null;
  readonly documentType: string | null;
  readonly facility: string | null;
  /** RSS: HTML. Atom: text. */
  readonly summary: string | null;
  /** HTML. */
  readonly content: string | null;
}

/** A reader of one format's documents. */
export type EntryReader = (document: Buffer) => ReadEntry[];

export const readRssWithSaxes: EntryReader = (document) =>
  childrenOf(childOf(parseXml(document), 'channel')!, 'item').map((item) => ({
    id: textOf(item, 'guid') ?? undefined,
    title: textOf(item, 'title') ?? undefined,
    link: textOf(item, 'link') ?? undefined,
    via: linkOf(item, 'via'),
    source: textOf(item, `${DC}source`) ?? undefined,
    published: rfc822Instant(textOf(item, 'pubDate')),
    issued: textOf(item, `${DCTERMS}issued`),
    updated: instant(textOf(item, `${ATOM}updated`)),
    observed: textOf(item, `${REGISTER}observedAt`),
    key: textOf(item, `${REGISTER}key`),
    author: textOf(item, `${DC}creator`),
    documentType:
      childrenOf(item, 'category').find(({ attributes }) => attributes.domain === DOCUMENT_TYPE)?.text ?? null,
    facility: childrenOf(item, 'category').find(({ attributes }) => attributes.domain === FACILITY)?.text ?? null,
    summary: textOf(item, 'description'),
    content: textOf(item, `${CONTENT}encoded`),
  }));

export const readAtomWithSaxes: EntryReader = (document) =>
  childrenOf(parseXml(document), `${ATOM}entry`).map((entry) => {
    const author = childOf(entry, `${ATOM}author`);
    const categories = childrenOf(entry, `${ATOM}category`);
    const termOf = (scheme: string): string | null =>
      categories.find(({ attributes }) => attributes.scheme === scheme)?.attributes.term ?? null;
    return {
      id: textOf(entry, `${ATOM}id`) ?? undefined,
      title: textOf(entry, `${ATOM}title`) ?? undefined,
      link: linkOf(entry, 'alternate'),
      via: linkOf(entry, 'via'),
      source: textOf(entry, `${DC}source`) ?? undefined,
      published: instant(textOf(entry, `${ATOM}published`)),
      issued: textOf(entry, `${DCTERMS}issued`),
      updated: instant(textOf(entry, `${ATOM}updated`)),
      observed: textOf(entry, `${REGISTER}observedAt`),
      key: textOf(entry, `${REGISTER}key`),
      author: author === null ? null : textOf(author, `${ATOM}name`),
      documentType: termOf(DOCUMENT_TYPE),
      facility: termOf(FACILITY),
      summary: textOf(entry, `${ATOM}summary`),
      content: textOf(entry, `${ATOM}content`),
    };
  });

/** What every reader must find for a record, but for white space at both ends, which some readers cut. */
export function expectedEntry(format: 'rss' | 'atom', head: DocumentHead, record: RegisterRecord): ReadEntry {
  const { definition } = head;
  const source = carried(record.source_url);
  const summary = shown(record.summary) ? record.summary : null;
  const content = shown(record.content) ? record.content : null;
  const link = format === 'atom' ? (head.recordUrl?.(record) ?? record.source_url) : record.source_url;
  const url = quoted(source);
  const sourceHtml = `<p>Source: <a href="${url}">${url}</a></p>`;
  const own = ownFields(record, head);
  const parts: string[] = [];
  if (format === 'rss') {
    if (summary !== null) parts.push(paragraph(summary));
    if (content === null) parts.push(...own);
    if (summary === null || content === null) parts.push(sourceHtml);
  } else {
    if (summary !== null) parts.push(carried(summary));
    if (content === null && own.length === 0) parts.push(`${summary === null ? '' : '\n'}Source: ${source}`);
  }
  const shownContent = [...(content === null ? [] : [contentHtml(record, content)]), ...own, sourceHtml].join('\n');
  return {
    id: recordUri(definition, record.id),
    title: shown(record.title) ? carried(record.title) : record.id,
    link: new URL(link).href,
    via: new URL(record.source_url).href,
    source,
    published: record.published_at === null ? null : Date.parse(record.published_at),
    issued: record.published_at,
    updated: updatedAt(record),
    observed: record.observed_at,
    key: carried(record.key),
    author: textOrNull(record.author),
    documentType: textOrNull(record.document_type),
    facility: textOrNull(record.facility_id),
    summary: parts.length === 0 ? null : parts.join('\n'),
    content: content === null && (format === 'rss' || own.length === 0) ? null : shownContent,
  };
}

/** The content as HTML. What cleaning does to it is tested by itself. */
function contentHtml({ content_type, source_url }: RegisterRecord, content: string): string {
  return content_type === 'html'
    ? carried(cleanHtml(content.replaceAll('\0', '\ufffd'), source_url))
    : paragraph(content);
}

/** The lines of the table of the record's own fields; none if there is nothing to show. */
function ownFields({ data }: RegisterRecord, { definition }: DocumentHead): string[] {
  const rows = definition.fields.flatMap(({ name, label, type }) => {
    const value = Object.hasOwn(data, name) ? data[name] : null;
    if (value === null || value === undefined) return [];
    const text = type === 'json' || typeof value === 'object' ? canonicalJson(value) : String(value);
    if (!shown(text)) return [];
    const cell =
      type === 'url' && isHttpUrl(text) ? `<a href="${quoted(toUri(text))}">${quoted(carried(text))}</a>` : lines(text);
    return [`<tr><th scope="row">${quoted(carried(shown(label) ? label : name))}</th><td>${cell}</td></tr>`];
  });
  return rows.length === 0 ? [] : ['<table>', ...rows, '</table>'];
}

function quoted(text: string): string {
  return html(text).replaceAll('"', '&quot;');
}

/** An entry in the form in which readers can be compared: URLs normalised, texts without white space at their ends. */
export function comparable(entry: ReadEntry, secondsOnly: boolean): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries<string | number | null | undefined>({ ...entry }).map(([name, value]): [string, unknown] => {
      if (typeof value === 'number')
        return [name, name === 'published' && secondsOnly ? Math.floor(value / 1000) : value];
      if (typeof value !== 'string') return [name, value];
      return [name, name === 'link' || name === 'via' ? placeOf(value) : value.trim()];
    }),
  );
}

/** When an entry was updated: the observation in version 1, then the later of update and observation. */
export function updatedAt({ version, observed_at, updated_at }: RegisterRecord): number {
  const observed = Date.parse(observed_at);
  return version === 1 || updated_at === null ? observed : Math.max(observed, Date.parse(updated_at));
}

/** Whether the package `feed` would write a year of five digits: it turns dates into UTC with Date, whose years go on. */
export function isBeyond9999(record: RegisterRecord): boolean {
  const times = [record.published_at, record.updated_at, record.observed_at];
  return times.some((time) => time !== null && Date.parse(time) >= Date.UTC(10_000, 0));
}

/** Whether a text shows anything at all. */
export function shown(text: string | null): boolean {
  return text !== null && text.replaceAll('\u0085', ' ').trim() !== '';
}

/** The href of the only Atom link of this relation. */
export function linkOf(element: XmlElement, rel: string): string | undefined {
  const links = childrenOf(element, `${ATOM}link`).filter(({ attributes }) => (attributes.rel ?? 'alternate') === rel);
  if (links.length > 1) throw new Error(`${element.name} has ${links.length} links ${rel}`);
  return links[0]?.attributes.href;
}

function textOrNull(text: string | null): string | null {
  return shown(text) ? carried(text!) : null;
}

/** Milliseconds since 1970, of a time of RFC 3339. */
export function instant(text: string | null): number | null {
  return text === null ? null : Date.parse(text);
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const RFC_822 =
  /^(Sun|Mon|Tue|Wed|Thu|Fri|Sat), (\d\d) ([A-Z][a-z]{2}) (\d{4}) (\d\d):(\d\d):(\d\d) (?:GMT|([+-])(\d\d)(\d\d))$/;

/** The instant of an RFC 822 date with four digits of year; throws when it is malformed or names the wrong weekday. */
export function rfc822Instant(text: string | null): number | null {
  if (text === null) return null;
  const match = RFC_822.exec(text);
  if (match === null) throw new Error(`not an RFC 822 date: ${text}`);
  const [, weekday, day, month, year, hour, minute, second, sign, offsetHours = '0', offsetMinutes = '0'] = match;
  const date = new Date(0);
  date.setUTCFullYear(Number(year), MONTHS.indexOf(month!), Number(day));
  if (date.getUTCDate() !== Number(day)) throw new Error(`no such day: ${text}`);
  if (!date.toUTCString().startsWith(weekday!)) throw new Error(`wrong weekday: ${text}`);
  date.setUTCHours(Number(hour), Number(minute), Number(second));
  const offset = (Number(offsetHours) * 60 + Number(offsetMinutes)) * 60_000;
  return date.getTime() - (sign === '-' ? -offset : offset);
}

/** Text as HTML. */
export function html(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function paragraph(text: string): string {
  return `<p>${lines(text)}</p>`;
}

function lines(text: string): string {
  return html(carried(text))
    .split(/(?=\r\n|(?<!\r)\n|\r(?!\n))/)
    .join('<br>')
    .replace(/^(?=[\r\n])/, '<br>');
}
