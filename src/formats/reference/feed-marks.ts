// Carries texts through the package `feed` unchanged. The package escapes some texts twice and some not at all, and
// loses CR. Therefore characters with a meaning in XML are replaced by control characters, which no text contains at
// that point, and these are turned into references afterwards.
import { TABLE_FIELDS } from '../../register/fields.ts';
import { hasHtml, type RegisterDefinition, type RegisterRecord } from '../../register/record.ts';
import { isHttpUrl, toUri } from '../../register/url.ts';
import { anyCellOf } from '../cell.ts';
import type { CleanHtml } from '../feeds/html-policy.ts';
import { isBlank, readable } from '../feeds/text.ts';
import { replaceForbidden, type Replacements } from '../xml/text.ts';

/** Each mark, and the markup it becomes in the finished document. */
const MARKUP: Readonly<Record<string, string>> = {
  '\u0001': '&amp;',
  '\u0002': '&lt;',
  '\u0003': '&gt;',
  '\u0004': '&quot;',
  '\u0005': '&#13;',
  '\u0006': '&#10;',
  '\u0007': '&#9;',
  // A CDATA section can contain neither references nor its own end mark: both need it to be closed and reopened.
  '\u000e': ']]>&#13;<![CDATA[',
  '\u000f': ']]]]><![CDATA[>',
};

const TEXT_MARKS: Readonly<Record<string, string>> = {
  '&': '\u0001',
  '<': '\u0002',
  '>': '\u0003',
  '\r': '\u0005',
};

const ATTRIBUTE_MARKS: Readonly<Record<string, string>> = {
  ...TEXT_MARKS,
  '"': '\u0004',
  '\n': '\u0006',
  '\t': '\u0007',
};

/** Marks a text that the package writes as an element's text. */
export function markText(text: string, replacements: Replacements): string {
  return clean(text, replacements).replace(/[&<>\r]/g, (character) => TEXT_MARKS[character]!);
}

/** Marks a text that the package writes as an attribute's value. */
export function markAttribute(text: string, replacements: Replacements): string {
  return clean(text, replacements).replace(/[&<>\r"\n\t]/g, (character) => ATTRIBUTE_MARKS[character]!);
}

/** Marks a text that the package writes as a CDATA section. */
export function markCdata(text: string, replacements: Replacements): string {
  return clean(text, replacements).replaceAll(']]>', '\u000f').replaceAll('\r', '\u000e');
}

/** Text as HTML, which must be marked like any other text. */
export function toHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Like {@link toHtml}, as a paragraph, with a `<br>` before the characters of every line break. */
export function toHtmlParagraph(text: string): string {
  return `<p>${toHtmlLines(text)}</p>`;
}

function toHtmlLines(text: string): string {
  return toHtml(text).replace(/\r\n|\r|\n/g, (lineBreak) => `<br>${lineBreak}`);
}

/** The source as a visible link. */
export function sourceHtml(source: string): string {
  const url = quoted(source);
  return `<p>Source: <a href="${url}">${url}</a></p>`;
}

/** A record's content as HTML; null if it is blank. NUL, which the cleaner drops, is noted as replaced. */
export function contentHtml(record: RegisterRecord, cleanHtml: CleanHtml | null, noted: Replacements): string | null {
  const content = readable(record.content);
  if (content === null) return null;
  if (!hasHtml(record)) return toHtmlParagraph(content);
  if (content.includes('\0')) noted.isReplaced = true;
  return cleanHtml!(content.replaceAll('\0', '\ufffd'), record.source_url);
}

/** The record's own fields as a table, in one line each; empty if none has a value that people can see. */
export function ownFieldsHtml(record: RegisterRecord, { fields }: RegisterDefinition): string[] {
  const rows = [...TABLE_FIELDS, ...fields].flatMap((field) => {
    const cell = anyCellOf(record, field);
    const text = cell === null ? '' : String(cell);
    if (isBlank(text)) return [];
    const isLink = field.type === 'url' && typeof cell === 'string' && isHttpUrl(text);
    const value = isLink ? `<a href="${quoted(toUri(text))}">${quoted(text)}</a>` : toHtmlLines(text);
    return [
      `<tr><th scope="row">${quoted(isBlank(field.label) ? field.name : field.label)}</th><td>${value}</td></tr>`,
    ];
  });
  return rows.length === 0 ? [] : ['<table>', ...rows, '</table>'];
}

function quoted(text: string): string {
  return toHtml(text).replaceAll('"', '&quot;');
}

/** Turns the marks in the package's document into markup. */
export function resolveMarks(document: string): string {
  return `${document.replace(/[\u0001-\u0007\u000e\u000f]/g, (mark) => MARKUP[mark]!)}\n`;
}

function clean(text: string, replacements: Replacements): string {
  if (!text.isWellFormed()) replacements.isReplaced = true;
  return replaceForbidden(text, replacements);
}
