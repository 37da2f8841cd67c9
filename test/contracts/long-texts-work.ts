// A thread of its own that counts the work of writing a register with long texts, because only what is compiled after the counting
// began is counted. It is given the format's name, and the database's address or null for SQLite, and says the work by length.
import { parentPort, workerData } from 'node:worker_threads';
import { workOf } from '../counted-work.ts';
import type { OpenStore } from './store-register.ts';

/** What the thread is given. */
export interface LongTextsQuestion {
  readonly format: string;
  /** Null: SQLite. */
  readonly postgresUrl: string | null;
}

/** Sixteen bytes, of which CSV, JSON, XML and HTML write some otherwise. */
const PIECE = '1234567 9"1&34\n6';

/** Lengths of the texts: on SQLite, the shorter ones are written from bytes, on PostgreSQL all. */
const LENGTHS = [2 ** 10, 2 ** 12, 2 ** 16, 2 ** 20];

const { format: name, postgresUrl } = workerData as LongTextsQuestion;
const { exportRegister } = await import('../../src/export/register.ts');
const { FORMATS } = await import('../../src/formats/index.ts');
const { at, permits, PLACE, say } = await import('./store-register.ts');
const format = Object.values(FORMATS).find((one) => one.name === name)!;
const { open, close } = postgresUrl === null ? await onSqlite() : await onPostgres(postgresUrl);

const none = await workFor('');
const each: number[] = [];
for (const length of LENGTHS) {
  each.push(((await workFor(PIECE.repeat(length / PIECE.length - 1))) - none) / length);
}
await close();
parentPort!.postMessage(each);

async function workFor(text: string): Promise<number> {
  const { store, dispose } = await open();
  await store.createRegister({ ...permits(), fields: [...permits().fields, PLACE] });
  const said = [
    say('own', { data: { applicant: text } }),
    say('text', { content: text }),
    say('html', { content: text, content_type: 'html' }),
  ];
  // What comes behind the first page is read as bytes.
  const behind = Array.from({ length: 100 }, (_, n) => say(`k${n}`));
  await store.apply('permits', [...said, ...behind], { recordedAt: at(1) });
  const source = await store.source('permits');
  const write = (): Promise<unknown> => Array.fromAsync(exportRegister(source, format));
  // What is made once is not counted.
  await write();
  const work = await workOf(write);
  await dispose();
  return work;
}

interface Stores {
  readonly open: OpenStore;
  readonly close: () => Promise<void>;
}

async function onSqlite(): Promise<Stores> {
  const { SqliteStore } = await import('../../src/stores/sqlite/store.ts');
  return {
    open: async () => {
      const store = SqliteStore.open(':memory:');
      return { store, dispose: () => store.close() };
    },
    close: async () => undefined,
  };
}

async function onPostgres(connectionString: string): Promise<Stores> {
  const { default: pg } = await import('pg');
  const { emptiedStores } = await import('../stores/postgres/emptied-store.ts');
  const pool = new pg.Pool({ connectionString });
  return { open: emptiedStores(pool, `long_texts_${name}`), close: () => pool.end() };
}
