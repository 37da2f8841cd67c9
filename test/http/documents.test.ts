// openapi.json and the reference: they describe what is served, and the reference needs nothing from elsewhere. The
// examples are executed in test/service/openapi.test.ts.
import { describe, expect, it } from 'vitest';
import type { ErrorCode } from '../../src/errors.ts';
import { problemKind } from '../../src/problem.ts';
import { resolved } from '../contracts/openapi-judge.ts';
import { validateXsd } from '../contracts/xsd-validator.ts';
import { addSamples, API, SAMPLES, world } from '../world.ts';

/** For all that only ask. */
const { get, key } = await world({ samples: SAMPLES });

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly schema: { readonly example?: string | number; readonly default?: unknown; readonly maximum?: number };
}
interface Operation {
  readonly operationId: string;
  readonly security: readonly object[];
  readonly parameters?: readonly Parameter[];
  readonly responses: Readonly<
    Record<string, { readonly description: string; readonly content?: Record<string, { readonly schema: object }> }>
  >;
}
/** The schema of errors of one status. */
interface ProblemOf {
  readonly allOf: readonly [
    object,
    { readonly properties: { readonly code: { readonly enum: readonly ErrorCode[] } } },
  ];
}
interface Description {
  readonly openapi: string;
  readonly info: { readonly description: string };
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, { readonly get: Operation }>>;
  readonly components: { readonly schemas: object; readonly securitySchemes: object };
}
const describeApi = async (get: (path: string) => Promise<Response>): Promise<Description> =>
  resolved((await (await get('/openapi.json')).json()) as Description);

