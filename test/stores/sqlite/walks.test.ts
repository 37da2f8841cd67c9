// Walks through a SQLite file, a group of pages at a time, between which others have their turn and may write.
import type { Filter } from '../../../src/register/finding/filter.ts';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { DatabaseSync } from 'node:sqlite';
import type { Page } from '../../../src/register/page.ts';
import { pages, type RegisterSource } from '../../../src/register/sources/source.ts';
import { SqliteStore } from '../../../src/stores/sqlite/store.ts';
import { at, HOSTILE_TEXTS, keyOf, permits, say, sayOdd } from '../../contracts/store-register.ts';

/** Enough for several groups of pages. */
const COUNT = 3000;

let folder: string;
let filled: string;

const fill = async (store: SqliteStore): Promise<void> => {
  await store.createRegister(permits());
  await store.apply(
    'permits',
    HOSTILE_TEXTS.map((text, n) => sayOdd(`odd-${n}`, text)),
    { recordedAt: at(0) },
  );
  const plain = Array.from({ length: COUNT - HOSTILE_TEXTS.length }, (_, n) => {
    return say(`k${n}`, { document_type: n % 2 === 0 ? 'even' : null });
  });
  await store.apply('permits', plain, { recordedAt: at(1) });
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gazette-'));
  filled = join(folder, 'filled.db');
  const store = SqliteStore.open(filled);
  await fill(store);
  await store.close();
});
afterAll(() => rm(folder, { recursive: true }));

let store: SqliteStore;
let path: string;
let source: RegisterSource;
let copies = 0;

beforeEach(async () => {
  path = join(folder, `store-${++copies}.db`);
  await copyFile(filled, path);
  store = SqliteStore.open(path);
  source = await store.source('permits');
});
afterEach(() => store.close());

type Walk = AsyncGenerator<Page, void, undefined>;

/** The first pages of a walk, so that a group is read and more are to come. */
async function begun(walk: Walk): Promise<Page[]> {
  const found: Page[] = [];
  for (let page = 0; page < 3; page++) found.push((await walk.next()).value!);
  return found;
}

/** The rest of a walk. */
async function rest(walk: Walk): Promise<Page[]> {
  const found: Page[] = [];
  for await (const page of walk) found.push(page);
  return found;
}

/** The same register one page after the other. */
async function oneByOne(limit: number, filter: Filter = {}): Promise<Page[]> {
  const found: Page[] = [];
  for (let offset: number | null = 0; offset !== null; offset = found.at(-1)!.nextOffset) {
    found.push(await source.page({ offset, limit, filter }));
  }
  return found;
}

it.each<[number, Filter]>([
  [100, {}],
  [7, {}],
  [64, { document_type: 'even' }],
  [100, { facility_id: 'FAC-0001' }],
  [100, { document_type: 'even', facility_id: 'FAC-0001' }],
])('reads the same as page by page: limit %i, filter %j', async (limit, filter) => {
  expect(await rest(pages(source, { limit, filter }))).toEqual(await oneByOne(limit, filter));
});

it('keeps to its view while another connection writes', async () => {
  const other = SqliteStore.open(path);
  const walk = pages(source);
  const read = await begun(walk);
  await other.apply('permits', [say('new'), say('k20', { title: 'Changed' })], { recordedAt: at(2) });
  await other.withdraw('permits', ['permits:k10'], { recordedAt: at(3) });
  await other.close();
  const found = [...read, ...(await rest(walk))].flatMap(({ records }) => records);
  expect(found).toHaveLength(COUNT - 1);
  expect(found.map(({ position }) => position)).toEqual(
    Array.from({ length: COUNT }, (_, n) => COUNT - n).filter((n) => n !== HOSTILE_TEXTS.length + 11),
  );
  expect(found.find((record) => keyOf(record) === 'k20')?.title).toBe('Changed');
});

it('fails as a page does when its register is removed', async () => {
  const walk = pages(source);
  await begun(walk);
  await store.removeRegister('permits');
  await expect(rest(walk)).rejects.toMatchObject({ code: 'unknown_feed', details: { feed_id: 'permits' } });
});

it('fails when its store is closed', async () => {
  const walk = pages(source);
  await begun(walk);
  await store.close();
  await expect(rest(walk)).rejects.toMatchObject({ code: 'ERR_INVALID_STATE' });
  store = SqliteStore.open(path);
});

it('ends when the signal fires, and leaves no lock', async () => {
  const stop = new AbortController();
  const walk = pages(source, { signal: stop.signal });
  await begun(walk);
  stop.abort('enough');
  await expect(rest(walk)).rejects.toMatchObject({ code: 'aborted', cause: 'enough' });
  const db = new DatabaseSync(path);
  expect(db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()).toMatchObject({ busy: 0 });
  db.close();
});

it('gives others their turn', async () => {
  let turns = 0;
  const ticking = setInterval(() => turns++, 0);
  await rest(pages(source));
  clearInterval(ticking);
  expect(turns).toBeGreaterThan(0);
});
