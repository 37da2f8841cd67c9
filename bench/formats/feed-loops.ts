// The bare loops of the feeds: the native writers' elements and escaping, that of links included, written straight into
// blocks, without pages, sink, driver, checks or report.
import { handOver } from './hand-over.ts';
import { type Input, pageAt } from './table.ts';
import type { Contestant, Destination } from '../harness.ts';
import {
  appendContent,
  appendOwnFields,
  appendParagraph,
  type FieldRow,
  fieldRows,
  hasOwnFields,
  sourceParagraph,
} from '../../src/formats/feeds/content.ts';
import { cleanSimpleHtml } from '../../src/formats/feeds/simple-html.ts';
import { CATEGORIES, itemSourceTexts, itemTimes, rfc822 } from '../../src/formats/feeds/text.ts';
import { Blocks } from '../../src/formats/blocks.ts';
import type { Format } from '../../src/formats/format.ts';
import { CDATA, CDATA_END, escapeAttribute, escapeRssText, escapeText } from '../../src/formats/xml/text.ts';
import { XmlWriter } from '../../src/formats/xml/writer.ts';
import { recordUris } from '../../src/register/identity.ts';
import { hasHtml } from '../../src/register/record.ts';
import type { RegisterRecord } from '../../src/register/record.ts';
import { toDateTime } from '../../src/register/time.ts';

const [TYPE, FACILITY] = CATEGORIES;

/** RSS without the seams. */
export function rssLoop(input: Input, format: Format): Contestant {
  const uriOf = recordUris(input.definition);
  return loop(input, format, '</channel>\n</rss>\n', (xml, r, rows) => {
    const { link, shown, html } = itemSourceTexts(r);
    let text = xml.append('<item>\n<title>', r.title, escapeRssText);
    text += `</title>
<link>${link}</link>
<guid isPermaLink="false">${escapeText(uriOf(r.id))}</guid>
`;
    if (r.published_at !== null) text += `<pubDate>${rfc822(r.published_at)}</pubDate>\n`;
    if (r.author !== null) text += `<dc:creator>${escapeRssText(r.author)}</dc:creator>\n`;
    if (r.document_type !== null) {
      text += `<category domain="${TYPE.scheme}">${escapeRssText(r.document_type)}</category>\n`;
    }
    if (r.facility_id !== null) {
      text += `<category domain="${FACILITY.scheme}">${escapeRssText(r.facility_id)}</category>\n`;
    }
    text += `<description>${CDATA}`;
    if (r.summary !== null) text = appendParagraph(text, r.summary, xml);
    if (r.summary !== null && r.content === null) text += '\n';
    if (r.content === null) text = appendOwnFields(text, r, rows, xml);
    if (r.summary === null || r.content === null) text += sourceParagraph(html);
    text += `${CDATA_END}</description>\n`;
    if (r.content !== null) {
      text = `${appendContent(`${text}<content:encoded>${CDATA}`, r.content, cleaned(r), xml)}\n`;
      text = `${appendOwnFields(text, r, rows, xml)}${sourceParagraph(html)}${CDATA_END}</content:encoded>\n`;
    }
    xml.text(`${text}<atom:link rel="via" href="${link}"/>
<atom:updated>${toDateTime(itemTimes(r).updated)}</atom:updated>
<dc:source>${shown}</dc:source>
${r.published_at === null ? '' : `<dcterms:issued>${r.published_at}</dcterms:issued>\n`}<register:observedAt>${r.observed_at}</register:observedAt>
<register:key>${escapeText(r.key)}</register:key>
</item>
`);
  });
}

/** Atom without the seams. */
export function atomLoop(input: Input, format: Format): Contestant {
  const uriOf = recordUris(input.definition);
  return loop(input, format, '</feed>\n', (xml, r, rows) => {
    const { link: via, shown, html } = itemSourceTexts(r);
    let text = xml.append(`<entry>\n<id>${escapeText(uriOf(r.id))}</id>\n<title type="text">`, r.title, escapeText);
    text += `</title>\n<link rel="alternate" href="${via}"/>\n<link rel="via" href="${via}"/>\n`;
    if (r.published_at !== null) text += `<published>${toDateTime(r.published_at)}</published>\n`;
    text += `<updated>${toDateTime(itemTimes(r).updated)}</updated>\n`;
    if (r.author !== null) text += `<author><name>${escapeText(r.author)}</name></author>\n`;
    if (r.document_type !== null) {
      const term = escapeAttribute(r.document_type);
      text += `<category term="${term}" scheme="${TYPE.scheme}" label="${TYPE.label}: ${term}"/>\n`;
    }
    if (r.facility_id !== null) {
      const term = escapeAttribute(r.facility_id);
      text += `<category term="${term}" scheme="${FACILITY.scheme}" label="${FACILITY.label}: ${term}"/>\n`;
    }
    if (r.summary !== null) text = xml.append(`${text}<summary type="text">`, r.summary, escapeText);
    if (r.content !== null || hasOwnFields(r, rows)) {
      text += `${r.summary === null ? '' : '</summary>\n'}<content type="html">${CDATA}`;
      if (r.content !== null) text = `${appendContent(text, r.content, cleaned(r), xml)}\n`;
      text = `${appendOwnFields(text, r, rows, xml)}${sourceParagraph(html)}${CDATA_END}</content>\n`;
    } else {
      text += r.summary === null ? '<summary type="text">' : '\n\n';
      text += `Source: ${shown}</summary>\n`;
    }
    xml.text(`${text}<dc:source>${shown}</dc:source>
${r.published_at === null ? '' : `<dcterms:issued>${r.published_at}</dcterms:issued>\n`}<register:observedAt>${r.observed_at}</register:observedAt>
<register:key>${escapeText(r.key)}</register:key>
</entry>
`);
  });
}

/** The record's content if it is HTML; this register's needs no parser. */
function cleaned(record: RegisterRecord): string | null {
  return hasHtml(record) ? cleanSimpleHtml(record.content, record.source_url)! : null;
}

function loop(
  input: Input,
  format: Format,
  foot: string,
  write: (xml: XmlWriter, record: RegisterRecord, rows: readonly FieldRow[]) => void,
): Contestant {
  return {
    name: 'bare loop',
    role: 'bare loop',
    version: null,
    note: 'the same escaping in one synchronous loop; the head is the writer’s own',
    run(out: Destination, index: number) {
      const blocks = new Blocks();
      // Every page has a head of its own, and a format writes it when it is opened.
      format.open(blocks, input.head);
      const xml = new XmlWriter(blocks, undefined);
      const rows = fieldRows(input.definition, xml);
      for (const record of pageAt(input, index).records) write(xml, record, rows);
      xml.text(foot);
      handOver(blocks, out, true);
    },
  };
}
