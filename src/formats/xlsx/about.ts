// The sheet `About`: what the records are, where they came from, the view and licence, and what each column means. Both
// XLSX writers use the cells decided here.
import { filterEntries } from '../../register/finding/filter.ts';
import { columnsOf } from '../../register/finding/chosen-fields.ts';
import { viewName } from '../../register/query.ts';
import { checkLastChange } from '../check-value.ts';
import type { DocumentHead } from '../format.ts';
import type { Report } from '../report.ts';
import { decideCell, type SheetCell } from './cell-decision.ts';
import { cutText } from './cut-text.ts';
import { cellOpen, cellTail, styledTextTail } from './cell-xml.ts';
import { columnWidths, WORKSHEET_OPEN } from './sheet.ts';
import { STYLE } from './styles.ts';

/** Name of the sheet. */
export const ABOUT_NAME = 'About';

/** Widths of its columns in characters. */
export const ABOUT_WIDTHS: readonly number[] = [22, 48, 12, 72];

/** A cell of the sheet. Names and headings are bold. */
interface AboutCell {
  readonly cell: SheetCell;
  readonly isBold: boolean;
}

/** The sheet's rows; an empty one separates the register from its columns. Missing facts are left out. */
export function aboutRows(head: DocumentHead): readonly (readonly AboutCell[])[] {
  const { definition, links, asOf } = head;
  const facts: readonly (readonly [name: string, value: SheetCell | null])[] = [
    ['Register', textCell(definition.title)],
    ['Register ID', textCell(definition.id)],
    ['Description', textCell(definition.description)],
    ['Issuing body', textCell(definition.author)],
    ['Licence', textCell(definition.rights)],
    ['Language', textCell(definition.language)],
    ['Home page', textCell(definition.homepage)],
    ['Filter', textCell(shownFilter(head))],
    ['View', textCell(asOf === null ? null : `${viewName(asOf)}=${asOf}`)],
    ['Last change', decideCell('datetime', checkLastChange(head))],
    ['Obtained from', textCell(links?.self)],
    ['Complete register', textCell(links?.list)],
    [
      'Dates and times',
      textCell(
        'Times are in UTC. A date or time that a spreadsheet cannot hold is written as text, and so is a time with another offset.',
      ),
    ],
  ];
  return [
    ...facts.flatMap(([name, cell]) => (cell === null ? [] : [[bold(name), { cell, isBold: false }]])),
    [],
    ['Column', 'Label', 'Type', 'Meaning'].map(bold),
    ...columnsOf(definition, head.fields).map(({ name, label, type, description }) => [
      bold(name),
      ...[label, type, ...(description === undefined ? [] : [description])].map(plain),
    ]),
  ];
}

/**
 * The worksheet. Its texts must still be mended (text.ts). `report` counts texts that were cut or that replace another
 * type.
 */
export function aboutXml(head: DocumentHead, report?: Report): string {
  const rows = aboutRows(head).map((cells, i) => {
    const at = String(i + 1);
    const xml = cells.map(({ cell, isBold }, column) => {
      if (cell.kind === 'instead') report?.add('value_as_text', null);
      if ('text' in cell && cutText(cell.text) !== cell.text) report?.add('cut_text', null);
      const tail = isBold && cell.kind === 'text' ? styledTextTail(STYLE.header, cell.text) : cellTail(cell);
      return cellOpen(column) + at + tail;
    });
    return `<row r="${at}">${xml.join('')}</row>`;
  });
  return (
    `${WORKSHEET_OPEN}<sheetViews><sheetView workbookViewId="0"/></sheetViews><sheetFormatPr defaultRowHeight="15"/>` +
    `${columnWidths(ABOUT_WIDTHS)}<sheetData>${rows.join('')}</sheetData></worksheet>`
  );
}

function shownFilter({ filter }: DocumentHead): string {
  const parts = filterEntries(filter).map(([name, value]) => `${name}=${value}`);
  return parts.length === 0 ? 'none' : parts.join(', ');
}

function textCell(text: string | null | undefined): SheetCell | null {
  return text === null || text === undefined || text === '' ? null : { kind: 'text', text };
}

function bold(text: string): AboutCell {
  return { cell: { kind: 'text', text }, isBold: true };
}

function plain(text: string): AboutCell {
  return { cell: { kind: 'text', text }, isBold: false };
}
