// The HTML pages of a snapshot: their links are relative and lead to files of it, each record is on one of them, and none is larger than
// a page may be, however long the texts of its records are.
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { verifySnapshot } from '../../src/snapshot/verify.ts';
import { SqliteStore } from '../../src/stores/sqlite/store.ts';
import { keyAt, statementAt } from '../contracts/deployment.ts';
import { at, permits } from '../contracts/store-register.ts';
import { folder, publish, SITE, storeOf } from './published.ts';

const MAX_PAGE_BYTES = 50_000;

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
    expect(text).not.toMatch(/<script|<style| style=| on[a-z]+=/);
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
])('shows every record on a page of less than 50 KB: %s', async (_, count, statement) => {
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
    const titles = Array.from(text.matchAll(/^<li><h3><[^>]*>(?:Permit number )?(\d+)/gm), ([, number]) =>
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

it('speaks the language of its register, and says that previews are previews', async () => {
  const out = await folder();
  const store = SqliteStore.open(':memory:');
  await store.createRegister({ ...permits(), language: 'de-AT' });
  await store.apply('permits', [statementAt(1, 1)], { recordedAt: at(1) });
  await publish(store, out);
  const page = await readFile(join(out, 'permits/index.html'), 'utf8');
  expect(page).toContain('<html lang="de">');
  expect(page).toContain('von allen anderen eine Vorschau');
  expect(page).toContain(`${SITE}/permits/index.html`);
  await publish(store, join(out, 'pro'), { tier: 'pro' });
  expect(await readFile(join(out, 'pro/permits/index.html'), 'utf8')).not.toContain('Vorschau');
});
