// The HTML of an item in both feeds: the record's content, its own fields as a table, and the source. It stands in CDATA sections.
import { TABLE_FIELDS } from '../../register/fields.ts';
import type { Field, RegisterDefinition, RegisterRecord } from '../../register/record.ts';
import { isHttpUrl, toUri } from '../../register/url.ts';
import { anyCellOf, type Cell } from '../cell.ts';
import { numberText } from '../number-text.ts';
import { escapeCdata, escapeHtml, escapeHtmlLines, type Replacements, utf8 } from '../xml/text.ts';
import type { XmlWriter } from '../xml/writer.ts';
import type { CleanHtml } from './html-policy.ts';
import { isBlank } from './text.ts';

const NUL = '\0';

/** A field of the table below an item's text, with the markup before its value. */
export interface FieldRow {
  readonly field: Field;
  /** In the first row of a table. */
  readonly first: Uint8Array<ArrayBuffer>;
  /** In every other row. */
  readonly next: Uint8Array<ArrayBuffer>;
}

/** The rows of that table: the core fields that have no place of their own, and the register's own. Encoded once for all records. */
export function fieldRows({ fields }: RegisterDefinition, xml: XmlWriter): readonly FieldRow[] {
  return [...TABLE_FIELDS, ...fields].map((field) => {
    const label = escapeHtml(isBlank(field.label) ? field.name : field.label, xml);
    const row = `<tr><th scope="row">${label}</th><td>`;
    return { field, first: utf8(`<table>\n${row}`), next: utf8(`</td></tr>\n${row}`) };
  });
}

/**
 * Whether the record has a value in one of these fields that people can see.
 *
 * @throws GazetteError `invalid_record` for a value that JSON cannot carry.
 */
export function hasOwnFields(record: RegisterRecord, rows: readonly FieldRow[]): boolean {
  for (const { field } of rows) if (isShown(anyCellOf(record, field))) return true;
  return false;
}

/**
 * Like {@link XmlWriter.append}, for the table of the record's own fields, with a line break after it; without a value there
 * is no table.
 *
 * @throws GazetteError `invalid_record` for a value that JSON cannot carry.
 */
export function appendOwnFields(
  before: string,
  record: RegisterRecord,
  rows: readonly FieldRow[],
  xml: XmlWriter,
): string {
  let isFirst = true;
  for (const { field, first, next } of rows) {
    const cell = anyCellOf(record, field);
    if (!isShown(cell)) continue;
    if (isFirst) xml.text(before);
    xml.markup(isFirst ? first : next);
    writeCell(field, cell, xml);
    isFirst = false;
  }
  return isFirst ? before : '</td></tr>\n</table>\n';
}

function isShown(cell: Cell): boolean {
  return typeof cell === 'string' ? !isBlank(cell) : cell !== null;
}

function writeCell({ type }: Field, cell: Cell, xml: XmlWriter): void {
  if (type === 'url' && typeof cell === 'string' && isHttpUrl(cell)) {
    xml.text(link(escapeHtml(toUri(cell), xml), escapeHtml(cell, xml)));
  } else {
    xml.escaped(typeof cell === 'number' ? numberText(cell) : String(cell), escapeHtmlLines);
  }
}

/** The record's HTML by way of a parser. NUL is replaced before, since a parser drops it and what is dropped is not counted. */
export function parsedHtml(html: string, base: string, cleanHtml: CleanHtml, replacements: Replacements): string {
  if (!html.includes(NUL)) return cleanHtml(html, base);
  replacements.isReplaced = true;
  return cleanHtml(html.replaceAll(NUL, '\ufffd'), base);
}

/** Like {@link XmlWriter.append}, for the record's content. `html` is its HTML, or null if it is plain text. */
export function appendContent(before: string, content: string, html: string | null, xml: XmlWriter): string {
  // The cleaner leaves no `]]>`: it writes every `>` of a text as a reference, and no tag ends in brackets.
  if (html !== null) return xml.append(before, html, escapeCdata);
  return appendParagraph(before, content, xml);
}

/** Like {@link XmlWriter.append}, for a text as a paragraph. */
export function appendParagraph(before: string, text: string, xml: XmlWriter): string {
  return `${xml.append(`${before}<p>`, text, escapeHtmlLines)}</p>`;
}

/** The source as a visible link. `source` is HTML. */
export function sourceParagraph(source: string): string {
  return `<p>Source: ${link(source, source)}</p>`;
}

function link(address: string, text: string): string {
  return `<a href="${address}">${text}</a>`;
}
