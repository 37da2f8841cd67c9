import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { handleOnce } from '../../../src/webhooks/receive/idempotency.ts';
import { SqliteIdempotencyStore } from '../../../src/webhooks/receive/sqlite-idempotency.ts';
import { idempotencyContract } from '../../contracts/idempotency-contract.ts';

let folder = '';
let files = 0;
const newFile = (): string => join(folder, `${++files}.db`);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gazette-test-'));
});
afterAll(() => rm(folder, { recursive: true }));

const CONNECTIONS: readonly (readonly [string, (path: string) => string | DatabaseSync])[] = [
  ['a file', (path) => path],
  ['the application’s connection', (path) => new DatabaseSync(path)],
  ['a connection that answers arrays', (path) => new DatabaseSync(path, { returnArrays: true })],
  ['a connection that answers big integers', (path) => new DatabaseSync(path, { readBigInts: true })],
];

for (const [name, connect] of CONNECTIONS) {
  idempotencyContract(
    `SqliteIdempotencyStore on ${name}`,
    async () => {
      const path = newFile();
      const connection = connect(path);
      const reader = new DatabaseSync(path);
      reader.exec('PRAGMA journal_mode = WAL; CREATE TABLE effect (n INTEGER PRIMARY KEY, text TEXT)');
      const store = await SqliteIdempotencyStore.open(connection);
      const other = await SqliteIdempotencyStore.open(path);
      return {
        store,
        other,
        write: (db, effect) => db.prepare('INSERT INTO effect (text) VALUES (?)').run(effect),
        effects: async () =>
          reader
            .prepare('SELECT text FROM effect ORDER BY n')
            .all()
            .map(({ text }) => String(text)),
        fill: async (count) =>
          reader
            .prepare(
              `WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?)
              INSERT INTO gazette_handled_events SELECT 'evt_' || n, 'old', 0, CAST(unixepoch('subsec') * 1000 AS INTEGER) FROM numbers`,
            )
            .run(count),
        dispose: async () => {
          store.close();
          other.close();
          reader.close();
          if (typeof connection !== 'string') connection.close();
        },
      };
    },
    { undoes: true },
  );
}

describe('SqliteIdempotencyStore', () => {
  it('undoes a write that is not synchronous, and says why', async () => {
    const db = new DatabaseSync(':memory:');
    db.exec('CREATE TABLE effect (text TEXT)');
    const store = await SqliteIdempotencyStore.open(db);
    const waiting = handleOnce({ id: 'evt_1' }, store, (transaction) =>
      transaction(async (inside) => {
        inside.exec(`INSERT INTO effect VALUES ('before the first await')`);
        await Promise.reject(new Error('nobody hears this'));
      }),
    );
    await expect(waiting).rejects.toMatchObject({
      code: 'invalid_option',
      message: expect.stringMatching(/synchronous/) as string,
    });
    expect(db.prepare('SELECT count(*) AS n FROM effect').get()).toEqual({ n: 0 });
    db.close();
  });

  it('leaves the application’s own open transaction alone and says that it is busy', async () => {
    const db = new DatabaseSync(':memory:');
    const store = await SqliteIdempotencyStore.open(db, { busyTimeoutMs: 30 });
    db.exec('CREATE TABLE own (n INTEGER); BEGIN; INSERT INTO own VALUES (1)');
    await expect(handleOnce({ id: 'evt_1' }, store, () => undefined)).rejects.toMatchObject({ code: 'store_busy' });
    db.exec('COMMIT');
    expect(db.prepare('SELECT count(*) AS n FROM own').get()).toEqual({ n: 1 });
    expect(await handleOnce({ id: 'evt_1' }, store, () => undefined)).toBe('done');
    store.close();
    expect(db.isOpen).toBe(true);
    db.close();
  });

  it('says which file it cannot open', async () => {
    const path = newFile();
    await writeFile(path, 'no database at all, and longer than the header of one would be'.repeat(20));
    for (const bad of [path, join(folder, 'none', 'x.db')]) {
      await expect(SqliteIdempotencyStore.open(bad)).rejects.toMatchObject({ code: 'invalid_store', details: { store: bad } }); // prettier-ignore
    }
  });

  it('commits to the disk also where the application’s connection would not', async () => {
    const db = new DatabaseSync(newFile());
    db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA busy_timeout = 1234');
    await SqliteIdempotencyStore.open(db);
    expect(db.prepare('PRAGMA synchronous').get()).toEqual({ synchronous: 2 });
    expect(db.prepare('PRAGMA busy_timeout').get()).toEqual({ timeout: 1234 });
    db.close();
  });
});
