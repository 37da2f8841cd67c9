// One contestant in a process of its own: snapshots of a store, or the same pages one format at a time. Asked by messages,
// answers each with what it took.
import { mkdirSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { walkExportPages } from '../../src/export/walk.ts';
import { findFormat } from '../../src/formats/index.ts';
import { pages } from '../../src/register/sources/source.ts';
import { SnapshotWriter } from '../../src/snapshot/run.ts';
import { SqliteStore } from '../../src/stores/sqlite/store.ts';
import { change, SITE } from './data.ts';

/**
 * What is to be done: a snapshot from nothing; one after some changes, by the writer that made the first as `--watch` does,
 * or by one that is opened for it; or every format by itself.
 */
export type SnapshotAction = 'first' | 'further' | 'reopened' | 'formats';

/** Where everything lies. */
export interface SnapshotOrder {
  readonly store: string;
  readonly out: string;
}

/** What it took. */
export interface SnapshotRun {
  readonly ms: number;
  /** Processor time of all threads. */
  readonly cpuMs: number;
  /** Files. */
  readonly written: number;
  /** Peak of the process so far. */
  readonly residentMiB: number;
}

/** What a further run finds changed. */
const FURTHER = { added: 100, corrected: 10 } as const;

/** The formats that are exported one after the other. */
const FORMATS = ['atom', 'rss', 'csv', 'xlsx', 'xml'] as const;

const { store: path, out } = JSON.parse(process.argv[2]!) as SnapshotOrder;
const store = SqliteStore.open(path);
let round = 0;
let writer: SnapshotWriter | null = null;

process.on('message', (action: SnapshotAction) => {
  void run(action).then((result) => process.send!(result));
});
process.on('disconnect', () => void close());
process.send!('ready');

async function run(action: SnapshotAction): Promise<SnapshotRun> {
  if (action === 'further' || action === 'reopened') {
    await change(store, FURTHER.added, FURTHER.corrected, ++round);
  } else {
    rmSync(out, { recursive: true, force: true });
  }
  if (action !== 'further') await closeWriter();
  const processor = process.cpuUsage();
  const start = performance.now();
  const written = action === 'formats' ? await eachFormat() : await snapshot();
  const ms = performance.now() - start;
  const { user, system } = process.cpuUsage(processor);
  return { ms, cpuMs: (user + system) / 1000, written, residentMiB: process.resourceUsage().maxRSS / 1024 };
}

async function snapshot(): Promise<number> {
  writer ??= await SnapshotWriter.open({ store, out, baseUrl: SITE, tier: 'pro' });
  return (await writer.write()).written;
}

async function closeWriter(): Promise<void> {
  await writer?.close();
  writer = null;
}

async function close(): Promise<void> {
  await closeWriter();
  await store.close();
}

/** What somebody would do who has no snapshot: a walk and a folder for each format, and JSON. */
async function eachFormat(): Promise<number> {
  const source = await store.source('permits');
  let written = 0;
  for (const name of FORMATS) {
    const format = findFormat(name);
    mkdirSync(join(out, name), { recursive: true });
    for await (const { body } of walkExportPages(source, format, { url: new URL(`${SITE}/permits/export.${name}`) })) {
      await writeFile(join(out, name, `${written++}.${name}`), body);
    }
  }
  mkdirSync(join(out, 'json'));
  for await (const page of pages(source)) await writeFile(join(out, 'json', `${written++}.json`), JSON.stringify(page));
  return written;
}
