import type { Filter } from '../../src/register/finding/filter.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defineRegister } from '../../src/register/definition.ts';
import { fromRecords } from '../../src/register/sources/from-records.ts';
import type { Page, PageQuery } from '../../src/register/page.ts';
import type { RecordInput } from '../../src/register/record-input.ts';
import type { RegisterRecord } from '../../src/register/record.ts';
import { pages, type RegisterSource } from '../../src/register/sources/source.ts';
import {
  PREVIEW_SUMMARY_LENGTH,
  PUBLIC_WINDOW,
  publicWindow,
  tierRecord,
  tierSource,
} from '../../src/register/tier.ts';
import { RUNS, texts } from '../properties/arbitraries.ts';

const definition = defineRegister({
  id: 'permits',
  title: 'Permits',
  created_at: '2026-01-01T00:00:00Z',
  fields: [
    { name: 'fee', type: 'text' },
    { name: 'conditions', type: 'json' },
  ],
});
const input = (key: string, more: Partial<RecordInput> = {}): RecordInput => ({
  id: key,
  title: `Permit ${key}`,
  source_url: 'https://example.org/',
  observed_at: '2026-04-19T08:12:44Z',
  ...more,
});
const register = (count: number, more: (index: number) => Partial<RecordInput> = () => ({})): RegisterSource =>
  fromRecords(
    definition,
    Array.from({ length: count }, (_, index) => input(String(index + 1), more(index + 1))),
  );
const keys = (records: readonly RegisterRecord[]): string[] => records.map(({ id }) => id.replace('permits:', ''));
const page = async (source: RegisterSource, query: Partial<PageQuery> = {}): Promise<Page> =>
  source.page({ offset: 0, limit: 100, ...query });

describe('the pro tier', () => {
  it('is the source itself', () => {
    const source = register(5);
    expect(tierSource(source, 'pro')).toBe(source);
  });

  it('sees every record whole', async () => {
    const { records } = await page(register(5));
    for (const record of records) expect(tierRecord(record, 'pro', false)).toBe(record);
  });
});

describe('the public list', () => {
  it('is the latest three records, whole, and ends there', async () => {
    const source = register(5);
    const shown = await page(tierSource(source, 'public'));
    expect(keys(shown.records)).toEqual(['5', '4', '3']);
    expect(shown.records).toEqual((await page(source)).records.slice(0, 3));
    expect([shown.nextOffset, shown.asOf]).toEqual([null, null]);
    expect(PUBLIC_WINDOW).toBe(3);
  });

  it('is paged through by limit=1, without as_of in its links', async () => {
    const walked: Page[] = await Array.fromAsync(pages(tierSource(register(5), 'public'), { limit: 1 }));
    expect(walked.map(({ records, nextOffset, asOf }) => [keys(records), nextOffset, asOf])).toEqual([
      [['5'], 1, null],
      [['4'], 2, null],
      [['3'], null, null],
    ]);
  });

  it.each([
    [{ limit: 2 }, ['5', '4'], 2],
    [{ limit: 2, offset: 2 }, ['3'], null],
    [{ limit: 3, offset: 1 }, ['4', '3'], null],
    [{ offset: 3 }, [], null],
    [{ offset: 1_000_000 }, [], null],
  ])('answers %j with %j', async (query, expected, next) => {
    const shown = await page(tierSource(register(5), 'public'), query);
    expect([keys(shown.records), shown.nextOffset]).toEqual([expected, next]);
  });

  it('filters inside the three: a filter opens no older record', async () => {
    const source = tierSource(
      register(6, (index) => ({ document_type: index % 2 === 0 ? 'adopted' : 'draft', facility_id: `F${index}` })),
      'public',
    );
    expect(keys((await page(source, { filter: { document_type: 'adopted' } })).records)).toEqual(['6', '4']);
    expect(await page(source, { filter: { facility_id: 'F1' } })).toEqual({
      records: [],
      nextOffset: null,
      asOf: null,
    });
    const first = await page(source, { limit: 1, filter: { document_type: 'adopted' } });
    expect([keys(first.records), first.nextOffset]).toEqual([['6'], 1]);
    const second = await page(source, { limit: 1, offset: 1, filter: { document_type: 'adopted' } });
    expect([keys(second.records), second.nextOffset]).toEqual([['4'], null]);
  });

  it.each([0, 1, 5, 99, 'x'])('refuses as_of=%j, which would open older windows', async (asOf) => {
    await expect(page(tierSource(register(5), 'public'), { asOf })).rejects.toMatchObject({
      code: 'invalid_parameter',
      message: 'as_of needs an API key: the public sees the latest records only',
      details: { parameter: 'as_of' },
    });
  });

  it.each([
    [{ limit: 0 }, 'limit'],
    [{ limit: 101 }, 'limit'],
    [{ offset: -1 }, 'offset'],
  ])('refuses %j like every list', async (query, parameter) => {
    await expect(page(tierSource(register(5), 'public'), query)).rejects.toMatchObject({ details: { parameter } });
  });

  it('is what there is when there are fewer than three', async () => {
    expect(keys((await page(tierSource(register(2), 'public'))).records)).toEqual(['2', '1']);
    expect((await page(tierSource(register(0), 'public'))).records).toEqual([]);
  });

  it('shows as many as it is told to', async () => {
    const shown = await page(tierSource(register(200), 'public', { window: 150 }), { offset: 100 });
    expect([shown.records.length, shown.records[0]!.id, shown.nextOffset]).toEqual([50, 'permits:100', null]);
    expect(await page(tierSource(register(5), 'public', { window: 0 }))).toEqual({
      records: [],
      nextOffset: null,
      asOf: null,
    });
  });

  it.each([-1, 1.5, NaN])('refuses a window of %d', (window) => {
    expect(() => tierSource(register(5), 'public', { window })).toThrow(
      expect.objectContaining({
        code: 'invalid_option',
        message: `window must be a whole number from 0, got ${window}`,
      }),
    );
  });

  it('keeps the definition and the last change of the source, and its revision apart', async () => {
    const source = register(5);
    const shown = tierSource(source, 'public');
    expect(shown.definition).toBe(definition);
    expect(await shown.revision!(), 'the same data is another page to another tier').not.toBe(await source.revision!());
    expect(await shown.revision!()).toContain(await source.revision!());
    expect(await shown.revision!()).not.toBe(await tierSource(source, 'public', { window: 2 }).revision!());
    expect(await shown.lastChange!()).toBe(await source.lastChange!());
    const bare: RegisterSource = { definition, page: (query) => source.page(query) };
    expect(Object.keys(tierSource(bare, 'public')).sort()).toEqual(['definition', 'matched', 'page']);
  });
});

