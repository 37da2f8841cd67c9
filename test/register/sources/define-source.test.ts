// A register over an embedder's own rows: the published suite, and every way in which rows can be wrong.
import { matchesFilter } from '../../../src/register/finding/filter.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defineRegister } from '../../../src/register/definition.ts';
import {
  defineSource,
  type RowsQuery,
  type SourceParts,
  type SourceRow,
} from '../../../src/register/sources/define-source.ts';
import { type Page, type PageQuery } from '../../../src/register/page.ts';
import { pages, type RegisterSource } from '../../../src/register/sources/source.ts';
import { toRecord } from '../../../src/register/record-input.ts';
import { sourceContract } from '../../../src/testing/source-contract.ts';
import { RUNS } from '../../properties/arbitraries.ts';

const definition = defineRegister({ id: 'permits', title: 'Permits', created_at: '2026-01-01T00:00:00Z' });

/** The row at a position, of one of three types and two facilities, some of neither. */
function rowAt(position: number): SourceRow {
  return {
    position,
    id: String(position),
    title: `Permit ${position}`,
    source_url: `https://example.org/${position}`,
    observed_at: '2026-04-19T08:12:44Z',
    document_type: ['draft', 'adopted', null][position % 3]!,
    facility_id: position % 4 === 0 ? null : `FAC-${position % 2}`,
  };
}

/** A register over an array, newest first, whose highest position is `top`. */
function overArray(table: readonly SourceRow[], top: () => number): RegisterSource {
  return defineSource({
    definition,
    top,
    rows: ({ below, limit, filter }) =>
      table
        .filter((row) => row.position < below)
        .filter((row) => filter?.key === undefined || filter.key.includes(row.id))
        .filter((row) => filter?.document_type === undefined || filter.document_type.includes(row.document_type ?? ''))
        .filter((row) => filter?.facility_id === undefined || filter.facility_id.includes(row.facility_id ?? ''))
        .slice(0, limit),
    revision: () => String(top()),
    lastChange: () => '2026-05-01T00:00:00Z',
  });
}

describe('a source over an array', () => {
  sourceContract(it, () => {
    // Some places are empty: what stood there was withdrawn.
    const table = [14, 13, 11, 10, 9, 6, 5, 4, 3, 2].map(rowAt);
    let top = 15;
    return {
      source: overArray(table, () => top),
      ids: table.map(({ id }) => `permits:${id}`),
      add: () => void table.unshift(rowAt(++top)),
    };
  });
});

