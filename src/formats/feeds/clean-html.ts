// HTML of a record as feeds may carry it: parsed by the HTML standard's algorithm (parse5), written out with every element closed.
// Sinks load this file with the first record that simple-html.ts leaves to it, because the parser takes a fifth of the command
// line's start-up.
import { type DefaultTreeAdapterTypes, defaultTreeAdapter, html, parseFragment, type ParserOptions } from './parse5.ts';
import { GazetteError, isGazetteError } from '../../errors.ts';
import {
  attributeMarkup,
  type Attributes,
  type CleanHtml,
  DROPPED,
  escapeText,
  KEPT,
  RENAMED,
  VOID,
} from './html-policy.ts';
import { cleanSimpleHtml } from './simple-html.ts';

type Child = DefaultTreeAdapterTypes.ChildNode;
type Element = DefaultTreeAdapterTypes.Element;

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
    // What the scanner leaves as it is, a second parse would leave, too.
    if (after === before || cleanSimpleHtml(after, base) === after) return after;
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
  return element.attrs.map(({ name, value }) => attributeMarkup(own, name, value, base)).join('');
}

function attributeOf(element: Element, name: string): string {
  return element.attrs.find((attribute) => attribute.name === name)?.value ?? '';
}
