// The rules of the W3C feed validator, RFC 4287, RFC 5005 and the RSS profile that a feed of records can break, each as
// a property of every feed. What a rule says of HTML inside a record's own content is the publisher's affair.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { atom } from '../../src/formats/feeds/atom.ts';
import type { DocumentHead } from '../../src/formats/format.ts';
import { rss } from '../../src/formats/feeds/rss.ts';
import { ATOM, CONTENT, DC, DCTERMS, html, linkOf, REGISTER, rfc822Instant, shown } from '../contracts/feed-entries.ts';
import { encodeAll } from '../contracts/readers.ts';
import { isUri, placeOf } from '../contracts/uri.ts';
import { carried, childOf, childrenOf, parseXml, textOf, type XmlElement } from '../contracts/xml-tree.ts';
import { type RegisterSample, registers, RUNS } from './arbitraries.ts';

const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;
const W3C_DATE = /^\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d))?$/;
// The validator's own expressions for URIs and tag URIs (RFC 3986, RFC 4151).
const URI = /^[a-zA-Z][0-9a-zA-Z+\-.]*:(\/\/)?(\[[0-9A-Fa-f:.]+\])?[0-9a-zA-Z;/?:@&=+$.\-_!~*'()%,#]+$/;
const PERMANENT =
  /^(?:tag:([a-z0-9\-._]+?@)?[a-z0-9.-]+?,\d{4}:[0-9a-zA-Z;/?:@&=+$.\-_!~*'()%,]*|urn:uuid:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/** Documents of each format for a register, with what they were made of. */
async function each(
  format: 'rss' | 'atom',
  rule: (root: XmlElement, sample: RegisterSample) => void | Promise<void>,
): Promise<void> {
  await fc.assert(
    fc.asyncProperty(registers({ large: false }), async (sample) => {
      const document = await encodeAll(format === 'rss' ? rss : atom, sample.head, sample.pages);
      await rule(parseXml(document), sample);
    }),
    { numRuns: RUNS },
  );
}

const channelOf = (root: XmlElement): XmlElement => childOf(root, 'channel')!;
const itemsOf = (root: XmlElement): XmlElement[] => childrenOf(channelOf(root), 'item');
const entriesOf = (root: XmlElement): XmlElement[] => childrenOf(root, `${ATOM}entry`);
const names = (element: XmlElement): string[] => element.children.map(({ name }) => name);
const times = (element: XmlElement, name: string): number => childrenOf(element, name).length;
const updatedOf = ({ lastChange, definition }: DocumentHead): number => Date.parse(lastChange ?? definition.created_at);
const describes = (text: string | null, { definition, links }: DocumentHead): boolean =>
  text!.includes(shown(definition.description) ? carried(definition.description) : '') &&
  text!.includes('the complete register is in the list endpoint') &&
  (links?.list === undefined || text!.endsWith(links.list));

/** Every Atom link is a URI with a known relation, at most one per relation, those of the head present or left out. */
function checkLinks(parent: XmlElement, expected: Readonly<Record<string, string | undefined>>, type: string): void {
  for (const [rel, url] of Object.entries(expected)) {
    const found = linkOf(parent, rel);
    expect(found === undefined, rel).toBe(url === undefined);
    if (found === undefined) continue;
    expect(found, rel).toSatisfy(isUri);
    expect(placeOf(found), rel).toBe(placeOf(url!));
  }
  for (const { attributes } of childrenOf(parent, `${ATOM}link`)) {
    expect(Object.keys(expected)).toContain(attributes.rel);
    expect(attributes.href).toMatch(URI);
    expect(attributes.type).toBe(attributes.rel === 'alternate' ? 'text/html' : type);
  }
}

describe('an Atom feed', () => {
  it('has its metadata once each, before the first entry, and nothing unknown', () =>
    each('atom', (root, { head }) => {
      expect(root.name).toBe(`${ATOM}feed`);
      for (const name of ['id', 'title', 'subtitle', 'updated', 'author', 'generator']) {
        expect(times(root, `${ATOM}${name}`), name).toBe(1);
      }
      expect(times(root, `${ATOM}rights`)).toBe(shown(head.definition.rights) ? 1 : 0);
      const first = names(root).indexOf(`${ATOM}entry`);
      const after = first === -1 ? [] : names(root).slice(first);
      expect(after.every((name) => name === `${ATOM}entry`)).toBe(true);
      const known = ['id', 'title', 'subtitle', 'updated', 'author', 'generator', 'rights', 'link', 'entry'];
      expect(names(root).filter((name) => !known.includes(name.replace(ATOM, '')))).toEqual([]);
    }));

  it('has a permanent id, a title and an author people can see, its language, and the date of the last change', () =>
    each('atom', (root, { head, definition }) => {
      expect(textOf(root, `${ATOM}id`)).toMatch(PERMANENT);
      expect(shown(textOf(root, `${ATOM}title`))).toBe(true);
      expect(shown(textOf(childOf(root, `${ATOM}author`)!, `${ATOM}name`))).toBe(true);
      expect(root.attributes['{http://www.w3.org/XML/1998/namespace}lang']).toBe(definition.language ?? undefined);
      expect(textOf(root, `${ATOM}updated`)).toMatch(RFC_3339);
      expect(Date.parse(textOf(root, `${ATOM}updated`)!)).toBe(updatedOf(head));
    }));

  it('tells where the complete register is, and has the links its head has', () =>
    each('atom', (root, { head }) => {
      expect(describes(textOf(root, `${ATOM}subtitle`), head)).toBe(true);
      const { self, first, next, alternate } = head.links ?? {};
      checkLinks(root, { self, first, next, alternate }, 'application/atom+xml');
    }));

  it('has entries that stand alone: id, title, updated, a text and an alternate link, once each', () =>
    each('atom', (root) => {
      for (const entry of entriesOf(root)) {
        for (const name of ['id', 'title', 'updated']) expect(times(entry, `${ATOM}${name}`), name).toBe(1);
        for (const name of ['published', 'author', 'summary', 'content']) {
          expect(times(entry, `${ATOM}${name}`), name).toBeLessThanOrEqual(1);
        }
        expect(textOf(entry, `${ATOM}id`)).toMatch(PERMANENT);
        expect(shown(textOf(entry, `${ATOM}title`))).toBe(true);
        expect(linkOf(entry, 'alternate')).toMatch(URI);
        expect(linkOf(entry, 'via')).toMatch(URI);
        expect(times(entry, `${ATOM}link`)).toBe(2);
        const texts = [textOf(entry, `${ATOM}summary`), textOf(entry, `${ATOM}content`)];
        expect(texts.some(shown)).toBe(true);
        expect(texts.every((text) => text !== '')).toBe(true);
      }
    }));

  it('has dates of RFC 3339 with a time, the source’s own precision beside them, none that is unknown', () =>
    each('atom', (root, { records }) => {
      entriesOf(root).forEach((entry, index) => {
        const { published_at, observed_at } = records[index]!;
        expect(textOf(entry, `${ATOM}updated`)).toMatch(RFC_3339);
        expect(textOf(entry, `${DCTERMS}issued`)).toBe(published_at);
        expect(textOf(entry, `${REGISTER}observedAt`)).toBe(observed_at);
        expect(textOf(entry, `${REGISTER}observedAt`)).toMatch(W3C_DATE);
        if (published_at === null) expect(times(entry, `${ATOM}published`)).toBe(0);
        else expect(textOf(entry, `${ATOM}published`)).toMatch(RFC_3339);
      });
    }));

  it('has categories with term, scheme and label, and persons with a name, that people can see', () =>
    each('atom', (root) => {
      for (const entry of entriesOf(root)) {
        for (const { attributes } of childrenOf(entry, `${ATOM}category`)) {
          expect(shown(attributes.term!)).toBe(true);
          expect(attributes.scheme).toMatch(/^urn:[a-z0-9-]+:[a-z0-9:-]+$/);
          expect(attributes.label).toMatch(/^(Document type|Facility): /);
          expect(attributes.label!.endsWith(attributes.term!)).toBe(true);
        }
        for (const author of childrenOf(entry, `${ATOM}author`)) {
          expect(names(author)).toEqual([`${ATOM}name`]);
          expect(shown(author.children[0]!.text)).toBe(true);
        }
      }
    }));

  it('shows the source at the end of what is read last', () =>
    each('atom', (root, { records }) => {
      entriesOf(root).forEach((entry, index) => {
        const source = carried(records[index]!.source_url);
        const content = textOf(entry, `${ATOM}content`);
        const last = content ?? textOf(entry, `${ATOM}summary`)!;
        const end = content === null ? `Source: ${source}` : `>${html(source)}</a></p>`;
        expect(last.endsWith(end), last).toBe(true);
      });
    }));
});

describe('an RSS feed', () => {
  it('has its channel’s metadata once each, before the first item, and nothing unknown', () =>
    each('rss', (root, { head, definition }) => {
      expect([root.name, root.attributes.version]).toEqual(['rss', '2.0']);
      const channel = channelOf(root);
      for (const name of ['title', 'link', 'description', 'lastBuildDate', 'docs', 'generator']) {
        expect(times(channel, name), name).toBe(1);
      }
      expect(textOf(channel, 'language')).toBe(definition.language);
      expect(times(channel, 'copyright')).toBe(shown(head.definition.rights) ? 1 : 0);
      const first = names(channel).indexOf('item');
      expect((first === -1 ? [] : names(channel).slice(first)).every((name) => name === 'item')).toBe(true);
      const known = [
        'title',
        'link',
        'description',
        'language',
        'copyright',
        'lastBuildDate',
        'docs',
        'generator',
        'item',
      ];
      const extensions = [`${ATOM}id`, `${ATOM}link`, `${DC}creator`];
      expect(names(channel).filter((name) => ![...known, ...extensions].includes(name))).toEqual([]);
    }));

  it('has a permanent id, an absolute link, a title people can see and the date of the last change', () =>
    each('rss', (root, { head }) => {
      const channel = channelOf(root);
      expect(textOf(channel, `${ATOM}id`)).toMatch(PERMANENT);
      expect(textOf(channel, 'link')).toMatch(URI);
      expect(shown(textOf(channel, 'title'))).toBe(true);
      expect(shown(textOf(channel, `${DC}creator`))).toBe(true);
      const built = rfc822Instant(textOf(channel, 'lastBuildDate'))!;
      expect(built).toBe(Math.floor(updatedOf(head) / 1000) * 1000);
    }));

  it('tells where the complete register is, and has the links its head has', () =>
    each('rss', (root, { head }) => {
      expect(describes(textOf(channelOf(root), 'description'), head)).toBe(true);
      const { self, first, next } = head.links ?? {};
      checkLinks(channelOf(root), { self, first, next }, 'application/rss+xml');
    }));

  it('has items with title, link, guid and description, content after it, and nothing validators refuse', () =>
    each('rss', (root, { head }) => {
      for (const item of itemsOf(root)) {
        for (const name of ['title', 'link', 'guid', 'description']) expect(times(item, name), name).toBe(1);
        expect(childOf(item, 'guid')!.attributes).toEqual({ isPermaLink: 'false' });
        expect(textOf(item, 'guid')).toMatch(PERMANENT);
        expect(textOf(item, 'link')).toMatch(URI);
        expect(shown(textOf(item, 'title'))).toBe(true);
        expect(shown(textOf(item, 'description'))).toBe(true);
        const content = names(item).indexOf(`${CONTENT}encoded`);
        if (content !== -1) expect(content).toBeGreaterThan(names(item).indexOf('description'));
        for (const refused of ['author', 'source', `${DC}date`, `${DCTERMS}source`, `${ATOM}published`, `${ATOM}id`]) {
          expect(times(item, refused), refused).toBe(0);
        }
        expect(linkOf(item, 'via')).toMatch(URI);
        expect(linkOf(item, 'alternate') === undefined).toBe(head.recordUrl === undefined);
        for (const category of childrenOf(item, 'category')) {
          expect(category.attributes.domain).toMatch(/^urn:[a-z0-9-]+:[a-z0-9:-]+$/);
          expect(shown(category.text)).toBe(true);
        }
      }
    }));

  it('has dates of RFC 822 with the right weekday, the source’s own precision beside them, none that is unknown', () =>
    each('rss', (root, { records }) => {
      itemsOf(root).forEach((item, index) => {
        const { published_at, observed_at } = records[index]!;
        const published = rfc822Instant(textOf(item, 'pubDate'));
        expect(published === null).toBe(published_at === null);
        if (published_at !== null) expect(published).toBe(Math.floor(Date.parse(published_at) / 1000) * 1000);
        expect(textOf(item, `${DCTERMS}issued`)).toBe(published_at);
        expect(textOf(item, `${REGISTER}observedAt`)).toBe(observed_at);
        expect(textOf(item, `${ATOM}updated`)).toMatch(RFC_3339);
      });
    }));
});

describe.each(['rss', 'atom'] as const)('ids in %s', (format) => {
  const idsOf = (root: XmlElement): (string | null)[] =>
    format === 'rss'
      ? itemsOf(root).map((item) => textOf(item, 'guid'))
      : entriesOf(root).map((entry) => textOf(entry, `${ATOM}id`));

  it('are unique, and the same wherever the feed is found and whatever else of its records changes', () =>
    each(format, async (root, { head, records, definition }) => {
      const ids = idsOf(root);
      expect(new Set(ids).size).toBe(records.length);
      const moved: DocumentHead = {
        definition: { ...definition, title: 'Moved', homepage: null },
        lastChange: null,
        asOf: null,
        links: { self: 'https://elsewhere.example/feed' },
        recordUrl: () => 'https://elsewhere.example/record',
      };
      const changed = records.map((record) => ({
        ...record,
        title: 'Changed',
        version: record.version + 1,
        position: null,
      }));
      const page = { records: changed, nextOffset: null, asOf: null };
      const other = parseXml(await encodeAll(format === 'rss' ? rss : atom, moved, [page]));
      expect(idsOf(other)).toEqual(ids);
      const feedId = (parent: XmlElement): string => textOf(parent, `${ATOM}id`)!;
      const [before, after] = format === 'rss' ? [channelOf(root), channelOf(other)] : [root, other];
      if (head.filter === undefined) expect(feedId(after)).toBe(feedId(before));
    }));

  it('tell feeds with different filters apart', () =>
    each(format, async (root, { head }) => {
      const idOf = (tree: XmlElement): string => textOf(format === 'rss' ? channelOf(tree) : tree, `${ATOM}id`)!;
      const filter = { ...head.filter, document_type: ['a type of its own'] };
      const other = await encodeAll(format === 'rss' ? rss : atom, { ...head, filter }, []);
      expect(idOf(parseXml(other))).not.toBe(idOf(root));
    }));
});
