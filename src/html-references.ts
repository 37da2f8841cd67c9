// Character references of HTML that mean the same for every parser: those that end in a semicolon, by number or by a usual name,
// and ampersands that begin none. The standard has two thousand names more; a parser knows them.

/** A character, and where its reference ends. */
export interface Reference {
  readonly text: string;
  readonly end: number;
}

/** U+00A0 to U+00FF (HTML 4, 24.2.1). */
const LATIN_1 =
  'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para ' +
  'middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute ' +
  'Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml ' +
  'Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml ' +
  'eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml';

const NAMED: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['apos', "'"],
  ['bdquo', '„'],
  ['bull', '•'],
  ['emsp', '\u2003'],
  ['ensp', '\u2002'],
  ['euro', '€'],
  ['ge', '≥'],
  ['gt', '>'],
  ['hellip', '…'],
  ['larr', '←'],
  ['ldquo', '“'],
  ['le', '≤'],
  ['lsquo', '‘'],
  ['lt', '<'],
  ['mdash', '—'],
  ['minus', '−'],
  ['ndash', '–'],
  ['quot', '"'],
  ['rarr', '→'],
  ['rdquo', '”'],
  ['rsquo', '’'],
  ['sbquo', '‚'],
  ['thinsp', '\u2009'],
  ['trade', '™'],
  ...LATIN_1.split(' ').map((name, index) => [name, String.fromCharCode(0xa0 + index)] as const),
]);

const REFERENCE = /&(?:#(\d{1,6})|#[xX]([\da-fA-F]{1,5})|([A-Za-z][A-Za-z\d]*));/y;
/** Nothing is called `&` and a sign; in a URL, `&name=` is a parameter even if `name` begins like a reference (HTML 13.2.5.73). */
const BARE = /&(?![A-Za-z\d#])/y;
const BARE_IN_ATTRIBUTE = /&(?![A-Za-z\d#])|&[A-Za-z\d]+(?==)/y;

/** Reads the reference or the bare ampersand at `at`; null if only a parser can tell what it means. */
export function readReference(html: string, at: number, isAttribute: boolean): Reference | null {
  REFERENCE.lastIndex = at;
  const found = REFERENCE.exec(html);
  if (found !== null) {
    const [, decimal, hexadecimal, name] = found;
    const text = name === undefined ? byNumber(decimal, hexadecimal) : NAMED.get(name);
    return text === undefined ? null : { text, end: REFERENCE.lastIndex };
  }
  const bare = isAttribute ? BARE_IN_ATTRIBUTE : BARE;
  bare.lastIndex = at;
  return bare.test(html) ? { text: html.slice(at, bare.lastIndex), end: bare.lastIndex } : null;
}

/** An attribute's value without references; null if only a parser can tell what it means. */
export function readAttributeValue(value: string): string | null {
  let text = '';
  let from = 0;
  for (let at = value.indexOf('&'); at >= 0; at = value.indexOf('&', from)) {
    const reference = readReference(value, at, true);
    if (reference === null) return null;
    text += value.slice(from, at) + reference.text;
    from = reference.end;
  }
  return from === 0 ? value : text + value.slice(from);
}

/** Printable characters only: parsers read some of the others as another one. */
function byNumber(decimal: string | undefined, hexadecimal: string | undefined): string | undefined {
  const code = decimal === undefined ? Number.parseInt(hexadecimal!, 16) : Number(decimal);
  const isPrintable =
    (code >= 0x20 && code < 0x7f) || (code >= 0xa0 && code < 0xd800) || (code >= 0xe000 && code < 0xfdd0);
  return isPrintable || (code >= 0x1_0000 && code < 0x1_fffe) ? String.fromCodePoint(code) : undefined;
}
