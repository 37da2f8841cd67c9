// An import that is killed: a real process of the command line, ended by SIGKILL at a random moment, and what the store
// must hold then and after the same import has run again. The engines' own tests say which store.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { expect } from 'vitest';
import type { ImportResult } from '../../src/import/import-options.ts';
import { importRecords } from '../../src/import/importer.ts';
import { ndjsonReader } from '../../src/import/readers/ndjson.ts';
import { defineRegister } from '../../src/register/definition.ts';
import { BATCH_SIZE, IDS_PAGE_SIZE, type RegisterStore } from '../../src/stores/contract/registers.ts';
import { GAZETTE } from '../cli/run.ts';
import { letPass, until } from '../until.ts';

/** Records in the file: not a whole number of batches. */
export const RECORDS = 10_070;

/** A file that runs from new to old. Its record `n` (from 1) belongs at position RECORDS + 1 − n. */
function line(n: number): string {
  const day = new Date(Date.UTC(2026, 0, 1) - n * 3_600_000).toISOString().replace('.000', '');
  return JSON.stringify({
    id: `r/${n}`,
    title: `Record ${n}`,
    summary: 'A summary of some length, so that a batch takes its time. '.repeat(8),
    source_url: `https://example.org/${n}`,
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

/** Makes the empty register. */
export async function makeRegister(store: RegisterStore): Promise<void> {
  await store.createRegister(defineRegister({ id: 'r', title: 'R', created_at: '2026-01-01T00:00:00Z' }));
}

/**
 * Runs the import as a process and kills it: in one run of three a random time after its start, which may be before it
 * has committed anything; else, found by looking, a random time after it has committed a random number of records of the
 * file's first half, and in the next run of its second half.
 */
export async function killImport(store: RegisterStore, storeUrl: string, file: string, run: number): Promise<void> {
  const child = spawn(process.execPath, [GAZETTE, 'import', 'r', file, '--store', storeUrl], { stdio: 'ignore' });
  const ended = once(child, 'exit');
  const isRunning = (): boolean => child.exitCode === null && child.signalCode === null;
  const half = run % 3;
  if (half !== 0) {
    const enough = ((half - 1 + Math.random()) / 2) * RECORDS * 0.9;
    await until('the records', async () => !isRunning() || (await store.register('r'))!.top >= enough);
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
    found.push(...ids);
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
