// Cleans HTML that needs no parser: a linear scanner for markup whose every element is closed where it was opened. It says
// nothing (null) as soon as the HTML standard's tree construction could do more than append to the open element; clean-html.ts
// parses that. Where it gives a result, cleanHtml gives the same.
import { readAttribute } from './attributes.ts';
import { attributeMarkup, type Attributes, escapeText, EVERYWHERE, isUsualLink, KEPT, VOID } from './html-policy.ts';
import { readAttributeValue, readReference } from '../../html-references.ts';

/** What the standard's rules for a start tag need to know about the open elements. */
interface Kind {
  readonly name: string;
  readonly end: string;
  readonly attributes: Attributes;
  /** The names of all attributes that may be kept. */
  readonly attributeNames: ReadonlySet<string>;
  readonly isVoid: boolean;
  readonly isHeading: boolean;
  /** Whether its start tag closes an open `p` (HTML 13.2.6.4.7). */
  readonly closesParagraph: boolean;
  /** Whether the parser keeps it in a list and may open it once more (13.2.4.3). */
  readonly isFormatting: boolean;
  /** The only elements that it may stand in directly; null for most. */
  readonly parents: readonly string[] | null;
  /** Whether it holds parts of a table, and no text: the parser would move text to the front of the table. */
  readonly isFrame: boolean;
}

const FORMATTING = ['a', 'b', 'big', 'code', 'em', 'i', 's', 'small', 'strong', 'u'];
const HEADINGS = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6'];
const BLOCKS =
  'address article aside blockquote dd div dl dt figcaption figure footer header hr li nav ol p pre section table ul'.split(
    ' ',
  );
const INLINE = 'abbr bdi br cite del dfn img ins kbd mark q samp span sub sup time var wbr'.split(' ');
const FRAMES = ['colgroup', 'table', 'tbody', 'tfoot', 'thead', 'tr'];

/** Elements of lists and tables; elsewhere a parser closes or invents others for them. */
const PARENTS: ReadonlyMap<string, readonly string[]> = new Map([
  ['caption', ['table']],
  ['col', ['colgroup']],
  ['colgroup', ['table']],
  ['dd', ['dl']],
  ['dt', ['dl']],
  ['li', ['ol', 'ul']],
  ['tbody', ['table']],
  ['td', ['tr']],
  ['tfoot', ['table']],
  ['th', ['tr']],
  ['thead', ['table']],
  ['tr', ['tbody', 'tfoot', 'thead']],
]);

const KINDS: ReadonlyMap<string, Kind> = new Map(
  [...new Set([...FORMATTING, ...HEADINGS, ...BLOCKS, ...INLINE, ...PARENTS.keys()])].map((name) => [
    name,
    {
      name,
      end: `</${name}>`,
      attributes: KEPT.get(name)!,
      attributeNames: new Set([...Object.keys(KEPT.get(name)!), ...Object.keys(EVERYWHERE)]),
      isVoid: VOID.has(name),
      isHeading: HEADINGS.includes(name),
      closesParagraph: BLOCKS.includes(name) || HEADINGS.includes(name),
      isFormatting: FORMATTING.includes(name),
      parents: PARENTS.get(name) ?? null,
      isFrame: FRAMES.includes(name),
    },
  ]),
);

/** Far below the depth at which parsers give up. */
const MAX_DEPTH = 64;

const TAG_END = /[\t\n\f ]*(\/?)>/y;
const SPECIAL = /[<>&\0]/g;
const NOT_WHITE = /[^\t\n\f ]/;

/** Up to so many characters are looked at one by one, since most texts between tags are short. */
const FEW = 16;

const LF = 0x0a;
const EXCLAMATION = 0x21;
const AMPERSAND = 0x26;
const SLASH = 0x2f;
const LESS = 0x3c;
const GREATER = 0x3e;
const QUESTION = 0x3f;

const COMMENT_START = '<!--';
/** They are written as they are. */
const USUAL_REFERENCES = ['&amp;', '&lt;', '&gt;'];

