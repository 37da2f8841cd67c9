// A server that stops in the middle of an import, as it does for a restart or a failover: the import goes on when the server is
// back, and one that is ended meanwhile keeps nobody out.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { beforeAll, expect, it } from 'vitest';
import { ending, start } from '../cli/run.ts';
import { type PostgresServer, startPostgres } from '../stores/postgres/server.ts';
import { quiet } from '../stores/postgres/way.ts';
import { letPass, until } from '../until.ts';
import { isGazetteError } from '../../src/errors.ts';
import { PostgresStore } from '../../src/stores/postgres/store.ts';
import { expectWholeBatches, makeRegister, RECORDS, writeRecords } from './killed-import.ts';

let server: PostgresServer;
let store: PostgresStore;
let file: string;

beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gazette-test-'));
  file = join(folder, 'records.ndjson');
  await writeRecords(file);
  server = await startPostgres();
  const pool = quiet(new pg.Pool({ connectionString: server.url }));
  store = await PostgresStore.open(pool);
  return async () => {
    await pool.end();
    await server.stop();
    await rm(folder, { recursive: true });
  };
});

const importing = (): ReturnType<typeof start> => start(['import', 'r', file, '--store', server.url]);

/** Starts an import, and ends the server when the first batch is there. */
async function interrupted(end: () => Promise<void>): Promise<ReturnType<typeof start>> {
  await makeRegister(store);
  const child = importing();
  await until('the first batch', async () => {
    // One that has ended writes none.
    expect(child.exitCode, 'the exit code of the import').toBeNull();
    return (await store.register('r'))!.top > 0;
  });
  await end();
  expect(child.exitCode).toBeNull();
  return child;
}

/** Makes the store ready for the next test. @returns what the log says of the imports, newest first */
async function logged(): Promise<readonly unknown[]> {
  const whole = (): Promise<number | null> =>
    expectWholeBatches(store).catch((error: unknown) => {
      if (isGazetteError(error, 'store_unavailable')) return null;
      throw error;
    });
  expect(await until('the server', whole)).toBe(RECORDS);
  const log = await store.imports.list('r', { limit: 9 });
  await store.removeRegister('r');
  return log.map(({ state, counts: { added, unchanged } }) => [state, added + unchanged]);
}

const WAYS = [
  ['is restarted', () => server.halt()],
  ['dies', () => server.kill()],
] as const;

it.each(WAYS)('is completed when the server %s and is away for five seconds', async (_, stop) => {
  const child = await interrupted(stop);
  const end = ending(child);
  await letPass(5000, 'the server is away for so long');
  await server.resume();
  const { code, stdout, stderr } = await end;
  expect(code, stderr).toBe(0);
  expect(`${stdout.toString()}${stderr}`).toMatch(/\b10,?070 added\b|\badded 10,?070\b/);
  expect(await logged()).toEqual([['completed', RECORDS]]);
});

it.each(['SIGKILL', 'SIGINT'] as const)(
  'can be run again at once when it is ended by %s while the server is away',
  async (signal) => {
    const child = await interrupted(() => server.kill());
    const end = ending(child);
    child.kill(signal);
    expect((await end).code).not.toBe(0);
    await server.resume();
    const { code, stderr } = await ending(importing());
    expect(code, stderr).toBe(0);
    expect(await logged()).toEqual([
      ['completed', RECORDS],
      ['interrupted', 0],
    ]);
  },
);
