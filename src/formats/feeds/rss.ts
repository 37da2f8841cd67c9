// RSS 2.0 (the RSS Advisory Board's specification and profile) with the Atom, Dublin Core and content modules, paged as
// in RFC 5005 3. Deliberately without `author`, which needs an e-mail address, and without `dc:date` next to `pubDate`.
import { feedUri } from '../../register/identity.ts';
import type { RegisterRecord } from '../../register/record.ts';
import { toDateTime } from '../../register/time.ts';
import { toUri } from '../../register/url.ts';
import { VERSION } from '../../version.ts';
import { appendContent, appendOwnFields, appendParagraph, sourceParagraph } from './content.ts';
import { type FeedMarkup, FeedSink, type OpenFeed } from './sink.ts';
import {
  ARCHIVE_ELEMENT,
  ATOM_NAMESPACE,
  CATEGORIES,
  CONTENT_NAMESPACE,
  feedAuthor,
  feedDescription,
  feedId,
  feedTitle,
  feedUpdated,
  isBlank,
  ITEM_NAMESPACES,
  itemEnd,
  itemSourceTexts,
  itemTimes,
  itemTitle,
  readable,
  rfc822,
} from './text.ts';
import type { DocumentHead, Format } from '../format.ts';
import { CDATA, CDATA_END, escapeAttribute, escapeRssText, escapeText, optionalAttribute } from '../xml/text.ts';
import type { XmlWriter } from '../xml/writer.ts';

/** The media type without parameters, as links name it. */
const RSS_TYPE = 'application/rss+xml';

/** The URL in the element `docs`: the specification that this feed follows. */
export const RSS_DOCS = 'https://www.rssboard.org/rss-specification';

/**
 * The RSS writer. An item's `link` is the source; the record's page, if it has one, is the `atom:link` alternate.
 *
 * @throws GazetteError `authority_required` from `open()`; `invalid_record` from `write()` for an invalid date, source
 *   or content type.
 * @example for await (const chunk of encode(pages(source), rss, head)) process.stdout.write(chunk);
 */
export const rss: Format = {
  name: 'rss',
  mediaType: `${RSS_TYPE}; charset=utf-8`,
  extension: 'rss',
  encoderVersion: VERSION,
  optionNames: [],
  isDated: true,
  open: (out, head, options) => new FeedSink(MARKUP, out, head, options),
};

/**
 * The URL of the channel's `link`: the page for people if there is one, else the register, else the feed itself, else the
 * authority, which is the publisher's domain. RSS requires one that begins with a registered scheme, so a register that
 * has none of these uses its permanent id.
 */
export function channelLink({ definition, links }: DocumentHead): string {
  const { authority, homepage } = definition;
  const known = links?.alternate ?? homepage ?? links?.list ?? links?.self;
  if (known !== undefined) return toUri(known);
  return authority === null ? feedUri(definition) : `https://${authority.replace(/^.*@/, '')}/`;
}

/** Writes an item except its end tag, which it returns. */
function item(record: RegisterRecord, clean: string | null, feed: OpenFeed): string {
  const { xml, uriOf, recordUrl, rows } = feed;
  const { link, shown, html } = itemSourceTexts(record, xml);
  const times = itemTimes(record);
  let text = xml.append('<item>\n<title>', itemTitle(record), escapeRssText);
  text += `</title>
<link>${link}</link>
<guid isPermaLink="false">${escapeText(uriOf(record.id), xml)}</guid>
`;
  if (times.published !== null) text += `<pubDate>${rfc822(times.published)}</pubDate>\n`;
  const author = readable(record.author);
  if (author !== null) text += `<dc:creator>${escapeRssText(author, xml)}</dc:creator>\n`;
  for (const { valueIn, scheme } of CATEGORIES) {
    const value = readable(valueIn(record));
    if (value !== null) text += `<category domain="${scheme}">${escapeRssText(value, xml)}</category>\n`;
  }
  const summary = readable(record.summary);
  const content = readable(record.content);
  text += `<description>${CDATA}`;
  if (summary !== null) text = appendParagraph(text, summary, xml);
  // The own fields and the source are shown below the last text; content:encoded always follows a description.
  if (content === null) text = appendOwnFields(summary === null ? text : `${text}\n`, record, rows, xml);
  if (summary === null || content === null) text += sourceParagraph(html);
  text += `${CDATA_END}</description>\n`;
  if (content !== null) {
    text = `${appendContent(`${text}<content:encoded>${CDATA}`, content, clean, xml)}\n`;
    text = `${appendOwnFields(text, record, rows, xml)}${sourceParagraph(html)}${CDATA_END}</content:encoded>\n`;
  }
  if (recordUrl !== undefined) {
    const page = escapeAttribute(toUri(recordUrl(record)), xml);
    text += `<atom:link rel="alternate" type="text/html" href="${page}"/>\n`;
  }
  return `${text}<atom:link rel="via" href="${link}"/>
<atom:updated>${toDateTime(times.updated)}</atom:updated>
${itemEnd(shown, times, escapeText(record.key, xml))}</item>
`;
}

/** Everything before the first item. */
function headXml(head: DocumentHead, xml: XmlWriter): string {
  const { definition, links } = head;
  const { language, rights } = definition;
  const link = (rel: string, href: string | undefined): string =>
    href === undefined
      ? ''
      : `<atom:link rel="${rel}" type="${RSS_TYPE}" href="${escapeAttribute(toUri(href), xml)}"/>\n`;
  return `<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:atom="${ATOM_NAMESPACE}" xmlns:content="${CONTENT_NAMESPACE}" ${ITEM_NAMESPACES}${optionalAttribute('xml:lang', language, xml)}>
<channel>
<title>${escapeRssText(feedTitle(head), xml)}</title>
<link>${escapeText(channelLink(head), xml)}</link>
<description>${escapeRssText(feedDescription(head), xml)}</description>
${language === null ? '' : `<language>${escapeText(language, xml)}</language>\n`}${isBlank(rights) ? '' : `<copyright>${escapeRssText(rights!, xml)}</copyright>\n`}<lastBuildDate>${rfc822(feedUpdated(head))}</lastBuildDate>
<docs>${RSS_DOCS}</docs>
<generator>gazette ${VERSION}</generator>
<atom:id>${escapeText(feedId(head), xml)}</atom:id>
<dc:creator>${escapeRssText(feedAuthor(head), xml)}</dc:creator>
${link('self', links?.self)}${link('first', links?.first)}${link('next', links?.next)}${link('current', links?.current)}${link('prev-archive', links?.prevArchive)}${head.isArchive === true ? ARCHIVE_ELEMENT : ''}`;
}

const MARKUP: FeedMarkup = { head: headXml, item, end: '</channel>\n</rss>\n' };