describe('the pages of a defined source', () => {
  const shown = ({ records, nextOffset, asOf }: Page): unknown => [
    records.map(({ position }) => position),
    nextOffset,
    asOf,
  ];

  it('count offsets in positions from the top of the view, over the places that are empty', async () => {
    const source = overArray([9, 8, 5, 2].map(rowAt), () => 10);
    expect(shown(await source.page({ offset: 0, limit: 2 }))).toEqual([[9, 8], 3, 10]);
    expect(shown(await source.page({ offset: 3, limit: 2 }))).toEqual([[5, 2], null, 10]);
    expect(shown(await source.page({ offset: 3, limit: 1, asOf: 9 }))).toEqual([[5], 5, 9]);
    expect(shown(await source.page({ offset: 0, limit: 4, asOf: 8 }))).toEqual([[8, 5, 2], null, 8]);
    expect(shown(await source.page({ offset: 99, limit: 4 }))).toEqual([[], null, 10]);
    expect(shown(await overArray([], () => 0).page({ offset: 0, limit: 4 }))).toEqual([[], null, 0]);
  });

  it('are those of a walk over the rows that match, whatever they are', async () => {
    const query = fc.record({
      positions: fc.uniqueArray(fc.integer({ min: 1, max: 60 }), { maxLength: 40 }),
      above: fc.nat(3),
      offset: fc.nat(70),
      limit: fc.integer({ min: 1, max: 12 }),
      filter: fc.constantFrom(
        undefined,
        { document_type: 'draft' },
        { facility_id: 'FAC-1' },
        { document_type: 'adopted', facility_id: 'FAC-0' },
      ),
    });
    await fc.assert(
      fc.asyncProperty(query, async ({ positions, above, offset, limit, filter }) => {
        const table = positions.sort((a, b) => b - a).map(rowAt);
        const top = (table[0]?.position ?? 0) + above;
        const source = overArray(table, () => top);
        const all = table
          .filter(({ position }) => position <= top - offset)
          .map((row) => toRecord(definition, row, { where: 'row', position: row.position }))
          .filter((record) => matchesFilter(record, filter, definition.fields));
        const asked: PageQuery = { offset, limit, ...(filter === undefined ? {} : { filter }) };
        const page = await source.page(asked);
        expect(page.records).toEqual(all.slice(0, limit));
        expect(page.nextOffset).toBe(all.length > limit ? top - all[limit - 1]!.position! + 1 : null);
        const walked: unknown[] = [];
        for await (const { records } of pages(source, asked)) walked.push(...records);
        expect(walked).toEqual(all);
      }),
      { numRuns: RUNS },
    );
  });

  it('ask for rows below the page, one more than it has, with filter and signal; and for none past the end', async () => {
    const asked: RowsQuery[] = [];
    const source = defineSource({
      definition,
      top: async () => 50,
      rows: async (query) => {
        asked.push(query);
        return [];
      },
    });
    const { signal } = new AbortController();
    const filter = { document_type: 'draft' };
    await source.page({ offset: 10, limit: 7, filter, signal });
    await source.page({ offset: 50, limit: 7 });
    expect(asked).toEqual([{ below: 41, limit: 8, filter: { document_type: ['draft'] }, signal }]);
  });

  it('have neither revision nor last change where nobody gives them', () => {
    const source = defineSource({ definition, top: () => 0, rows: () => [] });
    expect(Object.keys(source).sort()).toEqual(['definition', 'filters', 'page']);
  });

  it.each([
    [{ limit: 101 }, 'limit'],
    [{ limit: 0 }, 'limit'],
    [{ offset: -1 }, 'offset'],
    [{ asOf: 16 }, 'as_of'],
    [{ asOf: 'yesterday' }, 'as_of'],
  ])('refuse %j', async (query, parameter) => {
    const source = overArray([], () => 15);
    const asking = async (): Promise<Page> => source.page({ offset: 0, limit: 1, ...query });
    await expect(asking()).rejects.toMatchObject({ code: 'invalid_parameter', details: { parameter } });
  });

  it('pass on what the embedder throws', async () => {
    const error = new Error('the database is gone');
    const source = defineSource({ definition, top: () => 1, rows: () => Promise.reject(error) });
    await expect(source.page({ offset: 0, limit: 1 })).rejects.toBe(error);
  });

  it.each<[what: string, parts: { readonly top?: unknown; readonly rows?: unknown }, message: string]>([
    ['a top that is none', { top: -1 }, 'top() must give a whole number from 0, got -1'],
    ['a top that is a text', { top: '9' }, 'top() must give a whole number from 0, got "9"'],
    ['no array', { rows: { length: 0 } }, 'rows() must give an array, got {"length":0}'],
    ['nothing', { rows: undefined }, 'rows() must give an array, got undefined'],
    ['more rows than asked for', { rows: [9, 8, 7, 6].map(rowAt) }, 'rows() must give at most 3 rows, got 4'],
    ['a row that is none', { rows: [null] }, 'a row must have a position, a whole number from 1, got undefined'],
    [
      'a row without a position',
      { rows: [{ ...rowAt(1), position: undefined }] },
      'a row must have a position, a whole number from 1, got undefined',
    ],
    ['a position that is a text', { rows: [{ ...rowAt(1), position: '1' }] }, 'a whole number from 1, got "1"'],
    ['a position of 0', { rows: [rowAt(0)] }, 'a whole number from 1, got 0'],
    ['a row above the bound', { rows: [rowAt(11)] }, 'the positions of rows must be below 11, as asked, got 11'],
    [
      'rows that rise',
      { rows: [rowAt(4), rowAt(5)] },
      'the positions of rows must be in falling order, below 4, got 5',
    ],
    ['a row twice', { rows: [rowAt(4), rowAt(4)] }, 'the positions of rows must be in falling order, below 4, got 4'],
    [
      'a row of another register',
      { rows: [{ ...rowAt(4), feed_id: 'notices' }] },
      'the row at position 4 must be of this register, got "notices"',
    ],
    [
      'a row the filter keeps out',
      { rows: [rowAt(4)] },
      'the row at position 4 must match the filter {"document_type":["draft"]}, got "permits:4"',
    ],
  ])('refuse %s', async (_, { top = 10, ...parts }, message) => {
    const rows = 'rows' in parts ? parts.rows : [];
    const source = defineSource({ definition, top: () => top, rows: () => rows } as unknown as SourceParts);
    const asking = async (): Promise<Page> => source.page({ offset: 0, limit: 2, filter: { document_type: 'draft' } });
    await expect(asking()).rejects.toMatchObject({
      code: 'internal_error',
      message: expect.stringMatching(/^register permits: /) as string,
    });
    await expect(asking()).rejects.toThrow(message);
  });

  it('name the position and the member of a row that is no record', async () => {
    const row = { ...rowAt(4), observed_at: 'yesterday' };
    const source = defineSource({ definition, top: () => 4, rows: () => [row] });
    await expect(source.page({ offset: 0, limit: 2 })).rejects.toMatchObject({
      code: 'invalid_record',
      message: expect.stringMatching(/^register permits, position 4: observed_at must be a date/) as string,
    });
  });
});
