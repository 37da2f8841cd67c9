// The formula guard of text tables: a spreadsheet must not run what a record only says (OWASP, "CSV injection"). It is
// reversible: whatever begins like a guarded cell is guarded too.
import type { FieldType } from '../register/record.ts';

/** A text the guard marks: formula signs, line ends and TAB at its start, or behind apostrophes. */
const GUARDED = /^'*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;

/** A text the guard has marked. */
const MARKED = /^'+[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;

/** Digits of a whole number, as a field of type `integer` holds those beyond a double's reach. */
const DIGITS = /^-?\d+$/;

/**
 * The text with an apostrophe before it when a spreadsheet could take it for a formula (it starts with `=`, `+`, `-`,
 * `@`, TAB, CR, LF or a full-width `＝＋－＠`) or for a text already guarded.
 *
 * @example guardFormula('=1+1') // "'=1+1"
 */
export function guardFormula(text: string): string {
  // Letters and digits are told apart without the pattern: a table is mostly they.
  const first = text.charCodeAt(0);
  const mayBe = first < 0x30 || (first > 0x3c && first < 0x41) || first > 0xff0a;
  return mayBe && GUARDED.test(text) ? `'${text}` : text;
}

/**
 * The inverse of the guard, for cells of gazette's own output alone: elsewhere an apostrophe may belong to the text.
 *
 * @example unguardFormula("'=1+1") // '=1+1'
 */
export function unguardFormula(cell: string): string {
  return MARKED.test(cell) ? cell.slice(1) : cell;
}

/** The guarded text of a field. Numbers are never touched, also those that are kept as text: `-5` stays `-5`. */
export function guardCell(type: FieldType, text: string): string {
  // JSON text begins with a sign only where it is a number (RFC 8259 6).
  return type === 'json' || (type === 'integer' && DIGITS.test(text)) ? text : guardFormula(text);
}
