// Registers that are read by COPY: what comes is what statements give, and what happens to the connection.
import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { Page, PageQuery } from '../../../src/register/page.ts';
import { pages, type RegisterSource } from '../../../src/register/sources/source.ts';
import type { PostgresPool, PostgresQuery } from '../../../src/stores/postgres/connection.ts';
import { CopiedRows } from '../../../src/stores/postgres/copy/copied-rows.ts';
import { CopyOut, takesCopies, withNumbers } from '../../../src/stores/postgres/copy/copy-out.ts';
import { PostgresStore } from '../../../src/stores/postgres/store.ts';
import { HOSTILE_TEXTS, permits, say, sayOdd } from '../../../src/testing/stores/said.ts';
import { toPublishedRecord } from '../../../src/stores/rows/published-record.ts';
import { isGazetteError } from '../../../src/errors.ts';
import { registers } from '../../properties/arbitraries.ts';
import { tries } from '../../effort.ts';
import { until } from '../../until.ts';
import { quiet, startWay } from './way.ts';

const schema = `copy_${process.pid}`;
const url = inject('postgresUrl');
const pool = new pg.Pool({ connectionString: url });
/** The same, as a pool that is not pg's own. */
const plain: PostgresPool = { query: (query) => pool.query(query), connect: () => pool.connect() };
/** What pg was asked over a pool of its own. */
const sent: (PostgresQuery | CopyOut)[] = [];

class HeardPool extends pg.Pool {
  override query(...query: readonly unknown[]): never {
    sent.push(query[0] as PostgresQuery | CopyOut);
    return super.query(...(query as [string])) as never;
  }
}

const heard = new HeardPool({ connectionString: url });
const RECORDED = { recordedAt: '2026-10-01T10:00:00Z' };

let store: PostgresStore;
let byCopy: PostgresStore;
let byStatement: PostgresStore;

beforeAll(async () => {
  store = await PostgresStore.open(pool, { schema });
  byCopy = await PostgresStore.open(heard, { schema });
  byStatement = await PostgresStore.open(plain, { schema });
  await store.createRegister(permits());
});

afterAll(async () => {
  await pool.query(`DROP SCHEMA ${schema} CASCADE`);
  await Promise.all([pool.end(), heard.end()]);
});

async function walked(source: RegisterSource, query: PageQuery): Promise<readonly Page[]> {
  return (await Array.fromAsync(source.pagesAhead!(query))).flat();
}

/** The pages of a walk, which must be the same by COPY and by statements. */
async function sameWalk(feedId: string, query: PageQuery): Promise<readonly Page[]> {
  sent.length = 0;
  const copied = await walked(await byCopy.source(feedId), query);
  const copies = sent.filter((query) => query instanceof CopyOut);
  expect(copies.length > 0).toBe(query.filter === undefined);
  // pg keeps its finished queries for a while; with their bytes, it would keep those of whole registers.
  for (const copy of copies) expect(copy.take().buffer.byteLength).toBe(0);
  expect(copied).toEqual(await walked(await byStatement.source(feedId), query));
  return copied;
}

