// A store, and a snapshot of it in a folder that goes when the test does.
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { digestOf, type RegisterManifest } from '../../src/snapshot/folder/manifest.ts';
import { type SnapshotOptions, type SnapshotResult, writeSnapshot } from '../../src/snapshot/run.ts';
import type { ServiceStore } from '../../src/stores/contract/accounts.ts';
import { SqliteStore } from '../../src/stores/sqlite/store.ts';
import { statementAt } from '../world.ts';
import { at, permits } from '../contracts/store-register.ts';

/** Where the world finds the snapshots. */
export const SITE = 'https://static.example.org/registers';

/** A folder that goes when the test does. */
export async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'gazette-snapshot-'));
  onTestFinished(() => rm(path, { recursive: true }));
  return path;
}

/** A store with so many records in the register `permits`. */
export async function storeOf(count: number): Promise<ServiceStore> {
  const store = SqliteStore.open(':memory:');
  await store.createRegister(permits());
  await add(store, 1, count);
  return store;
}

/** Adds the records of these numbers. */
export async function add(store: ServiceStore, from: number, to: number): Promise<void> {
  const batch = Array.from({ length: to - from + 1 }, (_, index) => statementAt(from + index, to));
  if (batch.length > 0) await store.apply('permits', batch, { recordedAt: at(to) });
}

/** Corrects the records of these numbers. */
export async function correct(store: ServiceStore, ...numbers: readonly number[]): Promise<void> {
  const batch = numbers.map((number) => ({ ...statementAt(number, 0), title: `Corrected number ${number}` }));
  await store.apply('permits', batch, { recordedAt: at(100_000), cause: 'extraction_correction' });
}

/** Writes a snapshot. */
export function publish(
  store: ServiceStore,
  out: SnapshotOptions['out'],
  options: Partial<SnapshotOptions> = {},
): Promise<SnapshotResult> {
  return writeSnapshot({ store, out, baseUrl: SITE, ...options });
}

/** The digest of every file of a folder, by name. */
export async function digests(out: string): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const entry of await readdir(out, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile()) found.set(path.slice(out.length + 1), digestOf(await readFile(path)));
  }
  return found;
}

/** The names of files that are not what they were. */
export function changedFiles(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] {
  return [...after.keys()].filter((name) => before.get(name) !== after.get(name)).sort();
}

/** The manifest of a register's folder. */
export async function manifestOf(out: string, feedId = 'permits'): Promise<RegisterManifest> {
  return JSON.parse(await readFile(join(out, feedId, 'manifest.json'), 'utf8')) as RegisterManifest;
}
