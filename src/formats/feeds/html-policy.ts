// Which HTML a feed may carry: the only policy on elements, attributes and addresses. What the tables do not name is left out.
// It needs no parser; simple-html.ts and clean-html.ts apply it.

/** Turns HTML into HTML that a feed may carry. `base` is the absolute URL that relative links start from. */
export type CleanHtml = (html: string, base: string) => string;

/** What an attribute may hold: a link, the address of an image, a whole number, any text, or one of these words. */
type AttributeRule = 'link' | 'image' | 'number' | 'text' | readonly string[];
/** An element's attributes, and what each may hold. */
export type Attributes = Readonly<Record<string, AttributeRule>>;

/** Attributes of every element. */
export const EVERYWHERE: Attributes = { dir: ['ltr', 'rtl', 'auto'], lang: 'text', title: 'text' };

const NONE: Attributes = {};
const QUOTE: Attributes = { cite: 'link' };
const CHANGE: Attributes = { cite: 'link', datetime: 'text' };
const CELL: Attributes = { colspan: 'number', rowspan: 'number' };
const COLUMN: Attributes = { span: 'number' };

/** The elements that are kept, with their own attributes. */
export const KEPT: ReadonlyMap<string, Attributes> = new Map<string, Attributes>([
  ...['abbr', 'address', 'article', 'aside', 'b', 'bdi', 'big', 'br', 'caption', 'cite', 'code'].map(bare),
  ...['dd', 'dfn', 'div', 'dl', 'dt', 'em', 'figcaption', 'figure', 'footer', 'h1', 'h2', 'h3', 'h4', 'h5'].map(bare),
  ...['h6', 'header', 'hr', 'i', 'kbd', 'mark', 'nav', 'p', 'pre', 'rp', 'rt', 'ruby', 's', 'samp', 'section'].map(
    bare,
  ),
  ...['small', 'span', 'strong', 'sub', 'sup', 'table', 'tbody', 'tfoot', 'thead', 'tr', 'u', 'ul', 'var', 'wbr'].map(
    bare,
  ),
  ['a', { href: 'link' }],
  ['blockquote', QUOTE],
  ['col', COLUMN],
  ['colgroup', COLUMN],
  ['del', CHANGE],
  ['img', { src: 'image', alt: 'text', width: 'number', height: 'number' }],
  ['ins', CHANGE],
  ['li', { value: 'number' }],
  ['ol', { start: 'number', type: ['1', 'a', 'A', 'i', 'I'] }],
  ['q', QUOTE],
  ['td', CELL],
  ['th', { ...CELL, scope: ['row', 'col', 'rowgroup', 'colgroup'] }],
  ['time', { datetime: 'text' }],
]);

/** Elements that are kept under another name, so that their lines stay lines. Of all others, only the content is kept. */
export const RENAMED: ReadonlyMap<string, string> = new Map([
  ...['center', 'details', 'dialog', 'fieldset', 'form', 'hgroup', 'legend', 'main', 'option', 'search', 'summary'].map(
    (name) => [name, 'div'] as const,
  ),
  ...['listing', 'plaintext', 'textarea', 'xmp'].map((name) => [name, 'pre'] as const),
  ...['dir', 'menu'].map((name) => [name, 'ul'] as const),
  ['acronym', 'abbr'],
  ['strike', 's'],
  ['tt', 'code'],
]);

/** Elements whose content is no text for people, or belongs to another document. */
export const DROPPED: ReadonlySet<string> = new Set(['script', 'style', 'template', 'iframe', 'noembed', 'noframes']);

/** Elements without content and without an end tag. */
export const VOID: ReadonlySet<string> = new Set(['br', 'col', 'hr', 'img', 'wbr']);

const LINK_SCHEMES: ReadonlySet<string> = new Set(['http:', 'https:', 'mailto:', 'tel:']);
const IMAGE_SCHEMES: ReadonlySet<string> = new Set(['http:', 'https:']);

/** A URL that the URL standard writes as it is; traps are left to {@link URL}: numbers as hosts, punycode, dot segments. */
const USUAL_ADDRESS = /^https?:\/\/(?:[a-z0-9]+[.-])+[a-z]{2,}\/[\w\-.~!$()*+,;=:@%/?&#]*$/;
const UNUSUAL_PART = /xn-|\/\.|%2e/i;
/** The same as an attribute's source text, with every ampersand as a reference. */
const USUAL_LINK = /^https?:\/\/(?:[a-z0-9]+[.-])+[a-z]{2,}\/(?:[\w\-.~!$()*+,;=:@%/?#]|&amp;)*$/;

/**
 * An attribute as it is written, with a space before it; nothing if the policy leaves it out.
 *
 * @param own the attributes of its element
 * @param value without references
 */
export function attributeMarkup(own: Attributes, name: string, value: string, base: string): string {
  const rule = Object.hasOwn(own, name) ? own[name] : Object.hasOwn(EVERYWHERE, name) ? EVERYWHERE[name] : undefined;
  const kept = rule === undefined ? null : valueFor(rule, value, base);
  return kept === null ? '' : ` ${name}="${escapeText(kept).replaceAll('"', '&quot;')}"`;
}

/** Whether a link's source text, between its quotes, is what {@link attributeMarkup} would write. */
export function isUsualLink(source: string): boolean {
  return USUAL_LINK.test(source) && !UNUSUAL_PART.test(source);
}

/** The value as it is written; null if the rule does not allow it. */
function valueFor(rule: AttributeRule, value: string, base: string): string | null {
  switch (rule) {
    case 'text':
      return value;
    case 'number':
      return /^-?\d{1,4}$/.test(value) ? value : null;
    case 'link':
      return addressIn(LINK_SCHEMES, value, base);
    case 'image':
      return addressIn(IMAGE_SCHEMES, value, base);
    default:
      return rule.includes(value) ? value : null;
  }
}

function addressIn(schemes: ReadonlySet<string>, value: string, base: string): string | null {
  if (USUAL_ADDRESS.test(value) && !UNUSUAL_PART.test(value)) return value;
  const url = URL.parse(value, base);
  return url !== null && schemes.has(url.protocol) ? url.href : null;
}

/** Text as HTML. A CR, which only a reference can have made, is LF for every parser that reads it again. */
export function escapeText(text: string): string {
  return SPECIAL.test(text) ? text.replace(ALL_SPECIAL, (found) => WRITTEN[found] ?? '\n') : text;
}

const SPECIAL = /[\r&<>]/;
const ALL_SPECIAL = /\r\n?|[&<>]/g;
const WRITTEN: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

function bare(name: string): [name: string, attributes: Attributes] {
  return [name, NONE];
}
