// Files that say they are stores and are not, or no longer: each is refused by a coded error, or read.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openStore, withStore } from '../../../src/cli/options/store.ts';
import { isGazetteError } from '../../../src/errors.ts';
import { pages } from '../../../src/register/sources/source.ts';
import type { ServiceStore } from '../../../src/stores/contract/accounts.ts';
import { expectOthersToGoOn } from '../../contracts/damaged-definition.ts';
import { SqliteStore } from '../../../src/stores/sqlite/store.ts';
import { at, permits, say } from '../../contracts/store-register.ts';
import { tried, tries } from '../../effort.ts';

const RUNS = tries(60, 3000);

let folder: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gazette-'));
  path = join(folder, 'store.db');
});
afterEach(() => rm(folder, { recursive: true }));

/** A store with records of every state, an account and an endpoint's due deliveries. */
async function fill(): Promise<Buffer> {
  const store = SqliteStore.open(path);
  await store.createRegister(permits());
  const batch = (round: number) =>
    Array.from({ length: 60 }, (_, n) => say(`k${n}`, { summary: `${round} `.repeat(200), data: { amount: n } }));
  for (const round of [1, 2]) await store.apply('permits', batch(round), { recordedAt: at(round) });
  await store.withdraw('permits', ['permits:k7'], { recordedAt: at(3) });
  await store.accounts.createAccount({ id: 'demo', accessUntil: null, createdAt: at(0) });
  await store.close();
  return readFile(path);
}

/** Reads everything, and writes a little. */
async function use(store: ServiceStore): Promise<void> {
  for (const { definition } of await store.registers()) {
    for await (const page of pages(await store.source(definition.id))) page.records.map(({ title }) => title);
  }
  await store.changes('permits', { since: 0, limit: 100 });
  await store.history('permits:k3', { offset: 0, limit: 10 });
  await store.record('permits:k7');
  await store.accounts.account('demo');
  await store.deliveries.endpoints();
  await store.apply('permits', [say('k1', { title: 'Changed' }), say('new')], { recordedAt: at(9) });
}

it(`a file with random damage is read, or refused as what it is, never with a stack (${RUNS} files)`, async () => {
  const whole = await fill();
  let state = 7;
  const random = (below: number): number => (state = (state * 48_271) % 2_147_483_647) % below;
  let refused = 0;
  for (let run = 0; run < RUNS; run++) {
    const bytes = Buffer.from(whole);
    const length = [1, 4, 64, 4096, 20_000][run % 5]!;
    const start = random(bytes.length);
    for (let at = start; at < Math.min(start + length, bytes.length); at++) bytes[at] = random(256);
    await Promise.all([rm(`${path}-wal`, { force: true }), rm(`${path}-shm`, { force: true })]);
    await writeFile(path, run % 10 === 9 ? bytes.subarray(0, start) : bytes);
    try {
      await withStore({ store: path }, process, use);
    } catch (error) {
      const told = `run ${run}, ${length} bytes at ${start}: ${error instanceof Error ? error.stack! : String(error)}`;
      refused++;
      // What SQLite says of a damaged length that asks for more than it ever takes: nothing tells it from the want of memory.
      if (isGazetteError(error, 'store_unavailable') && error.message.endsWith(': out of memory')) continue;
      expect(isGazetteError(error) ? error.code : told, told).toMatch(
        /^(?:invalid_store|schema_too_new|unknown_feed|unknown_record)$/,
      );
    }
  }
  tried(RUNS);
  expect(refused).toBeGreaterThan(RUNS / 10);
});

it.each([
  ['without a table', 'DROP TABLE records'],
  ['with a table of another form', 'ALTER TABLE versions RENAME COLUMN cause TO because'],
  ['with a definition that is no JSON', `UPDATE registers SET definition = substr(definition, 2)`],
])('a store %s is refused', async (_, sql) => {
  await fill();
  const database = new DatabaseSync(path);
  database.exec(sql);
  database.close();
  const used = withStore({ store: path }, process, use);
  await expect(used).rejects.toMatchObject({ code: 'invalid_store', message: expect.stringContaining(path) as string });
});

it('a store says by itself that its file is damaged', async () => {
  const whole = await fill();
  // A page of the records, wherever the tables before it have put it.
  const database = new DatabaseSync(path);
  const size = Number(database.prepare('PRAGMA page_size').get()!.page_size);
  const root = database.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'records'").get()!;
  database.close();
  const from = (Number(root.rootpage) - 1) * size;
  await writeFile(path, Buffer.from(whole).fill(0xff, from, from + size));
  const store = SqliteStore.open(path);
  const details = { store: path, database: 'database disk image is malformed' };
  await expect(use(store)).rejects.toMatchObject({ code: 'invalid_store', details });
  await store.close();
});

it('a file that another program wrote under our name is refused', async () => {
  const database = new DatabaseSync(path);
  database.exec(`PRAGMA application_id = 1736078437; PRAGMA user_version = 1; CREATE TABLE theirs (a)`);
  database.close();
  await expect(openStore(path, false)).rejects.toMatchObject({ code: 'invalid_store' });
});

it('a register with a damaged definition stops no other', async () => {
  const path = join(folder, 'definition.db');
  const store = SqliteStore.open(path);
  await expectOthersToGoOn(store, () => {
    const database = new DatabaseSync(path);
    database.exec("UPDATE registers SET definition = substr(definition, 1, 20) WHERE id = 'sites'");
    database.close();
  });
  await store.close();
});
