// RSS 2.0 (RSS Advisory Board's specification and profile) with the Atom, Dublin Core and content modules, paged as
// RFC 5005 3 says. Deliberately without `author`, which needs an e-mail address, and `dc:date` beside `pubDate`.
import type { Page } from '../register/page.ts';
import { recordUriPrefix } from '../register/identity.ts';
import type { RegisterRecord } from '../register/record.ts';
import { toDateTime } from '../register/time.ts';
import { VERSION } from '../version.ts';
import { checkText, checkTime } from './check-value.ts';
import {
  ATOM_NAMESPACE,
  CONTENT_NAMESPACE,
  DC_NAMESPACE,
  DCTERMS_NAMESPACE,
  DOCUMENT_TYPE_SCHEME,
  FACILITY_SCHEME,
  feedAuthor,
  feedDescription,
  feedId,
  feedTitle,
  feedUpdated,
  isBlank,
  itemContent,
  itemSummary,
  itemTitle,
  itemUri,
  PARAGRAPH,
  PARAGRAPH_END,
  rfc822,
  sourceParagraph,
  toUri,
} from './feed-text.ts';
import type { FeedHead, Format, FormatOptions, Output, Sink } from './format.ts';
import {
  escapeAttribute,
  escapeHtmlLines,
  escapeRssText,
  escapeText,
  optionalAttribute,
  XmlWriter,
} from './xml-text.ts';
import { REGISTER_NAMESPACE } from './xml.ts';

/** The media type without parameters, as links name it. */
const RSS_TYPE = 'application/rss+xml';

/** What the element `docs` points at: the specification this feed follows. */
export const RSS_DOCS = 'https://www.rssboard.org/rss-specification';

/**
 * The RSS writer. `link` of an item is the source; the record's page, where there is one, is its `atom:link` alternate.
 *
 * @throws GazetteError `authority_required` from `open()`; `invalid_record` from `write()` for a date, a source or a
 *   content type that is none.
 * @example for await (const chunk of encode(pages(source), rss, head)) process.stdout.write(chunk);
 */
export const rss: Format = {
  name: 'rss',
  mediaType: `${RSS_TYPE}; charset=utf-8`,
  extension: 'rss',
  http: true,
  open: (out, head, options) => new RssSink(out, head, options),
};

/**
 * What the channel's `link` points at: the page for people, else the feed itself; the permanent id where nothing has an
 * address, since RSS demands the element.
 */
export function channelLink(head: FeedHead): string {
  const { definition, links } = head;
  return toUri(links?.alternate ?? definition.homepage ?? links?.self ?? feedId(head));
}

class RssSink implements Sink {
  readonly #out: Output;
  readonly #xml: XmlWriter;
  readonly #idPrefix: string;
  readonly #recordUrl: FeedHead['recordUrl'];

  constructor(out: Output, head: FeedHead, options: FormatOptions | undefined) {
    this.#out = out;
    this.#xml = new XmlWriter(out, options?.report);
    this.#idPrefix = escapeText(recordUriPrefix(head.definition));
    this.#recordUrl = head.recordUrl;
    this.#xml.end(headXml(head, this.#xml), null);
  }

  write(page: Page): void {
    for (const record of page.records) this.#xml.end(this.#item(record), record.id);
  }

  close(): void {
    this.#out.text('</channel>\n</rss>\n');
  }

