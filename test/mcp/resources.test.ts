// Registers and records as resources: what is listed, read, linked and completed, and by whom.
import { describe, expect, it } from 'vitest';
import { defineRegister } from '../../src/register/definition.ts';
import { FILTERS } from '../../src/register/finding/filters.ts';
import { world, SECRET } from '../world.ts';
import { at, permits, say } from '../contracts/store-register.ts';
import { callTool, modern, post, type Reply, rpc, type ToolReply } from './agent.ts';

const COUNT = 25;
const NAMES = FILTERS.map(({ name }) => name).join(',');
const REGISTER = `gazette://registers/{feed_id}{?${NAMES}}`;

const service = await world({ records: COUNT });
const { store } = service;
await store.createRegister(permits('permissions'));
await store.apply('notices', [say('2026~2F0417', { title: 'a\u200bb' }, 'notices')], { recordedAt: at(0) });

const ask = (method: string, params: object, key: string | null = service.key): Promise<Reply> =>
  post(service, rpc(method, params), key === null ? {} : { authorization: `Bearer ${key}` });
const resultOf = async (method: string, params: object, key?: string | null): Promise<Record<string, unknown>> =>
  (await ask(method, params, key)).body!.result as Record<string, unknown>;
const readText = async (uri: string, key?: string | null): Promise<string> => {
  const { contents } = (await resultOf('resources/read', { uri }, key)) as { contents: { text: string }[] };
  expect(contents).toMatchObject([{ uri, mimeType: 'application/json' }]);
  return contents[0]!.text;
};

const complete = async (name: string, value: string, feedId?: string, key?: string | null): Promise<unknown> => {
  const context = feedId === undefined ? {} : { context: { arguments: { feed_id: feedId } } };
  const params = { ref: { type: 'ref/resource', uri: REGISTER }, argument: { name, value }, ...context };
  const { completion } = (await resultOf('completion/complete', params, key)) as { completion: { values: unknown } };
  return completion.values;
};

describe('the list of resources', () => {
  it('has the registers, and templates for them and for records', async () => {
    const { resources } = (await resultOf('resources/list', {})) as { resources: { uri: string }[] };
    expect(resources.map(({ uri }) => uri)).toEqual([
      'gazette://registers/notices',
      'gazette://registers/permissions',
      'gazette://registers/permits',
    ]);
    expect(resources[2]).toMatchObject({
      name: 'permits',
      title: 'Environmental permits',
      mimeType: 'application/json',
    });
    const { resourceTemplates } = await resultOf('resources/templates/list', {}, null);
    expect(resourceTemplates).toMatchObject([
      { uriTemplate: REGISTER, name: 'register' },
      { uriTemplate: 'gazette://records/{record_id}', name: 'record' },
    ]);
  });

  it('comes in pages, whose cursors it knows', async () => {
    const many = await world({ records: 0 });
    const { store } = many;
    for (let n = 0; n < 150; n++) await store.createRegister(permits(`feed-${n}`));
    const listed: string[] = [];
    let cursor: unknown;
    do {
      const { body } = await post(many, rpc('resources/list', cursor === undefined ? {} : { cursor }));
      const { resources, nextCursor } = body!.result as { resources: { uri: string }[]; nextCursor?: string };
      listed.push(...resources.map(({ uri }) => uri));
      cursor = nextCursor;
    } while (cursor !== undefined);
    expect(new Set(listed).size).toBe(152);
    for (const wrong of ['x', '-1', '0', '9999', 7, '']) {
      const { body } = await post(many, rpc('resources/list', { cursor: wrong }));
      expect([wrong, body!.error?.code]).toEqual([wrong, -32602]);
    }
  });
});

