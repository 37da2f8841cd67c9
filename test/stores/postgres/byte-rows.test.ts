import pg from 'pg';
import { afterAll, describe, expect, inject, it } from 'vitest';
import { csv } from '../../../src/formats/csv.ts';
import { exportRegister } from '../../../src/export/register.ts';
import type { PostgresPool } from '../../../src/stores/postgres/connection.ts';
import { CopiedRows } from '../../../src/stores/postgres/copy/copied-rows.ts';
import { CopyOut } from '../../../src/stores/postgres/copy/copy-out.ts';
import { PostgresStore } from '../../../src/stores/postgres/store.ts';
import { byteRowsContract } from '../../contracts/byte-rows-contract.ts';
import { at, permits, say } from '../../contracts/store-register.ts';
import { tries } from '../../effort.ts';
import { emptiedStores } from './emptied-store.ts';

const pool = new pg.Pool({ connectionString: inject('postgresUrl') });
const open = emptiedStores(pool, 'byte_rows');

afterAll(() => pool.end());

// Fewer than on SQLite: each takes several times as long.
byteRowsContract(open, tries(20, 2000));

const RECORDED = { recordedAt: at(1) };
const WALK = { offset: 0, limit: 100 };

describe('what is read at once', () => {
  it('is a megabyte of text, one record at least, and the memory of the answer before the last is used again', async () => {
    const { store, dispose } = await open();
    await store.createRegister(permits());
    const lengths = [2, 2, 400_000, 400_000, 400_000, 1_200_000, 1_200_000, 2];
    const records = lengths.map((length, n) => say(`k${n}`, { content: 'x'.repeat(length), summary: null }));
    await store.apply('permits', records, RECORDED);
    const seen: [count: number, memory: ArrayBufferLike, nextOffset: number | null][] = [];
    for await (const { bytes, count, nextOffset } of (await store.source('permits')).rowsAhead!(WALK)) {
      seen.push([count, bytes.buffer, nextOffset]);
    }
    expect(seen.map(([count]) => count)).toEqual([1, 1, 1, 2, 3]);
    expect(seen.map(([, , nextOffset]) => nextOffset)).toEqual([1, 2, 3, 5, null]);
    const memories = seen.map(([, memory]) => memory);
    expect(memories.map((memory) => memories.indexOf(memory))).toEqual([0, 1, 2, 1, 2]);
    await dispose();
  });

  it('is handed on by 128 records, to the last that is live', async () => {
    const { store, dispose } = await open();
    await store.createRegister(permits());
    const records = Array.from({ length: 1300 }, (_, n) => say(`k${n}`));
    await store.apply('permits', records, RECORDED);
    await store.withdraw('permits', ['permits:k0', 'permits:k1299'], { recordedAt: at(2) });
    const rows = await Array.fromAsync((await store.source('permits')).rowsAhead!(WALK), ({ count, nextOffset }) => [
      count,
      nextOffset,
    ]);
    const counts = rows.map(([count]) => count);
    expect(counts).toEqual([128, 128, 128, 128, 128, 128, 128, 104, 128, 128, 42, 0]);
    expect(rows.map(([, nextOffset]) => nextOffset).slice(-3)).toEqual([1257, 1299, null]);
    await dispose();
  });
});

it('is not for pools that are not pg’s own, whose registers come as pages', async () => {
  const { store, dispose } = await open();
  await store.createRegister(permits());
  await store.apply(
    'permits',
    Array.from({ length: 150 }, (_, n) => say(`k${n}`)),
    RECORDED,
  );
  const schema = 'byte_rows_1';
  const plain: PostgresPool = { query: (query) => pool.query(query), connect: () => pool.connect() };
  const written: string[] = [];
  for (const opened of [
    store,
    await PostgresStore.open(plain, { schema }),
    await PostgresStore.open(pool, { schema, replica: plain }),
  ]) {
    const source = await opened.source('permits');
    expect(source.rowsAhead === undefined).toBe(opened !== store);
    written.push(Buffer.concat(await Array.fromAsync(exportRegister(source, csv))).toString());
  }
  expect(new Set(written).size).toBe(1);
  await dispose();
});

it('leaves the memory of an answer alone once it has failed', () => {
  const memory = new ArrayBuffer(4);
  const copy = new CopyOut('SELECT 1', 1000, memory);
  copy.handleCopyData({ chunk: Buffer.of(1) });
  copy.handleError(new Error('Query read timeout'));
  copy.handleCopyData({ chunk: Buffer.of(2) });
  expect([...new Uint8Array(memory)]).toEqual([1, 0, 0, 0]);
});

it('marks the ends of texts, whatever follows them', async () => {
  const copy = new CopyOut(
    `SELECT a, b, n::bigint, c FROM (VALUES ('ü', NULL, 1, 'x'), (NULL, '', 2, 'y'), ('', 'b', 3, 'z')) AS v (a, b, n, c)`,
    1000,
  );
  await pool.query(copy);
  const { bytes, starts, rowGap } = new CopiedRows(copy.take(), ['text', 'text', 'integer', 'text']).marked(
    2,
    0xff,
    0xfe,
  );
  // The columns of a number and of a text of one byte, and the number of columns of the next row.
  expect(rowGap).toBe(3 + 8 + 4 + 1 + 2 + 4);
  const [first, second, third] = starts as [number, number, number];
  expect(bytes.subarray(first, first + 3)).toEqual(Buffer.of(0xc3, 0xbc, 0xff));
  expect(bytes[first + 6]).toBe(0xfe);
  expect(second).toBe(first + 7 + rowGap);
  expect([bytes[second], bytes[second + 4]]).toEqual([0xfe, 0xff]);
  expect([bytes[third], bytes[third + 4], bytes[third + 5]]).toEqual([0xff, 'b'.charCodeAt(0), 0xff]);
});
