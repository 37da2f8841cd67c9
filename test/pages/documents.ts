// Pages as trees, for tests of what they say: what a standard parser makes of them, not what their text looks like.
import { type DefaultTreeAdapterTypes, parse } from 'parse5';

type Node = DefaultTreeAdapterTypes.ChildNode | DefaultTreeAdapterTypes.Document;
type Element = DefaultTreeAdapterTypes.Element;

/** An element of a page. */
export interface PageElement {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  /** All text in it. */
  readonly text: string;
  /** The language of its text: its own, or that of what it stands in. */
  readonly language: string | null;
}

/** All elements of a page, in their order. */
export function elementsOf(page: string): readonly PageElement[] {
  return [...walk(parse(page), null)];
}

/** Those of a name, or with an attribute of a value. */
export function find(page: string, name: string, attributes: Readonly<Record<string, string>> = {}): PageElement[] {
  return elementsOf(page).filter(
    (element) =>
      element.name === name &&
      Object.entries(attributes).every(([attribute, value]) => element.attributes.get(attribute) === value),
  );
}

function* walk(node: Node, language: string | null): Generator<PageElement> {
  let inner = language;
  if ('tagName' in node) {
    const attributes = new Map(node.attrs.map(({ name, value }) => [name, value]));
    inner = attributes.get('lang') ?? language;
    yield {
      name: node.tagName,
      attributes,
      language: inner,
      get text() {
        return textOf(node);
      },
    };
  }
  if ('childNodes' in node) for (const child of node.childNodes) yield* walk(child, inner);
}

function textOf(node: Element | Node): string {
  if ('value' in node) return node.value;
  return 'childNodes' in node ? node.childNodes.map((child) => textOf(child)).join('') : '';
}
