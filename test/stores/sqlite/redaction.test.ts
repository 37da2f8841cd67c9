// Redaction in a SQLite file: nothing in the file, its log or its index of the log helps to confirm a guess.
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, onTestFinished } from 'vitest';
import { SqliteStore } from '../../../src/stores/sqlite/store.ts';
import { guessContract } from '../../contracts/guess-contract.ts';
import { at } from '../../contracts/store-register.ts';

describe('a SQLite file', () => {
  guessContract(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'gazette-'));
    const path = join(folder, 'store.db');
    const store = SqliteStore.open(path, { busyTimeoutMs: 200 });
    onTestFinished(async () => {
      await store.close();
      await rm(folder, { recursive: true });
    });
    return {
      store,
      erase: async (id) => {
        await store.redact(id, { recordedAt: at(9) });
      },
      bytes: async () => {
        const all = await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name))));
        return { all, keys: all };
      },
      log: async () => {
        const database = new DatabaseSync(path);
        const { uuid } = database.prepare('SELECT uuid FROM logs WHERE register <> 0').get() as {
          readonly uuid: string;
        };
        database.close();
        return uuid;
      },
      hold: async () => {
        const reader = new DatabaseSync(path);
        reader.exec('BEGIN');
        reader.prepare('SELECT count(*) FROM records').get();
        return async () => {
          reader.close();
        };
      },
    };
  }, ['a reader']);
});
