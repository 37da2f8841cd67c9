// Plugins: what they add is on every surface, is described by what checks it, and sees what its caller sees.
import { beforeAll, describe, expect, it } from 'vitest';
import { createApiKey, newKeyEntry } from '../../src/access/api-key.ts';
import { EXPORT_FORMATS } from '../../src/formats/index.ts';
import { configurationDigest } from '../../src/service/configuration-digest.ts';
import { createGazette } from '../../src/service/create-gazette.ts';
import { definePlugin } from '../../src/service/plugins/check.ts';
import type { Plugin } from '../../src/service/plugins/plugin.ts';
import { SqliteStore } from '../../src/stores/sqlite/store.ts';
import { permits } from '../contracts/store-register.ts';
import { markup } from '../../src/templates/markup.ts';
import { hooks } from '../examples/sources.ts';
import { callTool, post, rpc, type ToolReply } from '../mcp/agent.ts';
import { openShop, signedIn, type Shop } from '../wings/selling/shop.ts';
import { BASE_URL, type ProblemBody, world } from '../world.ts';

const { plugin: months } = await import('../../examples/plugin.ts');
hooks.deregister();

const COUNT = 12;

let shop: Shop;
beforeAll(async () => {
  shop = await openShop({ records: COUNT, plugins: [months] });
});

const MONTHS = '/feeds/permits/months';
const sum = (counts: object): number =>
  Object.values(counts as Record<string, number>).reduce((all, count) => all + count, 0);
const countIn = async (response: Response): Promise<number> => {
  expect(response.status).toBe(200);
  return sum((await response.json()) as object);
};

/** What is looked at in openapi.json. */
interface Described {
  readonly paths: Readonly<Record<string, unknown>>;
  readonly tags: readonly object[];
  readonly components: { readonly parameters: Readonly<Record<string, object>> };
}

describe('a route of a plugin', () => {
  it('reads what its caller sees: the latest three, previews of all, or all', async () => {
    const open = await shop.get(MONTHS);
    expect(open.headers.get('cache-control')).toBe('public, max-age=60');
    expect(await countIn(open)).toBe(3);
    const buyer = await shop.get(MONTHS, { key: shop.asker });
    expect(buyer.headers.get('cache-control')).toBe('private, no-cache');
    expect(await countIn(buyer)).toBe(COUNT);
    const pro = await shop.pro(MONTHS);
    expect(pro.headers.get('cache-control')).toBe('private, no-cache');
    expect(await countIn(pro)).toBe(COUNT);
  });

  it('is validated by its bytes', async () => {
    const etag = (await shop.pro(MONTHS)).headers.get('etag')!;
    expect((await shop.pro(MONTHS, { headers: { 'if-none-match': etag } })).status).toBe(304);
    expect((await shop.get(MONTHS, { headers: { 'if-none-match': etag } })).status).toBe(200);
  });

  it('takes the parameters that it describes, and no others', async () => {
    expect(await countIn(await shop.pro(`${MONTHS}?year=1999`))).toBe(0);
    const problem = async (query: string): Promise<Partial<ProblemBody>> => shop.problem(`${MONTHS}?${query}`);
    expect(await problem('year=99')).toMatchObject({ status: 400, code: 'invalid_parameter', parameter: 'year' });
    expect(await problem('year=1999&year=2000')).toMatchObject({ code: 'invalid_parameter', parameter: 'year' });
    expect(await problem('yaer=1999')).toMatchObject({
      code: 'unknown_parameter',
      detail: expect.stringContaining('year') as string,
    });
    expect(await shop.problem('/feeds/none/months')).toMatchObject({ status: 404, code: 'unknown_feed' });
    expect((await shop.get(MONTHS, { method: 'POST' })).status).toBe(405);
  });

  it('is described, and its tag is there only with it', async () => {
    const document = async ({ get }: Pick<Shop, 'get'>): Promise<Described> =>
      (await (await get('/openapi.json')).json()) as Described;
    const described = await document(shop);
    expect(described.paths['/feeds/{feed_id}/months']).toMatchObject({
      get: {
        operationId: 'monthsFeedsFeedIdMonths',
        summary: 'How many records were published in each month',
        parameters: [{ $ref: '#/components/parameters/feed_id' }, { $ref: '#/components/parameters/year' }],
      },
    });
    expect(described.components.parameters.year).toMatchObject({ in: 'query', schema: { pattern: '^[0-9]{4}$' } });
    expect(described.tags).toContainEqual(expect.objectContaining({ name: 'Plugins' }));
    expect((await document(await world({ records: 1 }))).tags).not.toContainEqual(
      expect.objectContaining({ name: 'Plugins' }),
    );
  });

  it('reads with a key only registers that it opens', async () => {
    const { store, accountId } = shop;
    await store.createRegister(permits('others'));
    const key = createApiKey();
    const entry = newKeyEntry(key, { accountId, product: 'registers', createdAt: '2026-05-01T00:00:00Z' });
    await store.accounts.createKey({ ...entry, feeds: ['others'] });
    const refused = (await (await shop.get(MONTHS, { key })).json()) as ProblemBody;
    expect(refused.code).toBe('insufficient_scope');
  });
});

