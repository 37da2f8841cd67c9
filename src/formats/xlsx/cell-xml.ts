// Cells and rows as SpreadsheetML (ECMA-376 part 1, 18.3.1.4 and 18.3.1.73). A cell is written in two pieces around its
// row number: the opening `<c r="B`, and the tail, which is everything after the number.
import { numberText } from '../number-text.ts';
import { type SheetCell, type TimeStyle, timeStyle, toSerial } from './cell-decision.ts';
import { cutText } from './cut-text.ts';
import { STYLE } from './styles.ts';
import { escapeMarkup, needsPreserve } from './text.ts';

const TEXT_OPEN = '" t="inlineStr"><is><t>';
const TEXT_OPEN_PRESERVED = '" t="inlineStr"><is><t xml:space="preserve">';
/** The end of every text cell. */
export const TEXT_CLOSE = '</t></is></c>';

const TIME_OPEN: Readonly<Record<TimeStyle, string>> = {
  date: `" s="${STYLE.date}"><v>`,
  datetime: `" s="${STYLE.datetime}"><v>`,
  datetime_ms: `" s="${STYLE.datetime_ms}"><v>`,
};

/** The letters of a column, counted from 0: A to XFD. */
export function columnLetters(index: number): string {
  let letters = '';
  for (let rest = index; rest >= 0; rest = Math.floor(rest / 26) - 1) {
    letters = String.fromCharCode(0x41 + (rest % 26)) + letters;
  }
  return letters;
}

/** The part of a cell before its row number. */
export function cellOpen(index: number): string {
  return `<c r="${columnLetters(index)}`;
}

/** The part of a text cell's tail before the text; {@link TEXT_CLOSE} follows the text. */
export function textOpen(text: string): string {
  return needsPreserve(text) ? TEXT_OPEN_PRESERVED : TEXT_OPEN;
}

/** Tail of a text that needs no change. */
export function plainTextTail(text: string): string {
  return textOpen(text) + text + TEXT_CLOSE;
}

/** Tail of any text, cut to the limit. Like every tail it must still be mended (text.ts). */
function textTail(text: string): string {
  const cut = cutText(text);
  return textOpen(cut) + escapeMarkup(cut) + TEXT_CLOSE;
}

/** Tail of a text cell with a style. */
export function styledTextTail(style: number, text: string): string {
  return `" s="${style}${textTail(text)}`;
}

/** Tail of a number. */
export function numberTail(value: number): string {
  return `"><v>${numberText(value)}</v></c>`;
}

/** Tail of a boolean. */
export function booleanTail(value: boolean): string {
  return value ? '" t="b"><v>1</v></c>' : '" t="b"><v>0</v></c>';
}

/** Tail of a date or date-time, null if a sheet cannot hold it. */
export function timeTail(text: string): string | null {
  const serial = toSerial(text);
  return Number.isNaN(serial) ? null : `${TIME_OPEN[timeStyle(text)]}${numberText(serial)}</v></c>`;
}

/** Tail of any cell. */
export function cellTail(cell: SheetCell): string {
  switch (cell.kind) {
    case 'text':
    case 'instead':
      return textTail(cell.text);
    case 'number':
      return numberTail(cell.value);
    case 'boolean':
      return booleanTail(cell.value);
    case 'time':
      return `${TIME_OPEN[cell.style]}${cell.serial}</v></c>`;
  }
}