/** The rest of a start tag after its name: the attributes as they are written, and its length in the source. */
interface Tag {
  readonly attributes: string;
  readonly length: number;
}
const NO_ATTRIBUTES: Tag = { attributes: '', length: 1 };

/**
 * Cleans HTML like `cleanHtml`, if that needs no parser; else returns null. Linear in the length of the text.
 *
 * @example cleanSimpleHtml('<p class=x>a <b>b</b></p>', 'https://example.org/') // '<p>a <b>b</b></p>'
 * @example cleanSimpleHtml('<p class=x>a <b>b</b>', 'https://example.org/') // null: the paragraph is not closed
 */
export function cleanSimpleHtml(html: string, base: string): string | null {
  return new Scanner(html.includes('\r') ? html.replace(/\r\n?/g, '\n') : html, base).clean();
}

/** An open element. */
interface Open {
  readonly kind: Kind;
  /** Whether its tags are written: of a link without an address, only the content is. */
  readonly isWritten: boolean;
}

/**
 * One pass over a text. What stays as it is is copied in long slices. The methods that read something return where it ends, or
 * -1 if only a parser can tell.
 */
class Scanner {
  readonly #html: string;
  readonly #base: string;
  readonly #open: Open[] = [];
  #parent: Kind | null = null;
  #cleaned = '';
  /** Where the part begins that is not in `#cleaned` yet. */
  #from = 0;

  constructor(html: string, base: string) {
    this.#html = html;
    this.#base = base;
  }

