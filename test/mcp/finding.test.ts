// How agents find records: the filters of read_register, search and fetch. The public's window is wide here, so that what is
// tested does not depend on the indexes of a store; tiers.test.ts asks with the usual window.
import { describe, expect, it } from 'vitest';
import { defineRegister } from '../../src/register/definition.ts';
import { type World, world } from '../world.ts';
import { at, say } from '../contracts/store-register.ts';
import { callTool, post, recordsIn, rpc, type ToolReply } from './agent.ts';

const SITES = {
  id: 'sites',
  title: 'Sites',
  created_at: at(0),
  fields: [
    { name: 'country', type: 'text', filterable: true },
    { name: 'area', type: 'number', filterable: true },
    { name: 'inspected', type: 'date', filterable: true },
    { name: 'obeyed', type: 'text', filterable: true, from_file: true },
    { name: 'remark', type: 'text' },
  ],
} as const;

const service = await world({ records: 0, tiers: { window: 50 } });
const { store } = service;
await store.createRegister(defineRegister(SITES));
const site = (key: string, data: object, more: object = {}): ReturnType<typeof say> =>
  say(key, { title: `Site ${key}`, data: data as never, ...more }, 'sites');
await store.apply(
  'sites',
  [
    site('1', { country: 'NL', area: 10, inspected: '2026-01-05' }, { document_type: 'draft' }),
    site('2', { country: 'BE', area: 100, inspected: '2026-02-05' }, { summary: 'Asbestos under the roof' }),
    site('3', { country: 'DE', area: 1000, obeyed: 'yes' }, { published_at: '2026-03-01', facility_id: 'FAC-9' }),
    site(
      '4',
      { country: 'NL', area: 10_000, remark: 'asbestos, again' },
      { content: '<p>Long</p>', content_type: 'html' },
    ),
  ],
  { recordedAt: at(1) },
);
await store.apply('permits', [say('A', { title: 'Removal of asbestos' })], { recordedAt: at(2) });

const ask = (tool: string, args: object, key: string | null = null): Promise<ToolReply> =>
  callTool(service, tool, args, key);
async function found(filter: object): Promise<unknown> {
  const { structuredContent, content } = await ask('read_register', { feed_id: 'sites', ...filter });
  expect([filter, structuredContent === undefined ? content : null]).toEqual([filter, null]);
  return recordsIn(structuredContent)
    .map(({ id }) => String(id).split(':')[1])
    .join(' ');
}
const refusal = async (tool: string, args: object): Promise<string> => {
  const { isError, content } = await ask(tool, args);
  expect([args, isError]).toEqual([args, true]);
  return content[0]!.text;
};

const is = (field: string, value: string | null): object => ({ field, op: 'is', value });
const area = (op: string, value: string | number): object => ({ field: 'data.area', op, value });

