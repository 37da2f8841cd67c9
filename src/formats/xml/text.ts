// Text in XML 1.0 documents: escaping, and characters outside the Char production (2.2), which become U+FFFD. This
// deviates from the design, which searches the finished record for forbidden characters: here each text is searched
// separately, in the way that is fastest for its length.

/** Where an escaping function notes that it replaced a character. */
export interface Replacements {
  isReplaced: boolean;
}

/** Turns text into markup. Characters that XML cannot carry are replaced, and noted if `replacements` is given. */
export interface Escape {
  (text: string, replacements?: Replacements): string;
  /** Finds a character that does not stay as it is, and any two-byte character. Best for short texts. */
  readonly unusual: RegExp;
  /** The same for text that is already encoded. */
  readonly bytes: ByteEscape;
}

/** How each byte of a text in UTF-8 is escaped. */
export interface ByteEscape {
  /** Finds characters to escape and any two-byte character; {@link hasForbidden} finds the forbidden ones. */
  readonly special: RegExp;
  /** By byte: its replacement; unchanged bytes have none. Bytes that XML forbids become U+FFFD. */
  readonly references: readonly (Uint8Array | undefined)[];
  /** By byte: how much longer the reference is; {@link STAYS} or {@link LEAD} if there is none. */
  readonly growth: Uint8Array;
  /** Whether LF after CR has no reference of its own, because CR's reference covers both. */
  readonly joinsCrLf: boolean;
}

/** In {@link ByteEscape.growth}: a byte that stays as it is. */
export const STAYS = 0;
/** In {@link ByteEscape.growth}: the first byte of U+FFFE and U+FFFF, and of the encoding of a lone surrogate. */
export const LEAD = 255;

/** Characters outside XML 1.0's Char production. UTF-8 encoding handles lone surrogates. */
const FORBIDDEN = '\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\ufffe\\uffff';

/**
 * The forbidden characters in two classes. V8 searches for a class of up to sixteen characters with SIMD, five times as
 * fast as for a larger one: three searches of a long text take two thirds of the time of one search for everything.
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

/**
 * Value of an attribute in double quotes. TAB and LF become references too, since parsers turn them into spaces
 * (3.3.3).
 */
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
 * Plain text in an RSS element, where readers disagree whether it is HTML. The RSS Advisory Board's profile recommends
 * hexadecimal references for `&` and `<`; an XML parser sees the same text either way.
 */
export const escapeRssText: Escape = escaper({ '&': '&#x26;', '<': '&#x3C;', '>': '&gt;', '\r': '&#13;' });

/** Begins a CDATA section (XML 1.0 2.7), in which HTML needs no escaping. Feeds with it are a third smaller than with references. */
export const CDATA = '<![CDATA[';
/** Ends a CDATA section. */
export const CDATA_END = ']]>';

/** In a CDATA section, a CR would become LF. */
const CDATA_CR = `${CDATA_END}&#13;${CDATA}`;

/** HTML in a CDATA section. It must not contain `]]>`. */
export const escapeCdata: Escape = escaper({ '\r': CDATA_CR });

/** Text as HTML in a CDATA section. Also valid in attributes of that HTML. */
export const escapeHtml: Escape = escaper({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', '\r': CDATA_CR });

/** Like {@link escapeHtml}, with a `<br>` before the characters of every line break; not valid in attributes. */
export const escapeHtmlLines: Escape = escaper({
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '\n': '<br>\n',
  '\r': `<br>${CDATA_CR}`,
  '\r\n': `<br>${CDATA_CR}\n`,
});

/** Replaces the characters that XML cannot carry in finished markup from elsewhere. */
export function replaceForbidden(markup: string, replacements?: Replacements): string {
  const replaced = markup.replace(ALL_FORBIDDEN, REPLACEMENT);
  if (replacements !== undefined && replaced !== markup) replacements.isReplaced = true;
  return replaced;
}

/** Whether a text has a character that XML cannot carry, except lone surrogates. Best for long texts. */
export function hasForbidden(text: string): boolean {
  return FORBIDDEN_LOW.test(text) || FORBIDDEN_HIGH.test(text);
}

/** Returns ` name="value"`, or nothing if there is no value. */
export function optionalAttribute(name: string, value: string | null | undefined, replacements?: Replacements): string {
  return value === null || value === undefined ? '' : ` ${name}="${escapeAttribute(value, replacements)}"`;
}

/** Encodes markup that is written repeatedly. */
export function utf8(markup: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(markup);
}

/** Creates a function that writes characters as their references; a CR before LF may have its own. */
function escaper(references: Readonly<Record<string, string>>): Escape {
  const characters = Object.keys(references)
    .filter((text) => text.length === 1)
    .join('');
  const joinsCrLf = '\r\n' in references;
  const specialOrForbidden = new RegExp(`${joinsCrLf ? '\r\n|' : ''}[${characters}${FORBIDDEN}]`, 'g');
  // In a one-byte string the search for two-byte characters, including lone surrogates, costs nothing.
  const unusual = new RegExp(`[${characters}${FORBIDDEN}\\u0100-\\uffff]`);

  const escape = (text: string, replacements?: Replacements): string => {
    if (!unusual.test(text)) return text;
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
  return Object.assign(escape, { unusual, bytes: { special, references: byByte, growth, joinsCrLf } });
}
