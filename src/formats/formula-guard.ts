// The formula guard of text tables: a spreadsheet must not run the text of a record (OWASP, "CSV injection"). It is
// reversible: a text that already looks like a guarded cell is guarded too.
import type { FieldType } from '../register/record.ts';

/** A text that the guard marks: formula signs, line ends and TAB at its start, or after apostrophes. */
const GUARDED = /^'*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;

/** A text the guard has marked. */
const MARKED = /^'+[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;

/** Digits of a number: fields of type `integer` and `decimal` hold as text what a double cannot hold. */
const DIGITS = /^-?\d+(?:\.\d+)?$/;

/**
 * Puts an apostrophe before a text that a spreadsheet could take for a formula (it starts with `=`, `+`, `-`, `@`, TAB,
 * CR, LF or a full-width `＝＋－＠`) or that looks like an already guarded text.
 *
 * @example guardFormula('=1+1') // "'=1+1"
 */
export function guardFormula(text: string): string {
  // Most texts begin with a letter or digit, which needs no pattern.
  const first = text.charCodeAt(0);
  const mayBe = first < 0x30 || (first > 0x3c && first < 0x41) || first > 0xff0a;
  return mayBe && GUARDED.test(text) ? `'${text}` : text;
}

/**
 * The inverse of the guard. Use it only for cells written by gazette: elsewhere an apostrophe may belong to the text.
 *
 * @example unguardFormula("'=1+1") // '=1+1'
 */
export function unguardFormula(cell: string): string {
  return MARKED.test(cell) ? cell.slice(1) : cell;
}

/** The guarded text of a field. Numbers are never changed, even those kept as text: `-5` stays `-5`. */
export function guardCell(type: FieldType, text: string): string {
  // JSON text begins with a sign only if it is a number (RFC 8259 6).
  const isNumber = (type === 'integer' || type === 'decimal') && DIGITS.test(text);
  return type === 'json' || isNumber ? text : guardFormula(text);
}

/** Whether the guard may mark a text whose UTF-8 begins with this byte. */
export function mayBeGuarded(byte: number): boolean {
  return byte < 0x30 || (byte > 0x3c && byte < 0x41) || byte === 0xef;
}

/** Whether {@link guardFormula} marks the text of these bytes. */
export function isGuarded(bytes: Uint8Array, from: number, to: number): boolean {
  let at = from;
  while (at < to && bytes[at] === 0x27) at++;
  if (at === to) return false;
  const byte = bytes[at]!;
  if (byte < 0x80) return GUARDED_SIGNS.has(byte);
  // The full-width ones: U+FF0B, U+FF0D, U+FF1D, U+FF20.
  return byte === 0xef && bytes[at + 1] === 0xbc && GUARDED_LAST.has(bytes[at + 2]!);
}

const GUARDED_SIGNS: ReadonlySet<number> = new Set(Array.from('=+-@\t\r\n', (sign) => sign.charCodeAt(0)));
const GUARDED_LAST: ReadonlySet<number> = new Set([0x8b, 0x8d, 0x9d, 0xa0]);
