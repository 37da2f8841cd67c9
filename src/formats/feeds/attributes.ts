// Attributes of HTML start tags, as far as they can be read without a parser.

/** An attribute after white space; its value in double quotes, in single quotes, or without quotes and slashes. */
const ATTRIBUTE =
  /[\t\n\f ]+([A-Za-z][\w:.-]*)(?:[\t\n\f ]*=[\t\n\f ]*(?:"([^"]*)"|'([^']*)'|([\w.%#:,;+-]+)(?=[\t\n\f >])))?/y;

const SPACE = 0x20;
const QUOTE = 0x22;
const EQUALS = 0x3d;

/** An attribute, its value with references, and where it ends. */
export interface Attribute {
  readonly name: string;
  readonly value: string;
  readonly end: number;
}

/** The attribute at `at`, where white space begins; null if there is none, or only a parser can read it. */
export function readAttribute(html: string, at: number): Attribute | null {
  return usualAttribute(html, at) ?? anyAttribute(html, at);
}

/** The attribute at `at` if it is written ` name="value"`, as nearly all are. */
function usualAttribute(html: string, at: number): Attribute | null {
  if (html.charCodeAt(at) !== SPACE) return null;
  let nameEnd = at + 1;
  while (isLowerCase(html.charCodeAt(nameEnd))) nameEnd++;
  const isQuoted = html.charCodeAt(nameEnd) === EQUALS && html.charCodeAt(nameEnd + 1) === QUOTE;
  const valueEnd = isQuoted && nameEnd > at + 1 ? html.indexOf('"', nameEnd + 2) : -1;
  if (valueEnd < 0) return null;
  return { name: html.slice(at + 1, nameEnd), value: html.slice(nameEnd + 2, valueEnd), end: valueEnd + 1 };
}

/** The same for attributes in every other form. */
function anyAttribute(html: string, at: number): Attribute | null {
  ATTRIBUTE.lastIndex = at;
  const found = ATTRIBUTE.exec(html);
  if (found === null) return null;
  return {
    name: found[1]!.toLowerCase(),
    value: found[2] ?? found[3] ?? found[4] ?? '',
    end: ATTRIBUTE.lastIndex,
  };
}

function isLowerCase(code: number): boolean {
  return code >= 0x61 && code <= 0x7a;
}
