// HTML of a record as feeds may carry it: parsed by the HTML standard's algorithm (parse5), written out with every element closed.
// This is the only policy on elements, attributes and addresses: what the two tables below do not name is left out. Sinks load
// this file with the first record that needs it, because the parser takes a fifth of the command line's start-up.
import { type DefaultTreeAdapterTypes, defaultTreeAdapter, html, parseFragment, type ParserOptions } from 'parse5';
import { GazetteError, isGazetteError } from '../../errors.ts';

type Child = DefaultTreeAdapterTypes.ChildNode;
type Element = DefaultTreeAdapterTypes.Element;

/** Turns HTML into HTML that a feed may carry. `base` is the absolute URL that relative links start from. */
export type CleanHtml = (html: string, base: string) => string;

/** What an attribute may hold: a link, the address of an image, a whole number, any text, or one of these words. */
type AttributeRule = 'link' | 'image' | 'number' | 'text' | readonly string[];
type Attributes = Readonly<Record<string, AttributeRule>>;

/** Attributes of every element. */
const EVERYWHERE: Attributes = { dir: ['ltr', 'rtl', 'auto'], lang: 'text', title: 'text' };

const NONE: Attributes = {};
const QUOTE: Attributes = { cite: 'link' };
const CHANGE: Attributes = { cite: 'link', datetime: 'text' };
const CELL: Attributes = { colspan: 'number', rowspan: 'number' };
const COLUMN: Attributes = { span: 'number' };

/** The elements that are kept, with their own attributes. */
const KEPT: ReadonlyMap<string, Attributes> = new Map<string, Attributes>([
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
const RENAMED: ReadonlyMap<string, string> = new Map([
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
const DROPPED: ReadonlySet<string> = new Set(['script', 'style', 'template', 'iframe', 'noembed', 'noframes']);

const VOID: ReadonlySet<string> = new Set(['br', 'col', 'hr', 'img', 'wbr']);

const LINK_SCHEMES: ReadonlySet<string> = new Set(['http:', 'https:', 'mailto:', 'tel:']);
const IMAGE_SCHEMES: ReadonlySet<string> = new Set(['http:', 'https:']);

/** The depth at which browsers stop nesting. Deeper markup takes the parser time that grows with the square of the text. */
const MAX_DEPTH = 512;

/** The parser repeats open elements in every paragraph, so that a short text could fill the memory. */
const ELEMENTS_PER_CHARACTER = 0.5;
const MIN_ELEMENTS = 1000;

/** How often the result is parsed again until it stays the same; misnested markup needs two rounds, seldom three. */
const MAX_ROUNDS = 5;

/**
 * Cleans HTML: every element closed, in the order in which a standard parser finds them; no scripts, styles, frames, event
 * handlers; links to http, https, mailto and tel only, absolute. Parsing the result and cleaning it changes nothing. Never throws:
 * markup that no parser should be asked to read becomes its own source text.
 *
 * @example cleanHtml('<p onclick=x>see <a href=/a>this', 'https://example.org/') // '<p>see <a href="https://example.org/a">this</a></p>'
 */
export const cleanHtml: CleanHtml = (text, base) => {
  let before = text;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const after = cleanOnce(before, base);
    if (after === null) break;
    if (after === before) return after;
    before = after;
  }
  return escapeText(text);
};

/** One round; null for markup that is nested too deep or grows too large. */
function cleanOnce(text: string, base: string): string | null {
  try {
    const options = limited(MIN_ELEMENTS + text.length * ELEMENTS_PER_CHARACTER);
    return parseFragment(BODY, text, options)
      .childNodes.map((child) => markup(child, base))
      .join('');
  } catch (error) {
    if (isGazetteError(error, 'invalid_record')) return null;
    throw error;
  }
}

/** The context that readers put an entry's HTML into. */
const BODY: Element = defaultTreeAdapter.createElement('body', html.NS.HTML, []);

/** Options of one parse, which throws `invalid_record` beyond its limits: the parser has none. */
function limited(maxElements: number): ParserOptions<DefaultTreeAdapterTypes.DefaultTreeAdapterMap> {
  let elements = 0;
  let depth = 0;
  return {
    // As in feed readers, which run no scripts: what stands in noscript is content.
    scriptingEnabled: false,
    treeAdapter: {
      ...defaultTreeAdapter,
      createElement: (name, namespace, attributes) => {
        if (++elements > maxElements) throw new GazetteError('invalid_record', 'HTML that grows while it is read');
        return defaultTreeAdapter.createElement(name, namespace, attributes);
      },
      onItemPush: () => {
        if (++depth > MAX_DEPTH) throw new GazetteError('invalid_record', 'HTML that is nested too deep');
      },
      onItemPop: () => {
        depth--;
      },
    },
  };
}

/** The markup of a node. The parser's limits bound the depth of this recursion. */
function markup(node: Child, base: string): string {
  if (defaultTreeAdapter.isTextNode(node)) return escapeText(node.value);
  if (!defaultTreeAdapter.isElementNode(node) || DROPPED.has(node.tagName)) return '';
  const name = RENAMED.get(node.tagName) ?? node.tagName;
  const known = node.namespaceURI === html.NS.HTML ? KEPT.get(name) : undefined;
  const attributes = known === undefined ? '' : attributesOf(node, known, base);
  // An image without an address would be nothing but its text.
  if (name === 'img' && !attributes.includes(' src="')) return escapeText(attributeOf(node, 'alt'));
  const content = node.childNodes.map((child) => markup(child, base)).join('');
  if (known === undefined || (name === 'a' && attributes === '')) return content;
  if (VOID.has(name)) return `<${name}${attributes}>`;
  // Parsers drop a line break directly after <pre> (HTML 13.2.6.4.7).
  const open = name === 'pre' && content.startsWith('\n') ? '<pre>\n' : `<${name}${attributes}>`;
  return `${open}${content}</${name}>`;
}

function attributesOf(element: Element, own: Attributes, base: string): string {
  let written = '';
  for (const { name, value } of element.attrs) {
    const rule = Object.hasOwn(own, name) ? own[name] : Object.hasOwn(EVERYWHERE, name) ? EVERYWHERE[name] : undefined;
    const kept = rule === undefined ? null : valueFor(rule, value, base);
    if (kept !== null) written += ` ${name}="${escapeText(kept).replaceAll('"', '&quot;')}"`;
  }
  return written;
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
  const url = URL.parse(value, base);
  return url !== null && schemes.has(url.protocol) ? url.href : null;
}

function attributeOf(element: Element, name: string): string {
  return element.attrs.find((attribute) => attribute.name === name)?.value ?? '';
}

/** Text as HTML. A CR, which only a reference can have made, is LF for every parser that reads it again. */
function escapeText(text: string): string {
  return text.replace(/\r\n?/g, '\n').replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function bare(name: string): [name: string, attributes: Attributes] {
  return [name, NONE];
}