describe('a resource', () => {
  it('of a register is what read_register answers, in each tier', async () => {
    for (const key of [service.key, null]) {
      const text = await readText('gazette://registers/permits', key);
      const { structuredContent } = await callTool(
        service,
        'read_register',
        { feed_id: 'permits', format: 'records' },
        key,
      );
      expect(JSON.parse(text)).toEqual(structuredContent);
      expect(text.includes(SECRET)).toBe(key !== null);
    }
    const typed = JSON.parse(await readText('gazette://registers/permits?document_type=adopted')) as {
      records: object[];
    };
    expect(typed.records).toHaveLength(8);
    const query = 'document_type=adopted&document_type=draft&q=number+2*&updated_since=2026-01-01';
    const found = JSON.parse(await readText(`gazette://registers/permits?${query}`)) as { records: { id: string }[] };
    expect(found.records.map(({ id }) => id).sort()).toEqual(
      ['002', '020', '021', '022', '023', '024', '025'].map((key) => `permits:${key}`),
    );
  });

  it('of a register with filterable own fields has them in its template and in its address', async () => {
    const { fields, ...definition } = permits('sites');
    const country = { name: 'country', type: 'text', filterable: true } as const;
    const hidden = { name: 'from_elsewhere', type: 'text', filterable: true, from_file: true } as const;
    await service.store.createRegister(defineRegister({ ...definition, fields: [...fields, country, hidden] }));
    await service.store.apply(
      'sites',
      ['NL', 'BE', 'NL', null].map((code, n) => say(`s${n}`, { data: { country: code } }, 'sites')),
      { recordedAt: at(0) },
    );
    const { resourceTemplates } = await resultOf('resources/templates/list', {}, null);
    expect(resourceTemplates).toMatchObject([
      { uriTemplate: `gazette://registers/{feed_id}{?${NAMES},data.country}` },
      { uriTemplate: 'gazette://records/{record_id}' },
    ]);
    const ids = async (query: string): Promise<string[]> => {
      const text = await readText(`gazette://registers/sites?${query}`);
      return (JSON.parse(text) as { records: { key: string }[] }).records.map(({ key }) => key);
    };
    expect(await ids('data.country=NL')).toEqual(['s2', 's0']);
    expect(await ids('data.country=NL&data.country=BE&key=s1')).toEqual(['s1']);
    expect(
      (await ask('resources/read', { uri: 'gazette://registers/sites?data.county=NL' })).body!.error,
    ).toMatchObject({
      code: -32002,
      message: expect.stringContaining('data.country') as unknown,
    });
    expect(await complete('data.country', '', 'sites')).toEqual(['NL', 'BE']);
    expect(await complete('data.country', 'b', 'sites')).toEqual(['BE']);
    expect(await complete('data.country', '', 'sites', null)).toEqual([]);
    expect(await complete('data.applicant', '', 'sites')).toEqual([]);
    await service.store.removeRegister('sites');
  });

  it('of a record is what read_record answers, with invisible characters marked', async () => {
    const text = await readText('gazette://records/notices:2026~2F0417');
    expect(JSON.parse(text)).toMatchObject({ record: { id: 'notices:2026~2F0417', title: 'a\u200bb' } });
    expect(text).toContain('a\\u200bb');
    expect(await readText('gazette://records/notices%3A2026~2F0417')).toBe(text);
  });

  it('that is not there is refused with its address', async () => {
    for (const uri of [
      'gazette://registers/nothing',
      'gazette://records/permits:999',
      'gazette://elsewhere/permits',
      'gazette://registers/',
      'gazette://registers/permits?limit=1',
      'gazette://registers/permits?cursor=x',
      'gazette://registers/permits?fields=title&fields=key',
      'gazette://registers/permits?published_since=soon',
      'gazette://records/%ff',
      'https://example.org/',
      'file:///etc/passwd',
      'x',
    ]) {
      const legacy = (await ask('resources/read', { uri })).body!.error!;
      expect([uri, legacy.code, legacy.data]).toEqual([uri, -32002, { uri }]);
      const [body, headers] = modern('resources/read', { uri });
      const { status, body: answered } = await post(service, body, { ...headers, 'mcp-name': uri });
      expect([uri, status, answered!.error?.code, answered!.error?.data]).toEqual([uri, 200, -32602, { uri }]);
    }
    expect((await ask('resources/read', {})).body!.error!.message).toMatch(/^uri must be gazette:/);
  });

  it('needs a key where its record does, and says so', async () => {
    const { error } = (await ask('resources/read', { uri: 'gazette://records/permits:001' }, null)).body!;
    expect(error).toMatchObject({ code: -32602, message: expect.stringContaining('API key') as unknown });
  });

  it('is linked to from every record of a result, for clients that know such links', async () => {
    const contentFor = async (version: string | null, name: string, args: object): Promise<ToolReply['content']> => {
      const headers = version === null ? {} : { 'mcp-protocol-version': version };
      const call = rpc('tools/call', { name, arguments: args });
      const { body } = await post(service, call, { authorization: `Bearer ${service.key}`, ...headers });
      return (body!.result as unknown as ToolReply).content;
    };
    const page = { feed_id: 'permits', limit: 2, format: 'records' };
    const content = await contentFor('2025-06-18', 'read_register', page);
    expect(content.slice(1)).toEqual(
      ['permits:025', 'permits:024'].map((id) => ({
        type: 'resource_link',
        uri: `gazette://records/${id}`,
        name: id,
        mimeType: 'application/json',
      })),
    );
    for (const link of content.slice(1)) await readText((link as unknown as { uri: string }).uri);
    const lengths = [null, '2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'].map(
      async (version) => (await contentFor(version, 'read_record', { record_id: 'permits:001' })).length,
    );
    expect(await Promise.all(lengths)).toEqual([1, 1, 1, 2, 2]);
  });
});

