// What is the SQLite file's own: migrations, files that are no stores, several connections, redaction to the last byte.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FIRST_SCHEMA, lastNumber, type Migration } from '../../../src/stores/logic/migration.ts';
import { SQLITE_MIGRATIONS } from '../../../src/stores/sqlite/migrations.ts';
import { SqliteConnection } from '../../../src/stores/sqlite/connection.ts';
import { SqliteStore } from '../../../src/stores/sqlite/store.ts';
import { at, keyOf, keys, permits, say, walk } from '../../contracts/store-register.ts';
import { EFFORT } from '../../effort.ts';
import { until } from '../../until.ts';

/** One record of so many is erased: each erasure rewrites the whole file. */
const SECRET_EVERY = EFFORT === 'whole' ? 5 : 20;

let folder: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gazette-'));
  path = join(folder, 'store.db');
});
afterEach(() => rm(folder, { recursive: true }));

const open = (options = {}): SqliteStore => SqliteStore.open(path, options);

describe('a SQLite file as a store', () => {
  it('is found again with all it had', async () => {
    const first = open();
    await first.createRegister(permits());
    await first.apply('permits', [say('a'), say('b')], { recordedAt: at(0) });
    const entry = await first.register('permits');
    await first.close();
    const second = open();
    expect(await second.register('permits')).toEqual(entry);
    expect(await keys(second)).toEqual(['b', 'a']);
    await second.close();
  });

  it('is shared: one connection sees what another commits, and both may write', async () => {
    const [first, second] = [open(), open()];
    await first.createRegister(permits());
    const source = await second.source('permits');
    const before = await source.revision!();
    await first.apply('permits', [say('a')], { recordedAt: at(0) });
    expect(await source.revision!()).not.toBe(before);
    const batches = Array.from({ length: 20 }, (_, index) =>
      [first, second][index % 2]!.apply('permits', [say(`k${index}`)], { recordedAt: at(index) }),
    );
    await Promise.all(batches);
    expect(await first.register('permits')).toMatchObject({ top: 21, change: 21, total: 21 });
    expect(new Set(await keys(second)).size).toBe(21);
    await first.close();
    await second.close();
  });

  it('makes a writer wait for another without blocking, then gives up with store_busy', async () => {
    const store = open({ busyTimeoutMs: 200 });
    await store.createRegister(permits());
    const other = new DatabaseSync(path);
    other.exec('BEGIN IMMEDIATE');
    let turns = 0;
    const ticking = setInterval(() => turns++, 5);
    const refused = store.apply('permits', [say('a')], { recordedAt: at(0) });
    await expect(refused).rejects.toMatchObject({ code: 'store_busy', details: { store: path } });
    // One is what a wait that blocks leaves room for at its end.
    expect(turns).toBeGreaterThan(1);
    const patient = open({ busyTimeoutMs: 60_000 });
    const waiting = patient.apply('permits', [say('a')], { recordedAt: at(0) });
    const before = turns;
    await until('the process to go on', () => turns > before + 5);
    other.exec('ROLLBACK');
    expect(await waiting).toMatchObject({ added: 1 });
    clearInterval(ticking);
    other.close();
    await patient.close();
    await store.close();
  });

  it.each([
    ['removed', () => rm(path)],
    ['moved', () => rename(path, `${path}.old`)],
    [
      'replaced',
      async () => {
        await SqliteStore.open(`${path}.new`).close();
        await rename(`${path}.new`, path);
      },
    ],
  ])('says of a write that it is lost, once the file was %s', async (_, act) => {
    const store = open();
    await store.createRegister(permits());
    await store.apply('permits', [say('a')], { recordedAt: at(0) });
    await act();
    const lost = store.apply('permits', [say('b')], { recordedAt: at(1) });
    await expect(lost).rejects.toMatchObject({
      code: 'invalid_store',
      message: `the store "${path}" was removed, or another file put in its place, while it was open: what was written last is not in it`,
      details: { store: path },
    });
    await store.close();
  });

  it('is not made of another program’s file, which stays as it was', async () => {
    const other = new DatabaseSync(path);
    other.exec('CREATE TABLE theirs (a)');
    other.close();
    const before = await readFile(path);
    expect(open).toThrow(expect.objectContaining({ code: 'invalid_store' }) as Error);
    expect(await readFile(path)).toEqual(before);
  });

  it.each([
    ['a text', 'id,title\n1,a\n'.repeat(100)],
    ['half a header', 'SQLite format 3\0'],
  ])('is not made of %s', async (_, content) => {
    await writeFile(path, content);
    expect(open).toThrow(expect.objectContaining({ code: 'invalid_store', details: { store: path } }) as Error);
    expect(await readFile(path, 'utf8')).toBe(content);
  });

  it('is not opened when it was cut short, and says so', async () => {
    await open().close();
    await truncate(path, 8192);
    const told = { code: 'invalid_store', message: expect.stringContaining(path) as string, details: { store: path } };
    expect(open).toThrow(expect.objectContaining(told) as Error);
  });

  it('is not made of a folder or below a missing one', () => {
    for (const place of [folder, join(folder, 'missing', 'store.db')]) {
      expect(() => SqliteStore.open(place)).toThrow(expect.objectContaining({ code: 'invalid_store' }) as Error);
    }
  });
});

