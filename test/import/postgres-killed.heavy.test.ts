import { createReadStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { PostgresStore } from '../../src/stores/postgres/store.ts';
import { approveAndUndoKilled, expectWholeBatches, importAgain, killImport, makeRegister, RECORDS, renumberKilled, writeRecords } from './killed-import.ts'; // prettier-ignore
import { expectSigned, watch, watchedSigner } from '../wings/proofs/operate/watched-signer.ts';
import { tried, tries } from '../effort.ts';
import { until } from '../until.ts';
import { logsOf } from '../wings/proofs/logs-of.ts';

const KILLS = tries(3, 200);

describe('an import into PostgreSQL that is killed', () => {
  const admin = new pg.Pool({ connectionString: inject('postgresUrl') });
  let folder = '';
  let file = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gazette-test-'));
    file = join(folder, 'records.ndjson');
    await writeRecords(file);
  });
  afterAll(async () => {
    await rm(folder, { recursive: true });
    await admin.end();
  });

  it(`leaves whole batches at ${KILLS} random moments, each signed with what was before, and is completed by the same import`, async () => {
    const held: number[] = [];
    for (let run = 0; run < KILLS; run++) {
      const name = `killed_${run}`;
      const url = await makeDatabase(name);
      const log = watch('r');
      await withStore(url, async (store) => {
        await makeRegister(store);
        const signer = watchedSigner(logsOf(store), log);
        signer.start();
        await killImport(store, url, file, run);
        await signer.close();
      });
      // The server may still be at work on the last batch it was sent.
      await allGone(name);
      await withStore(url, async (store) => {
        const before = await expectWholeBatches(store);
        held.push(before);
        await expectSigned(logsOf(store), log);
        const result = await importAgain(store, createReadStream(file));
        expect(result).toMatchObject({ added: RECORDS - before, unchanged: before, changed: 0, restored: 0 });
        expect(await expectWholeBatches(store)).toBe(RECORDS);
        await expectSigned(logsOf(store), log);
      });
      await admin.query(`DROP DATABASE ${name}`);
    }
    tried(KILLS);
    // The moments were not all before or all after the commits, which few of them may well be.
    expect(held.filter((top) => top > 0 && top < RECORDS).length, held.join(' ')).toBeGreaterThan(KILLS / 4);
  });

  it(`approves and takes back whole or not at all, killed at ${KILLS} random moments of each`, async () => {
    const states: string[] = [];
    for (let run = 0; run < KILLS; run++) {
      const name = `approved_${run}`;
      const url = await makeDatabase(name);
      states.push(
        ...(await approveAndUndoKilled(
          (use) => withStore(url, use),
          url,
          run,
          () => allGone(name),
        )),
      );
      await admin.query(`DROP DATABASE ${name}`);
    }
    tried(2 * KILLS);
    expect(states).toContain('approved');
  });

  it(`gives all records of a map their keys or none, killed at ${KILLS} random moments`, async () => {
    const states: string[] = [];
    // Of a slow machine nobody may see the middle: it is looked for some more times.
    for (let run = 0; run < KILLS || (run < 4 * KILLS && !states.includes('approved')); run++) {
      const name = `renumbered_${run}`;
      const [url, map] = [await makeDatabase(name), join(folder, 'map.csv')];
      states.push(
        await renumberKilled(
          (use) => withStore(url, use),
          url,
          map,
          run,
          () => allGone(name),
        ),
      );
      await admin.query(`DROP DATABASE ${name}`);
    }
    tried(KILLS);
    expect(states).toContain('approved');
  });

  async function makeDatabase(name: string): Promise<string> {
    await admin.query(`CREATE DATABASE ${name}`);
    const url = new URL(inject('postgresUrl'));
    url.pathname = `/${name}`;
    return url.href;
  }

  async function allGone(name: string): Promise<void> {
    const query = 'SELECT FROM pg_stat_activity WHERE datname = $1';
    await until('the server to be done', async () => (await admin.query(query, [name])).rowCount === 0);
  }
});

async function withStore(url: string, use: (store: PostgresStore) => Promise<unknown>): Promise<void> {
  const pool = new pg.Pool({ connectionString: url });
  const store = await PostgresStore.open(pool);
  try {
    await use(store);
  } finally {
    await store.close();
    await pool.end();
  }
}