describe('the filters of read_register', () => {
  it.each([
    [{ document_type: 'draft' }, '1'],
    [{ document_type: ['draft'] }, '1'],
    [{ key: ['4', '2', '9'] }, '4 2'],
    [{ facility_id: ['FAC-9', 'FAC-0001'], document_type: 'draft' }, '1'],
    [{ published_since: '2026-03-02' }, '4 2 1'],
    [{ published_until: '2026-04-01' }, '3'],
    [{ q: 'asbestos -roof' }, '4'],
    [{ where: [is('country', 'NL')] }, '4 1'],
    [{ where: [is('data.country', 'NL'), is('document_type', 'draft')] }, '1'],
    [{ where: [is('country', 'BE'), is('country', 'DE')] }, '3 2'],
    [{ key: '4', where: [is('key', '2')] }, '4 2'],
    [{ where: [{ field: 'published_at', op: 'since', value: '2026-03-02' }] }, '4 2 1'],
    // Models write numbers as JSON does, and null for what they leave out.
    [{ where: [area('min', 100), area('max', '1000')], q: null }, '3 2'],
    [{ where: [{ field: 'inspected', op: 'since', value: '2026-02-01' }] }, '2'],
    [{ where: [area('is', 10)], document_type: [], key: null }, '1'],
    [{ where: [is('obeyed', 'yes')] }, '3'],
    [{ where: [] }, '4 3 2 1'],
  ])('%j', async (filter, expected) => {
    expect(await found(filter)).toBe(expected);
  });

  it.each([
    [{ key: Array.from({ length: 101 }, String) }, 'key must be given at most 100 times'],
    [{ published_since: 'March' }, 'published_since must be a date such as 2026-04-01'],
    [{ published_since: ['2026-01-01'] }, 'published_since must be a text'],
    [{ q: '?!' }, 'q must have at least one word'],
    [{ where: [is('country', null)] }, 'where.value must be a text, a number, true or false'],
    [{ where: 'NL' }, 'where must be a list of { field, op, value }'],
    [{ where: [{ field: 'country', op: 'like', value: 'N' }] }, 'must be one of is, since, until, min, max'],
    [{ where: [{ field: 'key', op: 'min', value: '1' }] }, 'op of key must be is, got "min"'],
    [{ where: [{ field: 'published_at', op: 'is', value: '2026' }] }, 'op of published_at must be since or until'],
    [{ where: Array.from({ length: 201 }, () => is('country', 'NL')) }, 'at most 200 conditions'],
    [{ where: [is('remark', 'x')] }, 'unknown filter "data.remark": there are data.country, data.area'],
    [{ where: [is('data.countri', 'NL')] }, 'did you mean data.country?'],
    [{ where: [area('min', 'much')] }, 'data.area_min must be a number such as 12.5'],
    [{ where: [is('country', '')] }, 'data.country must be a value'],
    [{ where: [is('country', 'x'.repeat(1001))] }, 'data.country must be at most 1000 characters'],
    [
      { where: Array.from({ length: 101 }, (_, index) => is('country', `${index}`)) },
      'data.country must be given at most 100 times',
    ],
    [{ 'data.country': 'NL' }, 'there are feed_id, limit'],
  ])('refuses %j', async (filter, expected) => {
    expect(await refusal('read_register', { feed_id: 'sites', ...filter })).toContain(expected);
  });

  it('continue with a cursor, whatever the order of the values', async () => {
    const first = await ask('read_register', {
      feed_id: 'sites',
      where: [is('country', 'NL'), is('country', 'DE')],
      limit: 1,
    });
    const { cursor, next_url: url } = first.structuredContent!;
    expect(url).toContain('data.country=DE&data.country=NL');
    const next = { feed_id: 'sites', cursor, limit: 1 };
    const second = await ask('read_register', {
      ...next,
      where: [is('country', 'DE'), is('country', 'NL')],
    });
    expect(recordsIn(second.structuredContent)).toMatchObject([{ id: 'sites:3' }]);
    expect(await refusal('read_register', { ...next, where: [is('country', 'NL')] })).toContain('cursor must be');
  });

  it('are named by the schema, those of fields that a file named are not', async () => {
    const fieldOf = async (): Promise<object> => {
      const { tools } = (await post(service, rpc('tools/list'))).body!.result as {
        tools: { inputSchema: { properties: { where: { items: { properties: { field: object } } } } } }[];
      };
      return tools[0]!.inputSchema.properties.where.items.properties.field;
    };
    const core = 'key, document_type, facility_id, published_at, observed_at, updated_at';
    expect(await fieldOf()).toEqual({
      type: 'string',
      description: `${core}, data.country, data.area, data.inspected, or data.NAME of another field that list_registers calls filterable.`,
    });
    const listed = await ask('list_registers', {});
    expect(JSON.stringify(listed.structuredContent)).toContain('"filterable":true,"from_file":true,"label":"obeyed"');
  });
});

