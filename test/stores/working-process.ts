// A process that works on a store round after round, while its schema may change.
//
//   node working-process.ts sqlite FILE
//   node working-process.ts postgres URL SCHEMA
//
// Each round writes a record, changes the one before, and reads both alone and in a page. It prints the number of every
// round that has ended. When its input ends, it stops. A store that it cannot open it refuses with the code of the error.
import { writeSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import pg from 'pg';
import type { ServiceStore } from '../../src/stores/contract/accounts.ts';
import { PostgresStore } from '../../src/stores/postgres/store.ts';
import { SqliteStore } from '../../src/stores/sqlite/store.ts';
import { at, permits, say } from '../contracts/store-register.ts';

const [engine, place, schema] = process.argv.slice(2);

async function open(): Promise<{ readonly store: ServiceStore; readonly close: () => Promise<void> }> {
  if (engine === 'sqlite') {
    const store = SqliteStore.open(place!);
    return { store, close: () => store.close() };
  }
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
