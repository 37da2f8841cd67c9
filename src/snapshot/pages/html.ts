// The HTML pages: plain lists that need neither a script nor a separate style sheet. Records are shown as text; their
// content, which may be untrusted HTML, is not shown here.
import { atom } from '../../formats/feeds/atom.ts';
import { rss } from '../../formats/feeds/rss.ts';
import type { Format } from '../../formats/format.ts';
import { escapeAttribute, escapeText } from '../../formats/xml/text.ts';
import type { RegisterDefinition, RegisterRecord } from '../../register/record.ts';
import { CHANGES_FILE, type Ending, HEAD_NAME, OPML_FILE } from './layout.ts';
import { changesTitle, fileUrl, type PageContent, shownDefinition, type SnapshotRegister, urlOf } from './content.ts';

/** A page of records. */
export function pageHtml(register: SnapshotRegister, { place, records }: PageContent): string {
  const definition = shownDefinition(register);
  const link = (ending: Ending, text: string): string =>
    `<a href="${escapeAttribute(fileUrl(register, place.name, ending))}">${text}</a>`;
  const feeds = [
    feedLink(atom, definition.title, fileUrl(register, HEAD_NAME, 'atom')),
    feedLink(rss, definition.title, fileUrl(register, HEAD_NAME, 'rss')),
    feedLink(atom, changesTitle(definition), urlOf(register, CHANGES_FILE)),
  ];
  const others = register.endings
    .filter((ending) => ending !== 'html')
    .map((ending) => link(ending, ending.toUpperCase()));
  const older =
    place.previous === null
      ? ''
      : `<p><a rel="prev" href="${escapeAttribute(fileUrl(register, place.previous, 'html'))}">Older records</a></p>\n`;
  const newest = place.isClosed
    ? `<p><a href="${escapeAttribute(fileUrl(register, HEAD_NAME, 'html'))}">Newest records</a></p>\n`
    : '';
  return document(definition.title, definition.language, feeds.join(''), [
    `<p>${escapeText(definition.description)}</p>\n`,
    `<nav aria-label="Formats"><p>This page as ${others.join(', ')}</p></nav>\n`,
    `<ol reversed start="${place.to}">\n${records.map(item).join('')}</ol>\n`,
    newest + older === '' ? '' : `<nav aria-label="Pages">\n${newest}${older}</nav>\n`,
  ]);
}

/** The list of registers at the root. */
export function registersHtml(
  baseUrl: string,
  registers: readonly { readonly title: string; readonly url: string }[],
): string {
  const items = registers.map(
    ({ title, url }) => `<li><a href="${escapeAttribute(`${url}/${HEAD_NAME}.html`)}">${escapeText(title)}</a></li>\n`,
  );
  return document('Registers', null, '', [
    `<ul>\n${items.join('')}</ul>\n`,
    `<p><a href="${escapeAttribute(`${baseUrl}/${OPML_FILE}`)}">All registers for a feed reader (OPML)</a></p>\n`,
  ]);
}

/** The link from a page to a feed (HTML, 4.6.7.1: the title distinguishes feeds). */
function feedLink({ mediaType }: Format, title: string, url: string): string {
  const type = mediaType.split(';')[0]!;
  return `<link rel="alternate" type="${type}" title="${escapeAttribute(title)}" href="${escapeAttribute(url)}">\n`;
}

function item(record: RegisterRecord): string {
  const { position, source_url, title, id, published_at, observed_at, summary } = record;
  const value = position === null ? '' : ` value="${position}"`;
  const published = published_at === null ? '' : `Published ${time(published_at)}. `;
  const text = summary === null ? '' : `<p>${escapeText(summary)}</p>\n`;
  return (
    `<li${value}><a href="${escapeAttribute(source_url)}">${escapeText(title === '' ? id : title)}</a>\n` +
    `<p>${published}First observed ${time(observed_at)}.</p>\n${text}</li>\n`
  );
}

function time(value: string): string {
  const text = escapeText(value);
  return `<time datetime="${text}">${text}</time>`;
}

function document(
  title: string,
  language: RegisterDefinition['language'],
  head: string,
  main: readonly string[],
): string {
  const shown = escapeText(title);
  // Without a known language there is no attribute: screen readers would use the wrong voice for a wrong one.
  const lang = language === null ? '' : ` lang="${escapeAttribute(language)}"`;
  return `<!DOCTYPE html>
<html${lang}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${shown}</title>
${head}</head>
<body>
<main>
<h1>${shown}</h1>
${main.join('')}</main>
</body>
</html>
`;
}