describe('search', () => {
  it('finds in all registers, those that changed last first, one text in the shape connectors look for', async () => {
    const { structuredContent, content } = await ask('search', { query: 'asbestos' });
    expect(structuredContent).toMatchObject({
      results: [
        { id: 'permits:A', title: 'Removal of asbestos', url: 'https://example.org/permits/A' },
        { id: 'sites:4', title: 'Site 4', url: 'https://example.org/permits/4' },
        { id: 'sites:2' },
      ],
      registers: [
        { feed_id: 'permits', found: 1 },
        { feed_id: 'sites', found: 2 },
      ],
    });
    expect(structuredContent).not.toHaveProperty('not_searched');
    expect(content).toHaveLength(1);
    expect(JSON.parse(content[0]!.text)).toEqual(structuredContent);
  });

  it('says where there is more, and which registers it did not reach', async () => {
    const one = await ask('search', { query: 'asbestos', limit: 1 });
    expect(one.structuredContent).toMatchObject({
      rows: [['permits:A', 'Removal of asbestos', expect.any(String)]],
      not_searched: ['sites', 'notices'],
    });
    const other = await ask('search', { query: 'asbestos', feed_id: 'sites', limit: 1 });
    expect(other.structuredContent).toMatchObject({
      columns: ['id', 'title', 'url'],
      rows: [['sites:4', 'Site 4', 'https://example.org/permits/4']],
      registers: [{ feed_id: 'sites', found: 1, has_more: true }],
    });
  });

  it('finds with a key what the public does not see', async () => {
    const other = await world({ records: 0 });
    const { store } = other;
    const records = ['deep', 'b', 'c', 'd', 'e'].map((key) => say(key, { content: key }));
    await store.apply('permits', records, { recordedAt: at(0) });
    const hits = async (key: string | null): Promise<unknown> =>
      (await callTool(other, 'search', { query: 'deep' }, key)).structuredContent!.results;
    expect(await hits(other.key)).toMatchObject([{ id: 'permits:deep' }]);
    expect(await hits(null)).toEqual([]);
  });

  it('examines as many records in all registers together as in one', async () => {
    const other = await world({ records: 0 });
    const { store } = other;
    for (const [minute, id] of ['notices', 'permits'].entries()) {
      const records = Array.from({ length: 10_001 }, (_, index) => say(`${index}`, {}, id));
      await store.apply(id, records, { recordedAt: at(61 + minute) });
    }
    const left = async (query: string, key: string | null): Promise<unknown> =>
      (await callTool(other, 'search', { query, limit: 4 }, key)).structuredContent!.not_searched;
    expect(await left('-permit', other.key)).toEqual(['notices']);
    expect(await left('"permit of"', other.key)).toEqual(['notices']);
    // The index alone says that there is none, and the public has few records.
    expect(await left('moon', other.key)).toBeUndefined();
    expect(await left('-permit', null)).toBeUndefined();
  });

  it('has those first whose title has all words, then the newest, and says how many match', async () => {
    const other = await world({ records: 0 });
    const { store } = other;
    const records = [
      say('1', { title: 'Quay wall' }),
      say('2', { title: 'Wall', summary: 'at the quay' }),
      say('3', { title: 'Wall of the quay' }),
      say('4', { title: 'Other', summary: 'quay wall' }),
    ];
    await store.apply('permits', records, { recordedAt: at(0) });
    await store.apply('notices', [say('1', { title: 'Quay', summary: 'wall' }, 'notices')], { recordedAt: at(1) });
    const all = await callTool(other, 'search', { query: 'quay wall', limit: 20 }, other.key);
    expect(recordsIn(all.structuredContent).map(({ id }) => id)).toEqual([
      ...['permits:3', 'permits:1', 'notices:1', 'permits:4', 'permits:2'],
    ]);
    expect(all.structuredContent).toMatchObject({ matched: 5 });
    const first = await callTool(other, 'search', { query: 'quay', feed_id: 'permits', limit: 1 }, other.key);
    expect(first.structuredContent).toMatchObject({
      matched: 4,
      rows: [['permits:3', 'Wall of the quay', expect.any(String)]],
      registers: [{ feed_id: 'permits', found: 1, has_more: true }],
    });
  });

  it('names the words that begin like those that are in no record, as far as the caller sees them', async () => {
    const other = await world({ records: 0 });
    const { store } = other;
    const records = ['Log4j2', 'Log4Net', 'Logs', 'Other', 'Quay', 'Wall'].map((title, index) =>
      say(`${index}`, { title, content: index === 5 ? 'log4j of content' : null }),
    );
    await store.apply('permits', records, { recordedAt: at(0) });
    const near = async (query: string, key: string | null): Promise<unknown> => {
      const { structuredContent } = await callTool(other, 'search', { query, feed_id: 'permits' }, key);
      const read = await callTool(other, 'read_register', { feed_id: 'permits', q: query }, key);
      const [found, same] = [structuredContent!.values, read.structuredContent!.values] as { query?: []; q?: [] }[];
      expect(same?.q).toEqual(found?.query);
      return found?.query;
    };
    expect(await near('Log4Shell', other.key)).toEqual(['Log4Net', 'Log4j2']);
    // The public sees three titles, and no content.
    expect(await near('Log4Shell', null)).toBeUndefined();
    expect(await near('quayside', null)).toEqual(['Quay']);
    // Both are there, in different records.
    expect(await near('log4net wall', other.key)).toBeUndefined();
  });

  it('says so when nothing is found', async () => {
    const { structuredContent } = await ask('search', { query: 'asbestos moon' });
    expect(structuredContent).toMatchObject({ results: [], registers: [] });
    expect(structuredContent!.note).toContain('every word must be in the same record');
  });

  it('passes over a register without search, and says so', async () => {
    await service.store.createRegister(defineRegister({ ...SITES, id: 'mute', search: false, fields: [] }));
    const { structuredContent } = await ask('search', { query: 'asbestos' });
    expect(structuredContent).toMatchObject({ results: [{}, {}, {}], not_searched: ['mute'] });
  });

  it.each([
    [{}, 'query must be given as a text'],
    [{ query: '' }, 'query must be a value'],
    [{ query: '...' }, 'at least one word'],
    [{ query: 'x'.repeat(1001) }, 'query must be at most 1000 characters'],
    [{ query: 'x', feed_id: 'nothing' }, 'list_registers names those there are'],
    [{ query: 'x', limit: 0 }, 'limit must be 1..100'],
    [{ query: 'x', document_type: 'y' }, 'there is no argument "document_type": there are query, feed_id, limit'],
  ])('refuses %j', async (args, expected) => {
    expect(await refusal('search', args)).toContain(expected);
  });

  it('stays within the budget, with many registers and long titles', async () => {
    const other = await world({ records: 0, mcp: { budgetTokens: 2000 } });
    const { store } = other;
    for (let index = 0; index < 60; index++) {
      const id = `register-with-a-long-name-${index}`;
      await store.createRegister(defineRegister({ id, title: id, created_at: at(0) }));
      const record = say('1', { title: 'word '.repeat(300), source_url: `https://example.org/${'x'.repeat(900)}` }, id);
      await store.apply(id, [record], { recordedAt: at(index) });
    }
    const { text, body } = await post(other, rpc('tools/call', { name: 'search', arguments: { query: 'word' } }));
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(8000);
    const { results } = (body!.result as unknown as ToolReply).structuredContent!;
    expect((results as unknown[]).length).toBeGreaterThan(1);
  });
});

