// The HTML pages of a snapshot: their links are relative and lead to files of it, each record is on one of them, and none is larger than
// a page may be, however long the texts of its records are.
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { verifySnapshot } from '../../src/snapshot/verify.ts';
import { SqliteStore } from '../../src/stores/sqlite/store.ts';
import { keyAt, statementAt } from '../world.ts';
import { find } from '../pages/documents.ts';
import { at, permits } from '../contracts/store-register.ts';
import { folder, publish, SITE, storeOf } from './published.ts';

const MAX_PAGE_BYTES = 60_000;

interface HtmlFile {
  readonly name: string;
  readonly text: string;
}

async function pagesOf(out: string): Promise<readonly HtmlFile[]> {
  const names = (await readdir(out, { recursive: true })).filter((name) => name.endsWith('.html'));
  return Promise.all(names.map(async (name) => ({ name, text: await readFile(join(out, name), 'utf8') })));
}

it('links by relative addresses to files that are there, except for sources and for itself', async () => {
  const out = await folder();
  await publish(await storeOf(350), out);
  const pages = await pagesOf(out);
  expect(pages.map(({ name }) => name).sort()).toEqual([
    'index.html',
    ...['index.html', 'pages/000001.html', 'pages/000002.html', 'pages/000003.html'].map((name) => `permits/${name}`),
  ]);
  for (const { name, text } of pages) {
    const links = Array.from(text.matchAll(/ (?:href|src)="([^"#]+)"/g), ([, href]) => href!);
    expect(links.length).toBeGreaterThan(4);
    for (const href of links) {
      if (/^https?:/.test(href))
        expect(href).toMatch(
          /^https:\/\/example\.org\/|^https:\/\/static\.example\.org\/registers\/permits\/index\.html$/,
        );
      else expect([name, href, existsSync(resolve(out, dirname(name), href))]).toEqual([name, href, true]);
    }
    expect(text).not.toMatch(/<script(?! type="application\/ld\+json">)|<style| style=| on[a-z]+=/);
  }
});

it.each([
  ['of records as they are', 280, (index: number) => statementAt(index, 280)],
  [
    'of the longest texts there are',
    199,
    (index: number) => ({
      ...statementAt(index, 199),
      title: `${index} ${'<&"\u{1f9e8}ä '.repeat(500)}`,
      document_type: '"'.repeat(500),
      facility_id: '<'.repeat(500),
      source_url: `https://example.org/${'&amp;'.repeat(350)}/${index}`,
    }),
  ],
])('shows every record on a page of less than 60 KB: %s', async (_, count, statement) => {
  const out = await folder();
  const store = SqliteStore.open(':memory:');
  await store.createRegister({
    ...permits(),
    title: '&'.repeat(3000),
    description: '"'.repeat(5000),
    author: '<'.repeat(3000),
  });
  await store.apply(
    'permits',
    Array.from({ length: count }, (__, index) => statement(index + 1)),
    { recordedAt: at(count) },
  );
  await publish(store, out, { tier: 'pro' });
  const shown: string[] = [];
  let next: string | undefined = 'permits/index.html';
  while (next !== undefined) {
    const text: string = await readFile(join(out, next), 'utf8');
    expect([next, Buffer.byteLength(text) < MAX_PAGE_BYTES]).toEqual([next, true]);
    const titles = Array.from(text.matchAll(/^<tr><th scope="row"><[^>]*>(?:Permit number )?(\d+)/gm), ([, number]) =>
      keyAt(Number(number)),
    );
    expect(titles).toEqual([...new Set(titles)].sort().reverse());
    shown.push(...titles);
    const href: string | undefined = /<a rel="next" href="([^"]*)"/.exec(text)?.[1];
    next = href === undefined ? undefined : join(dirname(next), href);
  }
  expect([...new Set(shown)]).toEqual(Array.from({ length: count }, (__, index) => keyAt(count - index)));
  expect(await verifySnapshot(out)).toMatchObject({ state: 'whole', records: count, findings: [] });
});

/** The cells of the chart's table: those of records have a label, or nothing. */
const cellsOf = (text: string): readonly string[] =>
  find(text, 'td').flatMap((cell) => (cell.text === '' || cell.attributes.has('data-label') ? [] : [cell.text]));

it.each([
  ['public', 'permits/index.html', true],
  ['pro', 'permits/index.html', true],
  ['public', 'permits/pages/000002.html', false],
] as const)('counts all records by month where they are newest: %s, %s', async (tier, name, hasChart) => {
  const out = await folder();
  const store = SqliteStore.open(':memory:');
  await store.createRegister(permits());
  const days = Array.from({ length: 320 }, (_, index) =>
    index < 300 ? '2026-01-31' : index < 319 ? '2026-03-01' : null,
  );
  await store.apply(
    'permits',
    days.map((published_at, index) => ({ ...statementAt(index + 1, 320), published_at })),
    { recordedAt: at(1) },
  );
  await publish(store, out, { tier });
  const chart = ['January 2026', '300', 'February 2026', '0', 'March 2026', '19'];
  expect(cellsOf(await readFile(join(out, name), 'utf8'))).toEqual(hasChart ? chart : []);
  await store.withdraw('permits', [`permits:${keyAt(1)}`], { recordedAt: at(2) });
  await publish(store, out, { tier });
  expect(cellsOf(await readFile(join(out, name), 'utf8'))).toEqual(hasChart ? chart.with(1, '299') : []);
  expect(await verifySnapshot(out)).toMatchObject({ state: 'whole', findings: [] });
});