describe('a page of a plugin', () => {
  it('stands in the frame of all pages, in the language of its reader, and shows what she sees', async () => {
    const open = async (accept: string): Promise<string> =>
      (await shop.get(`${BASE_URL}${MONTHS}`, { headers: { accept: 'text/html', 'accept-language': accept } })).text();
    const page = await open('de');
    expect(page).toContain('<html lang="de">');
    expect(page).toContain('Zum Inhalt');
    expect(page).toContain('<main id="content"');
    expect(await open('en')).toContain('Skip to the content');
    expect([...page.matchAll(/<td>(\d+)<\/td>/g)].reduce((all, [, count]) => all + Number(count), 0)).toBe(3);
    const browser = await signedIn(shop);
    const own = await browser.open(`${BASE_URL}${MONTHS}`);
    expect(own.headers.get('cache-control')).toContain('private');
    expect([...own.html.matchAll(/<td>(\d+)<\/td>/g)].reduce((all, [, count]) => all + Number(count), 0)).toBe(COUNT);
  });

  it('says of a register that there is not what every page says', async () => {
    const response = await shop.get(`${BASE_URL}/feeds/none/months`, { headers: { accept: 'text/html' } });
    expect(response.status).toBe(404);
    expect(response.headers.get('content-type')).toContain('text/html');
  });
});

describe('a tool of a plugin', () => {
  const call = (args: object, key: string | null = null): Promise<ToolReply> =>
    callTool(shop, 'count_months', args, key);

  it('is listed behind gazette’s own, and reads what its caller sees', async () => {
    const { body } = await post(shop, rpc('tools/list'));
    const { tools } = body!.result as { tools: { name: string; annotations: object }[] };
    expect(tools.at(-1)).toMatchObject({ name: 'count_months', annotations: { readOnlyHint: true } });
    expect(sum((await call({ feed_id: 'permits' })).structuredContent!)).toBe(3);
    expect(sum((await call({ feed_id: 'permits' }, shop.key)).structuredContent!)).toBe(COUNT);
  });

  it('refuses arguments as its schema does, and says so to the agent', async () => {
    for (const [args, said] of [
      [{}, 'feed_id'],
      [{ feed_id: 'permits', year: 'x' }, 'year'],
      [{ feed_id: 'permits', other: 1 }, 'other'],
      [{ feed_id: 'none' }, 'none'],
    ] as const) {
      const reply = await call(args);
      expect([reply.isError, reply.content[0]!.text]).toEqual([true, expect.stringContaining(said)]);
    }
  });

  it('answers nothing that is longer than answers may be', async () => {
    const long: Plugin = {
      name: 'long',
      tools: [
        {
          name: 'long',
          title: 'Long',
          description: 'Long.',
          inputSchema: { type: 'object' },
          run: () => ({ text: 'x'.repeat(200_000) }),
        },
      ],
    };
    const service = await world({ records: 1, plugins: [long] });
    const reply = await callTool(service, 'long', {});
    expect([reply.isError, reply.content[0]!.text]).toEqual([true, expect.stringContaining('too long')]);
  });
});

it('a metric of a plugin is among the service’s own', async () => {
  const plugin: Plugin = {
    name: 'counting',
    metrics: [
      {
        ...{ name: 'plugin_counting_shown', help: 'Records.' },
        async read({ register, registers }) {
          const shown = new Map<string, number>();
          for await (const entries of registers()) {
            for (const { definition } of entries) {
              const { records } = await (await register(definition.id)).source.page({ offset: 0, limit: 100 });
              shown.set(definition.id, records.length);
            }
          }
          return shown;
        },
      },
    ],
  };
  const service = await world({ records: COUNT, plugins: [plugin] });
  expect(await service.metrics.registry.metrics()).toContain(`plugin_counting_shown{register="permits"} ${COUNT}`);
});