describe('openapi.json', () => {
  it('describes every route, and who may ask', async () => {
    const { get } = await world({ samples: SAMPLES, wings: [] });
    const { openapi, servers, paths, components } = await describeApi(get);
    expect(openapi).toBe('3.1.0');
    expect(servers[0]!.url).toBe(API);
    expect(components.securitySchemes).toMatchObject({ apiKey: { type: 'http', scheme: 'bearer' } });
    const padlock = ({ security }: Operation): string =>
      security.length === 0 ? 'none' : security.length === 1 ? 'needs a key' : 'shows more with a key';
    const access = Object.entries(paths).map(([path, operations]) => [path, padlock(Object.values(operations)[0]!)]);
    expect(Object.fromEntries(access)).toEqual({
      '/': 'none',
      '/feeds': 'none',
      '/feeds/{feed_id}': 'none',
      '/feeds/{feed_id}/datapackage.json': 'needs a key',
      '/feeds/{feed_id}/calendar/{name}.ics': 'needs a key',
      '/feeds/{feed_id}/register.xsd': 'none',
      '/feeds/{feed_id}/openapi.json': 'none',
      '/feeds/{feed_id}/facets': 'shows more with a key',
      '/feeds/{feed_id}/records': 'shows more with a key',
      '/feeds/{feed_id}/records/export.{format}': 'needs a key',
      '/feeds/{feed_id}/register.{format}': 'needs a key',
      '/feeds/{feed_id}/pages/{page}': 'needs a key',
      '/feeds/{feed_id}/changes': 'needs a key',
      '/feeds/{feed_id}/stream': 'needs a key',
      '/records/{record_id}': 'shows more with a key',
      '/records/{record_id}/history': 'needs a key',
      '/account': 'needs a key',
      '/account/keys': 'needs a key',
      '/account/keys/{id}': 'needs a key',
      '/account/keys/{id}/rotate': 'needs a key',
      '/account/endpoints': 'needs a key',
      '/account/endpoints/{id}': 'needs a key',
      '/account/endpoints/{id}/test': 'needs a key',
      '/account/endpoints/{id}/rotate-secret': 'needs a key',
      '/account/endpoints/{id}/activate-secret': 'needs a key',
      '/account/endpoints/{id}/replay': 'needs a key',
      '/account/deliveries': 'needs a key',
      '/account/deliveries/{id}': 'needs a key',
      '/account/deliveries/{id}/replay': 'needs a key',
      '/mcp': 'shows more with a key',
      '/openapi.json': 'none',
    });
    expect(Object.keys(paths['/mcp']!)).toEqual(['post']);
    expect(Object.keys(paths['/account/keys']!)).toEqual(['get', 'post']);
    expect(Object.keys(paths['/account/endpoints/{id}']!)).toEqual(['get', 'patch', 'delete']);
  });

  it('says what the operator says of the service, and nothing of its own', async () => {
    const options = {
      title: 'Registers of Uster',
      termsUrl: 'https://uster.example/terms',
      licenceUrl: 'https://creativecommons.org/licenses/by/4.0/',
      keysUrl: 'https://uster.example/keys',
    };
    const told = await world({ samples: SAMPLES, ...options, contact: 'data@uster.example' });
    const { info, components } = await describeApi(told.get);
    expect(info).toMatchObject({
      title: options.title,
      contact: { name: options.title, email: 'data@uster.example' },
      termsOfService: options.termsUrl,
      license: { name: 'creativecommons.org/licenses/by/4.0/', url: options.licenceUrl },
    });
    expect(info.description).toContain(`<${options.keysUrl}>`);
    expect(JSON.stringify(components.securitySchemes)).toContain(`<${options.keysUrl}>`);
    expect(await (await told.get('')).json()).toMatchObject({ title: options.title });
    const page = await world({ samples: SAMPLES, contact: 'https://uster.example/help' });
    expect((await describeApi(page.get)).info).toMatchObject({ contact: { url: 'https://uster.example/help' } });
    const silent = await describeApi((await world({ samples: SAMPLES })).get);
    expect(Object.keys(silent.info)).toEqual(['title', 'version', 'description']);
  });

  it.each([
    ['title', ' '],
    ['title', 'two\nlines'],
    ['contact', 'javascript:alert(1)'],
    ['contact', 'nobody'],
    ['termsUrl', 'ftp://uster.example/'],
    ['licenceUrl', 'CC-BY-4.0'],
    ['keysUrl', '//uster.example/keys'],
  ])('takes no %s that is %j', async (option, value) => {
    await expect(world({ samples: SAMPLES, [option]: value })).rejects.toMatchObject({
      code: 'invalid_option',
      message: expect.stringContaining(`${option} must be`) as string,
    });
  });

  it('names the page for keys wherever one is missing or not enough', async () => {
    const keysUrl = 'https://uster.example/keys';
    const perAddress = { limit: 6, windowSeconds: 60 };
    const { get } = await world({ samples: SAMPLES, keysUrl, limits: { perAddress } });
    const detail = async (path: string, headers = {}): Promise<unknown> =>
      ((await (await get(path, { headers })).json()) as { detail: unknown }).detail;
    const named = expect.stringContaining(`; get or renew a key at ${keysUrl}`) as string;
    expect(await detail('/feeds/permits/changes')).toEqual(named);
    expect(await detail('/feeds', { authorization: `Bearer gz_${'0'.repeat(32)}_000000` })).toEqual(named);
    expect(await detail('/nothing')).not.toEqual(named);
    const note = expect.stringMatching(new RegExp(`Bearer <API_KEY>\\. Get one at ${keysUrl}$`)) as string;
    expect(await (await get('/feeds/permits/records')).json()).toMatchObject({ note });
    expect(await (await get('/records/permits:2026-0001')).json()).toMatchObject({ note });
    for (let i = 0; i < 6; i++) await get('/feeds');
    expect(await detail('/feeds')).toEqual(named);
  });

  it('names in each XML export the schema that it is valid by, at the address where that is served', async () => {
    const headers = { authorization: `Bearer ${key}` };
    const page = await (await get('/feeds/permits/records/export.xml?limit=3', { headers })).text();
    const [, location] = /xsi:schemaLocation="urn:gazette:register:1 ([^"]*)"/.exec(page)!;
    expect(location).toBe(`${API}/feeds/permits/register.xsd`);
    const schema = await get('/feeds/permits/register.xsd');
    validateXsd(await schema.text(), [Buffer.from(page)]);
  });

  it('names the limits and the defaults that hold', async () => {
    const { paths } = await describeApi(get);
    const limitOf = (path: string): Parameter['schema'] =>
      paths[path]!.get.parameters!.find(({ name }) => name === 'limit')!.schema;
    expect(limitOf('/feeds/{feed_id}/records')).toMatchObject({ maximum: 100, default: 50 });
    expect(limitOf('/feeds/{feed_id}/records/export.{format}')).toMatchObject({ maximum: 100, default: 100 });
    expect(limitOf('/records/{record_id}/history')).toMatchObject({ maximum: 100, default: 50 });
    expect(limitOf('/feeds/{feed_id}/changes')).toMatchObject({ maximum: 100, default: 50 });
  });

  it('says by which rule ids are made', async () => {
    expect((await describeApi(get)).info.description).toContain('is `permits:22~2F01234~2FFUL`');
  });

  it('names another example once another record is the latest, also to a client with a date', async () => {
    const { get, store, clock } = await world({ samples: SAMPLES });
    clock.now += 60_000;
    const first = await get('/openapi.json');
    expect(await first.text()).toContain('"permits:2026-0120"');
    expect(first.headers.get('last-modified')).toBeNull();
    await addSamples(store, 121, 121);
    const second = await get('/openapi.json', { headers: { 'if-none-match': first.headers.get('etag')! } });
    expect([second.status, await second.text()]).toEqual([200, expect.stringContaining('"permits:2026-0121"')]);
  });

  it('lists errors by the one table there is', async () => {
    const { paths, info } = await describeApi(get);
    const answers = Object.values(paths).flatMap((operations) =>
      Object.values(operations).flatMap(({ responses }) => Object.entries(responses)),
    );
    const codes = answers.flatMap(([status, { content }]) => {
      const problem = content?.['application/problem+json']?.schema as ProblemOf | undefined;
      return (problem?.allOf[1].properties.code.enum ?? []).map((code) => [code, Number(status)] as const);
    });
    expect(codes.length).toBeGreaterThan(500);
    expect(codes.filter(([code, status]) => problemKind(code).status !== status)).toEqual([]);
    expect(info.description).toContain(`| 410 | \`record_withdrawn\` | ${problemKind('record_withdrawn').title} |`);
  });
});

describe('the reference', () => {
  it('loads its own files alone, under a policy that allows nothing else', async () => {
    const page = await get('/reference');
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    const policy = page.headers.get('content-security-policy')!;
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self';");
    expect(policy).not.toContain('unsafe');
    const html = await page.text();
    expect(html).not.toMatch(/https?:/);
    // No script and no style that the policy would have to let pass.
    expect(html).not.toMatch(/<style|style=|<script>|\son[a-z]+=/);
    const files = [...html.matchAll(/(?:src|href)="(reference\/[^"]+)"/g)].map(([, file]) => file!);
    expect(files).toHaveLength(4);
    for (const file of files) {
      const response = await get(`/${file}`);
      expect([file, response.status]).toEqual([file, 200]);
      expect(response.headers.get('content-type')).toMatch(file.endsWith('.css') ? /^text\/css/ : /^text\/javascript/);
      expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(50);
    }
  });

  it.each(['/reference/package.json', '/reference/..%2fopenapi.ts', '/reference/-'])(
    'has nothing at %s',
    async (path) => {
      expect((await get(path)).status).toBe(404);
    },
  );
});