interface Dataset {
  readonly [name: string]: unknown;
  readonly distribution: readonly {
    readonly contentUrl: string;
    readonly encodingFormat: string;
    readonly name?: string;
  }[];
}

async function datasetIn(path: string): Promise<Dataset | null> {
  const text = await readFile(path, 'utf8');
  const data = /<script type="application\/ld\+json">(.*?)<\/script>/s.exec(text)?.[1];
  return data === undefined ? null : (JSON.parse(data) as Dataset);
}

it('tells search engines what each register is and where its files are, and nothing that the public may not read', async () => {
  const out = await folder();
  const store = await storeOf(150);
  await store.createRegister({
    ...permits('open'),
    title: 'Open <register>',
    access: 'open',
    rights: 'https://example.org/by',
  });
  await publish(store, out);
  expect(await datasetIn(join(out, 'permits/index.html'))).toMatchObject({
    '@type': 'Dataset',
    name: permits().title,
    url: `${SITE}/permits/index.html`,
    isAccessibleForFree: false,
    description: expect.stringContaining('All but the latest records are previews.') as string,
  });
  const open = (await datasetIn(join(out, 'open/index.html')))!;
  expect(open).toMatchObject({ name: 'Open <register>', isAccessibleForFree: true, license: 'https://example.org/by' });
  for (const { contentUrl } of open.distribution)
    expect(existsSync(contentUrl.replace(SITE, out)), contentUrl).toBe(true);
  expect(open.distribution.map(({ encodingFormat }) => encodingFormat)).toContain('text/csv');
  // One page is the whole register; of more, the manifest names the others.
  expect(open.distribution.every(({ name }) => name === undefined)).toBe(true);
  await publish(await storeOf(250), join(out, 'large'));
  const large = (await datasetIn(join(out, 'large/permits/index.html')))!.distribution;
  expect(large.at(-1)).toMatchObject({ name: 'manifest.json', contentUrl: `${SITE}/permits/manifest.json` });
  expect(large.slice(0, -1).every(({ name }) => name === 'Latest records')).toBe(true);
  expect(await datasetIn(join(out, 'large/permits/pages/000001.html'))).toBeNull();
});

it('has a sitemap of the pages that search engines may show, in the public tier alone', async () => {
  const out = await folder();
  const store = await storeOf(350);
  await publish(store, out);
  const sitemap = await readFile(join(out, 'sitemap.xml'), 'utf8');
  const addresses = Array.from(sitemap.matchAll(/<loc>([^<]*)<\/loc>/g), ([, address]) => address!);
  expect(addresses).toEqual([`${SITE}/index.html`, `${SITE}/permits/index.html`]);
  for (const { name, text } of await pagesOf(out)) {
    expect([name, text.includes('content="noindex"')]).toEqual([name, !addresses.includes(`${SITE}/${name}`)]);
  }
  await publish(store, join(out, 'pro'), { tier: 'pro' });
  expect(existsSync(join(out, 'pro/sitemap.xml'))).toBe(false);
});

it('has a catalogue for portals, whose files are there and whose registers are those of all runs', async () => {
  const out = await folder();
  const store = await storeOf(350);
  await publish(store, out);
  const other = await storeOf(0);
  await other.createRegister({ ...permits('open'), access: 'open', author: 'The office', every: '7d' });
  await publish(other, out, { feeds: ['open'] });
  const catalog = await readFile(join(out, 'catalog.jsonld'), 'utf8');
  const files = Array.from(catalog.matchAll(/"dcat:downloadURL":"([^"]+)"/g), ([, url]) => url!);
  for (const url of files) expect([url, existsSync(url.replace(SITE, out))]).toEqual([url, true]);
  expect(files.filter((url) => url.endsWith('/manifest.json'))).toEqual([`${SITE}/permits/manifest.json`]);
  const datasets = (JSON.parse(catalog) as { 'dcat:dataset': readonly Readonly<Record<string, unknown>>[] })[
    'dcat:dataset'
  ];
  expect(datasets.map((dataset) => dataset['@id'])).toEqual(
    ['open', 'permits'].map((id) => `${SITE}/${id}/index.html#dataset`),
  );
  const authority = 'http://publications.europa.eu/resource/authority';
  expect(datasets[0]).toMatchObject({
    'dct:publisher': { 'foaf:name': 'The office' },
    'dct:accessRights': { '@id': `${authority}/access-right/PUBLIC` },
    'dct:accrualPeriodicity': { '@id': `${authority}/frequency/WEEKLY` },
  });
  expect(catalog).toContain('All but the latest records are previews.');
  expect(await verifySnapshot(out)).toMatchObject({ tier: 'public' });
});

it('speaks the language of its register, and says that previews are previews', async () => {
  const out = await folder();
  const store = SqliteStore.open(':memory:');
  await store.createRegister({ ...permits(), language: 'de-AT' });
  await store.apply('permits', [statementAt(1, 1)], { recordedAt: at(1) });
  await publish(store, out);
  const page = await readFile(join(out, 'permits/index.html'), 'utf8');
  expect(page).toContain('<html lang="de">');
  expect(page).toContain('von allen anderen eine Vorschau');
  // Its files need no key, and on a narrow screen a link leads to them, below all records.
  expect(page).not.toContain('API-Schlüssel');
  expect(find(page, 'a', { href: '#side' }).map(({ text }) => text)).toEqual(['Formate und Feeds']);
  expect(page).toContain(`${SITE}/permits/index.html`);
  await publish(store, join(out, 'pro'), { tier: 'pro' });
  expect(await readFile(join(out, 'pro/permits/index.html'), 'utf8')).not.toContain('Vorschau');
});
