// Atom 1.0 (RFC 4287), paged as RFC 5005 3 says. Every id is permanent: moving the site shows no reader anything twice.
// No stylesheet: a page for people stands beside the feed.
import type { Page } from '../register/page.ts';
import { recordUriPrefix } from '../register/identity.ts';
import type { RegisterRecord } from '../register/record.ts';
import { toDateTime } from '../register/time.ts';
import { VERSION } from '../version.ts';
import { checkText, checkTime } from './check-value.ts';
import {
  ATOM_NAMESPACE,
  DC_NAMESPACE,
  DCTERMS_NAMESPACE,
  DOCUMENT_TYPE_LABEL,
  DOCUMENT_TYPE_SCHEME,
  FACILITY_LABEL,
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
  sourceParagraph,
  toUri,
} from './feed-text.ts';
import type { FeedHead, Format, FormatOptions, Output, Sink } from './format.ts';
import { escapeAttribute, escapeText, optionalAttribute, XmlWriter } from './xml-text.ts';
import { REGISTER_NAMESPACE } from './xml.ts';

/** The media type without parameters, as links name it. */
const ATOM_TYPE = 'application/atom+xml';

/**
 * The Atom writer. Dates keep the source's own precision where they may (`dcterms:issued`, `observedAt`); where Atom
 * demands a time, a bare date is midnight UTC.
 *
 * @throws GazetteError `authority_required` from `open()`; `invalid_record` from `write()` for a date, a source or a
 *   content type that is none.
 * @example for await (const chunk of encode(pages(source), atom, head)) process.stdout.write(chunk);
 */
export const atom: Format = {
  name: 'atom',
  mediaType: `${ATOM_TYPE}; charset=utf-8`,
  extension: 'atom',
  http: true,
  open: (out, head, options) => new AtomSink(out, head, options),
};

class AtomSink implements Sink {
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
    for (const record of page.records) this.#xml.end(this.#entry(record), record.id);
  }

  close(): void {
    this.#out.text('</feed>\n');
  }

  /** Writes an entry but for its end, which is answered. */
  #entry(record: RegisterRecord): string {
    const xml = this.#xml;
    const uri = itemUri(record);
    const source = record.source_url;
    const via = escapeAttribute(uri, xml);
    // A URI has nothing that text and attribute would escape in different ways.
    const shownSource = uri === source ? via : escapeText(source, xml);
    const page = this.#recordUrl?.(record);
    const alternate =
      page === undefined ? `href="${via}"` : `type="text/html" href="${escapeAttribute(toUri(page), xml)}"`;
    const observed = checkTime(record, 'observed_at', record.observed_at);
    const updated = record.updated_at === null ? observed : checkTime(record, 'updated_at', record.updated_at);
    let text = xml.append(
      `<entry>\n<id>${this.#idPrefix}${escapeText(checkText(record, 'id', record.id), xml)}</id>\n<title type="text">`,
      escapeText(itemTitle(record), xml),
    );
    text += `</title>\n<link rel="alternate" ${alternate}/>\n<link rel="via" href="${via}"/>\n`;
    let issued = '';
    if (record.published_at !== null) {
      const published = checkTime(record, 'published_at', record.published_at);
      text += `<published>${toDateTime(published)}</published>\n`;
      issued = `<dcterms:issued>${published}</dcterms:issued>\n`;
    }
    text += `<updated>${toDateTime(updated)}</updated>\n`;
    if (!isBlank(record.author)) {
      text += `<author><name>${escapeText(checkText(record, 'author', record.author), xml)}</name></author>\n`;
    }
    if (!isBlank(record.document_type)) {
      const term = escapeAttribute(checkText(record, 'document_type', record.document_type), xml);
      text += `<category term="${term}" scheme="${DOCUMENT_TYPE_SCHEME}" label="${DOCUMENT_TYPE_LABEL}: ${term}"/>\n`;
    }
    if (!isBlank(record.facility_id)) {
      const term = escapeAttribute(checkText(record, 'facility_id', record.facility_id), xml);
      text += `<category term="${term}" scheme="${FACILITY_SCHEME}" label="${FACILITY_LABEL}: ${term}"/>\n`;
    }
    const summary = itemSummary(record);
    const content = itemContent(record, xml);
    if (summary !== null) text = xml.append(`${text}<summary type="text">`, escapeText(summary, xml));
    if (content !== null) {
      text = xml.append(`${text}${summary === null ? '' : '</summary>\n'}<content type="html">`, content);
      text += `\n${sourceParagraph(source, xml)}</content>\n`;
    } else {
      // Nothing but the summary is shown: the source stands at its end.
      text += summary === null ? '<summary type="text">' : '\n\n';
      text += `Source: ${shownSource}</summary>\n`;
    }
    return `${text}<dc:source>${shownSource}</dc:source>
${issued}<register:observedAt>${observed}</register:observedAt>
</entry>
`;
  }
}

/** Everything before the first entry: metadata may not follow it, as validators read RFC 4287 4.1.1. */
function headXml(head: FeedHead, xml: XmlWriter): string {
  const { definition, links } = head;
  const { rights, language } = definition;
  const link = (rel: string, type: string, href: string | undefined): string =>
    href === undefined ? '' : `<link rel="${rel}" type="${type}" href="${escapeAttribute(toUri(href), xml)}"/>\n`;
  return `<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="${ATOM_NAMESPACE}" xmlns:dc="${DC_NAMESPACE}" xmlns:dcterms="${DCTERMS_NAMESPACE}" xmlns:register="${REGISTER_NAMESPACE}"${optionalAttribute('xml:lang', language, xml)}>
<id>${escapeText(feedId(head), xml)}</id>
<title type="text">${escapeText(feedTitle(head), xml)}</title>
<subtitle type="text">${escapeText(feedDescription(head), xml)}</subtitle>
<updated>${feedUpdated(head)}</updated>
<author><name>${escapeText(feedAuthor(head), xml)}</name></author>
${isBlank(rights) ? '' : `<rights type="text">${escapeText(rights!, xml)}</rights>\n`}<generator version="${VERSION}">gazette</generator>
${link('self', ATOM_TYPE, links?.self)}${link('first', ATOM_TYPE, links?.first)}${link('next', ATOM_TYPE, links?.next)}${link('alternate', 'text/html', links?.alternate)}`;
}