describe('a plugin', () => {
  const route = { path: '/feeds/{feed_id}/x', summary: 'X', answer: () => '' };
  const tool = { name: 'x', title: 'X', description: 'X', inputSchema: { type: 'object' }, run: () => ({}) };
  const metric = { name: 'plugin_x', help: 'X', read: async () => new Map<string, number>() };
  const withQuery = (one: object): object => ({ name: 'x', routes: [{ ...route, query: { a: one } }] });
  const wrong: readonly (readonly [said: string, plugin: unknown])[] = [
    ['expected object', null],
    ['name: must be', { name: 'A' }],
    ['other', { name: 'x', other: 1 }],
    ['routes', { name: 'x', routes: {} }],
    ['routes.0', { name: 'x', routes: [null] }],
    ['routes.0.path: must be', { name: 'x', routes: [{ ...route, path: 'feeds' }] }],
    ['routes.0.path: must not have a parameter twice', { name: 'x', routes: [{ ...route, path: '/x/{a}/{a}' }] }],
    ['routes.0.answer: must be a function', { name: 'x', routes: [{ ...route, answer: 1 }] }],
    ['routes.0.access', { name: 'x', routes: [{ ...route, access: 'PRO' }] }],
    ['routes.0.summary', { name: 'x', routes: [{ ...route, summary: '' }] }],
    ['routes.0.mediaType: must be', { name: 'x', routes: [{ ...route, mediaType: 'csv' }] }],
    ['type must be one of', withQuery({ type: 'nothing' })],
    ['type must be one of', withQuery({ minimum: 1 })],
    ['got "allOf"', withQuery({ type: 'string', allOf: [] })],
    ['got "minimum"', withQuery({ type: 'integer', enum: [1, 2], minimum: 2 })],
    ['got "format"', withQuery({ type: 'string', format: 'date' })],
    [
      'additionalProperties must be true or false',
      { name: 'x', tools: [{ ...tool, inputSchema: { type: 'object', additionalProperties: {} } }] },
    ],
    [
      'b: type must be one of',
      { name: 'x', tools: [{ ...tool, inputSchema: { type: 'object', properties: { b: {} } } }] },
    ],
    ['pages.0.path', { name: 'x', pages: [{ path: '/a b', answer: () => ({}) }] }],
    ['must not be below /api', { name: 'x', pages: [{ path: '/api/v1/feeds', answer: () => ({}) }] }],
    ['tools.0.name', { name: 'x', tools: [{ ...tool, name: 'A-b' }] }],
    ['must have the type object', { name: 'x', tools: [{ ...tool, inputSchema: { type: 'string' } }] }],
    ['metrics.0.name', { name: 'x', metrics: [{ ...metric, name: '1' }] }],
    ['commands.A b', { name: 'x', commands: { 'A b': { description: 'X', run: () => undefined } } }],
    [
      'options.store',
      {
        name: 'x',
        commands: {
          a: { description: 'X', run: () => undefined, options: { store: { value: null, description: 'X' } } },
        },
      },
    ],
  ];
  it.each(wrong)('is refused by name: %s', (said, plugin) => {
    expect(() => definePlugin(plugin as Plugin)).toThrow(
      expect.objectContaining({ code: 'invalid_option', message: expect.stringContaining(said) as string }),
    );
  });

  const page = { path: '/x', answer: () => null as never };
  const taken: readonly (readonly [said: string, plugins: readonly Plugin[]])[] = [
    ['plugins must have names of their own', [{ name: 'x' }, { name: 'x' }]],
    ['/feeds/{feed_id}/records is there already', [{ name: 'x', routes: [{ ...route, path: '/feeds/{id}/records' }] }]],
    ['is there already', [{ name: 'x', routes: [{ ...route, path: '/feeds/{a}/{b}' }] }]],
    [
      'export.{format} is there already',
      [{ name: 'x', routes: [{ ...route, path: '/feeds/{a}/records/export.tsv' }] }],
    ],
    ['/openapi.json is there already', [{ name: 'x', routes: [{ ...route, path: '/openapi.json' }] }]],
    [
      'is there already',
      [
        { name: 'x', routes: [route] },
        { name: 'y', routes: [{ ...route, path: '/feeds/{other}/x' }] },
      ],
    ],
    ['/guide is there already', [{ name: 'x', pages: [{ ...page, path: '/guide' }] }]],
    ['/healthz is there already', [{ name: 'x', pages: [{ ...page, path: '/healthz' }] }]],
    ['tools must have names of their own', [{ name: 'x', tools: [{ ...tool, name: 'search' }] }]],
    ['metrics must have names of their own', [{ name: 'x', metrics: [metric, metric] }]],
  ];
  it.each(taken)('must not take what is there: %s', (said, plugins) => {
    const store = SqliteStore.open(':memory:');
    expect(() => createGazette({ store, plugins })).toThrow(
      expect.objectContaining({ code: 'invalid_option', message: expect.stringContaining(said) as string }),
    );
  });

  it('that fails is a fault of the service, and logged', async () => {
    const failing = { ...metric, read: () => Promise.reject(new Error('no figure')) };
    const plugin: Plugin = {
      name: 'broken',
      metrics: [failing, { ...metric, name: 'plugin_late', read: () => new Promise(() => undefined) }],
      routes: [
        { ...route, path: '/broken', answer: () => Promise.reject(new Error('a bug')) },
        { ...route, path: '/forgotten', answer: () => undefined as never },
        { ...route, path: '/number', mediaType: 'text/csv', answer: () => 1 },
      ],
      tools: [{ ...tool, run: () => [] as never }],
    };
    const service = await world({ records: 1, plugins: [plugin] });
    for (const path of ['/broken', '/forgotten', '/number']) {
      const response = await service.get(path);
      expect([path, response.status, ((await response.json()) as ProblemBody).code]).toEqual([
        path,
        500,
        'internal_error',
      ]);
    }
    expect(service.errors).toContainEqual(new Error('a bug'));
    expect((await post(service, rpc('tools/call', { name: 'x', arguments: {} }))).status).toBe(500);
    await service.metrics.registry.metrics();
    expect(service.errors).toContainEqual(new Error('no figure'));
    expect(service.errors).toContainEqual(expect.objectContaining({ code: 'store_unavailable' }));
  });

  it('answers nothing that could run in the pages of the service', async () => {
    const plugin: Plugin = {
      name: 'active',
      routes: [{ ...route, path: '/active', mediaType: 'text/html', answer: () => '<script>alert(1)</script>' }],
    };
    const response = await (await world({ records: 1, plugins: [plugin] })).get('/active');
    expect(response.headers.get('content-security-policy')).toBe("default-src 'none'; sandbox");
  });

  it('is asked no more often than the limits allow, whatever the client has', async () => {
    let asked = 0;
    const answer = (): string => {
      asked++;
      return 'same';
    };
    const plugin: Plugin = { name: 'counted', routes: [{ ...route, path: '/counted', answer }] };
    const limits = { perAddress: { limit: 3, windowSeconds: 60 } };
    const service = await world({ records: 1, plugins: [plugin], limits });
    const etag = (await service.get('/counted')).headers.get('etag')!;
    const statuses: number[] = [];
    for (let time = 0; time < 4; time++) {
      statuses.push((await service.get('/counted', { headers: { 'if-none-match': etag } })).status);
    }
    expect([asked, statuses]).toEqual([3, [304, 304, 429, 429]]);
  });

  it('is another configuration when it says something else of its routes, and not at each start', () => {
    const { store } = shop;
    const digest = (one: object): string => {
      return configurationDigest({ store, plugins: [{ name: 'x', routes: [{ ...route, ...one }] }] }, EXPORT_FORMATS);
    };
    const first = digest({ answer: () => 'one' });
    expect(digest({ answer: () => 'other' })).toBe(first);
    expect(digest({ summary: 'Y' })).not.toBe(first);
  });

  it('gives agents what it answers now, though it be the same object', async () => {
    const counting = { n: 0 };
    const run = (): { n: number } => {
      counting.n++;
      return counting;
    };
    const service = await world({ records: 1, plugins: [{ name: 'same', tools: [{ ...tool, run }] }] });
    for (const n of [1, 2]) expect((await callTool(service, 'x', {})).structuredContent).toEqual({ n });
    const table = { columns: ['a'], rows: [{ a: 1 }] };
    const other = await world({ records: 1, plugins: [{ name: 'rows', tools: [{ ...tool, run: () => table }] }] });
    expect((await callTool(other, 'x', {})).structuredContent).toEqual(table);
  });
});

it('markup escapes whatever is put into it that is no markup', () => {
  const url = new URL('javascript:"><b>x') as never;
  expect(markup`<a href="${url}">${[1, '<', markup`<i></i>`]}</a>`.toString()).toBe(
    '<a href="javascript:&quot;&gt;&lt;b&gt;x">1&lt;<i></i></a>',
  );
});
