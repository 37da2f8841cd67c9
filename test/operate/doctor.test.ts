// What is wrong around a store: modes of files, what killed processes left, the key of the secrets; and files with
// random damage.
import { chmod, mkdtemp, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { withStore } from '../../src/cli/options/store.ts';
import { isGazetteError } from '../../src/errors.ts';
import { examine } from '../../src/operate/doctor.ts';
import { markProcess, type ProcessMark } from '../../src/files/process-mark.ts';
import { SqliteStore } from '../../src/stores/sqlite/store.ts';
import { SecretBox } from '../../src/webhooks/send/secret-box.ts';
import { fillStore, LEASE, SECRETS_KEY } from '../contracts/full-store.ts';
import { inspected } from '../contracts/overwrites.ts';
import { at } from '../contracts/store-register.ts';
import { tried, tries } from '../effort.ts';

let whole: Buffer;
let folder: string;
let path: string;
let mark: ProcessMark;

beforeAll(async () => {
  const place = await mkdtemp(join(tmpdir(), 'gazette-'));
  const store = SqliteStore.open(join(place, 'store.db'));
  await fillStore(store);
  await store.close();
  whole = await readFile(join(place, 'store.db'));
  await rm(place, { recursive: true });
});
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gazette-'));
  path = join(folder, 'store.db');
  await writeFile(path, whole, { mode: 0o600 });
  mark = markProcess(folder, LEASE.token)!;
});
afterEach(async () => {
  mark.end();
  await rm(folder, { recursive: true });
});

/** The problems of the store, while the process that has its lease runs. */
function problems(key = SECRETS_KEY, minute = 100): Promise<string[]> {
  return withStore(
    { store: path },
    process,
    async (store) => {
      const found: string[] = [];
      const now = () => Date.parse(at(minute));
      for await (const { findings } of examine(store, { file: path, box: () => SecretBox.fromHex(key), now })) {
        found.push(...findings.map(({ problem }) => problem));
      }
      return found;
    },
    { readOnly: true },
  );
}

it('finds nothing wrong around a store that is in use', async () => {
  expect(await problems()).toEqual([]);
});

it.skipIf(process.platform === 'win32')('finds a file that everybody can read', async () => {
  await chmod(path, 0o640);
  expect(await problems()).toEqual([]);
  await chmod(path, 0o644);
  expect(await problems()).toEqual([`the mode of ${path} must be 0600, or give others no access, got 0644`]);
});

it('finds the file of an interrupted command, and not that of a running one', async () => {
  const left = join(folder, '.copy.db.6f1cbd1c-5f0c-4d0e-9a53-9e8a4c3a5f11.tmp');
  await writeFile(left, '');
  const written = Date.parse(at(0)) / 1000;
  await utimes(left, written, written);
  expect(await problems(SECRETS_KEY, 59)).toEqual([]);
  expect(await problems(SECRETS_KEY, 61)).toEqual([
    `${left} was left by a command that was interrupted: it can be deleted`,
  ]);
});

it.each([['leave'], ['end']] as const)(
  'finds a lease whose process is gone, with or without its mark (%s)',
  async (way) => {
    mark[way]();
    const problem =
      /^the lease of process 4711 on demo until \S+ is void \(import permits.csv\): run its command again to complete it$/;
    expect(await problems()).toEqual([expect.stringMatching(problem)]);
  },
);

it('finds secrets that the key does not open, and a key that is none', async () => {
  const wrong = await problems('cd'.repeat(32));
  expect(wrong).toHaveLength(2);
  for (const problem of wrong) expect(problem).toContain('was encrypted with another key');
  expect(await problems('')).toEqual([expect.stringMatching(/GAZETTE_SECRETS_KEY must be 32 bytes.*\(4 secrets\)$/)]);
});

it('finds a table or an index that is missing', async () => {
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
  const database = new DatabaseSync(path);
  database.exec('DROP INDEX imports_register');
  database.close();
  expect(await problems()).toEqual(['the index imports_register is missing']);
});

const RUNS = tries(10, 400);

it(`examines ${RUNS} files with random damage, or refuses them, never with a stack`, async () => {
  let state = 11;
  const random = (below: number): number => (state = (state * 48_271) % 2_147_483_647) % below;
  const outcomes = { whole: 0, found: 0, refused: 0 };
  for (let run = 0; run < RUNS; run++) {
    const bytes = Buffer.from(whole);
    const length = [1, 4, 64, 4096, 20_000][run % 5]!;
    const start = random(bytes.length);
    for (let place = start; place < Math.min(start + length, bytes.length); place++) bytes[place] = random(256);
    await writeFile(path, bytes);
    await Promise.all(['-wal', '-shm'].map((suffix) => rm(path + suffix, { force: true })));
    try {
      outcomes[(await problems()).length === 0 ? 'whole' : 'found']++;
    } catch (error) {
      const told = `run ${run}, ${length} bytes at ${start}: ${error instanceof Error ? error.stack! : String(error)}`;
      expect(isGazetteError(error) ? error.code : told, told).toMatch(/^(?:invalid_store|schema_too_new)$/);
      outcomes.refused++;
    }
  }
  tried(RUNS);
  expect(outcomes.found + outcomes.refused).toBeGreaterThan(RUNS / 5);
});

it('takes a proposal that ended, and of which a killed process left the records, for what whoever writes next removes', async () => {
  const db = new DatabaseSync(path);
  db.exec("UPDATE imports SET state = 'discarded', ended_at = begun_at, digest = NULL WHERE state = 'proposed'");
  const left = (): number => Number(db.prepare('SELECT count(*) AS n FROM proposed_records').get()!.n);
  expect(left()).toBeGreaterThan(0);
  const store = SqliteStore.open(path);
  expect(await inspected(store)).toEqual([]);
  await store.imports.proposals.tidy(at(60));
  expect(await inspected(store)).toEqual([]);
  await store.close();
  expect(left()).toBe(0);
  db.close();
});
