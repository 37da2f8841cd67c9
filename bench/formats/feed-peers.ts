// The packages that write feeds. Each writes as many of our elements as its interface lets it. The texts in HTML are
// made here, as whoever uses them has to.
import { loadPeer, versionOf } from '../peers.ts';
import type { Contestant } from '../harness.ts';
import {
  ATOM_NAMESPACE,
  DCTERMS_NAMESPACE,
  CATEGORIES,
  feedDescription,
  feedId,
  itemTimes,
} from '../../src/formats/feeds/text.ts';
import { REGISTER_NAMESPACE } from '../../src/formats/xml/xml.ts';
import { recordUris } from '../../src/register/identity.ts';
import type { RegisterRecord } from '../../src/register/record.ts';
import { type Input, pageAt } from './table.ts';

interface RssModule {
  readonly default: new (options: object) => { item(options: object): void; xml(): string };
}
interface Feedsmith {
  generateRssFeed(feed: object): string;
  generateAtomFeed(feed: object): string;
}
interface FeedModule {
  readonly Feed: new (options: object) => {
    addItem(item: object): void;
    addExtension(extension: object): void;
    rss2(): string;
    atom1(): string;
  };
}

type Kind = 'rss' | 'atom';

/** The namespaces that `feed` does not declare by itself. */
const NAMESPACES = {
  'xmlns:atom': ATOM_NAMESPACE,
  'xmlns:dcterms': DCTERMS_NAMESPACE,
  'xmlns:register': REGISTER_NAMESPACE,
};

/** What a user of any package has at hand for a record. */
interface Item {
  readonly record: RegisterRecord;
  readonly uri: string;
  readonly updated: Date;
  readonly published: Date | null;
  /** HTML. */
  readonly description: string;
  /** HTML; null where the record has no content. */
  readonly content: string | null;
  /** Plain text, for Atom. */
  readonly summary: string | null;
}

/** The packages that write RSS. */
export async function rssPeers(input: Input): Promise<Contestant[]> {
  const { default: Rss } = await loadPeer<RssModule>('rss');
  const { definition, links } = input.head;
  const rss: Contestant = {
    name: 'rss',
    role: 'peer',
    version: versionOf('rss'),
    run(out, index) {
      const channel = new Rss({
        title: definition.title,
        description: feedDescription(input.head),
        feed_url: links!.self,
        site_url: links!.alternate,
        language: definition.language,
        copyright: definition.rights,
        generator: 'rss',
        custom_namespaces: { dcterms: DCTERMS_NAMESPACE, register: REGISTER_NAMESPACE },
      });
      for (const item of itemsOf(input, index)) channel.item(rssItem(item));
      out.text(channel.xml());
    },
  };
  return [rss, await feedsmithPeer(input, 'rss'), await feedPeer(input, 'rss')];
}

/** The packages that write Atom. */
export async function atomPeers(input: Input): Promise<Contestant[]> {
  return [await feedsmithPeer(input, 'atom'), await feedPeer(input, 'atom')];
}

function rssItem({ record, uri, updated, published, description, content }: Item): object {
  const elements: object[] = [];
  for (const [domain, value] of categoriesOf(record)) elements.push({ category: [{ _attr: { domain } }, value] });
  if (content !== null) elements.push({ 'content:encoded': { _cdata: content } });
  elements.push({ 'atom:link': { _attr: { rel: 'via', href: record.source_url } } });
  elements.push({ 'atom:updated': updated.toISOString() }, { 'dc:source': record.source_url });
  if (record.published_at !== null) elements.push({ 'dcterms:issued': record.published_at });
  elements.push({ 'register:observedAt': record.observed_at }, { 'register:key': record.key });
  return {
    title: record.title,
    description,
    url: record.source_url,
    guid: uri,
    ...(record.author === null ? {} : { author: record.author }),
    ...(published === null ? {} : { date: published }),
    custom_elements: elements,
  };
}

async function feedsmithPeer(input: Input, kind: Kind): Promise<Contestant> {
  const feedsmith = await loadPeer<Feedsmith>('feedsmith');
  const { head } = input;
  const { definition, links } = head;
  return {
    name: 'feedsmith',
    role: 'peer',
    version: versionOf('feedsmith'),
    run(out, index) {
      const items = itemsOf(input, index);
      if (kind === 'rss') {
        out.text(
          feedsmith.generateRssFeed({
            title: definition.title,
            link: links!.alternate,
            description: feedDescription(head),
            language: definition.language,
            copyright: definition.rights,
            lastBuildDate: new Date(head.lastChange!),
            atom: { links: [{ rel: 'self', href: links!.self }] },
            items: items.map(feedsmithRssItem),
          }),
        );
        return;
      }
      out.text(
        feedsmith.generateAtomFeed({
          id: feedId(head),
          title: { value: definition.title },
          subtitle: { value: feedDescription(head) },
          updated: new Date(head.lastChange!),
          authors: [{ name: definition.author }],
          rights: { value: definition.rights },
          links: [{ rel: 'self', href: links!.self }],
          entries: items.map(feedsmithAtomEntry),
        }),
      );
    },
  };
}