describe('publicWindow', () => {
  it('finds the latest live records through empty pages', async () => {
    const { records } = await page(register(2));
    const source: RegisterSource = {
      definition,
      page: ({ offset, asOf }) => ({
        records: offset === 4 ? records.slice(0, 1) : offset === 9 ? records.slice(1) : [],
        nextOffset: offset < 9 ? (asOf === undefined ? 4 : offset + 5) : null,
        asOf: 10,
      }),
    };
    expect(keys(await publicWindow(source))).toEqual(['2', '1']);
  });

  it('is refused when a source answers more than it was asked for', async () => {
    const { records } = await page(register(9));
    const source: RegisterSource = { definition, page: () => ({ records, nextOffset: null, asOf: null }) };
    await expect(publicWindow(source)).rejects.toMatchObject({ code: 'internal_error' });
    await expect(page(tierSource(source, 'public'))).rejects.toMatchObject({ code: 'internal_error' });
  });

  it('ends with an error when a source does not lead on', async () => {
    const source: RegisterSource = { definition, page: () => ({ records: [], nextOffset: 0, asOf: null }) };
    await expect(publicWindow(source)).rejects.toMatchObject({ code: 'internal_error' });
  });

  it('is cancelled by its signal', async () => {
    await expect(publicWindow(register(5), 3, AbortSignal.abort())).rejects.toMatchObject({ code: 'aborted' });
  });
});

