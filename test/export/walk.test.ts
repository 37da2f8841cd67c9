import { describe, expect, it } from 'vitest';
import { exportPage } from '../../src/export/page.ts';
import { walkExportPages } from '../../src/export/walk.ts';
import { exportRegister } from '../../src/export/register.ts';
import { csv } from '../../src/formats/csv.ts';
import { ndjson } from '../../src/formats/ndjson.ts';
import { fromRecords } from '../../src/register/sources/from-records.ts';
import type { Page } from '../../src/register/page.ts';
import type { RegisterSource, RegisterStream } from '../../src/register/sources/source.ts';
import { collect, CountedPages, pagesOfSize } from '../contracts/readers.ts';
import { SAMPLE_DEFINITION, sampleRecords } from '../contracts/sample-register.ts';

const url = new URL('https://example.org/feeds/permits/records/export.csv');
const permits = fromRecords(SAMPLE_DEFINITION, sampleRecords(250), { order: 'newest-first' });
const idsOf = (bytes: Uint8Array): string[] => new TextDecoder().decode(bytes).match(/^permits:[\w-]+/gm) ?? [];

describe('exportPages', () => {
  it('gives the pages a client that follows Link would collect', async () => {
    const found = await Array.fromAsync(walkExportPages(permits, csv, { url }));
    expect(found.map((page) => idsOf(page.body).length)).toEqual([100, 100, 50]);
    expect(found.map((page) => page.url.search)).toEqual([
      '',
      '?limit=100&offset=100&as_of=250',
      '?limit=100&offset=200&as_of=250',
    ]);
    expect(found.map((page) => page.nextUrl?.href ?? null)).toEqual([found[1]!.url.href, found[2]!.url.href, null]);
  });

  it('gives the very page that exportPage gives', async () => {
    const [, second] = await Array.fromAsync(
      walkExportPages(permits, csv, { url, filter: { document_type: 'adopted' }, limit: 20 }),
    );
    const alone = await exportPage(permits, csv, {
      url,
      query: {
        offset: Number(second!.url.searchParams.get('offset')),
        limit: 20,
        asOf: 250,
        filter: { document_type: 'adopted' },
      },
    });
    expect(second).toEqual(alone);
  });

  it('reads no page that nobody takes', async () => {
    let reads = 0;
    const counted: RegisterSource = {
      ...permits,
      page: (query) => {
        reads++;
        return permits.page(query);
      },
    };
    for await (const page of walkExportPages(counted, csv, { url, limit: 10 })) {
      expect(page.nextUrl).not.toBeNull();
      break;
    }
    expect(reads).toBe(1);
  });

  it('follows empty pages to the records behind them', async () => {
    const [record] = sampleRecords(1);
    const sparse: RegisterSource = {
      definition: SAMPLE_DEFINITION,
      page: ({ offset }): Page => ({
        records: offset === 2000 ? [record!] : [],
        nextOffset: offset === 2000 ? null : offset + 1000,
        asOf: 'view-1',
      }),
    };
    const found = await Array.fromAsync(walkExportPages(sparse, csv, { url }));
    expect(found.map((page) => idsOf(page.body).length)).toEqual([0, 0, 1]);
    expect(found[1]!.url.searchParams.get('as_of')).toBe('view-1');
  });

  it('refuses a limit and an offset out of range before it reads', async () => {
    for (const [query, message] of [
      [{ limit: 101, offset: 0 }, 'limit must be 1..100, got 101'],
      [{ limit: 0, offset: 0 }, 'limit must be 1..100, got 0'],
      [{ limit: 1, offset: -1 }, 'offset must be a whole number from 0, got -1'],
    ] as const) {
      await expect(exportPage(permits, csv, { url, query })).rejects.toMatchObject({
        code: 'invalid_parameter',
        message,
      });
    }
  });

  it('stops with a coded error when its signal fires between pages', async () => {
    const controller = new AbortController();
    const walk = walkExportPages(permits, csv, { url, limit: 10, signal: controller.signal });
    await walk.next();
    controller.abort();
    await expect(walk.next()).rejects.toMatchObject({ code: 'aborted' });
  });
});

describe('exportRegister', () => {
  it('writes a register of many pages as one document', async () => {
    const whole = await collect(exportRegister(permits, csv));
    expect(idsOf(whole)).toEqual(sampleRecords(250).map((record) => record.id));
    expect(whole.toString().match(/^id,/gm), 'one header').toHaveLength(1);
  });

  it('writes only what the filter lets through, of a source and of a stream alike', async () => {
    const stream: RegisterStream = { definition: SAMPLE_DEFINITION, pages: () => pagesOf(sampleRecords(250)) };
    const filter = { document_type: 'draft', facility_id: 'FAC-7' };
    const expected = sampleRecords(250).filter((r) => r.document_type === 'draft' && r.facility_id === 'FAC-7');
    expect(expected.length).toBeGreaterThan(1);
    for (const register of [permits, stream]) {
      expect(idsOf(await collect(exportRegister(register, csv, { filter })))).toEqual(
        expected.map((record) => record.id),
      );
    }
  });

  it('uses the memory of chunks again where it is told to, and gives it away otherwise', async () => {
    const many = fromRecords(SAMPLE_DEFINITION, sampleRecords(4000), { order: 'newest-first' });
    for (const reusesChunks of [true, false, undefined]) {
      const buffers: ArrayBuffer[] = [];
      const options = reusesChunks === undefined ? {} : { reusesChunks };
      for await (const { buffer } of exportRegister(many, csv, options)) buffers.push(buffer);
      expect(buffers.length).toBeGreaterThan(6);
      if (reusesChunks === true) expect(new Set(buffers).size).toBeLessThan(buffers.length);
      else expect(new Set(buffers).size).toBe(buffers.length);
    }
  });

  it('tells how far it is, page by page', async () => {
    const counts: number[] = [];
    await collect(exportRegister(permits, ndjson, { onPage: (records) => counts.push(records) }));
    expect(counts).toEqual([100, 100, 50]);
  });

  it('closes a stream whose reader goes away, also before the first byte', async () => {
    for (const reads of [0, 1]) {
      const source = new CountedPages(pagesOfSize(sampleRecords(2000)));
      const stream: RegisterStream = { definition: SAMPLE_DEFINITION, pages: () => source };
      const chunks = exportRegister(stream, csv);
      for (let i = 0; i < reads; i++) await chunks.next();
      await chunks.return();
      expect(source.closed).toBe(reads > 0);
      expect(source.pulled).toBeLessThanOrEqual(1);
    }
  });

  it('passes on the error of a failing stream', async () => {
    const error = new Error('the file ended early');
    const source = new CountedPages(pagesOfSize(sampleRecords(500)), { after: 1, error });
    const stream: RegisterStream = { definition: SAMPLE_DEFINITION, pages: () => source };
    await expect(collect(exportRegister(stream, csv))).rejects.toBe(error);
    expect(source.closed).toBe(true);
  });
});

async function* pagesOf(records: ReturnType<typeof sampleRecords>): AsyncGenerator<Page, void, undefined> {
  yield* pagesOfSize(records);
}
