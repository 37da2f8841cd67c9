// An import that is killed: a real process of the command line, ended by SIGKILL at a random moment, and what the store
// must hold then and after the same import has run again. The engines' own tests say which store.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { expect } from 'vitest';
import type { ImportResult } from '../../src/import/import-options.ts';
import { importRecords } from '../../src/import/importer.ts';
import { ndjsonReader } from '../../src/import/readers/ndjson.ts';
import { defineRegister } from '../../src/register/definition.ts';
import { BATCH_SIZE, IDS_PAGE_SIZE, type RegisterStore } from '../../src/stores/contract/registers.ts';
import { Imports } from '../../src/operate/registers/imports.ts';
import { pages } from '../../src/register/sources/source.ts';
import { GAZETTE, gazette } from '../cli/run.ts';
import { inspected } from '../contracts/overwrites.ts';
import type { InspectedStore } from '../../src/stores/contract/inspection.ts';
import { letPass, until } from '../until.ts';

/** Records in the file: not a whole number of batches. */
export const RECORDS = 10_070;

/** A file that runs from new to old. Its record `n` (from 1) belongs at position RECORDS + 1 − n. */
function line(n: number, edition = ''): string {
  const day = new Date(Date.UTC(2026, 0, 1) - n * 3_600_000).toISOString().replace('.000', '');
  return JSON.stringify({
    id: `r/${n}`,
    title: `Record ${n}${edition}`,
    summary: 'A summary of some length, so that a batch takes its time. '.repeat(8) + edition,
    source_url: `https://example.org/${n}${edition}`,
    published_at: day,
    observed_at: day,
  });
}

/** Writes the file. */
export async function writeRecords(path: string): Promise<void> {
  const lines: string[] = [];
  for (let n = 1; n <= RECORDS; n++) lines.push(`${line(n)}\n`);
  await writeFile(path, lines.join(''));
}

/** How many records the next edition of the file lacks, and has anew. */
const OTHERS = 70;

/** What a register shows whose import was approved by a process that was killed, and taken back by another one. */
export async function approveAndUndoKilled(
  withStore: (use: (store: RegisterStore) => Promise<unknown>) => Promise<unknown>,
  storeUrl: string,
  run: number,
  allGone: () => Promise<unknown> = () => Promise.resolve(),
): Promise<readonly string[]> {
  const states: string[] = [];
  let [before, after]: (readonly string[])[] = [[], []];
  let number = 0;
  await withStore(async (store) => {
    await makeRegister(store);
    const lines = (from: number, edition: string): Uint8Array[] =>
      Array.from({ length: RECORDS }, (_, index) => Buffer.from(`${line(from + index, edition)}\n`));
    await importAgain(store, Readable.from(lines(1, '')));
    const reader = ndjsonReader({ name: 'next.ndjson', open: () => Readable.from(lines(1 - OTHERS, ' next')) });
    ({ number } = (await importRecords(store, 'r', reader, { propose: true, withdrawMissing: true })) as {
      number: number;
    });
    before = await shown(store);
    const { change } = (await store.register('r'))!;
    const isFar = async (share: number): Promise<boolean> =>
      (await store.register('r'))!.change - change > share * RECORDS * 0.9;
    await kill(['imports', 'approve', 'r', `${number}`, '--store', storeUrl], run, isFar);
  });
  await allGone();
  await withStore(async (store) => {
    states.push((await store.imports.find('r', number)).state);
  });
  // Any command does what is left.
  expect(await gazette(['imports', 'list', 'r', '--store', storeUrl])).toMatchObject({ code: 0 });
  await withStore(async (store) => {
    const { state } = await store.imports.find('r', number);
    expect(['proposed', 'completed']).toContain(state);
    if (state === 'proposed') {
      expect(await shown(store)).toEqual(before);
      await new Imports(store).approve('r', number, { who: null });
    }
    after = await shown(store);
    expect(after.map((record) => (JSON.parse(record) as { readonly title: string }).title)).toEqual(
      Array.from({ length: RECORDS }, (_, index) => `Record ${index + 1 - OTHERS} next`),
    );
    const { change } = (await store.register('r'))!;
    const isFar = async (share: number): Promise<boolean> =>
      (await store.register('r'))!.change - change > share * RECORDS * 0.9;
    await kill(['imports', 'undo', 'r', `${number}`, '--store', storeUrl], run, isFar);
  });
  await allGone();
  await withStore(async (store) => {
    states.push((await store.imports.list('r', { limit: 1 }))[0]!.state);
  });
  expect(await gazette(['imports', 'list', 'r', '--store', storeUrl])).toMatchObject({ code: 0 });
  await withStore(async (store) => {
    const [newest] = await store.imports.list('r', { limit: 1 });
    const isUndone = newest!.kind === 'undo' && newest!.state === 'completed';
    expect(await shown(store)).toEqual(isUndone ? before : after);
    const { report } = await new Imports(store).undo('r', number, { who: null });
    expect(report.findings).toEqual([]);
    expect(await shown(store)).toEqual(before);
  });
  return states;
}

/** How many records a map of keys is for. */
const RENUMBERED = 5000;