describe('a preview', () => {
  const whole = async (more: Partial<RecordInput>): Promise<RegisterRecord> =>
    (await page(register(1, () => more))).records[0]!;

  it('has the fields everyone may see and says how to get the rest', async () => {
    const record = await whole({
      summary: 'Short.',
      content: 'Secret',
      author: 'Secret',
      document_type: 'adopted',
      facility_id: 'Secret',
      published_at: '2026-04-17',
      data: { fee: 'Secret' },
    });
    expect(tierRecord(record, 'public', false)).toEqual({
      id: 'permits:1',
      feed_id: 'permits',
      key: '1',
      title: 'Permit 1',
      document_type: 'adopted',
      source_url: 'https://example.org/',
      published_at: '2026-04-17',
      observed_at: '2026-04-19T08:12:44Z',
      summary: 'Short.',
      preview: true,
      note: 'The full record and its history need an API key: send Authorization: Bearer <API_KEY>.',
    });
  });

  it('is not for records inside the window: they are whole', async () => {
    const record = await whole({});
    expect(tierRecord(record, 'public', true)).toBe(record);
  });

  it.each([
    ['no summary', null, 280, null],
    ['an empty summary', '', 280, ''],
    ['280 characters', 'x'.repeat(280), 280, 'x'.repeat(280)],
    ['281 characters', 'x'.repeat(281), 280, 'x'.repeat(280)],
    ['pairs', '😀'.repeat(281), 280, '😀'.repeat(280)],
    ['a pair at the end', `${'x'.repeat(279)}😀y`, 280, `${'x'.repeat(279)}😀`],
    ['a configured length', 'abcdef', 3, 'abc'],
    ['no length at all', 'abcdef', 0, ''],
  ])('cuts the summary after 280 characters: %s', async (_, summary, previewSummaryLength, expected) => {
    const record = await whole({ summary });
    expect(tierRecord(record, 'public', false, { previewSummaryLength })).toHaveProperty('summary', expected);
    if (previewSummaryLength === PREVIEW_SUMMARY_LENGTH) {
      expect(tierRecord(record, 'public', false)).toHaveProperty('summary', expected);
    }
  });

  it.each([-1, 0.5, NaN])(
    'refuses a length of %d, which would show the end of the text',
    async (previewSummaryLength) => {
      const record = await whole({ summary: 'abcdef' });
      expect(() => tierRecord(record, 'public', false, { previewSummaryLength })).toThrow(
        expect.objectContaining({ code: 'invalid_option' }),
      );
    },
  );
});

describe('what the public sees of older records', () => {
  // Every field of every record has a text of its own, so that one that gets out is found wherever it stands.
  const secret = (field: string, index: number): string => `<${field}~${index}>`;
  const openFields = ['title', 'document_type', 'summary'];
  const proFields = ['content', 'author', 'facility_id', 'fee', 'conditions', 'tail'];

  it('holds no byte of a field only the pro tier may see, in any list and in any preview', async () => {
    const filters: fc.Arbitrary<Filter | undefined> = fc.option(
      fc.record(
        {
          document_type: fc.nat(12).map((index) => secret('document_type', index)),
          facility_id: fc.nat(12).map((index) => secret('facility_id', index)),
        },
        { requiredKeys: [] },
      ),
      { nil: undefined },
    );
    const queries = fc.record({ limit: fc.integer({ min: 1, max: 100 }), offset: fc.nat(14), filter: filters });
    await fc.assert(
      fc.asyncProperty(
        fc.nat(12),
        fc.array(queries, { minLength: 1, maxLength: 8 }),
        texts(4).filter((text) => !text.includes('<')),
        async (count, asked, noise) => {
          const source = register(count, (index) => ({
            title: secret('title', index),
            summary: `${secret('summary', index)}${'é'.repeat(280)}${noise}${secret('tail', index)}`,
            content: noise + secret('content', index),
            author: secret('author', index),
            document_type: secret('document_type', index),
            facility_id: secret('facility_id', index),
            data: { fee: secret('fee', index), conditions: { [noise]: [secret('conditions', index)] } },
          }));
          const shown = tierSource(source, 'public');
          const answers: unknown[] = [shown.definition, await shown.revision!(), await shown.lastChange!()];
          for (const { filter, ...query } of asked) {
            answers.push(await shown.page({ ...query, ...(filter === undefined ? {} : { filter }) }));
          }
          const lists = JSON.stringify(answers);
          const window = new Set((await publicWindow(source)).map(({ id }) => id));
          for (const record of (await page(source)).records) {
            if (window.has(record.id)) continue;
            const index = Number(record.id.replace('permits:', ''));
            for (const field of [...openFields, ...proFields]) expect(lists).not.toContain(secret(field, index));
            const preview = tierRecord(record, 'public', false);
            for (const field of proFields) expect(JSON.stringify(preview)).not.toContain(secret(field, index));
            // What a reader keeps a record by does not change when it leaves the window.
            for (const field of ['id', 'published_at', 'observed_at', 'source_url', 'title'] as const) {
              expect(preview[field]).toBe(record[field]);
            }
          }
        },
      ),
      { numRuns: RUNS },
    );
  });
});
