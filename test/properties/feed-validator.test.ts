// What the W3C feed validator warns of, as properties of every feed: elements, attributes and namespaces that it does not
// expect, repeated elements, addresses and dates that it refuses, HTML that html5lib does not read without an error.
// feed-rules.test.ts has the rules of the specifications. What these do not say, because it is the publisher's: dates before 1990
// and in the future, two records of one instant, U+FFFD and control characters, markup in titles and other plain texts.
import fc from 'fast-check';
import { type DefaultTreeAdapterTypes, parseFragment } from 'parse5';
import { describe, expect, it } from 'vitest';
import { atom } from '../../src/formats/feeds/atom.ts';
import { rss } from '../../src/formats/feeds/rss.ts';
import { ATOM, CONTENT, DC, DCTERMS, REGISTER } from '../contracts/feed-entries.ts';
import { encodeAll, pagesOfSize } from '../contracts/readers.ts';
import { parseXml, type XmlElement } from '../contracts/xml-tree.ts';
import { markups } from '../formats/feeds/markups.ts';
import { nearlyClean } from '../formats/feeds/nearly-clean.ts';
import { type RegisterSample, registers, RUNS } from './arbitraries.ts';

const XML = '{http://www.w3.org/XML/1998/namespace}';

/** The namespaces that the validator knows, each by the prefix that it expects; and the project's own. */
const NAMESPACES: Readonly<Record<string, string>> = {
  '': 'http://www.w3.org/2005/Atom',
  atom: 'http://www.w3.org/2005/Atom',
  content: 'http://purl.org/rss/1.0/modules/content/',
  dc: 'http://purl.org/dc/elements/1.1/',
  dcterms: 'http://purl.org/dc/terms/',
  register: 'urn:gazette:register:1',
};

const LINK = { attributes: ['rel', 'type', 'href'] };
const TEXT = { attributes: [] };
const PLAIN = { attributes: ['type'] };
const EXTENSIONS = {
  [`${DC}source`]: TEXT,
  [`${DCTERMS}issued`]: TEXT,
  [`${REGISTER}key`]: TEXT,
  [`${REGISTER}observedAt`]: TEXT,
};

/** Which attributes and children an element may have, and which children more than once. */
interface Expected {
  readonly attributes: readonly string[];
  readonly children?: Readonly<Record<string, Expected>>;
  readonly repeated?: readonly string[];
}

const PERSON: Expected = { attributes: [], children: { [`${ATOM}name`]: TEXT } };

const ENTRY: Expected = {
  attributes: [],
  children: {
    [`${ATOM}id`]: TEXT,
    [`${ATOM}title`]: PLAIN,
    [`${ATOM}link`]: LINK,
    [`${ATOM}published`]: TEXT,
    [`${ATOM}updated`]: TEXT,
    [`${ATOM}author`]: PERSON,
    [`${ATOM}category`]: { attributes: ['term', 'scheme', 'label'] },
    [`${ATOM}summary`]: PLAIN,
    [`${ATOM}content`]: PLAIN,
    ...EXTENSIONS,
  },
  repeated: [`${ATOM}link`, `${ATOM}category`],
};

const FEED: Expected = {
  attributes: [`${XML}lang`],
  children: {
    [`${ATOM}id`]: TEXT,
    [`${ATOM}title`]: PLAIN,
    [`${ATOM}subtitle`]: PLAIN,
    [`${ATOM}updated`]: TEXT,
    [`${ATOM}author`]: PERSON,
    [`${ATOM}rights`]: PLAIN,
    [`${ATOM}generator`]: { attributes: ['version'] },
    [`${ATOM}link`]: LINK,
    [`${ATOM}entry`]: ENTRY,
  },
  repeated: [`${ATOM}link`, `${ATOM}entry`],
};

const ITEM: Expected = {
  attributes: [],
  children: {
    title: TEXT,
    link: TEXT,
    guid: { attributes: ['isPermaLink'] },
    pubDate: TEXT,
    [`${DC}creator`]: TEXT,
    category: { attributes: ['domain'] },
    description: TEXT,
    [`${CONTENT}encoded`]: TEXT,
    [`${ATOM}link`]: LINK,
    [`${ATOM}updated`]: TEXT,
    ...EXTENSIONS,
  },
  repeated: ['category', `${ATOM}link`],
};

const CHANNEL: Expected = {
  attributes: [],
  children: {
    title: TEXT,
    link: TEXT,
    description: TEXT,
    language: TEXT,
    copyright: TEXT,
    lastBuildDate: TEXT,
    docs: TEXT,
    generator: TEXT,
    [`${ATOM}id`]: TEXT,
    [`${ATOM}link`]: LINK,
    [`${DC}creator`]: TEXT,
    item: ITEM,
  },
  repeated: [`${ATOM}link`, 'item'],
};

const RSS: Expected = { attributes: ['version', `${XML}lang`], children: { channel: CHANNEL } };

/** Registers whose HTML is what publishers make of it. */
const withMarkup = fc
  .tuple(registers({ large: false }), fc.array(fc.oneof(markups(), nearlyClean()), { minLength: 1, maxLength: 8 }))
  .map(([sample, contents]): RegisterSample => {
    const records = sample.records.map((record, index) => {
      const content = contents[index % contents.length]!;
      return index % 2 === 0 ? { ...record, content, content_type: 'html' as const } : record;
    });
    return { ...sample, records, pages: pagesOfSize(records) };
  });

