// A filter is a row of a table: one more in a fixture's table is parsed, described in openapi.json and taken by the agents'
// tool at once. A store that does not know it refuses it.
import { type FilterField, FILTERS } from '../../src/register/finding/filters.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { resolved } from '../contracts/openapi-judge.ts';
import { openApiDocument } from '../../src/http/description/openapi.ts';
import { checkPublication } from '../../src/http/description/publication.ts';
import { pageQuery } from '../../src/http/description/parameters.ts';
import { exportRoutes } from '../../src/http/routes/exports.ts';
import { recordRoutes } from '../../src/http/routes/records.ts';
import { ServiceContext } from '../../src/http/service-context.ts';
import { readRegisterTool } from '../../src/mcp/tools/read-register.ts';
import { parsePageQuery } from '../../src/register/query.ts';
import { SqliteStore } from '../../src/stores/sqlite/store.ts';
import { permits } from '../contracts/store-register.ts';
import { Sight } from '../../src/views/sight.ts';

const DISTRICT: FilterField = {
  kind: 'texts',
  name: 'district',
  test: 'exact',
  field: null,
  maxItems: 1,
  description: 'Only records of exactly this district.',
  minLength: 1,
  maxLength: 20,
};

const filters = [...FILTERS, DISTRICT];

const QUERY = new URLSearchParams('limit=5&document_type=adopted&district=north');
const ASKED = { limit: 5, offset: 0, filter: { document_type: ['adopted'], district: ['north'] } };
const TOO_LONG = new URLSearchParams(`district=${'x'.repeat(21)}`);
const REFUSAL = `district must be at most 20 characters, got "${'x'.repeat(21)}"`;
const DESCRIBED = { type: 'string', minLength: 1, maxLength: 20 };

interface Document {
  readonly paths: Readonly<
    Record<
      string,
      { readonly get: { readonly parameters: readonly { readonly name: string; readonly schema: object }[] } }
    >
  >;
}

describe('one more filter in the table', () => {
  const store = SqliteStore.open(':memory:');
  let context: ServiceContext;

  beforeAll(async () => {
    await store.createRegister(permits());
    context = new ServiceContext({ store, sight: new Sight({}), filters, now: Date.now });
  });

  afterAll(() => store.close());

  it('is parsed from the query of a URL, by the library and by the service', () => {
    for (const read of [
      (query: URLSearchParams) => parsePageQuery(query, { defaultLimit: 100, filters }),
      (query: URLSearchParams) => pageQuery(100, filters).read(query),
    ]) {
      expect(read(QUERY)).toEqual(ASKED);
      expect(() => read(TOO_LONG)).toThrow(REFUSAL);
    }
    expect(() => parsePageQuery(QUERY, { defaultLimit: 100 })).toThrow(/^unknown parameter/);
  });

  it('means the same when it is asked for again, after any other question', () => {
    const remembering = pageQuery(100, filters);
    const texts = [
      '',
      'limit=5',
      'offset=5',
      'district=a%26b',
      'district=a',
      'data.x=1',
      'district=a&limit=2',
      'district=a+b',
      'data.x=1&data.x=2',
    ];
    // More than are remembered.
    const many = Array.from({ length: 600 }, (_, at) => `offset=${at}`);
    for (const text of [...texts, ...many, ...texts, ...texts]) {
      const query = new URLSearchParams(text);
      expect(remembering.read(query)).toEqual(parsePageQuery(query, { defaultLimit: 100, filters }));
    }
    for (const query of [TOO_LONG, TOO_LONG]) expect(() => remembering.read(query)).toThrow(REFUSAL);
  });

  it('is described in openapi.json, wherever pages are asked for', () => {
    const routes = [...recordRoutes(context), ...exportRoutes(context, { formats: [] })];
    const service = { api: 'https://example.org/api/v1', publication: checkPublication({}) };
    const { paths } = resolved(openApiDocument(routes, service)) as unknown as Document;
    for (const path of ['/feeds/{feed_id}/records', '/feeds/{feed_id}/records/export.{format}']) {
      const names = paths[path]!.get.parameters.filter(({ name }) => filters.some((filter) => filter.name === name));
      expect(names.map(({ name }) => name)).toEqual([...FILTERS.map(({ name }) => name), 'district']);
      expect(names.at(-1)).toMatchObject({ description: DISTRICT.description, schema: DESCRIBED });
    }
  });

  it('is an argument of read_register', async () => {
    const tool = readRegisterTool({ store, registers: context.registers, sight: context.sight, filters });
    const { properties } = tool.define([], 'https://example.org/api/v1').inputSchema as { properties: object };
    expect(Object.keys(properties)).toContain('district');
    expect(properties).toMatchObject({ district: { description: DISTRICT.description } });
    const call = {
      request: { signal: new AbortController().signal },
      access: { tier: 'public' },
      api: 'https://example.org/api/v1',
      stamp: undefined,
      room: 20_000,
    } as const;
    const ask = (args: object): Promise<object> => tool.run({ feed_id: 'permits', ...args }, call);
    await expect(ask({ district: ['x'.repeat(21)] })).rejects.toThrow(/^district must be /);
    await expect(ask({ canton: 'north' })).rejects.toThrow(/there is no argument "canton": .*district/);
  });

  it('is refused by a store that does not know it', async () => {
    const source = await store.source('permits');
    const refusal = { code: 'unknown_parameter', details: { parameter: 'district' } };
    const query = parsePageQuery(QUERY, { defaultLimit: 100, filters });
    await expect((async () => source.page(query))()).rejects.toMatchObject(refusal);
    await expect((async () => Array.fromAsync(source.pagesAhead!(query)))()).rejects.toMatchObject(refusal);
  });
});
