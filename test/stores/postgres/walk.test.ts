// How whole registers are read from PostgreSQL: which pages are read at once, when the next ones are asked for, and what
// stays of a read.
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { Page } from '../../../src/register/page.ts';
import type { RegisterSource } from '../../../src/register/sources/source.ts';
import type { PostgresPool, PostgresResult } from '../../../src/stores/postgres/connection.ts';
import { PostgresStore } from '../../../src/stores/postgres/store.ts';
import { permits, say } from '../../contracts/store-register.ts';

const schema = `walk_${process.pid}`;
const pool = new pg.Pool({ connectionString: inject('postgresUrl') });

/** As selectAhead() has them. */
const MOST_RECORDS = 1000;
const MOST_BYTES = 2 ** 20;

const RECORDS = 1300;

/** The bytes of a record's content: the newest 1,050 are short, then a megabyte's worth of a few, one of two megabytes. */
function bytesOf(position: number): number {
  if (position > 250) return 2;
  if (position === 100) return 2 * MOST_BYTES;
  return position % 50 < 8 ? MOST_BYTES / 4 : 2;
}

let store: PostgresStore;
let source: RegisterSource;

beforeAll(async () => {
  store = await PostgresStore.open(pool, { schema });
  await store.createRegister(permits());
  const statements = Array.from({ length: RECORDS }, (_, index) => {
    // Two bytes for each character.
    return say(String(index + 1), { content: 'ä'.repeat(bytesOf(index + 1) / 2), document_type: 'a' });
  });
  await store.apply('permits', statements, { recordedAt: '2026-10-01T10:00:00Z' });
  source = await store.source('permits');
});

afterAll(async () => {
  await pool.query(`DROP SCHEMA ${schema} CASCADE`);
  await pool.end();
});

/** The numbers of pages that are read together when what is read at once ends with the {@link MOST_BYTES}. */
function expectedGroups(limit: number, lengthOf: (position: number) => number): number[] {
  const groups: number[] = [];
  for (let top = RECORDS; top > 0;) {
    let length = 0;
    let rows = 0;
    const most = Math.max(1, Math.floor(MOST_RECORDS / limit)) * limit + 1;
    while (rows < Math.min(most, top) && (length += lengthOf(top - rows)) <= MOST_BYTES) rows++;
    rows = Math.min(top, Math.max(rows, limit + 1));
    const pages = rows <= limit ? 1 : Math.floor((rows - 1) / limit);
    groups.push(pages);
    top -= pages * limit;
  }
  return groups;
}

/** How many reads have been asked for when each page is used: the next one is, unless these are the last pages. */
function expectedReads(groups: readonly number[]): number[] {
  return groups.flatMap((pages, index) => Array.from({ length: pages }, () => Math.min(index + 2, groups.length)));
}

describe('the pages of a walk that are read together', () => {
  it.each([
    [1, undefined],
    [7, undefined],
    [100, undefined],
    [100, { document_type: 'a' }],
    [60, undefined],
  ])(
    'are as many as a thousand records and a megabyte of text allow, at least one: limit %i, filter %o',
    async (limit, filter) => {
      const [record] = (await source.page({ offset: 0, limit: 1 })).records;
      const rest = JSON.stringify(record!.data).length + Buffer.byteLength(record!.summary ?? '');
      const walked: Page[] = [];
      const reads: number[] = [];
      let asked = 0;
      const count = (): void => {
        asked++;
      };
      pool.on('acquire', count);
      const query = { offset: 0, limit, ...(filter === undefined ? {} : { filter }) };
      for await (const pages of source.pagesAhead!(query)) {
        for (const page of pages) {
          walked.push(page);
          reads.push(asked);
        }
      }
      pool.removeListener('acquire', count);
      expect(reads).toEqual(expectedReads(expectedGroups(limit, (at) => bytesOf(at) + rest)));
      const positions = walked.flatMap(({ records }) => records.map(({ position }) => position));
      expect(positions).toEqual(Array.from({ length: RECORDS }, (_, index) => RECORDS - index));
    },
  );
});

it('has asked for the next pages before the first ones are used, however little their user waits', async () => {
  const walk = source.pagesAhead!({ offset: 0, limit: 100 })[Symbol.asyncIterator]();
  let asked = 0;
  const count = (): void => {
    asked++;
  };
  pool.on('acquire', count);
  try {
    await walk.next();
    // Nothing is awaited in between: what is asked now was asked by the walk itself.
    expect(asked).toBe(2);
  } finally {
    pool.removeListener('acquire', count);
    await walk.return?.();
  }
});

it('leaves no rows in the results of the driver, which keeps them longer than anybody needs them', async () => {
  const results: PostgresResult[] = [];
  const watched: PostgresPool = {
    query: async (query) => {
      const result = await pool.query(query);
      results.push(result);
      return result;
    },
    connect: () => pool.connect(),
  };
  const watchedSource = await (await PostgresStore.open(watched, { schema })).source('permits');
  results.length = 0;
  let records = 0;
  for await (const pages of watchedSource.pagesAhead!({ offset: 0, limit: 100 })) {
    for (const page of pages) records += page.records.length;
  }
  records += (await watchedSource.page({ offset: 0, limit: 10 })).records.length;
  expect(records).toBe(RECORDS + 10);
  expect(results.length).toBeGreaterThan(2);
  expect(results.flatMap(({ rows }) => rows)).toEqual([]);
});
