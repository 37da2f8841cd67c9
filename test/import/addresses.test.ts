// Addresses as publishers write them: with signs that a URI does not have, and spaces around them.
import { describe, expect, it } from 'vitest';
import { guessImport } from '../../src/import/guess/guess-import.ts';
import type { RefusedRecord } from '../../src/import/import-options.ts';
import { importRecords } from '../../src/import/importer.ts';
import { csvReader } from '../../src/import/readers/csv.ts';
import { defineRegister } from '../../src/register/definition.ts';
import { pages } from '../../src/register/sources/source.ts';
import { SqliteStore } from '../../src/stores/sqlite/store.ts';
import { source } from './sources.ts';

async function taken(
  addresses: readonly string[],
): Promise<{ readonly urls: unknown; readonly refused: readonly string[] }> {
  const store = SqliteStore.open(':memory:');
  const fields = [{ name: 'link', type: 'url' as const }];
  await store.createRegister(defineRegister({ id: 'r', title: 'R', created_at: '2026-01-01T00:00:00Z', fields }));
  const cell = (text: string): string => `"${text.replaceAll('"', '""')}"`;
  const rows = addresses.map((address, n) => `${n},T,${cell(address)},${cell(address)}`);
  const read = () => csvReader(source(`id,title,source_url,link\n${rows.join('\n')}\n`));
  const refused: string[] = [];
  const options = {
    order: 'newest-first' as const,
    now: () => 0,
    onRefused: ({ error }: RefusedRecord) => void refused.push(error.message),
  };
  await importRecords(store, 'r', read(), options);
  const all = (await Array.fromAsync(pages(await store.source('r')))).flatMap(({ records }) => records);
  const { unchanged } = await importRecords(store, 'r', read(), { ...options, onRefused: () => undefined });
  expect(unchanged).toBe(all.length);
  await store.close();
  return {
    urls: all.map(({ source_url, data }) => (source_url === data.link ? source_url : [source_url, data.link])),
    refused,
  };
}

describe('an address', () => {
  it.each([
    ['https://example.org/q?id=1|2', 'https://example.org/q?id=1%7C2'],
    [' https://example.org/a  ', 'https://example.org/a'],
    ['https://example.org/a b', 'https://example.org/a%20b'],
    ['https://example.org/{x}?"y"', 'https://example.org/%7Bx%7D?%22y%22'],
    ['https://example.org/é?q=ü|', 'https://example.org/%C3%A9?q=%C3%BC%7C'],
    // What needs no repair stays as it is.
    ['https://example.org/é', 'https://example.org/é'],
    ['HTTP://Example.org', 'HTTP://Example.org'],
  ])('%s is written %s', async (written, expected) => {
    expect(await taken([written])).toEqual({ urls: [expected], refused: [] });
  });

  it.each([
    'example.org',
    'ftp://example.org/',
    'javascript:alert(1)',
    'https:///a',
    'https://exa mple.org/',
    'https://example.org/a\nhttps://example.org/b',
    'https://example.org/a https://example.org/b',
  ])('%j is the fault of its record', async (written) => {
    const { urls, refused } = await taken(['https://example.org/', written]);
    expect(urls).toEqual(['https://example.org/']);
    expect(refused).toEqual([expect.stringMatching(/source_url must be an absolute http\(s\) URL/)]);
  });
});

it('a guess takes such a column for the source', async () => {
  const text = 'code,page\na,https://example.org/q?id=1|2\nb, https://example.org/b\n';
  const guess = await guessImport(() => csvReader(source(text)), { feedId: 'r', now: () => 0 });
  expect(guess).toMatchObject({
    refused: 0,
    first: [{ source_url: 'https://example.org/q?id=1%7C2' }, { source_url: 'https://example.org/b' }],
  });
});
