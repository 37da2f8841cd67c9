// The filters over registers that no store keeps: what a handler exports of an array, or of an embedder's own rows, is what a
// plain reading of the filter finds in them (test/register/finding/plain-filter.ts).
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { exportHandler } from '../../src/export/handler.ts';
import { defineRegister } from '../../src/register/definition.ts';
import { FILTERS } from '../../src/register/finding/filters.ts';
import { ownFilters } from '../../src/register/finding/own-filters.ts';
import type { Field, RegisterDefinition, RegisterRecord } from '../../src/register/record.ts';
import { defineSource } from '../../src/register/sources/define-source.ts';
import { fromRecords } from '../../src/register/sources/from-records.ts';
import type { RecordInput } from '../../src/register/record-input.ts';
import type { RegisterSource } from '../../src/register/sources/source.ts';
import { tries } from '../effort.ts';
import { plainMatches } from '../register/finding/plain-filter.ts';
import { askedFields, askedFilter, askedRecord } from '../register/finding/questions.ts';

const BASE = 'https://example.org/feeds/permits/records';

const permits = (fields: readonly Field[]): RegisterDefinition =>
  defineRegister({ id: 'permits', title: 'Permits', created_at: '2026-01-01T00:00:00Z', fields });

/** A value with texts as those in addresses are. */
function wellFormed<T>(value: T): T {
  const text = JSON.stringify(value, (_, one: unknown) => (typeof one === 'string' ? one.toWellFormed() : one));
  return JSON.parse(text) as T;
}

/** A register over an array. */
function arrayOf(definition: RegisterDefinition, records: readonly RegisterRecord[]): RegisterSource {
  const inputs = records.map((record): RecordInput => {
    const input = { ...record, id: record.key, key: undefined, feed_id: undefined, position: undefined };
    const text = JSON.stringify(input, (_, value: unknown) =>
      typeof value === 'string' ? value.toWellFormed() : value,
    );
    return JSON.parse(text) as RecordInput;
  });
  return fromRecords(definition, inputs, { order: 'oldest-first' });
}

/** The same records as rows of a database that knows every filter. */
function rowsOf(definition: RegisterDefinition, all: readonly RegisterRecord[]): RegisterSource {
  return defineSource({
    definition,
    filters: [...FILTERS, ...ownFilters(definition.fields)].map(({ name }) => name),
    top: () => all.length,
    rows: ({ below, limit, filter = {} }) =>
      all
        .filter((record) => record.position! < below && plainMatches(record, filter, definition.fields))
        .map((record) => ({ ...record, id: record.key, position: record.position! }))
        .slice(0, limit),
  });
}

/** The ids on all pages of an export, from the first on. */
async function walk(source: RegisterSource, query: URLSearchParams): Promise<string[]> {
  const handler = exportHandler(source);
  const ids: string[] = [];
  for (let next: string | undefined = `${BASE}/export.csv?${query.toString()}`; next !== undefined;) {
    const response = await handler(new Request(next));
    if (response.status !== 200) throw new Error(await response.text());
    ids.push(...parse<{ id: string }>(await response.text(), { columns: true }).map(({ id }) => id));
    next = /^<(.*)>; rel="next"$/.exec(response.headers.get('link') ?? '')?.[1];
  }
  return ids;
}

const cases = askedFields.chain((fields) =>
  fc.tuple(...Array.from({ length: 8 }, (_, index) => askedRecord(fields, index))).chain((records) =>
    fc.record({
      fields: fc.constant(fields),
      records: fc.constant(records),
      filters: fc.array(askedFilter(fields, records), { minLength: 4, maxLength: 4 }),
      limit: fc.integer({ min: 1, max: 3 }),
    }),
  ),
);

describe('an export of an array, and of an embedder’s rows', () => {
  it('has exactly the records that match a filter, page by page', async () => {
    await fc.assert(
      fc.asyncProperty(cases, async ({ fields, records, filters, limit }) => {
        const array = arrayOf(permits(fields), records);
        const { records: all } = await array.page({ offset: 0, limit: 100 });
        for (const given of filters) {
          const filter = wellFormed(given);
          const asked = Object.entries(filter).flatMap(([name, values]) =>
            [values].flat().map((value): [string, string] => [name, value]),
          );
          const query = new URLSearchParams([...asked, ['limit', String(limit)]]);
          const expected = all.filter((record) => plainMatches(record, filter, fields)).map(({ id }) => id);
          for (const source of [array, rowsOf(array.definition, all)]) {
            if (asked.some(([, value]) => value === '')) {
              await expect(walk(source, query)).rejects.toThrow('must be a value, or left out');
            } else {
              expect(await walk(source, query)).toEqual(expected);
            }
          }
        }
      }),
      { numRuns: tries(20) },
    );
  });
});

describe('an export with a filter', () => {
  const source = (filters?: readonly string[]): RegisterSource =>
    defineSource({
      definition: permits([{ name: 'country', label: 'Country', type: 'text', filterable: true }]),
      top: () => 0,
      rows: () => [],
      ...(filters === undefined ? {} : { filters }),
      revision: () => '1',
    });
  const ask = async (query: string, of = source()): Promise<Response> =>
    exportHandler(of)(new Request(`${BASE}/export.csv?${query}`));

  it.each([
    ['q=permit', undefined, 'there are key, document_type, facility_id'],
    ['data.country=NL', undefined, 'there are key, document_type, facility_id'],
    ['document_type=a', ['q', 'data.country'], 'there are q, data.country'],
    ['data.county=NL', ['q', 'data.country'], 'did you mean data.country?'],
  ])('of %s is refused by a source that knows %j, which are named', async (query, known, detail) => {
    const response = await ask(query, source(known));
    expect([response.status, await response.json()]).toEqual([
      400,
      expect.objectContaining({
        ...{ code: 'unknown_parameter', parameter: query.split('=')[0] },
        detail: expect.stringContaining(detail) as string,
      }),
    ]);
  });

  it.each([
    ['published_since=soon', 'published_since must be a date'],
    ['q=-', 'q must have at least one word'],
    [`data.country=${'x'.repeat(1001)}`, 'data.country must be at most 1000 characters'],
  ])('of %s is refused with what is expected', async (query, detail) => {
    const all = [...FILTERS.map(({ name }) => name), 'data.country'];
    const response = await ask(query, source(all));
    expect([response.status, await response.json()]).toEqual([
      400,
      expect.objectContaining({ code: 'invalid_parameter', detail: expect.stringContaining(detail) as string }),
    ]);
  });

  it('has a tag and a name of its own, whatever the order of its values', async () => {
    const told = async (query: string): Promise<readonly (string | null)[]> => {
      const { headers } = await ask(query, source(['data.country', 'document_type']));
      return [headers.get('etag'), headers.get('content-disposition')];
    };
    const both = await told('data.country=NL&data.country=BE&document_type=a');
    expect(await told('document_type=a&data.country=BE&data.country=NL&data.country=BE')).toEqual(both);
    const others = [await told(''), await told('data.country=NL'), await told('document_type=a')];
    expect(new Set([both, ...others].map(([etag]) => etag)).size).toBe(4);
    expect(new Set([both, ...others].map(([, name]) => name)).size).toBe(4);
  });
});