describe('completion', () => {
  it('completes registers', async () => {
    expect(await complete('feed_id', 'Permi')).toEqual(['permissions', 'permits']);
    expect(await complete('feed_id', '')).toEqual(['notices', 'permissions', 'permits']);
    expect(await complete('feed_id', 'x')).toEqual([]);
  });

  it('completes document types of the register that is named, within the tier', async () => {
    expect(await complete('document_type', '', 'permits')).toEqual(['draft', 'adopted']);
    expect(await complete('document_type', 'Ad', 'permits')).toEqual(['adopted']);
    expect(await complete('document_type', '', 'notices', null)).toEqual(['adopted']);
    await service.store.apply(
      'permissions',
      ['a', 'b', 'c', 'd'].map((type) => say(type, { document_type: type }, 'permissions')),
      {
        recordedAt: at(0),
      },
    );
    expect(await complete('document_type', '', 'permissions')).toEqual(['a', 'b', 'c', 'd']);
    expect(await complete('document_type', '', 'permissions', null)).toEqual(['d', 'c', 'b']);
    expect(await complete('document_type', '')).toEqual([]);
    expect(await complete('document_type', '', 'nothing')).toEqual([]);
    expect(await complete('other', '', 'permits')).toEqual([]);
  });

  it('completes every exact filter, within the tier', async () => {
    expect(await complete('facility_id', 'fac', 'permits')).toEqual(['FAC-0001', 'FAC-0003']);
    expect(await complete('facility_id', '', 'notices', null)).toEqual(['FAC-0001']);
    expect(await complete('key', '02', 'permits')).toEqual(['020', '021', '022', '023', '024', '025']);
    expect(await complete('key', '', 'permits', null)).toEqual(['025', '024', '023']);
    expect(await complete('key', '00', 'permits', null)).toEqual([]);
    expect(await complete('key', '2026/', 'notices')).toEqual(['2026/0417']);
    for (const name of ['q', 'published_since', 'data.amount', 'title']) {
      expect([name, await complete(name, '', 'permits')]).toEqual([name, []]);
    }
  });

  it('gives a hundred values, and says that there are more', async () => {
    const records = Array.from({ length: 1200 }, (_, n) => say(`n${n}`, { document_type: `type ${n}` }, 'notices'));
    await service.store.apply('notices', records, { recordedAt: at(0) });
    const ref = { type: 'ref/resource', uri: REGISTER };
    const context = { arguments: { feed_id: 'notices' } };
    const argument = { name: 'document_type', value: 'type' };
    const { completion } = await resultOf('completion/complete', { ref, argument, context });
    expect(completion).toMatchObject({ hasMore: true });
    expect((completion as { values: unknown[] }).values).toHaveLength(100);
    const keys = async (value: string): Promise<unknown> =>
      (await resultOf('completion/complete', { ref, argument: { name: 'key', value }, context })).completion;
    expect(await keys('n10')).toMatchObject({ hasMore: true, values: { length: 100 } });
    expect(await keys('n11')).toMatchObject({ hasMore: true, values: { length: 100 } });
    expect(await keys('n110')).toMatchObject({ hasMore: false, values: { length: 11 } });
    // Not among the thousand that are looked at first.
    expect(await complete('document_type', 'type 999', 'notices')).toEqual(['type 999']);
  });

  it.each([
    ['a prompt', { type: 'ref/prompt', name: 'x' }],
    ['another template', { type: 'ref/resource', uri: 'gazette://x/{y}' }],
    ['nothing', undefined],
  ])('of %s is refused', async (_, ref) => {
    const params = { ref, argument: { name: 'feed_id', value: '' } };
    expect((await ask('completion/complete', params)).body!.error).toMatchObject({ code: -32602 });
  });
});

describe('in 2026-07-28', () => {
  it.each([
    ['resources/list', {}, 'public'],
    ['resources/templates/list', {}, 'public'],
    ['tools/list', {}, 'public'],
    ['server/discover', {}, 'public'],
    ['resources/read', { uri: 'gazette://registers/permits' }, 'private'],
    ['resources/read', { uri: 'gazette://records/permits:025' }, 'private'],
  ])('%s of %j says how long it may be kept, and by whom', async (method, params, scope) => {
    const [body, headers] = modern(method, params);
    const named = 'uri' in params ? { ...headers, 'mcp-name': params.uri } : headers;
    const { result } = (await post(service, body, named)).body!;
    expect(result).toMatchObject({ resultType: 'complete', cacheScope: scope });
    expect(result!.ttlMs).toBeGreaterThan(0);
  });

  it('resources of an open register may be shared, but not those that were read with a key', async () => {
    await service.store.createRegister({ ...permits('open'), access: 'open' });
    await service.store.apply('open', [say('1', {}, 'open')], { recordedAt: at(1) });
    for (const uri of ['gazette://registers/open', 'gazette://records/open:1']) {
      const [body, headers] = modern('resources/read', { uri });
      const read = async (more: object): Promise<unknown> =>
        (await post(service, body, { ...headers, 'mcp-name': uri, ...more })).body!.result!.cacheScope;
      expect([uri, await read({})]).toEqual([uri, 'public']);
      expect([uri, await read({ authorization: `Bearer ${service.key}` })]).toEqual([uri, 'private']);
    }
    await service.store.removeRegister('open');
  });
});
