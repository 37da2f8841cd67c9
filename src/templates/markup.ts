// Markup that is safe by its type: whatever is not markup already is escaped, with the references that hono/html writes. That module
// waits for promises and calls back, which took a third of the time of a page.

/** Tells markup from other objects, also that of another copy of this module. */
const MARK = Symbol.for('gazette.markup');

/** HTML that is escaped already. */
export class Markup {
  readonly #text: string;

  /** @param text the caller answers for it */
  constructor(text: string) {
    this.#text = text;
  }

  /** In UTF-16 units. */
  get length(): number {
    return this.#text.length;
  }

  /** The HTML. */
  toString(): string {
    return this.#text;
  }
}

Object.defineProperty(Markup.prototype, MARK, { value: true });

/** What may be put into markup. Null, undefined and false are nothing; texts and numbers are escaped. */
export type Content = string | number | Markup | null | undefined | false | readonly Content[];

/**
 * Puts markup together; every value is escaped unless it is markup itself.
 *
 * @example markup`<p>${'1 < 2'}</p>` // <p>1 &lt; 2</p>
 */
export function markup(strings: TemplateStringsArray, ...values: readonly Content[]): Markup {
  let text = strings[0]!;
  for (let at = 0; at < values.length; at++) text += textOf(values[at]) + strings[at + 1]!;
  return new Markup(text);
}

/** Markup that was made elsewhere: the caller answers for it. */
export function trusted(text: string): Markup {
  return new Markup(text);
}

/** Markup of others that was cleaned: what HTML cannot have is replaced in it, too. */
export function cleaned(html: string): Markup {
  return new Markup(html.toWellFormed().replace(IMPOSSIBLE, '\ufffd'));
}

/** No markup. */
export const NOTHING: Markup = new Markup('');

/**
 * A value as JSON inside a script element that is a data block. `<` would end the element (HTML 13.2.5.4), and its code point in
 * JSON is the same text.
 */
export function jsonData(value: unknown): Markup {
  return new Markup(JSON.stringify(value).replaceAll('<', '\\u003c'));
}

function textOf(value: Content): string {
  // Markup is an object to the machine: a text is never taken for it.
  if (typeof value === 'string') return escaped(value);
  if (value === null || value === undefined || value === false) return '';
  if (isList(value)) {
    let text = '';
    for (const one of value) text += textOf(one);
    return text;
  }
  if (value instanceof Markup || typeof value === 'number') return value.toString();
  // What others give to it may be anything.
  return MARK in Object(value) ? String(value) : escaped(String(value));
}

function isList(value: Content): value is readonly Content[] {
  return Array.isArray(value);
}

/**
 * A text as HTML shows it, in an attribute too. Characters that HTML cannot have (HTML 13.2.3.5) become U+FFFD, so that a reader
 * sees that something is there.
 */
function escaped(text: string): string {
  if (!UNUSUAL.test(text)) return text;
  return text.toWellFormed().replace(REPLACED, (character) => REFERENCES.get(character) ?? '\ufffd');
}

/** The characters that are not written as they are: most texts have none. */
const UNUSUAL = /[&<>"'\u0000-\u0008\u000b\u000e-\u001f\u007f-\u009f\ud800-\udfff\ufffe\uffff]/;

/** The same without halves of characters. */
const REPLACED = /[&<>"'\u0000-\u0008\u000b\u000e-\u001f\u007f-\u009f\ufffe\uffff]/g;

const IMPOSSIBLE = /[\u0000-\u0008\u000b\u000e-\u001f\u007f-\u009f\ufffe\uffff]/g;

const REFERENCES: ReadonlyMap<string, string> = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
  ["'", '&#39;'],
]);
