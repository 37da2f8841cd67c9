// Long walks through a SQLite file, which a thread reads: the same records, and nothing left of the thread.
import type { Filter } from '../../../src/register/finding/filter.ts';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Worker } from 'node:worker_threads';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Page } from '../../../src/register/page.ts';
import { pages, type RegisterSource } from '../../../src/register/sources/source.ts';
import { SqliteStore } from '../../../src/stores/sqlite/store.ts';
import { at, HOSTILE_TEXTS, keyOf, permits, say, sayOdd } from '../../contracts/store-register.ts';

/** Enough for a thread to be started. */
const COUNT = 12_000;

let folder: string;
let filled: string;

const fill = async (store: SqliteStore): Promise<void> => {
  await store.createRegister(permits());
  // The oldest records come last, when the thread reads.
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
let workers: Worker[];
const noteWorker = (worker: Worker): void => void workers.push(worker);

beforeEach(async () => {
  path = join(folder, `store-${++copies}.db`);
  await copyFile(filled, path);
  store = SqliteStore.open(path);
  source = await store.source('permits');
  workers = [];
  process.on('worker', noteWorker);
});
afterEach(async () => {
  process.off('worker', noteWorker);
  await store.close();
  // Whatever a test did, no thread outlives its store.
  expect(workers.map(({ threadId }) => threadId)).toEqual(workers.map(() => -1));
});

type Walk = AsyncGenerator<Page, void, undefined>;

/** Takes pages until a thread has been started and can begin; answers what was read until then. */
async function untilThreadIsReady(walk: Walk): Promise<Page[]> {
  const found: Page[] = [];
  while (workers.length === 0) {
    const step = await walk.next();
    if (step.done === true) throw new Error('the walk ended without a thread');
    found.push(step.value);
  }
  await once(workers[0]!, 'message');
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

describe('a long walk through a SQLite file', () => {
  it.each<[number, Filter]>([
    [100, {}],
    [7, {}],
    [64, { document_type: 'even' }],
    [100, { facility_id: 'FAC-0001' }],
  ])('reads the same by a thread as without one: limit %i, filter %j', async (limit, filter) => {
    const walk = pages(source, { limit, filter });
    const found = await untilThreadIsReady(walk);
    let answers = 0;
    workers[0]!.on('message', () => answers++);
    found.push(...(await rest(walk)));
    expect(answers).toBeGreaterThan(5);
    expect(found).toEqual(await oneByOne(limit, filter));
    expect(workers).toHaveLength(1);
  });

  it('goes without a thread where it is short, in memory, by both filters, or ended after some pages', async () => {
    await rest(pages(source, { offset: 3000 }));
    await rest(pages(source, { filter: { document_type: 'even', facility_id: 'FAC-0001' } }));
    const walk = pages(source);
    for (let page = 0; page < 2; page++) await walk.next();
    await walk.return();
    const memory = SqliteStore.open(':memory:');
    await fill(memory);
    const found = await rest(pages(await memory.source('permits')));
    await memory.close();
    expect(workers).toEqual([]);
    expect(found).toEqual(await oneByOne(100));
  });

  it('has a thread one at a time, the next walk when the one before has ended', async () => {
    const first = pages(source);
    await untilThreadIsReady(first);
    await rest(pages(source));
    expect(workers).toHaveLength(1);
    await rest(first);
    const second = pages(source);
    for (let page = 0; page < 60; page++) await second.next();
    await second.return();
    expect(workers).toHaveLength(2);
  });

  it('keeps to its view while another connection writes', async () => {
    const other = SqliteStore.open(path);
    const walk = pages(source);
    const read = await untilThreadIsReady(walk);
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
    await untilThreadIsReady(walk);
    await store.removeRegister('permits');
    await expect(rest(walk)).rejects.toMatchObject({ code: 'unknown_feed', details: { feed_id: 'permits' } });
  });

  it('goes on by itself when its thread ends', async () => {
    const walk = pages(source);
    const found = await untilThreadIsReady(walk);
    found.push((await walk.next()).value!);
    await workers[0]!.terminate();
    expect([...found, ...(await rest(walk))]).toEqual(await oneByOne(100));
  });

  it('gives others their turn', async () => {
    let turns = 0;
    const ticking = setInterval(() => turns++, 0);
    await rest(pages(source, { filter: { document_type: 'even', facility_id: 'FAC-0001' } }));
    clearInterval(ticking);
    expect(turns).toBeGreaterThan(5);
  });
});

describe('the thread of a walk', () => {
  it('ends when the reader stops, and leaves no lock', async () => {
    const walk = pages(source);
    await untilThreadIsReady(walk);
    const ended = once(workers[0]!, 'exit');
    await walk.return();
    await ended;
    const db = new DatabaseSync(path);
    expect(db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()).toMatchObject({ busy: 0 });
    db.close();
  });

  it('ends when the signal fires, also while it is asked', async () => {
    const stop = new AbortController();
    const walk = pages(source, { signal: stop.signal });
    await untilThreadIsReady(walk);
    const ended = once(workers[0]!, 'exit');
    const failed = expect(rest(walk)).rejects.toMatchObject({ code: 'aborted', cause: 'enough' });
    stop.abort('enough');
    await ended;
    await failed;
  });

  it('ends with the store, whose walk then fails as it does without one', async () => {
    const walk = pages(source);
    await untilThreadIsReady(walk);
    await store.close();
    expect(workers[0]!.threadId).toBe(-1);
    await expect(rest(walk)).rejects.toMatchObject({ code: 'ERR_INVALID_STATE' });
    store = SqliteStore.open(path);
  });

  it.each([
    [
      'keeps no process alive',
      'process.on("exit", () => process.stdout.write("over")); globalThis.kept = walk;',
      'over',
    ],
    [
      'keeps a process alive while it is waited for',
      'for await (const { records } of walk) count += records.length; process.stdout.write(`${count}`);',
      String(COUNT),
    ],
  ])('%s', async (_, script, expected) => {
    const module = (name: string): string => JSON.stringify(new URL(`../../../src/${name}`, import.meta.url).href);
    const child = spawn(
      process.execPath,
      [
        '--disable-warning=ExperimentalWarning',
        '--input-type=module',
        '--eval',
        `import { once } from 'node:events';
        import { pages } from ${module('register/sources/source.ts')};
        import { SqliteStore } from ${module('stores/sqlite/store.ts')};
        let thread, count = 0;
        process.once('worker', (worker) => { thread = worker; });
        const walk = pages(await SqliteStore.open(${JSON.stringify(path)}).source('permits'));
        while (thread === undefined) count += (await walk.next()).value.records.length;
        const keepAlive = setInterval(() => undefined, 1000);
        await once(thread, 'message');
        for (let page = 0; page < 10; page++) count += (await walk.next()).value.records.length;
        clearInterval(keepAlive);
        ${script}`,
      ],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    const output: string[] = [];
    child.stdout.on('data', (chunk: Buffer) => output.push(chunk.toString()));
    const [code] = (await once(child, 'close')) as [number | null];
    expect([code, output.join('')]).toEqual([0, expected]);
  });
});
