import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe } from 'vitest';
import { killedReceiverTests } from './killed-receiver.ts';

describe('a receiver on SQLite that is killed', () => {
  let folder = '';
  let files = 0;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gazette-test-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  killedReceiverTests(async () => {
    const store = join(folder, `${++files}.db`);
    return {
      store,
      effects: async () => {
        const db = new DatabaseSync(store, { readOnly: true });
        try {
          return db.prepare('SELECT event FROM effect').all().map(({ event }) => String(event)); // prettier-ignore
        } finally {
          db.close();
        }
      },
    };
  });
});
