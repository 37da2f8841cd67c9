// Text as XML 1.0 documents carry it: escaping, and the characters outside the Char production (2.2), which become
// U+FFFD. A deviation from the design, which looks for forbidden characters on the finished record: every text is looked
// through by itself, in the way that is fastest for its length.
import type { Output } from './format.ts';
import type { Report } from './report.ts';

/** Where an escaping function notes that it had to replace a character. */
export interface Replacements {
  isReplaced: boolean;
}

/** Text in, markup out. What XML cannot carry is replaced, and noted where somebody wants to know. */
type Escape = (text: string, replacements?: Replacements) => string;

/** Outside XML 1.0's Char production, CR besides, which no text carries as it is. Lone surrogates are UTF-8's affair. */
const FORBIDDEN_OR_CR = '\\u0000-\\u0008\\u000b-\\u001f\\ufffe\\uffff';

/**
 * The forbidden characters in two classes. V8 looks for a class of up to sixteen characters with SIMD, five times as fast as
 * for a larger one: three looks at a long text take two thirds of the time of one look for everything.
 */
const FORBIDDEN_LOW = /[\u0000-\u0008\u000b\u000c\u000e\u000f\ufffe\uffff]/;
const FORBIDDEN_HIGH = /[\u0010-\u001f]/;

/** From this many UTF-16 units on, three looks at a text are faster than one. */
const LONG_TEXT = 64;

const FORBIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

/**
 * Text of an element. A CR is written as a reference: parsers turn a literal one into LF (XML 1.0 2.11).
 *
 * @example escapeText('a < b & c') // 'a &lt; b &amp; c'
 */
export const escapeText: Escape = escaper('&<>', { '&': '&amp;', '<': '&lt;', '>': '&gt;', '\r': '&#13;' });

/** Value of an attribute, to stand in double quotes. TAB and LF are references too: parsers make them spaces (3.3.3). */
export const escapeAttribute: Escape = escaper('&<>"\\t\\n', {
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
export const escapeRssText: Escape = escaper('&<>', { '&': '&#x26;', '<': '&#x3C;', '>': '&gt;', '\r': '&#13;' });

/** Text as HTML inside an element: escaped once for HTML and once more for XML. Fit for attributes of that HTML too. */
export const escapeHtml: Escape = escaper('&<>"', {
  '&': '&amp;amp;',
  '<': '&amp;lt;',
  '>': '&amp;gt;',
  '"': '&amp;quot;',
  '\r': '&#13;',
});

/** As {@link escapeHtml}, every line break of the text a `<br>` before the characters it was made of. */
export const escapeHtmlLines: Escape = escaper('&<>\\n', {
  '&': '&amp;amp;',
  '<': '&amp;lt;',
  '>': '&amp;gt;',
  '\n': '&lt;br&gt;\n',
  '\r': '&lt;br&gt;&#13;',
  '\r\n': '&lt;br&gt;&#13;\n',
});

/** Finished markup, made by others, with what XML cannot carry replaced. */
export function replaceForbidden(markup: string, replacements?: Replacements): string {
  const replaced = markup.replace(FORBIDDEN, '\ufffd');
  if (replacements !== undefined && replaced !== markup) replacements.isReplaced = true;
  return replaced;
}

/** ` name="value"`, or nothing where there is no value. */
export function optionalAttribute(name: string, value: string | null | undefined, replacements?: Replacements): string {
  return value === null || value === undefined ? '' : ` ${name}="${escapeAttribute(value, replacements)}"`;
}

/**
 * Escaped texts this long are encoded by themselves, and so are those with a two-byte character: one makes the whole
 * string it stands in slow to build and to encode. A fifth of the whole time for the long ones at 64, less gained at 20
 * and at 120; a twentieth for short titles. In a string of one-byte characters the search ends before it begins.
 */
const ALONE_FROM_LENGTH = 64;
const TWO_BYTE = /[\u0100-\uffff]/;

/**
 * Puts the markup of a record together and writes it, counting what had to be replaced once per record. A string that is
 * being built is handed from call to call; what stands in it when the record ends is written then.
 *
 * @example
 * const start = xml.append('<title>', escapeText(record.title, xml));
 * xml.end(`${start}</title>`, record.id);
 */
export class XmlWriter implements Replacements {
  /** Whether anything was replaced since the last {@link end}. */
  isReplaced = false;
  readonly #out: Output;
  readonly #report: Report | undefined;

  constructor(out: Output, report: Report | undefined) {
    this.#out = out;
    this.#report = report;
  }

  /** What is to be built on: `before` and the escaped text, or nothing when both are written already. */
  append(before: string, escaped: string): string {
    if (escaped.length < ALONE_FROM_LENGTH && !TWO_BYTE.test(escaped)) return before + escaped;
    this.#write(before);
    this.#write(escaped);
    return '';
  }

  /** Writes the rest of a record's markup, or of the head's when `recordId` is null. */
  end(rest: string, recordId: string | null): void {
    this.#write(rest);
    if (this.isReplaced) {
      this.isReplaced = false;
      this.#report?.add('replaced_characters', recordId);
    }
  }

  #write(markup: string): void {
    // A lone surrogate comes out of UTF-8 as U+FFFD.
    if (this.#report !== undefined && !markup.isWellFormed()) this.isReplaced = true;
    this.#out.text(markup);
  }
}

/** A function that writes the characters of a class as their references; a CR before LF may have one of its own. */
function escaper(characters: string, references: Readonly<Record<string, string>>): Escape {
  const specialOrForbidden = new RegExp(`[${characters}${FORBIDDEN_OR_CR}]`, 'g');
  const specialOnly = new RegExp(`[${characters}\\r]`, 'g');
  const byCode: string[] = new Array<string>(64).fill('');
  for (const [text, reference] of Object.entries(references)) {
    if (text.length === 1) byCode[text.charCodeAt(0)] = reference;
  }
  const crlf = references['\r\n'];

  function escape(text: string, special: RegExp, replacements: Replacements | undefined): string {
    let escaped = '';
    let start = 0;
    do {
      const at = special.lastIndex - 1;
      const code = text.charCodeAt(at);
      escaped += text.slice(start, at);
      start = at + 1;
      if (code === 0x0d && crlf !== undefined && text.charCodeAt(start) === 0x0a) {
        escaped += crlf;
        special.lastIndex = ++start;
        continue;
      }
      const reference = code < 64 ? byCode[code]! : '';
      if (reference === '') {
        escaped += '\ufffd';
        if (replacements !== undefined) replacements.isReplaced = true;
      } else {
        escaped += reference;
      }
    } while (special.test(text));
    return escaped + text.slice(start);
  }

  return (text, replacements) => {
    const special =
      text.length < LONG_TEXT || FORBIDDEN_LOW.test(text) || FORBIDDEN_HIGH.test(text)
        ? specialOrForbidden
        : specialOnly;
    special.lastIndex = 0;
    return special.test(text) ? escape(text, special, replacements) : text;
  };
}
