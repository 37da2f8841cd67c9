// The HTML of an item in both feeds: the record's content, its own fields as a table, and the source, escaped for XML.
import type { Field, RegisterDefinition, RegisterRecord } from '../../register/record.ts';
import { isHttpUrl } from '../../register/url.ts';
import { type Cell, cellOf } from '../cell.ts';
import { numberText } from '../number-text.ts';
import { escapeHtml, escapeHtmlLines, escapeText, type Replacements } from '../xml/text.ts';
import type { XmlWriter } from '../xml/writer.ts';
import type { CleanHtml } from './html-policy.ts';
import { isBlank, toUri } from './text.ts';

/** Start of an HTML paragraph, escaped for XML. */
export const PARAGRAPH = '&lt;p&gt;';
/** End of an HTML paragraph, escaped for XML. */
export const PARAGRAPH_END = '&lt;/p&gt;';

const NUL = '\0';

/** One of the register's own fields, with the markup before its value. */
export interface FieldRow {
  readonly field: Field;
  readonly open: string;
}

/** The rows of the table of own fields, written once for all records. */
export function fieldRows({ fields }: RegisterDefinition, xml: XmlWriter): readonly FieldRow[] {
  return fields.map((field) => {
    const label = escapeHtml(isBlank(field.label) ? field.name : field.label, xml);
    return { field, open: `&lt;tr&gt;&lt;th scope="row"&gt;${label}&lt;/th&gt;&lt;td&gt;` };
  });
}

/**
 * Whether the record has a value in one of these fields that people can see.
 *
 * @throws GazetteError `invalid_record` for a value that JSON cannot carry.
 */
export function hasOwnFields(record: RegisterRecord, rows: readonly FieldRow[]): boolean {
  return rows.some(({ field }) => isShown(cellOf(record, field)));
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
  let text = before;
  let end = '';
  for (const { field, open } of rows) {
    const cell = cellOf(record, field);
    if (!isShown(cell)) continue;
    text += `${end === '' ? '&lt;table&gt;\n' : ''}${open}`;
    text = `${appendCell(text, field, cell, xml)}&lt;/td&gt;&lt;/tr&gt;\n`;
    end = '&lt;/table&gt;\n';
  }
  return text + end;
}

function isShown(cell: Cell): boolean {
  return typeof cell === 'string' ? !isBlank(cell) : cell !== null;
}

function appendCell(before: string, { type }: Field, cell: Cell, xml: XmlWriter): string {
  if (typeof cell === 'number') return before + numberText(cell);
  if (typeof cell !== 'string') return before + String(cell);
  if (type === 'url' && isHttpUrl(cell)) return before + link(escapeHtml(toUri(cell), xml), escapeHtml(cell, xml));
  return xml.append(before, cell, escapeHtmlLines);
}

/** Whether the record's content is HTML. */
export function hasHtml(record: RegisterRecord): record is RegisterRecord & { readonly content: string } {
  return record.content_type === 'html' && record.content !== null;
}

/** The record's HTML by way of a parser. NUL is replaced before, since a parser drops it and what is dropped is not counted. */
export function parsedHtml(html: string, base: string, cleanHtml: CleanHtml, replacements: Replacements): string {
  if (!html.includes(NUL)) return cleanHtml(html, base);
  replacements.isReplaced = true;
  return cleanHtml(html.replaceAll(NUL, '\ufffd'), base);
}

/** Like {@link XmlWriter.append}, for the record's content. `html` is its HTML, or null if it is plain text. */
export function appendContent(before: string, content: string, html: string | null, xml: XmlWriter): string {
  if (html !== null) return xml.append(before, html, escapeText);
  return xml.append(before + PARAGRAPH, content, escapeHtmlLines) + PARAGRAPH_END;
}

/** The source as a visible link. `source` is escaped for HTML and for XML. */
export function sourceParagraph(source: string): string {
  return `${PARAGRAPH}Source: ${link(source, source)}${PARAGRAPH_END}`;
}

function link(address: string, text: string): string {
  return `&lt;a href="${address}"&gt;${text}&lt;/a&gt;`;
}