  /** Writes an item but for its end, which is answered. */
  #item(record: RegisterRecord): string {
    const xml = this.#xml;
    const uri = itemUri(record);
    const source = record.source_url;
    // A URI has nothing that text and attribute would escape in different ways; escaped once, it serves everywhere.
    const link = escapeAttribute(uri, xml);
    const observed = checkTime(record, 'observed_at', record.observed_at);
    const updated = record.updated_at === null ? observed : checkTime(record, 'updated_at', record.updated_at);
    let text = xml.append('<item>\n<title>', escapeRssText(itemTitle(record), xml));
    text += `</title>
<link>${link}</link>
<guid isPermaLink="false">${this.#idPrefix}${escapeText(checkText(record, 'id', record.id), xml)}</guid>
`;
    let issued = '';
    if (record.published_at !== null) {
      const published = checkTime(record, 'published_at', record.published_at);
      text += `<pubDate>${rfc822(published)}</pubDate>\n`;
      issued = `<dcterms:issued>${published}</dcterms:issued>\n`;
    }
    if (!isBlank(record.author)) {
      text += `<dc:creator>${escapeRssText(checkText(record, 'author', record.author), xml)}</dc:creator>\n`;
    }
    if (!isBlank(record.document_type)) {
      const category = escapeRssText(checkText(record, 'document_type', record.document_type), xml);
      text += `<category domain="${DOCUMENT_TYPE_SCHEME}">${category}</category>\n`;
    }
    if (!isBlank(record.facility_id)) {
      const category = escapeRssText(checkText(record, 'facility_id', record.facility_id), xml);
      text += `<category domain="${FACILITY_SCHEME}">${category}</category>\n`;
    }
    const summary = itemSummary(record);
    const content = itemContent(record, xml);
    text += '<description>';
    if (summary !== null) text = xml.append(text + PARAGRAPH, escapeHtmlLines(summary, xml)) + PARAGRAPH_END;
    // The source stands under whatever is shown last; content:encoded follows a description always.
    if (summary !== null && content === null) text += '\n';
    if (summary === null || content === null) text += sourceParagraph(source, xml);
    text += '</description>\n';
    if (content !== null) {
      text = `${xml.append(`${text}<content:encoded>`, content)}\n${sourceParagraph(source, xml)}</content:encoded>\n`;
    }
    if (this.#recordUrl !== undefined) {
      const page = escapeAttribute(toUri(this.#recordUrl(record)), xml);
      text += `<atom:link rel="alternate" type="text/html" href="${page}"/>\n`;
    }
    return `${text}<atom:link rel="via" href="${link}"/>
<atom:updated>${toDateTime(updated)}</atom:updated>
<dc:source>${uri === source ? link : escapeText(source, xml)}</dc:source>
${issued}<register:observedAt>${observed}</register:observedAt>
</item>
`;
  }
}

/** Everything before the first item. */
function headXml(head: FeedHead, xml: XmlWriter): string {
  const { definition, links } = head;
  const { language, rights } = definition;
  const link = (rel: string, href: string | undefined): string =>
    href === undefined
      ? ''
      : `<atom:link rel="${rel}" type="${RSS_TYPE}" href="${escapeAttribute(toUri(href), xml)}"/>\n`;
  return `<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:atom="${ATOM_NAMESPACE}" xmlns:content="${CONTENT_NAMESPACE}" xmlns:dc="${DC_NAMESPACE}" xmlns:dcterms="${DCTERMS_NAMESPACE}" xmlns:register="${REGISTER_NAMESPACE}"${optionalAttribute('xml:lang', language, xml)}>
<channel>
<title>${escapeRssText(feedTitle(head), xml)}</title>
<link>${escapeText(channelLink(head), xml)}</link>
<description>${escapeRssText(feedDescription(head), xml)}</description>
${language === null ? '' : `<language>${escapeText(language, xml)}</language>\n`}${isBlank(rights) ? '' : `<copyright>${escapeRssText(rights!, xml)}</copyright>\n`}<lastBuildDate>${rfc822(feedUpdated(head))}</lastBuildDate>
<docs>${RSS_DOCS}</docs>
<generator>gazette ${VERSION}</generator>
<atom:id>${escapeText(feedId(head), xml)}</atom:id>
<dc:creator>${escapeRssText(feedAuthor(head), xml)}</dc:creator>
${link('self', links?.self)}${link('first', links?.first)}${link('next', links?.next)}`;
}
