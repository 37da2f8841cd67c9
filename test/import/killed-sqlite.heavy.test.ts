import { createReadStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SqliteStore } from '../../src/stores/sqlite/store.ts';
import { approveAndUndoKilled, expectWholeBatches, importAgain, killImport, makeRegister, RECORDS, renumberKilled, writeRecords } from './killed-import.ts'; // prettier-ignore
import { expectSigned, watch, watchedSigner } from '../wings/proofs/operate/watched-signer.ts';
import { tried, tries } from '../effort.ts';
import { logsOf } from '../wings/proofs/logs-of.ts';

const KILLS = tries(3, 200);

describe('an import into SQLite that is killed', () => {
  let folder = '';
  let file = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gazette-test-'));
    file = join(folder, 'records.ndjson');
    await writeRecords(file);
  });
  afterAll(() => rm(folder, { recursive: true }));

  it(`leaves whole batches at ${KILLS} random moments, each signed with what was before, and is completed by the same import`, async () => {
    const held: number[] = [];
    for (let run = 0; run < KILLS; run++) {
      const path = join(folder, `${run}.db`);
      const log = watch('r');
      await withStore(path, async (store) => {
        await makeRegister(store);
        const signer = watchedSigner(logsOf(store), log);
        signer.start();
        await killImport(store, path, file, run);
        await signer.close();
      });
      await withStore(path, async (store) => {
        const before = await expectWholeBatches(store);
        held.push(before);
        await expectSigned(logsOf(store), log);
        const result = await importAgain(store, createReadStream(file));
        expect(result).toMatchObject({ added: RECORDS - before, unchanged: before, changed: 0, restored: 0 });
        expect(await expectWholeBatches(store)).toBe(RECORDS);
        await expectSigned(logsOf(store), log);
      });
    }
    tried(KILLS);
    // The moments were not all before or all after the commits, which few of them may well be.
    expect(held.filter((top) => top > 0 && top < RECORDS).length, held.join(' ')).toBeGreaterThan(KILLS / 4);
  });

  it(`approves and takes back whole or not at all, killed at ${KILLS} random moments of each`, async () => {
    const states: string[] = [];
    for (let run = 0; run < KILLS; run++) {
      const path = join(folder, `approved-${run}.db`);
      states.push(...(await approveAndUndoKilled((use) => withStore(path, use), path, run)));
    }
    tried(2 * KILLS);
    expect(states).toContain('approved');
  });

  it(`gives all records of a map their keys or none, killed at ${KILLS} random moments`, async () => {
    const states: string[] = [];
    // Of a slow machine nobody may see the middle: it is looked for some more times.
    for (let run = 0; run < KILLS || (run < 4 * KILLS && !states.includes('approved')); run++) {
      const path = join(folder, `renumbered-${run}.db`);
      states.push(await renumberKilled((use) => withStore(path, use), path, join(folder, 'map.csv'), run));
    }
    tried(KILLS);
    expect(states).toContain('approved');
  });
});

async function withStore(path: string, use: (store: SqliteStore) => Promise<unknown>): Promise<void> {
  const store = SqliteStore.open(path);
  try {
    await use(store);
  } finally {
    await store.close();
  }
}