describe('fetch', () => {
  it('gives a record as a text to cite, with a key whole', async () => {
    const { structuredContent, content } = await ask('fetch', { id: 'sites:4' }, service.key);
    expect(structuredContent).toEqual({
      id: 'sites:4',
      title: 'Site 4',
      text: '<p>Long</p>\n\ncountry: NL\narea: 10000\nremark: asbestos, again',
      url: 'https://example.org/permits/4',
      metadata: {
        feed_id: 'sites',
        key: '4',
        content_type: 'html',
        author: 'Environment Agency',
        document_type: 'adopted',
        facility_id: 'FAC-0001',
        published_at: '2026-04-17',
        observed_at: at(1),
        updated_at: at(1),
        version: '1',
        history_url: 'https://registers.example.org/api/v1/records/sites:4/history',
        record_url: 'https://registers.example.org/api/v1/records/sites:4',
      },
    });
    expect(content).toHaveLength(1);
  });

  it('gives the public core fields alone, and the title where there is nothing else', async () => {
    const { structuredContent } = await ask('fetch', { id: 'sites:4' });
    expect(structuredContent).toMatchObject({ id: 'sites:4', text: 'Site 4' });
    expect(structuredContent!.metadata).not.toHaveProperty('author');
    expect(structuredContent!.note).toContain('Without an API key');
  });

  it('takes the publisher’s key, and refuses what there is not', async () => {
    expect((await ask('fetch', { id: 'A' })).structuredContent).toMatchObject({ id: 'permits:A' });
    expect(await refusal('fetch', { id: 'sites:999' })).toContain('read_register gives the ids');
    expect(await refusal('fetch', {})).toContain('id must be given');
  });
});

const urlOf = (n: number): string => `https://example.org/permits/${n}`;

