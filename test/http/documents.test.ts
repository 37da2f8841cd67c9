// openapi.json and the reference: they describe what is served, and the reference needs nothing from elsewhere.
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { ensurePermits } from '../../fixtures/permits/import.ts';
import { PROBLEMS } from '../../src/problem.ts';
import { MemoryStore } from '../../src/stores/memory.ts';
import { Accounts } from '../../src/access/accounts.ts';
import { createGazette } from '../../src/service/create-gazette.ts';
import { API, demoService } from '../service/demo-service.ts';

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
interface Description {
  readonly openapi: string;
  readonly info: { readonly description: string };
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, { readonly get: Operation }>>;
  readonly components: { readonly schemas: object; readonly securitySchemes: object };
}
const describeApi = async (get: (path: string) => Promise<Response>): Promise<Description> =>
  (await (await get('/openapi.json')).json()) as Description;

describe('openapi.json', () => {
  it('describes every route, and who may ask', async () => {
    const { get } = await demoService();
    const { openapi, servers, paths, components } = await describeApi(get);
    expect(openapi).toBe('3.1.0');
    expect(servers[0]!.url).toBe(API);
    expect(components.securitySchemes).toMatchObject({ apiKey: { type: 'http', scheme: 'bearer' } });
    const access = Object.entries(paths).map(([path, operations]) => [
      path,
      Object.values(operations)[0]!.security.length === 1,
    ]);
    expect(Object.fromEntries(access)).toEqual({
      '/feeds': false,
      '/feeds/{feed_id}': false,
      '/feeds/{feed_id}/register.xsd': false,
      '/feeds/{feed_id}/records': false,
      '/feeds/{feed_id}/records/export.{format}': true,
      '/feeds/{feed_id}/changes': true,
      '/records/{record_id}': false,
      '/records/{record_id}/history': true,
      '/mcp': false,
      '/openapi.json': false,
    });
    expect(Object.keys(paths['/mcp']!)).toEqual(['post']);
  });

  it('names the limits and the defaults that hold', async () => {
    const { get } = await demoService();
    const { paths } = await describeApi(get);
    const limitOf = (path: string): Parameter['schema'] =>
      paths[path]!.get.parameters!.find(({ name }) => name === 'limit')!.schema;
    expect(limitOf('/feeds/{feed_id}/records')).toMatchObject({ maximum: 100, default: 50 });
    expect(limitOf('/feeds/{feed_id}/records/export.{format}')).toMatchObject({ maximum: 100, default: 100 });
    expect(limitOf('/records/{record_id}/history')).toMatchObject({ maximum: 100, default: 50 });
    expect(limitOf('/feeds/{feed_id}/changes')).toMatchObject({ maximum: 100, default: 50 });
  });

  it('lists errors by the one table there is', async () => {
    const { get } = await demoService();
    const { paths, info } = await describeApi(get);
    for (const operation of Object.values(paths).flatMap((operations) => Object.values(operations))) {
      for (const [status, { description }] of Object.entries(operation.responses)) {
        if (Number(status) < 400) continue;
        for (const [, code] of description.matchAll(/`([a-z_]+)`/g)) {
          expect(PROBLEMS[code as keyof typeof PROBLEMS].status).toBe(Number(status));
        }
      }
    }
    expect(info.description).toContain(`| 410 | \`record_withdrawn\` | ${PROBLEMS.record_withdrawn.title} |`);
  });

  it('has examples that are answered by the sample register, in the shape described', async () => {
    const store = new MemoryStore();
    await ensurePermits(store);
    const accounts = new Accounts(store, { product: 'gazette' });
    await accounts.add('demo', '2999-01-01T00:00:00Z');
    const { key } = await accounts.createKey('demo');
    const gazette = createGazette({ store, limits: null });
    const ask = (path: string): Promise<Response> =>
      gazette.fetch(new Request(API + path, { headers: { authorization: `Bearer ${key}` } }));
    const description = await describeApi(ask);
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    ajv.addSchema(description, 'openapi');
    for (const [path, { get: operation }] of Object.entries(description.paths)) {
      // Tried by test/service/openapi.test.ts.
      if (path === '/mcp') continue;
      const exampleOf = ({ name, schema }: Parameter): string => {
        if (schema.example === undefined) throw new Error(`${path}: ${name} has no example`);
        return String(schema.example);
      };
      const parameters = operation.parameters ?? [];
      const target = parameters
        .filter((parameter) => parameter.in === 'path')
        .reduce((text, parameter) => text.replace(`{${parameter.name}}`, exampleOf(parameter)), path);
      const response = await ask(target);
      const text = await response.text();
      expect([target, response.status]).toEqual([target, 200]);
      const mediaType = response.headers.get('content-type')!.split(';')[0]!;
      const content = operation.responses['200']!.content![mediaType];
      expect([target, content]).not.toEqual([target, undefined]);
      if (mediaType !== 'application/json') continue;
      const json: unknown = JSON.parse(text);
      const pointer = `openapi#/paths/${path.replaceAll('/', '~1')}/get/responses/200/content/application~1json/schema`;
      const validate = ajv.compile({ $ref: encodeURI(pointer) });
      expect([target, validate(json), validate.errors]).toEqual([target, true, null]);
    }
  });
});

describe('the reference', () => {
  it('loads its own files alone, under a policy that allows nothing else', async () => {
    const { get } = await demoService();
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
    expect(files).toHaveLength(3);
    for (const file of files) {
      const response = await get(`/${file}`);
      expect([file, response.status]).toEqual([file, 200]);
      expect(response.headers.get('content-type')).toMatch(file.endsWith('.css') ? /^text\/css/ : /^text\/javascript/);
      expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(50);
    }
  });

  it.each(['/reference/', '/reference/package.json', '/reference/..%2fopenapi.ts', '/reference/-'])(
    'has nothing at %s',
    async (path) => {
      const { get } = await demoService();
      expect((await get(path)).status).toBe(404);
    },
  );
});