/** What became of a map of keys whose command was killed, having made sure that any command does what is left. */
export async function renumberKilled(
  withStore: (use: (store: InspectedStore) => Promise<unknown>) => Promise<unknown>,
  storeUrl: string,
  map: string,
  run: number,
  allGone: () => Promise<unknown> = () => Promise.resolve(),
): Promise<string> {
  const all = Array.from({ length: RENUMBERED }, (_, index) => index + 1);
  // Of one half each gets the key of the next, of the other half two exchange theirs.
  const half = RENUMBERED / 2;
  const next = (n: number): number => (n <= half ? (n === half ? 0 : n + 1) : RENUMBERED + half + 1 - n);
  const keys = async (store: RegisterStore): Promise<readonly string[]> =>
    (await shown(store)).map((record) => (JSON.parse(record) as { readonly key: string }).key);
  const before = all.map((n) => `r/${n}`);
  const after = all.map((n) => `r/${next(n)}`);
  await writeFile(map, all.map((n) => `r/${n},r/${next(n)}\n`).join(''));
  await withStore(async (store) => {
    await makeRegister(store);
    await importAgain(store, Readable.from(all.map((n) => Buffer.from(`${line(n)}\n`))));
    expect(await keys(store)).toEqual(before);
    const isFar = async (share: number): Promise<boolean> =>
      (await store.register('r'))!.change - RENUMBERED > share * RENUMBERED * 0.9;
    await kill(['record', 'renumber', 'r', '--map', map, '--store', storeUrl], run, isFar);
  });
  await allGone();
  let state = 'none';
  await withStore(async (store) => {
    const newest = (await store.imports.list('r', { limit: 1 }))[0]!;
    if (newest.cause === 'renumbered') ({ state } = newest);
    // Between any two batches, no two records have one key.
    expect(new Set(await keys(store)).size).toBe(RENUMBERED);
  });
  expect(await gazette(['imports', 'list', 'r', '--store', storeUrl])).toMatchObject({ code: 0 });
  await withStore(async (store) => {
    const isDone = ['approved', 'completed'].includes(state);
    expect(await keys(store)).toEqual(isDone ? after : before);
    expect(await inspected(store)).toEqual([]);
  });
  return state;
}

/** What readers see, newest first. */
async function shown(store: RegisterStore): Promise<readonly string[]> {
  const all: string[] = [];
  for await (const { records } of pages(await store.source('r'), { limit: 100 }))
    for (const record of records) all.push(JSON.stringify({ ...record, version: 0, updated_at: '' }));
  return all;
}

/** Makes the empty register. */
export async function makeRegister(store: RegisterStore): Promise<void> {
  await store.createRegister(defineRegister({ id: 'r', title: 'R', created_at: '2026-01-01T00:00:00Z' }));
}

/** Runs the import as a process and kills it, as {@link kill}, by how many records were committed of the file's first or second half. */
export async function killImport(store: RegisterStore, storeUrl: string, file: string, run: number): Promise<void> {
  const top = async (): Promise<number> => (await store.register('r'))!.top;
  await kill(['import', 'r', file, '--store', storeUrl], run, async (share) => (await top()) >= share * RECORDS * 0.9);
}

/**
 * Runs a command as a process and kills it: in one run of three a random time after its start, which may be before it
 * has committed anything; else, found by looking, a random time after it has done a random share of the first half of
 * its work, and in the next run of the second half.
 */
async function kill(args: readonly string[], run: number, hasDone: (share: number) => Promise<boolean>): Promise<void> {
  const child = spawn(process.execPath, [GAZETTE, ...args], { stdio: 'ignore' });
  const ended = once(child, 'exit');
  const isRunning = (): boolean => child.exitCode === null && child.signalCode === null;
  const half = run % 3;
  if (half !== 0) {
    const share = (half - 1 + Math.random()) / 2;
    await until('the records', async () => !isRunning() || (await hasDone(share)));
  }
  await letPass(Math.random() * (half === 0 ? 1500 : 20), 'the moment is drawn at random');
  if (isRunning()) child.kill('SIGKILL');
  await ended;
}

/** The import once more, in this process. */
export async function importAgain(store: RegisterStore, content: AsyncIterable<Uint8Array>): Promise<ImportResult> {
  const reader = ndjsonReader({ name: 'records.ndjson', open: () => content });
  return importRecords(store, 'r', reader, { now: () => Date.UTC(2026, 1, 1) });
}

/** How many records the store holds, having made sure that they are whole batches, dense, and the right ones. */
export async function expectWholeBatches(store: RegisterStore): Promise<number> {
  const entry = (await store.register('r'))!;
  if (entry.top !== RECORDS) expect(entry.top % BATCH_SIZE).toBe(0);
  expect(entry).toMatchObject({ change: entry.top, total: entry.top });
  const found: { readonly id: string; readonly position: number }[] = [];
  for (let below: number | undefined; ; below = found.at(-1)!.position) {
    const ids = await store.ids('r', { limit: IDS_PAGE_SIZE, ...(below === undefined ? {} : { below }) });
    found.push(...ids.map(({ id, position }) => ({ id, position })));
    if (ids.length < IDS_PAGE_SIZE) break;
  }
  // The last line of the file is the oldest record and has position 1; nothing is twice and nothing is missing.
  expect(found).toEqual(
    Array.from({ length: entry.top }, (_, index) => {
      const position = entry.top - index;
      return { id: `r:r~2F${RECORDS + 1 - position}`, position };
    }),
  );
  return entry.top;
}