describe('ask_register', () => {
  it('says how many, with ids to cite and the view', async () => {
    const { structuredContent, content } = await ask('ask_register', { feed_id: 'sites', q: 'site' }, service.key);
    expect(structuredContent).toMatchObject({
      matched: 4,
      columns: ['records', 'record_ids', 'url'],
      rows: [[4, ['sites:4', 'sites:3', 'sites:2'], urlOf(4)]],
      complete: true,
      as_of: 4,
      change: 4,
    });
    expect(content[0]!.text.split('\n').slice(1)).toEqual([
      'records\trecord_ids\turl',
      `4\t["sites:4","sites:3","sites:2"]\t${urlOf(4)}`,
    ]);
  });

  it('groups, measures, orders and takes the first, of the records that match', async () => {
    const rowsOf = async (args: object): Promise<unknown> =>
      (await ask('ask_register', { feed_id: 'sites', ...args }, service.key)).structuredContent!.rows;
    expect(await rowsOf({ by: ['data.country'] })).toEqual([
      ['NL', 2, ['sites:4', 'sites:1'], urlOf(4)],
      ['BE', 1, ['sites:2'], urlOf(2)],
      ['DE', 1, ['sites:3'], urlOf(3)],
    ]);
    expect(await rowsOf({ by: 'data.country', measure: 'sum:data.area', top: '1' })).toEqual([
      ['NL', 2, '10010', 2, ['sites:4', 'sites:1'], urlOf(4)],
    ]);
    const dates = { measure: 'max:data.inspected', where: [is('country', 'NL')] };
    expect(await rowsOf(dates)).toEqual([[2, '2026-01-05', 1, ['sites:1'], urlOf(1)]]);
    expect(await rowsOf({ by: ['published_at:month'], order: 'key' })).toEqual([
      ['2026-03', 1, ['sites:3'], urlOf(3)],
      ['2026-04', 3, ['sites:4', 'sites:2', 'sites:1'], urlOf(4)],
    ]);
  });

  it('names the values there are where nothing matches', async () => {
    const { structuredContent } = await ask('ask_register', { feed_id: 'sites', document_type: 'adoptd' });
    expect(structuredContent).toMatchObject({
      matched: 0,
      rows: [[0, [], null]],
      values: { document_type: ['adopted', 'draft'] },
    });
  });

  it('measures for the public what it sees, and neither own fields nor those that need a key', async () => {
    const { structuredContent } = await ask('ask_register', { feed_id: 'sites', q: 'asbestos', by: ['document_type'] });
    expect(structuredContent).toMatchObject({ rows: [['adopted', 2, ['sites:4', 'sites:2'], urlOf(4)]], note: expect.stringContaining('latest 50') as unknown }); // prettier-ignore
    expect(structuredContent).not.toHaveProperty('change');
    for (const args of [
      { by: ['data.country'] },
      { measure: 'sum:data.area' },
      { by: ['updated_at:day'] },
      { measure: 'max:updated_at' },
    ]) {
      expect(await refusal('ask_register', { feed_id: 'sites', ...args })).toContain('need an API key');
    }
  });

  it.each([
    [{ by: ['title'] }, 'by must be'],
    [{ by: 3 }, 'by must be a list of names'],
    [{ measure: 'sum:data.country' }, 'measure must be'],
    [{ order: 'down' }, 'order must be one of -value, value, key'],
    [{ top: 101 }, 'top must be 1..100'],
    [{ measure: '' }, 'measure must be count, or one of sum:FIELD'],
    [{ titel: 'x' }, 'there is no argument "titel": there are feed_id, measure, by'],
    [{ where: [is('countri', 'x')] }, 'did you mean data.country?'],
    [{ cursor: 'x' }, 'cursor must be that of the answer before'],
  ])('refuses %j', async (args, expected) => {
    const { isError, content } = await ask('ask_register', { feed_id: 'sites', ...args }, service.key);
    expect([isError, content[0]!.text]).toEqual([true, expect.stringContaining(expected)]);
  });

  it('stays within the budget, and says how many groups do not fit', async () => {
    const other = await world({ records: 0, mcp: { budgetTokens: 2000 } });
    const { store } = other;
    const records = Array.from({ length: 90 }, (_, index) =>
      say(`${index}`, { document_type: `${index} ${'许'.repeat(100)}` }),
    );
    await store.apply('permits', records, { recordedAt: at(0) });
    const args = { feed_id: 'permits', by: ['document_type'], top: 100 };
    const call = rpc('tools/call', { name: 'ask_register', arguments: args });
    const { text, body } = await post(other, call, { authorization: `Bearer ${other.key}` });
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(8000);
    const { rows, more } = (body!.result as unknown as ToolReply).structuredContent as { rows: []; more: number };
    expect(rows.length).toBeGreaterThan(3);
    expect(rows.length + more).toBe(90);
  });

  it('goes on with a cursor where a part alone was examined, and the parts add up', async () => {
    const other = await world({ records: 0 });
    const { store } = other;
    const count = 21_000;
    for (let from = 0; from < count; from += 3000) {
      const batch = Array.from({ length: 3000 }, (_, index) => say(`${from + index}`, { author: 'x' }));
      await store.apply('permits', batch, { recordedAt: at(0) });
    }
    const sums: number[] = [];
    for (let next: object | null = {}; next !== null;) {
      const args = { feed_id: 'permits', measure: 'max:published_at', ...next };
      const { structuredContent } = await callTool(other, 'ask_register', args, other.key);
      const { rows, complete, cursor } = structuredContent as { rows: number[][]; complete: boolean; cursor?: string };
      expect(complete).toBe(false);
      sums.push(rows[0]![0]!);
      next = cursor === undefined ? null : { cursor };
    }
    expect(sums).toHaveLength(2);
    expect(sums[0]! + sums[1]!).toBe(count);
  });
});

