// A process of some version of gazette that works on a store round after round, while its schema may change: the code is
// that of the tree it is given, so that this file uses only what every version has.
//
//   node working-process.ts TREE sqlite FILE
//   node working-process.ts TREE postgres URL SCHEMA
//
// Each round writes a record, changes the one before, and reads both alone and in a page. It prints the number of every
// round that has ended. When its input ends, it stops. A store that it cannot open it refuses with the code of the error.
import { writeSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import type * as SqliteModule from '../../src/stores/sqlite/store.ts';
import type * as PostgresModule from '../../src/stores/postgres/store.ts';
import type { ServiceStore } from '../../src/stores/contract/accounts.ts';
import type * as RegisterModule from '../contracts/store-register.ts';

const [tree, engine, place, schema] = process.argv.slice(2);
const load = async (path: string): Promise<unknown> => import(new URL(path, `file://${tree}/`).href);

const { at, permits, say } = (await load('test/contracts/store-register.ts')) as typeof RegisterModule;

async function open(): Promise<{ readonly store: ServiceStore; readonly close: () => Promise<void> }> {
  if (engine === 'sqlite') {
    const { SqliteStore } = (await load('src/stores/sqlite/store.ts')) as typeof SqliteModule;
    const store = SqliteStore.open(place!);
    return { store, close: () => store.close() };
  }
  const { PostgresStore } = (await load('src/stores/postgres/store.ts')) as typeof PostgresModule;
  const { default: pg } = await import('pg');
  const pool = new pg.Pool({ connectionString: place });
  const store = await PostgresStore.open(pool, { schema: schema! }).catch(async (error: unknown) => {
    await pool.end();
    throw error;
  });
  return { store, close: () => pool.end() };
}

/** The round that wrote a record; 0 for none. */
const roundOf = (id?: string): number => Number(id?.split('-').at(-1) ?? 0);

/** Works until its input ends. */
async function work(store: ServiceStore): Promise<void> {
  if ((await store.register('permits')) === null) await store.createRegister(permits());
  const input = { hasEnded: false };
  process.stdin.on('end', () => (input.hasEnded = true)).resume();
  const source = await store.source('permits');
  const { records: newest } = await source.page({ offset: 0, limit: 1 });
  for (let round = roundOf(newest[0]?.id) + 1; !input.hasEnded; round++) {
    const [last, next] = [say(`round-${round - 1}`, { title: 'changed' }), say(`round-${round}`, { title: 'new' })];
    await store.apply('permits', round === 1 ? [next] : [last, next], { recordedAt: at(0) });
    const { records } = await source.page({ offset: 0, limit: 2 });
    const told = records.map(({ id, title }) => `${id} ${title}`).join();
    const written = [`${next.id} new`, ...(round === 1 ? [] : [`${last.id} changed`])].join();
    if (told !== written) throw new Error(`it reads ${told} in round ${round}`);
    for (const { id, title } of records) {
      const one = await store.record(id);
      if (one?.record?.title !== title) throw new Error(`it reads another ${id} in round ${round}`);
    }
    writeSync(1, `${round}\n`);
    // SQLite lets nothing else run.
    await setImmediate();
  }
}

try {
  const { store, close } = await open();
  await work(store);
  await close();
} catch (error) {
  const { code, message } = error as { readonly code?: string; readonly message: string };
  writeSync(2, `${code ?? 'error'}: ${message}\n`);
  process.exitCode = 1;
}
