// The archives of a snapshot (RFC 5005 4): a reader that follows them finds everything, and closed ones stay as they are.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Tier } from '../../src/register/tier.ts';
import { ATOM } from '../contracts/feed-entries.ts';
import { keyAt } from '../world.ts';
import { at } from '../contracts/store-register.ts';
import { childrenOf, childOf, parseXml, textOf, type XmlElement } from '../contracts/xml-tree.ts';
import { add, changedFiles, correct, digests, folder, manifestOf, publish, SITE, storeOf } from './published.ts';

const FH = '{http://purl.org/syndication/history/1.0}';
const TOMBSTONES = '{http://purl.org/atompub/tombstones/1.0}';
const ALL = ['atom', 'csv', 'html', 'json', 'rss', 'xlsx', 'xml'] as const;
const HEAD = [
  'catalog.jsonld',
  'index.html',
  'manifest.json',
  'permits/changes.atom',
  ...ALL.map((ending) => `permits/index.${ending}`),
  'permits/manifest.json',
];

/** Names the pages, so it changes where one is closed. */
const PACKAGE = 'permits/datapackage.json';

const files = (page: string): string[] => ALL.map((ending) => `permits/pages/${page}.${ending}`);

function linkOf(parent: XmlElement, rel: string): string | null {
  const link = childrenOf(parent, `${ATOM}link`).find(({ attributes }) => attributes.rel === rel);
  return link?.attributes.href ?? null;
}

/** Every feed from the newest page on, as a reader that follows `prev-archive` sees them. */
async function walk(out: string, ending: 'atom' | 'rss'): Promise<XmlElement[]> {
  const found: XmlElement[] = [];
  for (let url: string | null = `${SITE}/permits/index.${ending}`; url !== null;) {
    expect(found.length).toBeLessThan(20);
    const root = parseXml(await readFile(join(out, url.slice(SITE.length))));
    const feed: XmlElement = ending === 'atom' ? root : childOf(root, 'channel')!;
    expect(linkOf(feed, 'self')).toBe(url);
    found.push(feed);
    url = linkOf(feed, 'prev-archive');
  }
  return found;
}

describe('the archives of a snapshot', () => {
  it.each([0, 1, 99, 100, 101, 200, 530])('lead from the newest page to each of %i records once', async (count) => {
    const out = await folder();
    await publish(await storeOf(count), out);
    const expected = Array.from(
      { length: count },
      (_, index) => `tag:example.org,2026:record/permits:${keyAt(count - index)}`,
    );
    const atom = await walk(out, 'atom');
    expect(atom.flatMap((feed) => childrenOf(feed, `${ATOM}entry`).map((entry) => textOf(entry, `${ATOM}id`)))).toEqual(
      expected,
    );
    const rss = await walk(out, 'rss');
    expect(rss.flatMap((channel) => childrenOf(channel, 'item').map((item) => textOf(item, 'guid')))).toEqual(expected);
    const { walk: names, total } = await manifestOf(out);
    expect(names).toHaveLength(atom.length);
    expect(total).toBe(count);
  });

  it('say that they are archives and where the newest records are, and never what comes after them', async () => {
    const out = await folder();
    await publish(await storeOf(530), out);
    for (const ending of ['atom', 'rss'] as const) {
      const [head, ...archives] = await walk(out, ending);
      expect(childOf(head!, `${FH}archive`)).toBeNull();
      expect(linkOf(head!, 'current')).toBeNull();
      expect(archives).toHaveLength(4);
      for (const archive of archives) {
        expect(childOf(archive, `${FH}archive`)).not.toBeNull();
        expect(linkOf(archive, 'current')).toBe(`${SITE}/permits/index.${ending}`);
        expect(linkOf(archive, 'next-archive')).toBeNull();
      }
    }
  });

  it.each<Tier>(['public', 'pro'])('do not change when records are added, for the tier %s', async (tier) => {
    const out = await folder();
    const store = await storeOf(305);
    await publish(store, out, { tier });
    const before = await digests(out);
    // One by one: each moves the public window, and two close a page.
    for (const top of [306, 399, 400, 401]) {
      await add(store, (await manifestOf(out)).as_of + 1, top);
      await publish(store, out, { tier });
    }
    expect(changedFiles(before, await digests(out))).toEqual([...HEAD, PACKAGE, ...files('000004')].sort());
    // Nor do they hang on how they came to be.
    const other = await folder();
    await publish(store, other, { tier });
    expect(await digests(other)).toEqual(await digests(out));
  });

  it('are written again where a record was corrected, withdrawn or restored, and nowhere else', async () => {
    const out = await folder();
    const store = await storeOf(530);
    await publish(store, out, { tier: 'pro' });
    let before = await digests(out);
    const expectChanged = async (...expected: readonly string[]): Promise<void> => {
      await publish(store, out, { tier: 'pro' });
      const after = await digests(out);
      const changed = changedFiles(before, after);
      const ofPages = (name: string): boolean => name.includes('/pages/') || name === PACKAGE;
      expect(changed.filter(ofPages)).toEqual([...expected].sort());
      // CSV and JSON of the newest page say nothing of when the register changed.
      expect(HEAD).toEqual(expect.arrayContaining(changed.filter((name) => !ofPages(name))));
      before = after;
    };
    await correct(store, 150, 199, 201);
    await add(store, 531, 630);
    await expectChanged(PACKAGE, ...files('000002'), ...files('000003'), ...files('000006'));
    await store.withdraw('permits', [`permits:${keyAt(7)}`], { recordedAt: at(200_000) });
    await expectChanged(...files('000001'));
    const changes = parseXml(await readFile(join(out, 'permits/changes.atom')));
    expect(childrenOf(changes, `${TOMBSTONES}deleted-entry`).map(({ attributes }) => attributes.ref)).toEqual([
      'tag:example.org,2026:record/permits:007',
    ]);
    expect(childrenOf(changes, `${ATOM}entry`).map((entry) => textOf(entry, `${ATOM}title`))).toEqual([
      'Corrected number 201',
      'Corrected number 199',
      'Corrected number 150',
    ]);
    const { files: named, total } = await manifestOf(out);
    expect(named['pages/000001.csv']).toMatchObject({ records: 99, positions: [1, 100], tier: 'pro', as_of: 100 });
    expect(total).toBe(629);
    await correct(store, 7);
    await expectChanged(...files('000001'));
    const result = await publish(store, out, { tier: 'pro' });
    expect(result.written).toBe(0);
    expect(await digests(out)).toEqual(before);
  });

  it('are all written again for another address, another definition, and a register made anew', async () => {
    const out = await folder();
    const store = await storeOf(205);
    await publish(store, out);
    const moved = await publish(store, out, { baseUrl: 'https://elsewhere.example.org' });
    // Three pages in five formats (CSV names no address), two in JSON, which names only the page before; changes.atom;
    // catalog.jsonld, opml.xml, sitemap.xml and index.html at the root.
    expect(moved.written).toBe(3 * 5 + 2 + 1 + 4);
    expect(await readFile(join(out, 'permits/pages/000001.atom'), 'utf8')).not.toContain(SITE);
    await store.removeRegister('permits');
    const { definition } = (await (await storeOf(0)).register('permits'))!;
    await store.createRegister(definition);
    await add(store, 1, 90);
    await publish(store, out);
    const { files: named } = await manifestOf(out);
    expect(Object.keys(named)).toHaveLength(10);
    expect([...(await digests(out)).keys()].filter((name) => name.includes('pages/'))).toEqual([]);
  });
});