describe('both filters together in a SQLite file', () => {
  it('look at so many records a page and no more, and lose none', async () => {
    const store = open();
    await store.createRegister(permits());
    // Every record has the type or the facility, and only every 7,000th both.
    const count = 30_000;
    for (let from = 1; from <= count; from += 5000) {
      const batch = Array.from({ length: 5000 }, (_, index) => {
        const position = from + index;
        const hasBoth = position % 7000 === 0;
        return say(String(position), {
          document_type: hasBoth || position % 2 === 0 ? 'a' : 'b',
          facility_id: hasBoth || position % 2 === 1 ? 'x' : 'y',
        });
      });
      await store.apply('permits', batch, { recordedAt: at(0) });
    }
    const filter = { document_type: 'a', facility_id: 'x' };
    const pages = await walk(store, { filter });
    expect(pages.flatMap(({ records }) => records.map(keyOf))).toEqual(['28000', '21000', '14000', '7000']);
    // Each page but the last went over 10,000 records of one filter, which are 20,000 positions here.
    expect(pages).toHaveLength(2);
    expect(pages[0]!.nextOffset).toBeCloseTo(20_000, -2);
    // A pair of which one is rare is jumped to.
    const rare = say('30001', { document_type: 'rare', facility_id: 'x' });
    await store.apply('permits', [rare, say('30002', { document_type: 'a', facility_id: 'rare' })], {
      recordedAt: at(1),
    });
    for (const one of [
      { document_type: 'rare', facility_id: 'x' },
      { document_type: 'a', facility_id: 'rare' },
    ]) {
      const source = await store.source('permits');
      expect(await source.page({ offset: 0, limit: 1, filter: one })).toMatchObject({
        records: [{ document_type: one.document_type, facility_id: one.facility_id }],
        nextOffset: null,
      });
    }
    await store.close();
  });
});

