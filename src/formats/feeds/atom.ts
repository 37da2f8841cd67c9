// Atom 1.0 (RFC 4287), paged as in RFC 5005 3. Every id is permanent: if the site moves, no reader shows an entry
// twice. The feed has no stylesheet, because there is a separate page for people.
import { recordUris } from '../../register/identity.ts';
import type { RegisterRecord } from '../../register/record.ts';
import { toDateTime } from '../../register/time.ts';
import { toUri } from '../../register/url.ts';
import { VERSION } from '../../version.ts';
import { appendContent, appendOwnFields, hasOwnFields, sourceParagraph } from './content.ts';
import { type FeedMarkup, FeedSink, type OpenFeed } from './sink.ts';
import {
  ARCHIVE_ELEMENT,
  ATOM_NAMESPACE,
  CATEGORIES,
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
} from './text.ts';
import type { DocumentHead, Format } from '../format.ts';
import { CDATA, CDATA_END, escapeAttribute, escapeText, optionalAttribute } from '../xml/text.ts';
import type { XmlWriter } from '../xml/writer.ts';

/** RFC 6721 2. */
const TOMBSTONE_NAMESPACE = 'http://purl.org/atompub/tombstones/1.0';

/** The media type without parameters, as links name it. */
const ATOM_TYPE = 'application/atom+xml';

/**
 * The Atom writer. Dates keep the source's precision where Atom allows it (`dcterms:issued`, `observedAt`); where Atom
 * requires a time, a bare date is midnight UTC.
 *
 * @throws GazetteError `authority_required` from `open()`; `invalid_record` from `write()` for an invalid date, source
 *   or content type.
 * @example for await (const chunk of encode(pages(source), atom, head)) process.stdout.write(chunk);
 */
export const atom: Format = {
  name: 'atom',
  mediaType: `${ATOM_TYPE}; charset=utf-8`,
  extension: 'atom',
  encoderVersion: VERSION,
  optionNames: [],
  isDated: true,
  open: (out, head, options) => new FeedSink(MARKUP, out, head, options),
};

/** Writes an entry except its end tag, which it returns. */
function entry(record: RegisterRecord, clean: string | null, feed: OpenFeed): string {
  const { xml, uriOf, recordUrl, rows } = feed;
  const { link: via, shown, html } = itemSourceTexts(record, xml);
  const page = recordUrl?.(record);
  const alternate =
    page === undefined ? `href="${via}"` : `type="text/html" href="${escapeAttribute(toUri(page), xml)}"`;
  const times = itemTimes(record);
  let text = xml.append(
    `<entry>\n<id>${escapeText(uriOf(record.id), xml)}</id>\n<title type="text">`,
    itemTitle(record),
    escapeText,
  );
  text += `</title>\n<link rel="alternate" ${alternate}/>\n<link rel="via" href="${via}"/>\n`;
  if (times.published !== null) text += `<published>${toDateTime(times.published)}</published>\n`;
  text += `<updated>${toDateTime(times.updated)}</updated>\n`;
  const author = readable(record.author);
  if (author !== null) text += `<author><name>${escapeText(author, xml)}</name></author>\n`;
  for (const { valueIn, scheme, label } of CATEGORIES) {
    const value = readable(valueIn(record));
    if (value === null) continue;
    const term = escapeAttribute(value, xml);
    text += `<category term="${term}" scheme="${scheme}" label="${label}: ${term}"/>\n`;
  }
  const summary = readable(record.summary);
  const content = readable(record.content);
  if (summary !== null) text = xml.append(`${text}<summary type="text">`, summary, escapeText);
  if (content !== null || hasOwnFields(record, rows)) {
    text += `${summary === null ? '' : '</summary>\n'}<content type="html">${CDATA}`;
    if (content !== null) text = `${appendContent(text, content, clean, xml)}\n`;
    text = `${appendOwnFields(text, record, rows, xml)}${sourceParagraph(html)}${CDATA_END}</content>\n`;
  } else {
    // Readers show only the summary, so the source is added at its end.
    text += summary === null ? '<summary type="text">' : '\n\n';
    text += `Source: ${shown}</summary>\n`;
  }
  return `${text}${itemEnd(shown, times, escapeText(record.key, xml))}</entry>\n`;
}

/** Everything before the first entry: validators read RFC 4287 4.1.1 so that metadata must not follow an entry. */
function headXml(head: DocumentHead, xml: XmlWriter): string {
  const { definition, links } = head;
  const { rights, language } = definition;
  const link = (rel: string, type: string, href: string | undefined): string =>
    href === undefined ? '' : `<link rel="${rel}" type="${type}" href="${escapeAttribute(toUri(href), xml)}"/>\n`;
  return `<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="${ATOM_NAMESPACE}" ${ITEM_NAMESPACES}${optionalAttribute('xml:lang', language, xml)}>
<id>${escapeText(feedId(head), xml)}</id>
<title type="text">${escapeText(feedTitle(head), xml)}</title>
<subtitle type="text">${escapeText(feedDescription(head), xml)}</subtitle>
<updated>${feedUpdated(head)}</updated>
<author><name>${escapeText(feedAuthor(head), xml)}</name></author>
${isBlank(rights) ? '' : `<rights type="text">${escapeText(rights!, xml)}</rights>\n`}<generator version="${VERSION}">gazette</generator>
${link('self', ATOM_TYPE, links?.self)}${link('first', ATOM_TYPE, links?.first)}${link('next', ATOM_TYPE, links?.next)}${link('current', ATOM_TYPE, links?.current)}${link('prev-archive', ATOM_TYPE, links?.prevArchive)}${link('alternate', 'text/html', links?.alternate)}${head.isArchive === true ? ARCHIVE_ELEMENT : ''}${tombstones(head, xml)}`;
}

/** Entries that were removed, by their permanent ids (RFC 6721 2). */
function tombstones({ definition, withdrawn = [] }: DocumentHead, xml: XmlWriter): string {
  const uriOf = recordUris(definition);
  return withdrawn
    .map(({ recordId, at }) => {
      const ref = escapeAttribute(uriOf(recordId), xml);
      return `<at:deleted-entry xmlns:at="${TOMBSTONE_NAMESPACE}" ref="${ref}" when="${at}"/>\n`;
    })
    .join('');
}

const MARKUP: FeedMarkup = { head: headXml, item: entry, end: '</feed>\n' };