function check(element: XmlElement, expected: Expected): void {
  const { attributes, children = {}, repeated = [] } = expected;
  for (const name of Object.keys(element.attributes)) expect(attributes, element.name).toContain(name);
  const seen = new Set<string>();
  for (const child of element.children) {
    expect(Object.keys(children), element.name).toContain(child.name);
    if (!repeated.includes(child.name)) expect(seen, element.name).not.toContain(child.name);
    seen.add(child.name);
    check(child, children[child.name]!);
  }
  // Between elements there are only line breaks.
  if (element.children.length > 0) expect(element.text.trim()).toBe('');
}

type Node = DefaultTreeAdapterTypes.ChildNode;

function elementsOf(nodes: readonly Node[]): DefaultTreeAdapterTypes.Element[] {
  return nodes.flatMap((node) => ('tagName' in node ? [node, ...elementsOf(node.childNodes)] : []));
}

/** Characters that HTML can carry, but which its parsers call an error; they are the publisher's. */
const CHARACTERS = /^(?:control-character|noncharacter|surrogate)-in-input-stream$/;

function checkHtml(html: string): void {
  const errors: string[] = [];
  const { childNodes } = parseFragment(html, { onParseError: ({ code }) => errors.push(code) });
  expect(errors.filter((code) => !CHARACTERS.test(code))).toEqual([]);
  for (const { tagName, attrs } of elementsOf(childNodes)) {
    expect(tagName).toMatch(/^[a-z]+[1-6]?$/);
    expect(tagName).not.toMatch(
      /^(?:script|style|i?frame|frameset|object|embed|applet|base|link|meta|title|html|body)$/,
    );
    for (const { name, value } of attrs) {
      expect(name).not.toMatch(/^(?:style$|on)/);
      if (name === 'href' || name === 'src') expect(value).toMatch(/^(?:https?:\/\/|mailto:|tel:)/i);
    }
  }
}

/** Nothing is left open: the source stands in a paragraph that is in no other element. parse5 does not call this an error. */
function checkEnd(html: string): void {
  const last = parseFragment(html).childNodes.at(-1)!;
  expect(last.nodeName).toBe('p');
  expect('childNodes' in last && last.childNodes.at(-1)?.nodeName).toBe('a');
}

describe.each([
  ['Atom', atom, FEED],
  ['RSS', rss, RSS],
] as const)('%s, as the feed validator reads it', (_, format, expected) => {
  const each = (rule: (document: string, root: XmlElement, sample: RegisterSample) => void): Promise<void> =>
    fc.assert(
      fc.asyncProperty(withMarkup, async (sample) => {
        const document = await encodeAll(format, sample.head, sample.pages);
        rule(document.toString(), parseXml(document), sample);
      }),
      { numRuns: RUNS },
    );

  it('has no element, no attribute and no text that is not expected, and repeats none', () =>
    each((_document, root) => {
      check(root, expected);
    }));

  it('is XML 1.0 in UTF-8, with one namespace that the validator does not know, and the usual prefixes', () =>
    each((document) => {
      const [declaration, start = ''] = document.split('\n');
      expect(declaration).toBe('<?xml version="1.0" encoding="UTF-8"?>');
      const declared = [...start.matchAll(/ xmlns(?::([a-z]+))?="([^"]*)"/g)].map(([, prefix = '', uri]) => [
        prefix,
        uri,
      ]);
      expect(declared.length).toBeGreaterThan(3);
      for (const [prefix, uri] of declared) expect(uri).toBe(NAMESPACES[prefix!]);
      // In an Atom feed, the prefix `atom` would be a second name of the default namespace.
      expect(declared.some(([prefix]) => prefix === 'atom')).toBe(format === rss);
      expect(document.replace(start, '')).not.toMatch(/<[^>]* xmlns/);
    }));

  it('has HTML without a parse error, without styles, scripts and handlers, and with absolute addresses', () =>
    each((_document, root) => {
      const items = format === rss ? root.children[0]!.children : root.children;
      for (const { name, children } of items) {
        if (name !== 'item' && name !== `${ATOM}entry`) continue;
        for (const { name, text } of children) {
          if ([`${ATOM}content`, `${CONTENT}encoded`, 'description'].includes(name)) checkHtml(text);
          if (name === `${ATOM}content` || name === `${CONTENT}encoded`) checkEnd(text);
        }
      }
    }));

  it('says which texts are HTML', () =>
    each((_document, root) => {
      for (const { name, attributes, children } of [root, ...root.children]) {
        for (const child of [{ name, attributes }, ...children]) {
          if (!child.name.startsWith(ATOM) || child.attributes.type === undefined) continue;
          if (child.name === `${ATOM}link`)
            expect(child.attributes.type).toMatch(/^(?:text\/html|application\/[a-z]+\+xml)$/);
          else expect(child.attributes.type).toBe(child.name === `${ATOM}content` ? 'html' : 'text');
        }
      }
    }));
});
