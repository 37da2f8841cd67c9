// The text of HTML, for those who look for words in it: without tags, comments, scripts and styles, and with the characters
// that references mean. It reads a text of any size once, from its beginning to its end. It does not parse: text stays where
// it is, also where a browser would move it, and a reference without its semicolon is text.
import { readReference } from './html-references.ts';

/** Elements inside words. All others separate words. */
const INSIDE_WORDS: ReadonlySet<string> = new Set(
  'a abbr acronym b bdi bdo big cite code dfn em font i kbd mark s samp small span strike strong sub sup time tt u var wbr'.split(
    ' ',
  ),
);

/** What begins markup. */
const MARKUP = /[<&]/g;

/** The beginning of a start tag or an end tag (HTML 13.2.5.6). */
const TAG = /<(\/?)([A-Za-z][^\t\n\f\r />]*)/y;

/**
 * The end of a tag, or an attribute (HTML 13.2.5.32 to 39): its name, which may begin with `=`, and its value, in quotes, of
 * which only the first is read here, or without.
 */
const IN_TAG =
  /[\t\n\f\r /]*(?:(>)|[^\t\n\f\r />][^\t\n\f\r />=]*(?:[\t\n\f\r ]*=[\t\n\f\r ]*(?:(["'])|[^\t\n\f\r >"'][^\t\n\f\r >]*)?)?)/y;

/** Elements whose text nobody reads: only their own end tag ends them. */
const UNREAD: Readonly<Record<string, RegExp>> = {
  script: /<\/script(?=[\t\n\f\r />])/gi,
  style: /<\/style(?=[\t\n\f\r />])/gi,
};

/** A reference that the table of usual names lacks. */
const REFERENCE = /&#?(\w+);/y;

/** The names of letters with a mark: the letter, and the mark. @example 'ccaron' // č */
const MARKED = /^([A-Za-z])(acute|breve|caron|cedil|circ|dblac|grave|macr|ogon|ring|tilde|uml)$/;

const MARKS: Readonly<Record<string, string>> = {
  acute: '\u0301',
  breve: '\u0306',
  caron: '\u030c',
  cedil: '\u0327',
  circ: '\u0302',
  dblac: '\u030b',
  grave: '\u0300',
  macr: '\u0304',
  ogon: '\u0328',
  ring: '\u030a',
  tilde: '\u0303',
  uml: '\u0308',
};

/** The letters from U+03B1 on. */
const GREEK =
  'alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigmaf sigma tau upsilon phi chi psi omega';

const LETTERS: Readonly<Record<string, string>> = {
  ...{ dstrok: 'đ', Dstrok: 'Đ', hstrok: 'ħ', Hstrok: 'Ħ', lstrok: 'ł', Lstrok: 'Ł', tstrok: 'ŧ', Tstrok: 'Ŧ' },
  ...{ oelig: 'œ', OElig: 'Œ', zwj: '\u200d', zwnj: '\u200c' },
  ...Object.fromEntries(
    GREEK.split(' ').flatMap((name, at) => {
      const letter = String.fromCharCode(0x3b1 + at);
      return [
        [name, letter],
        [name[0]!.toUpperCase() + name.slice(1), letter.toUpperCase()],
      ];
    }),
  ),
};

/** The text of HTML. @example textOfHtml('<p>Caf&eacute; <b>N</b>oir<br>22') // ' Café Noir 22' */
export function textOfHtml(html: string): string {
  let text = '';
  let from = 0;
  for (let at = nextMarkup(html, 0); at < html.length; at = nextMarkup(html, from)) {
    const [read, end] = html[at] === '&' ? readCharacter(html, at) : readMarkup(html, at);
    text += html.slice(from, at) + read;
    from = end;
  }
  return from === 0 ? html : text + html.slice(from);
}

/** What markup is as text, and where it ends. */
type Read = readonly [text: string, end: number];

function nextMarkup(html: string, from: number): number {
  MARKUP.lastIndex = from;
  return MARKUP.exec(html)?.index ?? html.length;
}

function readCharacter(html: string, at: number): Read {
  const usual = readReference(html, at, false);
  if (usual !== null) return [usual.text, usual.end];
  REFERENCE.lastIndex = at;
  const name = REFERENCE.exec(html)?.[1];
  if (name === undefined) return ['&', at + 1];
  const [, letter, mark] = MARKED.exec(name) ?? [];
  // Other names are signs, nearly all, and signs separate words.
  const text =
    letter === undefined
      ? Object.hasOwn(LETTERS, name)
        ? LETTERS[name]!
        : ' '
      : (letter + MARKS[mark!]!).normalize('NFC');
  return [text, REFERENCE.lastIndex];
}

function readMarkup(html: string, at: number): Read {
  TAG.lastIndex = at;
  const tag = TAG.exec(html);
  if (tag === null) return readOther(html, at);
  const name = tag[2]!.toLowerCase();
  const end = endOfTag(html, TAG.lastIndex);
  const unread = tag[1] === '' && Object.hasOwn(UNREAD, name) ? UNREAD[name] : undefined;
  return [INSIDE_WORDS.has(name) ? '' : ' ', unread === undefined ? end : placeOf(unread, html, end)];
}

/** Comments, declarations, processing instructions; any other `<` is a sign. One that nothing ends goes to the end. */
function readOther(html: string, at: number): Read {
  if (html.startsWith('<!--', at)) return ['', endOf('-->', html, at + 2)];
  return /[!/?]/.test(html.charAt(at + 1)) ? ['', endOf('>', html, at + 2)] : ['<', at + 1];
}

/** The end of the tag whose name ends at `from`: the first `>` outside of values in quotes. */
export function endOfTag(html: string, from: number): number {
  let at = from;
  for (;;) {
    IN_TAG.lastIndex = at;
    const found = IN_TAG.exec(html);
    if (found === null) return html.length;
    const [, end, quote] = found;
    if (end !== undefined) return IN_TAG.lastIndex;
    at = quote === undefined ? IN_TAG.lastIndex : endOf(quote, html, IN_TAG.lastIndex);
  }
}

function endOf(sign: string, html: string, from: number): number {
  const at = html.indexOf(sign, from);
  return at < 0 ? html.length : at + sign.length;
}

function placeOf(pattern: RegExp, html: string, from: number): number {
  pattern.lastIndex = from;
  return pattern.exec(html)?.index ?? html.length;
}