  clean(): string | null {
    const html = this.#html;
    let at = 0;
    while (at < html.length) {
      const special = nextSpecial(html, at);
      if (special > at && this.#isInFrame() && NOT_WHITE.test(html.slice(at, special))) return null;
      if (special === html.length) break;
      at = html.charCodeAt(special) === LESS ? this.#markup(special) : this.#character(special);
      if (at < 0) return null;
    }
    if (this.#parent !== null) return null;
    return this.#from === 0 ? html : this.#cleaned + html.slice(this.#from);
  }

  #markup(at: number): number {
    const next = this.#html.charCodeAt(at + 1);
    if (next === SLASH) return this.#endTag(at);
    if (isLowerCase(next)) return this.#startTag(at);
    if (next === EXCLAMATION) return this.#comment(at);
    // Before anything but a letter, it is text (HTML 13.2.5.6).
    if (next === QUESTION || isLowerCase(next | 0x20) || this.#isInFrame()) return -1;
    return this.#replace(at, at + 1, '&lt;');
  }

  #startTag(at: number): number {
    const html = this.#html;
    let nameEnd = at + 2;
    while (isNameCode(html.charCodeAt(nameEnd))) nameEnd++;
    const kind = KINDS.get(html.slice(at + 1, nameEnd));
    if (kind === undefined || !this.#mayOpen(kind)) return -1;
    const tag = html.charCodeAt(nameEnd) === GREATER ? NO_ATTRIBUTES : this.#attributes(nameEnd, kind);
    if (tag === null) return -1;
    const { attributes } = tag;
    const end = nameEnd + tag.length;
    // Of an image without an address, a text may be left.
    if (kind.name === 'img' && !attributes.includes(' src="')) return -1;
    const isWritten = kind.name !== 'a' || attributes !== '';
    // What disappears from the beginning of `pre` makes a line break its first character.
    if (!isWritten && this.#isOpen('pre')) return -1;
    const markup = isWritten ? `<${kind.name}${attributes}>` : '';
    if (end - at !== markup.length || !html.startsWith(markup, at)) this.#replace(at, end, markup);
    if (kind.isVoid) return end;
    if (kind.name === 'pre' && html.charCodeAt(end) === LF) return -1;
    if (this.#open.length >= MAX_DEPTH) return -1;
    this.#open.push({ kind, isWritten });
    this.#parent = kind;
    return end;
  }

  /** Whether a parser would only append the element to the open one. */
  #mayOpen(kind: Kind): boolean {
    const parent = this.#parent;
    if (parent === null) return kind.parents === null;
    if (kind.parents === null ? parent.isFrame : !kind.parents.includes(parent.name)) return false;
    if (kind.closesParagraph && this.#isOpen('p')) return false;
    if (kind.isHeading) return !this.#open.some((open) => open.kind.isHeading);
    return !kind.isFormatting || !this.#isOpen(kind.name);
  }

  /** The rest of a start tag, from after its name; null if only a parser can tell. */
  #attributes(start: number, kind: Kind): Tag | null {
    const html = this.#html;
    const names: string[] = [];
    let attributes = '';
    let at = start;
    for (;;) {
      const found = readAttribute(html, at);
      if (found === null) break;
      const { name, value } = found;
      at = found.end;
      // What is left out may have any value, and any number of them.
      if (!kind.attributeNames.has(name)) continue;
      // The first of several counts (HTML 13.2.5.33).
      if (names.includes(name)) return null;
      names.push(name);
      if (name === 'href' && isUsualLink(value)) {
        attributes += ` href="${value}"`;
        continue;
      }
      const text = readAttributeValue(value);
      if (text === null) return null;
      attributes += attributeMarkup(kind.attributes, name, text, this.#base);
    }
    if (html.charCodeAt(at) === GREATER) return { attributes, length: at + 1 - start };
    TAG_END.lastIndex = at;
    const end = TAG_END.exec(html);
    if (end === null || (end[1] === '/' && !kind.isVoid)) return null;
    return { attributes, length: TAG_END.lastIndex - start };
  }

  #endTag(at: number): number {
    const open = this.#open.pop();
    if (open === undefined || !this.#html.startsWith(open.kind.end, at)) return -1;
    this.#parent = this.#open.at(-1)?.kind ?? null;
    const end = at + open.kind.end.length;
    return open.isWritten ? end : this.#replace(at, end, '');
  }

  /** A comment without `--` in it (HTML 13.2.5.43 to 13.2.5.52). */
  #comment(at: number): number {
    const html = this.#html;
    const start = at + COMMENT_START.length;
    if (!html.startsWith(COMMENT_START, at) || html.startsWith('>', start) || html.startsWith('->', start)) return -1;
    const end = html.indexOf('--', start);
    if (end < 0 || html.charCodeAt(end + 2) !== GREATER || this.#isOpen('pre')) return -1;
    return this.#replace(at, end + 3, '');
  }

  /** A character with a meaning, in text. */
  #character(at: number): number {
    if (this.#isInFrame()) return -1;
    const html = this.#html;
    const code = html.charCodeAt(at);
    if (code === GREATER) return this.#replace(at, at + 1, '&gt;');
    if (code !== AMPERSAND) return -1;
    for (const usual of USUAL_REFERENCES) if (html.startsWith(usual, at)) return at + usual.length;
    const reference = readReference(html, at, false);
    return reference === null ? -1 : this.#replace(at, reference.end, escapeText(reference.text));
  }

  #replace(start: number, end: number, markup: string): number {
    this.#cleaned += this.#html.slice(this.#from, start) + markup;
    this.#from = end;
    return end;
  }

  #isInFrame(): boolean {
    return this.#parent?.isFrame === true;
  }

  #isOpen(name: string): boolean {
    for (const { kind } of this.#open) if (kind.name === name) return true;
    return false;
  }
}

/** The next character with a meaning, from `at` on; the length if there is none. */
function nextSpecial(html: string, at: number): number {
  const near = Math.min(at + FEW, html.length);
  for (let next = at; next < near; next++) {
    const code = html.charCodeAt(next);
    if (code <= GREATER && (code === LESS || code === GREATER || code === AMPERSAND || code === 0)) return next;
  }
  if (near === html.length) return near;
  SPECIAL.lastIndex = near;
  return SPECIAL.test(html) ? SPECIAL.lastIndex - 1 : html.length;
}

function isLowerCase(code: number): boolean {
  return code >= 0x61 && code <= 0x7a;
}

function isNameCode(code: number): boolean {
  return isLowerCase(code) || (code >= 0x30 && code <= 0x39);
}