function feedsmithRssItem({ record, uri, updated, published, description, content }: Item): object {
  return {
    title: record.title,
    link: record.source_url,
    guid: { value: uri, isPermaLink: false },
    ...(published === null ? {} : { pubDate: published, dcterms: { issued: [published] } }),
    categories: categoriesOf(record).map(([domain, name]) => ({ name, domain })),
    description,
    ...(content === null ? {} : { content: { encoded: content } }),
    atom: { links: [{ rel: 'via', href: record.source_url }], updated },
    dc: { ...(record.author === null ? {} : { creators: [record.author] }), sources: [record.source_url] },
  };
}

function feedsmithAtomEntry({ record, uri, updated, published, summary, content }: Item): object {
  return {
    id: uri,
    title: { value: record.title, type: 'text' },
    links: [
      { rel: 'alternate', href: record.source_url },
      { rel: 'via', href: record.source_url },
    ],
    ...(published === null ? {} : { published, dcterms: { issued: [published] } }),
    updated,
    ...(record.author === null ? {} : { authors: [{ name: record.author }] }),
    categories: categoriesOf(record).map(([scheme, term]) => ({ term, scheme, label: term })),
    ...(summary === null ? {} : { summary: { value: summary, type: 'text' } }),
    ...(content === null ? {} : { content: { value: content, type: 'html' } }),
    dc: { sources: [record.source_url] },
  };
}

async function feedPeer(input: Input, kind: Kind): Promise<Contestant> {
  const { Feed } = await loadPeer<FeedModule>('feed');
  const { head } = input;
  const { definition, links } = head;
  return {
    name: 'feed',
    role: 'peer',
    version: versionOf('feed'),
    note: kind === 'rss' ? 'other modules as its extensions' : 'without other modules: it has no extensions in Atom',
    run(out, index) {
      const feed = new Feed({
        id: feedId(head),
        title: definition.title,
        description: feedDescription(head),
        link: links!.alternate,
        feed: links!.self,
        language: definition.language,
        copyright: definition.rights,
        updated: new Date(head.lastChange!),
        author: { name: definition.author },
      });
      if (kind === 'rss') feed.addExtension({ name: '_attributes', objects: NAMESPACES });
      for (const item of itemsOf(input, index)) feed.addItem(feedItem(item, kind));
      out.text(kind === 'rss' ? feed.rss2() : feed.atom1());
    },
  };
}

function feedItem({ record, uri, updated, published, description, summary, content }: Item, kind: Kind): object {
  const shown = kind === 'rss' ? description : summary;
  return {
    title: record.title,
    id: uri,
    link: record.source_url,
    date: updated,
    ...(published === null ? {} : { published }),
    ...(shown === null ? {} : { description: shown }),
    ...(content === null ? {} : { content }),
    ...(kind === 'atom' && record.author !== null ? { author: [{ name: record.author }] } : {}),
    category: categoriesOf(record).map(([scheme, name]) => ({ name, term: name, scheme, domain: scheme })),
    ...(kind === 'rss' ? { extensions: feedExtensions(record, updated) } : {}),
  };
}

/** What the package has no members for, in its own way; it leaves `&` in attributes to its user. */
function feedExtensions(record: RegisterRecord, updated: Date): object[] {
  const element = (name: string, text: string): object => ({ name, objects: { _text: text } });
  const href = record.source_url.replaceAll('&', '&amp;');
  return [
    ...(record.author === null ? [] : [element('dc:creator', record.author)]),
    { name: 'atom:link', objects: { _attributes: { rel: 'via', href } } },
    element('atom:updated', updated.toISOString()),
    element('dc:source', record.source_url),
    ...(record.published_at === null ? [] : [element('dcterms:issued', record.published_at)]),
    element('register:observedAt', record.observed_at),
    element('register:key', record.key),
  ];
}

function categoriesOf(record: RegisterRecord): (readonly [string, string])[] {
  return CATEGORIES.flatMap(({ valueIn, scheme }) => {
    const value = valueIn(record);
    return value === null ? [] : [[scheme, value]];
  });
}

function itemsOf(input: Input, index: number): Item[] {
  const uriOf = recordUris(input.definition);
  return pageAt(input, index).records.map((record) => {
    const source = `<p>Source: <a href="${html(record.source_url)}">${html(record.source_url)}</a></p>`;
    const summary = record.summary === null ? null : `<p>${lines(record.summary)}</p>`;
    const body = record.content_type === 'html' ? record.content : `<p>${lines(record.content ?? '')}</p>`;
    const content = record.content === null ? null : `${body!}\n${source}`;
    return {
      record,
      uri: uriOf(record.id),
      updated: new Date(itemTimes(record).updated),
      published: record.published_at === null ? null : new Date(record.published_at),
      description: summary === null ? source : content === null ? `${summary}\n${source}` : summary,
      content,
      summary:
        content === null
          ? `${summary === null ? '' : `${record.summary!}\n\n`}Source: ${record.source_url}`
          : record.summary,
    };
  });
}

function lines(text: string): string {
  return html(text).replaceAll('\n', '<br>\n');
}

function html(text: string): string {
  if (!/[&<>"]/.test(text)) return text;
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
