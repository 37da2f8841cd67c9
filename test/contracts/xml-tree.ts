// XML documents as trees, read by saxes: a strict, namespace-aware parser that shares no code with the writers. Throws
// unless the document is well-formed UTF-8 and XML 1.0.
import { SaxesParser } from 'saxes';

/** An element. Names are written `{namespace}local`, bare where there is no namespace. */
export interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly XmlElement[];
  /** The text directly inside, not that of child elements. */
  readonly text: string;
}

interface OpenElement extends XmlElement {
  readonly children: XmlElement[];
  text: string;
}

/** The root of a document. */
export function parseXml(document: Buffer): XmlElement {
  const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(document);
  const parser = new SaxesParser({ xmlns: true });
  const open: OpenElement[] = [];
  let root: XmlElement | undefined;
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', (tag) => {
    const element: OpenElement = {
      name: qualified(tag.uri, tag.local),
      attributes: Object.fromEntries(
        Object.values(tag.attributes)
          .filter(({ name }) => name !== 'xmlns' && !name.startsWith('xmlns:'))
          .map(({ uri, local, value }) => [qualified(uri, local), value]),
      ),
      children: [],
      text: '',
    };
    open.at(-1)?.children.push(element);
    root ??= element;
    open.push(element);
  });
  parser.on('closetag', () => {
    open.pop();
  });
  parser.on('text', (more) => {
    const current = open.at(-1);
    if (current !== undefined) current.text += more;
  });
  parser.on('cdata', (more) => {
    open.at(-1)!.text += more;
  });
  parser.write(text).close();
  if (root === undefined) throw new Error('the document has no root');
  return root;
}

/** The children of this name. */
export function childrenOf(element: XmlElement, name: string): XmlElement[] {
  return element.children.filter((child) => child.name === name);
}

/** The only child of this name, or null; throws when there are several. */
export function childOf(element: XmlElement, name: string): XmlElement | null {
  const found = childrenOf(element, name);
  if (found.length > 1) throw new Error(`${element.name} has ${found.length} children ${name}`);
  return found[0] ?? null;
}

/** The text of the only child of this name; null when there is none. */
export function textOf(element: XmlElement, name: string): string | null {
  return childOf(element, name)?.text ?? null;
}

/** The text as XML carries it: what is outside the Char production of XML 1.0 (2.2) is U+FFFD. */
export function carried(text: string): string {
  let result = '';
  for (const character of text) {
    const code = character.codePointAt(0)!;
    const isCarried =
      code === 0x9 ||
      code === 0xa ||
      code === 0xd ||
      (code >= 0x20 && code <= 0xd7ff) ||
      (code >= 0xe000 && code <= 0xfffd) ||
      code >= 0x10000;
    result += isCarried ? character : '\ufffd';
  }
  return result;
}

function qualified(namespace: string, local: string): string {
  return namespace === '' ? local : `{${namespace}}${local}`;
}