describe('a walk by COPY', () => {
  it('has the pages that statements give, whatever the texts', async () => {
    const odd = HOSTILE_TEXTS.flatMap((text, index) => [
      sayOdd(`odd${index}`, text),
      say(`long${index}`, { content: text }),
    ]);
    const many = Array.from({ length: 50 }, (_, index) =>
      say(String(index), { summary: index % 2 === 0 ? null : 'ü' }),
    );
    await store.apply('permits', [...odd, ...many], RECORDED);
    await store.withdraw('permits', ['permits:odd1', 'permits:7', 'permits:49'], RECORDED);
    const { top } = (await store.registers()).find(({ definition }) => definition.id === 'permits')!;
    for (const query of [
      { offset: 0, limit: 3 },
      { offset: 0, limit: 100 },
      { offset: 5, limit: 7, asOf: top - 4 },
      { offset: top, limit: 10 },
      { offset: 0, limit: 10, asOf: 0 },
      { offset: 0, limit: 10, filter: { document_type: "a' OR '1'='1" } },
    ]) {
      await sameWalk('permits', query);
    }
  });

  it('has the pages that statements give, for any register', async () => {
    let number = 0;
    await fc.assert(
      fc.asyncProperty(
        registers({ large: false }),
        fc.integer({ min: 1, max: 5 }),
        async ({ definition, records }, limit) => {
          const id = `any-${++number}`;
          // Not every definition that a format can write can be kept: a label of blanks is empty to people.
          const isKept = await store.createRegister({ ...definition, id }).then(
            () => true,
            (error: unknown) => {
              if (!isGazetteError(error, 'invalid_definition')) throw error;
              return false;
            },
          );
          fc.pre(isKept);
          // One is sure to be published, so that there is a page to compare.
          await store.apply(id, [{ ...say('sure'), feed_id: id, id: `${id}:sure` }], RECORDED);
          const statements = records.map((record) => {
            const { id: recordId, ...stated } = toPublishedRecord(record, true);
            return { ...stated, feed_id: id, id: `${id}${recordId.slice(recordId.indexOf(':'))}` };
          });
          for (const statement of statements) {
            try {
              await store.apply(id, [statement], RECORDED);
            } catch (error) {
              // Not every record that a format can write can be published.
              if (!isGazetteError(error, 'invalid_record')) throw error;
            }
          }
          const pages = await sameWalk(id, { offset: 0, limit });
          expect(pages[0]!.records.length).toBeGreaterThan(0);
        },
      ),
      { numRuns: tries(10, 1000) },
    );
  });

  it('refuses a register that was removed, and a view that there is not', async () => {
    await store.createRegister(permits('gone'));
    const source = await byCopy.source('gone');
    await expect(walked(source, { offset: 0, limit: 1, asOf: 9 })).rejects.toMatchObject({ code: 'invalid_parameter' });
    await store.removeRegister('gone');
    await expect(walked(source, { offset: 0, limit: 1 })).rejects.toMatchObject({ code: 'unknown_feed' });
  });

  it('leaves a connection that works to others, wherever its user stops', async () => {
    const one = quiet(new pg.Pool({ connectionString: url, max: 1 }));
    const source = await (await PostgresStore.open(one, { schema })).source('permits');
    for await (const page of pages(source, { limit: 5 })) if (page.nextOffset !== null && page.nextOffset > 10) break;
    const controller = new AbortController();
    const walk = Array.fromAsync(pages(source, { limit: 1, signal: controller.signal }));
    controller.abort();
    await expect(walk).rejects.toMatchObject({ code: 'aborted' });
    expect((await one.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    expect(one.totalCount).toBe(1);
    await one.end();
  });
});

describe('a connection that is lost in the middle of a COPY', () => {
  it.each(['silent', 'cut'] as const)(
    'ends the walk with store_unavailable, and is used no more: %s',
    async (fault) => {
      const way = await startWay(url);
      const over = quiet(new pg.Pool({ connectionString: way.url, max: 1 }));
      const source = await (await PostgresStore.open(over, { schema, answerTimeoutMs: 1000 })).source('permits');
      const client = await over.connect();
      const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      // As soon as bytes of an answer have come over the connection.
      const { connection } = client as unknown as { connection: pg.Connection };
      connection.once('copyData', () => {
        if (fault === 'silent') way.isSilent = true;
        else way.end();
      });
      client.release();
      const walk = walked(source, { offset: 0, limit: 100 });
      await expect(walk).rejects.toMatchObject({ code: 'store_unavailable' });
      way.isSilent = false;
      const again = await until('a new connection', () => walked(source, { offset: 0, limit: 100 }).catch(() => null));
      expect(again.length).toBeGreaterThan(0);
      const after = await over.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      expect(after.rows[0]!.pid).not.toBe(rows[0]!.pid);
      await over.end();
      way.stop();
    },
  );

  it('is told from an answer that the server itself ends', async () => {
    await expect(
      pool.query(new CopyOut('SELECT 1 / (g - 3) FROM generate_series(1, 5) AS g', 1000)),
    ).rejects.toMatchObject({
      code: '22012',
    });
    expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
  });
});

describe('CopiedRows', () => {
  it('reads whole numbers, texts and nulls', async () => {
    const copy = new CopyOut(
      `SELECT n::bigint, (n % 1000)::integer, t FROM (VALUES (-1, 'ü'), (9007199254740991, NULL), (-9007199254740991, ''),
        (4294967296, repeat('x', 70000)), (NULL, 'a')) AS v (n, t)`,
      1000,
    );
    await pool.query(copy);
    const rows = new CopiedRows(copy.take(), ['integer', 'integer', 'text']);
    expect(Array.from({ length: rows.length + 1 }, (_, index) => rows.at(index))).toEqual([
      [-1, -1, 'ü'],
      [2 ** 53 - 1, 991, null],
      [1 - 2 ** 53, -991, ''],
      [2 ** 32, 296, 'x'.repeat(70000)],
      [null, null, 'a'],
      undefined,
    ]);
  });

  it('refuses what is not whole, at every byte', async () => {
    const copy = new CopyOut(`SELECT 7::bigint, 'text'`, 1000);
    await pool.query(copy);
    const bytes = copy.take();
    for (let length = 0; length < bytes.length; length++) {
      expect(() => new CopiedRows(bytes.subarray(0, length), ['integer', 'text'])).toThrow(TypeError);
    }
    const longer = Buffer.concat([bytes, Buffer.of(0)]);
    expect(() => new CopiedRows(longer, ['integer', 'text'])).toThrow(TypeError);
    expect(() => new CopiedRows(bytes, ['integer'])).toThrow(/has 2 columns, not 1/);
    expect(new CopiedRows(bytes, ['integer', 'text']).at(0)).toEqual([7, 'text']);
  });
});

it('knows pools whose clients run a COPY', () => {
  expect(takesCopies(pool)).toBe(true);
  expect(takesCopies(plain)).toBe(false);
  expect(takesCopies(new pg.Pool({ pipeline: true }))).toBe(false);
  // As pg-native is.
  expect(takesCopies(new pg.Pool({ Client: Object } as never))).toBe(false);
});

it('puts no texts into a statement', () => {
  expect(withNumbers('$1 $2 $10', [1, -2, ...Array.from({ length: 7 }, () => 0), null])).toBe('(1) (-2) NULL');
  for (const value of ['1', 1.5, 2 ** 53, undefined, NaN]) expect(() => withNumbers('$1', [value])).toThrow(TypeError);
});
