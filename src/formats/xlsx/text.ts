// Text inside the XML of a workbook: characters that XML 1.0 forbids or changes, and texts that SpreadsheetML would
// read as an escape. There are two steps: a text's markup is escaped in place; everything else is mended once per row
// or part, since our own markup contains nothing that needs it.

import { MAX_TEXT_LENGTH } from './limits.ts';

// V8 tests sixteen characters of a one-byte string at a time if a class has at most sixteen members: two such tests
// take half the time of one larger test. Surrogates are included because one of them may be lone.
const SUSPECT_MARKUP = /[&<\0-\x08\x0b-\x0f]/;
const SUSPECT_CONTROLS = /[\0-\x08\x0b-\x0f]/;
const SUSPECT_OTHERS = /[\x10-\x1f\ud800-\udfff\ufffe\uffff]/;
const SUSPECT_OTHERS_OR_WIDE = /[\x10-\x1f\u0100-\uffff]/;
const WIDE = /[\u0100-\uffff]/;

/** Characters outside XML 1.0's Char production (2.2), except lone surrogates. */
const ILLEGAL = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/;
const ILLEGAL_ALL = new RegExp(ILLEGAL.source, 'g');

/**
 * CR, and an underscore that SpreadsheetML would read as the start of an escape: one that `_` ends, or a CR or DEL that
 * is itself written as `_x000D_` or `_x007F_`. The look-ahead leaves the rest of `_x0041_x0042_` for the next match.
 */
const ESCAPED_OR_CR = /_(?=x[0-9a-f]{4}[_\r\x7f])|\r/gi;

/**
 * Whether a text can be written unchanged: short enough, of one-byte characters, without markup to escape and without
 * characters for which its row needs {@link mend}, except escapes. It may return false for such a text.
 */
export function isPlain(text: string): boolean {
  return text.length <= MAX_TEXT_LENGTH && !SUSPECT_MARKUP.test(text) && !SUSPECT_OTHERS_OR_WIDE.test(text);
}

/** Whether a text has no character beyond Latin-1. */
export function isOneByte(text: string): boolean {
  return !WIDE.test(text);
}

/** Whether a text contains characters, except markup and escapes, for which its row needs {@link mend}. */
export function needsMending(text: string): boolean {
  return SUSPECT_CONTROLS.test(text) || SUSPECT_OTHERS.test(text);
}

/** Escapes `&` and `<` in a text. A `>` matters only after `]]` (XML 1.0, 2.4), which {@link mend} handles. */
export function escapeMarkup(text: string): string {
  let at = nextMarkup(text, 0);
  if (at < 0) return text;
  let escaped = '';
  let from = 0;
  for (; at >= 0; at = nextMarkup(text, from)) {
    escaped += text.slice(from, at) + (text.charCodeAt(at) === 0x26 ? '&amp;' : '&lt;');
    from = at + 1;
  }
  return escaped + text.slice(from);
}

/** Whether {@link mend} has work for an escape in a text none of whose parts {@link needsMending}. */
export function hasEscapes(xml: string): boolean {
  return xml.includes('_x') || xml.includes(']]>');
}

/** XML that is safe to write, and whether characters had to be replaced. */
interface MendedXml {
  readonly xml: string;
  readonly isReplaced: boolean;
}

/**
 * Makes a sheet's XML safe, after the markup of its texts was escaped: a literal that looks like an escape becomes
 * `_x005F_x…`, and CR, which XML would read as LF (2.11), becomes `_x000D_` (ECMA-376 part 1, 22.9.2.19); characters
 * that XML cannot carry, including lone surrogates, become U+FFFD.
 */
export function mend(xml: string): MendedXml {
  return replaceIllegal(escapeLiterals(xml).replaceAll(']]>', ']]&gt;'));
}

/** A text with the escapes that SpreadsheetML needs; XML's own markup is not escaped. */
export function escapeLiterals(text: string): string {
  return text.replace(ESCAPED_OR_CR, (found) => (found === '_' ? '_x005F_' : '_x000D_'));
}

/**
 * Replaces characters that XML cannot carry by U+FFFD. Parts outside the sheets need no more, since `_xHHHH_` has no
 * meaning there.
 */
export function replaceIllegal(xml: string): MendedXml {
  if (xml.isWellFormed() && !ILLEGAL.test(xml)) return { xml, isReplaced: false };
  return { xml: xml.toWellFormed().replace(ILLEGAL_ALL, '\ufffd'), isReplaced: true };
}

/**
 * Whether a reader would trim the text without `xml:space="preserve"`: it begins or ends with XML's white space. Other
 * controls count as well, which does no harm.
 */
export function needsPreserve(text: string): boolean {
  return text.charCodeAt(0) <= 0x20 || text.charCodeAt(text.length - 1) <= 0x20;
}

/** Position of the next `&` or `<` from `from` on, -1 if there is none. */
function nextMarkup(text: string, from: number): number {
  MARKUP.lastIndex = from;
  return MARKUP.test(text) ? MARKUP.lastIndex - 1 : -1;
}

const MARKUP = /[&<]/g;