describe('the schema of a SQLite file', () => {
  const known = lastNumber(SQLITE_MIGRATIONS);
  const laterFrom = (compatibleFrom: number): readonly Migration[] => [
    ...SQLITE_MIGRATIONS,
    { name: 'later', compatibleFrom, sql: 'CREATE TABLE later (a); INSERT INTO later VALUES (1)' },
  ];
  const later = laterFrom(known + 1);
  const count = (connection: SqliteConnection): unknown => connection.prepare('SELECT count(*) FROM later').get()![0];

  it('is brought up to date, once, and keeps what is there', async () => {
    const store = open();
    await store.createRegister(permits());
    await store.apply('permits', [say('a')], { recordedAt: at(0) });
    await store.close();
    for (let time = 0; time < 2; time++) {
      const connection = SqliteConnection.open(path, {}, later);
      expect(count(connection)).toBe(1);
      expect(connection.prepare('SELECT id FROM records').all()).toEqual([['permits:a']]);
      connection.close();
    }
  });

  it('is refused when it is newer', () => {
    SqliteConnection.open(path, {}, later).close();
    expect(open).toThrow(
      expect.objectContaining({ code: 'schema_too_new', details: { version: known + 1, known } }) as Error,
    );
  });

  it('is opened by older code where its newest migration says so', async () => {
    SqliteConnection.open(path, {}, laterFrom(known)).close();
    const store = open();
    await store.createRegister(permits());
    await store.apply('permits', [say('a')], { recordedAt: at(0) });
    expect((await store.register('permits'))!.total).toBe(1);
    await store.close();
    // A migration further on that older code cannot live with ends that, whatever the one before it said.
    const further = { name: 'further', compatibleFrom: known + 2, sql: 'CREATE TABLE further (a)' };
    SqliteConnection.open(path, {}, [...laterFrom(known), further]).close();
    expect(open).toThrow(
      expect.objectContaining({ code: 'schema_too_new', details: { version: known + 2, known } }) as Error,
    );
  });

  it('of before the first release is refused, also where it is only read', () => {
    for (const table of ['migrations (version INTEGER PRIMARY KEY)', 'registers (id TEXT)']) {
      const database = new DatabaseSync(path);
      database.exec(
        `PRAGMA application_id = 1736078437; PRAGMA user_version = ${FIRST_SCHEMA - 1}; CREATE TABLE ${table}`,
      );
      database.close();
      const message = expect.stringMatching(/store\.db was made by .* import the registers again$/) as string;
      const refusal = expect.objectContaining({ code: 'invalid_store', message }) as Error;
      expect(open).toThrow(refusal);
      expect(() => open({ readOnly: true })).toThrow(refusal);
    }
  });

  it('is left as it was by a migration that fails', () => {
    open()
      .close()
      .catch(() => undefined);
    const broken = [
      ...SQLITE_MIGRATIONS,
      { name: 'broken', compatibleFrom: known, sql: 'CREATE TABLE half (a); SELECT nonsense' },
    ];
    expect(() => SqliteConnection.open(path, {}, broken)).toThrow('nonsense');
    const connection = SqliteConnection.open(path);
    expect(connection.prepare("SELECT count(*) FROM sqlite_schema WHERE name = 'half'").get()).toEqual([0]);
    connection.close();
  });

  it('waits for who makes it at the same moment', async () => {
    const held = new Worker(
      `const { DatabaseSync } = require('node:sqlite');
       const { parentPort, workerData } = require('node:worker_threads');
       const db = new DatabaseSync(workerData);
       db.exec('BEGIN IMMEDIATE');
       parentPort.postMessage('held');
       setTimeout(() => { db.exec('COMMIT'); db.close(); }, 200);`,
      { eval: true, workerData: path },
    );
    const ended = once(held, 'exit');
    await once(held, 'message');
    const store = open({ busyTimeoutMs: 60_000 });
    await store.createRegister(permits());
    await store.close();
    await ended;
  });

  it('is made once by processes that start together', async () => {
    const script = `
      import { SqliteStore } from ${JSON.stringify(new URL('../../../src/stores/sqlite/store.ts', import.meta.url).href)};
      await SqliteStore.open(${JSON.stringify(path)}).close();`;
    const children = Array.from({ length: 4 }, () =>
      spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'ignore', 'pipe'] }),
    );
    const ends = await Promise.all(children.map(async (child) => (await once(child, 'close')) as [number]));
    expect(ends.map(([code]) => code)).toEqual([0, 0, 0, 0]);
    await open().close();
  });
});

