// Text as XML 1.0 documents carry it: escaping, and the characters outside the Char production (2.2), which become
// U+FFFD. A deviation from the design, which looks for forbidden characters on the finished record: every text is looked
// through by itself, in the way that is fastest for its length.

/** Where an escaping function notes that it had to replace a character. */
export interface Replacements {
  isReplaced: boolean;
}

/** Text in, markup out. What XML cannot carry is replaced, and noted where somebody wants to know. */
export interface Escape {
  (text: string, replacements?: Replacements): string;
  /** The same for text that is encoded already. */
  readonly bytes: ByteEscape;
}

/** What becomes of each byte of a text in UTF-8. */
export interface ByteEscape {
  /** Finds what is to be escaped, and any two-byte character; forbidden ones are {@link hasForbidden}'s. */
  readonly special: RegExp;
  /** By byte: what stands for it; bytes that stay have none. What may not stand in XML becomes U+FFFD. */
  readonly references: readonly (Uint8Array | undefined)[];
  /** By byte: how much longer the reference is, {@link STAYS} and {@link LEAD} where there is none. */
  readonly growth: Uint8Array;
  /** Whether LF has no reference behind CR, which has the one of both. */
  readonly joinsCrLf: boolean;
}

/** In {@link ByteEscape.growth}: a byte that stays as it is. */
export const STAYS = 0;
/** In {@link ByteEscape.growth}: the byte that U+FFFE and U+FFFF begin with, and what a lone surrogate was encoded as. */
export const LEAD = 255;

/** Outside XML 1.0's Char production. Lone surrogates are UTF-8's affair. */
const FORBIDDEN = '\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\ufffe\\uffff';

/**
 * The forbidden characters in two classes. V8 looks for a class of up to sixteen characters with SIMD, five times as fast as
 * for a larger one: three looks at a long text take two thirds of the time of one look for everything.
 */
const FORBIDDEN_LOW = /[\u0000-\u0008\u000b\u000c\u000e\u000f\ufffe\uffff]/;
const FORBIDDEN_HIGH = /[\u0010-\u001f]/;

const ALL_FORBIDDEN = new RegExp(`[${FORBIDDEN}]`, 'g');

const REPLACEMENT = '\ufffd';

/**
 * Text of an element. A CR is written as a reference: parsers turn a literal one into LF (XML 1.0 2.11).
 *
 * @example escapeText('a < b & c') // 'a &lt; b &amp; c'
 */
export const escapeText: Escape = escaper({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '\r': '&#13;' });

/** Value of an attribute, to stand in double quotes. TAB and LF are references too: parsers make them spaces (3.3.3). */
export const escapeAttribute: Escape = escaper({
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\t': '&#9;',
  '\n': '&#10;',
  '\r': '&#13;',
});

/**
 * Plain text in an RSS element, where readers disagree whether it is HTML. The RSS Advisory Board's profile asks for
 * hexadecimal references of `&` and `<`; an XML parser sees the same text either way.
 */
export const escapeRssText: Escape = escaper({ '&': '&#x26;', '<': '&#x3C;', '>': '&gt;', '\r': '&#13;' });

/** Text as HTML inside an element: escaped once for HTML and once more for XML. Fit for attributes of that HTML too. */
export const escapeHtml: Escape = escaper({
  '&': '&amp;amp;',
  '<': '&amp;lt;',
  '>': '&amp;gt;',
  '"': '&amp;quot;',
  '\r': '&#13;',
});

/** As {@link escapeHtml}, every line break of the text a `<br>` before the characters it was made of. */
export const escapeHtmlLines: Escape = escaper({
  '&': '&amp;amp;',
  '<': '&amp;lt;',
  '>': '&amp;gt;',
  '\n': '&lt;br&gt;\n',
  '\r': '&lt;br&gt;&#13;',
  '\r\n': '&lt;br&gt;&#13;\n',
});

/** Finished markup, made by others, with what XML cannot carry replaced. */
export function replaceForbidden(markup: string, replacements?: Replacements): string {
  const replaced = markup.replace(ALL_FORBIDDEN, REPLACEMENT);
  if (replacements !== undefined && replaced !== markup) replacements.isReplaced = true;
  return replaced;
}

/** Whether a text, better a long one, has a character that XML cannot carry, lone surrogates apart. */
export function hasForbidden(text: string): boolean {
  return FORBIDDEN_LOW.test(text) || FORBIDDEN_HIGH.test(text);
}

/** ` name="value"`, or nothing where there is no value. */
export function optionalAttribute(name: string, value: string | null | undefined, replacements?: Replacements): string {
  return value === null || value === undefined ? '' : ` ${name}="${escapeAttribute(value, replacements)}"`;
}

/** Markup that is written again and again, encoded once. */
export function utf8(markup: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(markup);
}

/** A function that writes characters as their references; a CR before LF may have one of its own. */
function escaper(references: Readonly<Record<string, string>>): Escape {
  const characters = Object.keys(references)
    .filter((text) => text.length === 1)
    .join('');
  const joinsCrLf = '\r\n' in references;
  const specialOrForbidden = new RegExp(`${joinsCrLf ? '\r\n|' : ''}[${characters}${FORBIDDEN}]`, 'g');
  // In a one-byte string the search for two-byte characters, lone surrogates among them, costs nothing.
  const specialOrForbiddenOrWide = new RegExp(`[${characters}${FORBIDDEN}\\u0100-\\uffff]`);

  const escape = (text: string, replacements?: Replacements): string => {
    if (!specialOrForbiddenOrWide.test(text)) return text;
    if (replacements !== undefined && !text.isWellFormed()) replacements.isReplaced = true;
    return text.replace(specialOrForbidden, (found) => {
      const reference = references[found];
      if (reference !== undefined) return reference;
      if (replacements !== undefined) replacements.isReplaced = true;
      return REPLACEMENT;
    });
  };

  const byByte: (Uint8Array | undefined)[] = new Array<undefined>(256).fill(undefined);
  const growth = new Uint8Array(256).fill(STAYS);
  for (let byte = 0; byte < 0x80; byte++) {
    const markup = escape(String.fromCharCode(byte));
    if (markup.length === 1 && markup !== REPLACEMENT) continue;
    const reference = utf8(markup);
    byByte[byte] = reference;
    growth[byte] = reference.length - 1;
  }
  growth[0xef] = LEAD;
  const special = new RegExp(`[${characters}\\u0100-\\uffff]`);
  return Object.assign(escape, { bytes: { special, references: byByte, growth, joinsCrLf } });
}