describe('a filter of an own field that matches nothing', () => {
  it('names its values, to those who may see them', async () => {
    const args = { feed_id: 'sites', where: [is('country', 'nl'), area('min', 5)] };
    const nothing = { ...args, document_type: 'none' };
    const { structuredContent } = await ask('read_register', nothing);
    expect(structuredContent!.values).toEqual({ document_type: ['adopted', 'draft'] });
    const paid = await ask('read_register', nothing, service.key);
    expect(paid.structuredContent!.values).toEqual({
      document_type: ['adopted', 'draft'],
      'data.country': ['NL', 'BE', 'DE'],
    });
  });
});

describe('what tools say of callers without a key', () => {
  const texts = async (service: World): Promise<string> => {
    const { body } = await post(service, rpc('tools/list'));
    const tools = body!.result!.tools as readonly { readonly description: string }[];
    return tools.map(({ description }) => description).join('\n');
  };

  it('is said where a register has tiers, and nowhere else', async () => {
    const other = await world({ records: 0 });
    const { store } = other;
    expect(await texts(other)).toContain('Without an API key: the latest 3');
    await store.createRegister(defineRegister({ ...SITES, id: 'open', access: 'open' }));
    await store.apply('open', [say('1', { title: 'A word' }, 'open')], { recordedAt: at(1) });
    expect(await texts(other)).toMatch(
      /Without an API key, but in open registers: the latest 3[^]*Needs an API key, but/,
    );
    const { structuredContent } = await callTool(other, 'search', { query: 'word', feed_id: 'open' });
    expect(structuredContent).not.toHaveProperty('note');
    for (const feed of ['permits', 'notices']) await store.removeRegister(feed);
    expect(await texts(other)).not.toContain('API key:');
    expect(await texts(other)).not.toMatch(/(?:Without|Needs) an API key/);
  });
});

describe('an open register', () => {
  it('is read by everybody as with a key, and no other one is', async () => {
    const other = await world({ records: 0 });
    const { store } = other;
    await store.createRegister(defineRegister({ ...SITES, id: 'open', access: 'open' }));
    for (const id of ['open', 'permits']) {
      const records = Array.from({ length: 5 }, (_, index) => say(`${index}`, { content: `text ${index}` }, id));
      await store.apply(id, records, { recordedAt: at(1) });
    }
    const all = await callTool(other, 'read_register', { feed_id: 'open', fields: ['content'] });
    expect(recordsIn(all.structuredContent)).toHaveLength(5);
    expect(recordsIn(all.structuredContent)).toMatchObject([{ content: 'text 4' }, {}, {}, {}, {}]);
    expect((await callTool(other, 'read_record', { record_id: 'open:0' })).structuredContent).toMatchObject({
      record: { content: 'text 0' },
    });
    expect((await callTool(other, 'record_history', { record_id: 'open:0' })).isError).toBe(false);
    expect((await callTool(other, 'fetch', { id: 'open/0' })).isError).toBe(true);
    for (const tool of ['read_record', 'record_history']) {
      expect((await callTool(other, tool, { record_id: 'permits:0' })).isError).toBe(true);
      // The publisher's key, of a record in both: the open one alone may be meant.
      expect((await callTool(other, tool, { record_id: '0' })).isError).toBe(false);
    }
  });
});