describe('redaction in a SQLite file', () => {
  // Long enough to spill over pages, and findable anywhere.
  const secret = (length: number): string => 'S3CR3T-'.repeat(length).slice(0, length);

  const bytesLeft = async (): Promise<Record<string, number>> => {
    const found: Record<string, number> = {};
    for (const name of await readdir(folder)) {
      const count = (await readFile(join(folder, name))).toString('latin1').split('S3CR3T').length - 1;
      if (count > 0) found[name] = count;
    }
    return found;
  };

  it('leaves no byte of any version, whatever the file went through', async () => {
    const store = open();
    await store.createRegister(permits());
    // Rows are inserted between others, moved, changed and split over pages, so that stale copies come about.
    let state = 1;
    const random = (below: number): number => (state = (state * 48_271) % 2_147_483_647) % below;
    const records = Array.from({ length: 400 }, (_, index) => {
      const isSecret = index % SECRET_EVERY === 0;
      const text = (length: number): string =>
        random(1e9).toString(36) + (isSecret ? secret(length) : '-'.repeat(length));
      return () =>
        say(`${isSecret ? 's' : 'k'}${index}`, {
          title: text(random(2000)),
          document_type: text(random(150)),
          facility_id: text(random(150)),
          ...(isSecret ? { data: { [`x${secret(7)}`]: text(20) } } : {}),
        });
    });
    for (let round = 0; round < 4; round++) {
      for (let from = 0; from < records.length; from += 40) {
        const batch = records.slice(from, from + 40).map((record) => record());
        await store.apply('permits', batch, { recordedAt: at(round) });
      }
    }
    const ids = (await store.ids('permits', { limit: 1000 }))
      .map(({ id }) => id)
      .filter((id) => id.startsWith('permits:s'));
    expect(ids).toHaveLength(400 / SECRET_EVERY);
    await store.withdraw('permits', ids.slice(0, Math.floor(ids.length / 3)), { recordedAt: at(40) });
    await store.apply('permits', [say(ids[0]!.slice(8), { summary: secret(50) })], { recordedAt: at(41) });
    expect(Object.keys(await bytesLeft())).not.toEqual([]);
    // Asked to purge, or not: a file always is.
    for (const [index, id] of ids.entries()) await store.redact(id, { recordedAt: at(42), purge: index % 2 === 0 });
    expect(await bytesLeft()).toEqual({});
    expect(await store.register('permits')).toMatchObject({ total: 400 - ids.length, top: 400 });
    await store.close();
    expect(await bytesLeft()).toEqual({});
  });

  it('erases what it can while a reader keeps it from finishing, and finishes when asked again', async () => {
    const store = open({ busyTimeoutMs: 100 });
    await store.createRegister(permits());
    await store.apply('permits', [say('a', { title: secret(100) })], { recordedAt: at(0) });
    const reader = new DatabaseSync(path);
    reader.exec('BEGIN; SELECT * FROM records');
    const reading = reader.prepare('SELECT * FROM records').iterate();
    reading.next();
    expect(await store.redact('permits:a', { recordedAt: at(1) })).toBe(true);
    expect(await store.purges.pending()).toEqual({ askedAt: at(1), parts: ['write-ahead log'] });
    expect(await store.record('permits:a')).toMatchObject({ state: 'redacted', record: null });
    reading.return?.();
    reader.exec('COMMIT');
    reader.close();
    expect(await store.redact('permits:a', { recordedAt: at(2) })).toBe(false);
    expect(await bytesLeft()).toEqual({});
    await store.close();
  });

  it('does not stop the event loop', async () => {
    const store = open();
    await store.createRegister(permits());
    const batch = Array.from({ length: 2000 }, (_, index) => say(`k${index}`, { content: 'x'.repeat(10_000) }));
    await store.apply('permits', batch, { recordedAt: at(0) });
    let isOver = false as boolean;
    const redacting = store.redact('permits:k7', { recordedAt: at(1) }).then(() => {
      isOver = true;
    });
    let turns = 0;
    for (; !isOver; turns++) await nextTurn();
    await redacting;
    // Were the file written on this thread, there would be one turn for each of its few steps.
    expect(turns).toBeGreaterThan(50);
    await store.close();
  });
});
