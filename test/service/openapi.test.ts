// openapi.json is true: each operation, asked with its own examples over the sample register, answers with a documented
// status and a body that its schema describes, with nothing in it that is not described.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ensurePermits } from '../../fixtures/permits/import.ts';
import { Accounts } from '../../src/operate/accounts.ts';
import { createGazette, type Gazette } from '../../src/service/create-gazette.ts';
import { SqliteStore } from '../../src/stores/sqlite/store.ts';
import { sign, signLogOfLogs } from '../wings/proofs/signing.ts';
import { closed, pointerOf, resolved } from '../contracts/openapi-judge.ts';
import { at, permits, PLACE, say } from '../contracts/store-register.ts';
import { logsOf } from '../wings/proofs/logs-of.ts';

const API = 'https://registers.example.org/api/v1';

interface Schema {
  readonly example?: unknown;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
}

interface Parameter {
  readonly in: 'path' | 'query';
  readonly name: string;
  readonly required?: boolean;
  readonly schema: Schema;
}

interface Operation {
  readonly operationId: string;
  readonly security: readonly object[];
  readonly parameters?: readonly Parameter[];
  readonly responses: Readonly<
    Record<
      string,
      {
        readonly headers?: Readonly<Record<string, object>>;
        readonly content?: Readonly<Record<string, unknown>>;
      }
    >
  >;
}

interface Document {
  readonly openapi: string;
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** What is asked for, and what of the document led there. */
interface Ask {
  readonly operation: Operation;
  readonly path: string;
  readonly url: string;
  readonly examples: readonly Schema[];
}

let store: SqliteStore;
let gazette: Gazette;
let key: string;
/** As it is answered, and with what it refers to in its place. */
let published: Document;
let document: Document;
let ajv: Ajv2020;
const validators = new Map<string, ValidateFunction>();

beforeAll(async () => {
  store = SqliteStore.open(':memory:');
  await ensurePermits(store);
  await sign(store, 'permits');
  // A full tile of the log of logs; and where its records are: every format has its whole.
  await store.createRegister({ ...permits('zoning'), fields: [...permits().fields, PLACE] });
  for (let n = 0; n < 256; n++) {
    await store.apply('zoning', [say(`k${n}`, {}, 'zoning')], { recordedAt: at(n) });
    await sign(store, 'zoning');
    await logsOf(store).gather();
  }
  await signLogOfLogs(store);
  const accounts = new Accounts(store, { product: 'gazette' });
  await accounts.add('demo', '2999-01-01T00:00:00Z');
  ({ key } = await accounts.createKey('demo'));
  gazette = createGazette({ store, baseUrl: 'https://registers.example.org', limits: null });
  published = (await (await get(`${API}/openapi.json`)).json()) as Document;
  document = resolved(published);
  ajv = new Ajv2020({ strict: false, allErrors: true });
  ajv.addFormat('date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/);
  ajv.addFormat('uri-template', true);
  ajv.addFormat('uuid', /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/);
  ajv.addFormat('uri', (text: string) => URL.canParse(text));
  ajv.addSchema(closed(document) as object, 'openapi.json');
});

afterAll(() => gazette.close());

async function get(url: string, headers: Record<string, string> = {}): Promise<Response> {
  return gazette.fetch(new Request(url, { headers }));
}

/** Those that read registers; those of accounts are judged where they are tested (test/http/account/). */
function operations(): readonly (readonly [path: string, method: string, Operation])[] {
  const paths = Object.entries(document.paths).filter(([path]) => !path.startsWith('/account'));
  return paths.flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method]) => method === 'get')
      .map(([method, operation]) => [path, method, operation] as const),
  );
}

/** The one that takes a message. */
function callMcp(message: unknown, headers: Record<string, string> = {}): Promise<Response> {
  const init = { method: 'POST', headers: { 'content-type': 'application/json', ...headers } };
  return gazette.fetch(new Request(`${API}/mcp`, { ...init, body: JSON.stringify(message) }));
}

/** The address of an operation with the examples of what its path contains, or with what is given. */
function filled(path: string, { parameters = [] }: Operation, given: Readonly<Record<string, string>> = {}): string {
  return parameters
    .filter(({ in: place }) => place === 'path')
    .reduce(
      (url, { name, schema }) => url.replace(`{${name}}`, encodeURIComponent(given[name] ?? String(schema.example))),
      API + path,
    );
}

/** Every request that the examples of an operation make: with what is required, then with each example more. */
function asks(path: string, operation: Operation): readonly Ask[] {
  const parameters = operation.parameters ?? [];
  const required = parameters.filter((parameter) => parameter.required === true);
  for (const { name, schema } of required) {
    expect([operation.operationId, name, schema]).toEqual([
      operation.operationId,
      name,
      expect.objectContaining({ example: expect.anything() as unknown }),
    ]);
  }
  const url = filled(path, operation);
  const first = { operation, path, url, examples: required.map(({ schema }) => schema) };
  const optional = parameters.filter(
    ({ schema, required: is }) => is !== true && (schema.example ?? schema.default) !== undefined,
  );
  const values = ({ name, schema }: Parameter): string => {
    const value = (schema.example ?? schema.default) as string | number;
    return `${name}=${String(value)}`;
  };
  return [
    first,
    ...optional.map((parameter) => ({ ...first, url: `${url}?${values(parameter)}`, examples: [parameter.schema] })),
    ...(optional.length > 1 ? [{ ...first, url: `${url}?${optional.map(values).join('&')}`, examples: [] }] : []),
  ];
}

/** What checks values by a schema of the document, compiled once. @param ref such as `#/components/schemas/RegisterRecord` */
function validatorOf(ref: string): ValidateFunction {
  const validate = validators.get(ref) ?? ajv.compile({ $ref: `openapi.json${ref}` });
  validators.set(ref, validate);
  return validate;
}

/** Holds an answer to what the document says of it. */
async function check(
  { operation, path, url }: Ask,
  response: Response,
  status: number,
  method = 'get',
): Promise<unknown> {
  const where = `${operation.operationId} ${url}`;
  expect([where, response.status]).toEqual([where, status]);
  const documented = operation.responses[String(status)];
  expect([where, documented]).not.toEqual([where, undefined]);
  const place = ['paths', path, method, 'responses', String(status)];
  for (const name of Object.keys(documented!.headers ?? {})) {
    const value = response.headers.get(name);
    if (value === null) continue;
    const validate = validatorOf(pointerOf([...place, 'headers', name, 'schema']));
    validate(/^\d+$/.test(value) ? Number(value) : value);
    expect([where, name, value, validate.errors ?? []]).toEqual([where, name, value, []]);
  }
  const body = await response.text();
  const content = documented!.content;
  if (content === undefined) {
    expect([where, body]).toEqual([where, '']);
    return null;
  }
  const mediaType = response.headers.get('Content-Type')!.split(';')[0]!;
  expect(Object.keys(content)).toContain(mediaType);
  if (!/[/+]json$/.test(mediaType)) {
    expect(body.length).toBeGreaterThan(0);
    return body;
  }
  const validate = validatorOf(pointerOf([...place, 'content', mediaType, 'schema']));
  const value: unknown = JSON.parse(body);
  validate(value);
  expect([where, validate.errors ?? []]).toEqual([where, []]);
  return value;
}

describe('openapi.json', () => {
  it('is OpenAPI 3.1 of this service, with every operation of its own name', () => {
    expect(document.openapi).toMatch(/^3\.1\./);
    expect(document.servers.map(({ url }) => url)).toEqual([API]);
    const names = operations().map(([, method, { operationId }]) => `${method} ${operationId}`);
    expect(new Set(names).size).toBe(names.length);
    expect(names).toEqual(
      expect.arrayContaining(['get listFeeds', 'get listRecords', 'get exportRecords', 'get getHistory']),
    );
  });

  it('has examples that work, each of them, with a key', async () => {
    const executed = new Set<Schema>();
    for (const [path, , operation] of operations()) {
      for (const ask of asks(path, operation)) {
        await check(ask, await get(ask.url, { Authorization: `Bearer ${key}` }), 200);
        for (const schema of ask.examples) if (schema.example !== undefined) executed.add(schema);
      }
    }
    // The one message is tried below.
    expect(executed.size + 1).toBe(countOf('example', published));
    // A word that none of the requests above would have read.
    expect(countOf('examples', published)).toBe(0);
  });

  it('has examples that find something', async () => {
    for (const [path, , operation] of operations().filter(([, , { operationId }]) => operationId === 'listRecords')) {
      for (const ask of asks(path, operation)) {
        const page = (await (await get(ask.url, { Authorization: `Bearer ${key}` })).json()) as { records: unknown[] };
        expect([ask.url, page.records.length]).not.toEqual([ask.url, 0]);
      }
    }
  });

  it('says truly which operations need a key, and what they answer without', async () => {
    for (const [path, , operation] of operations()) {
      const [ask] = asks(path, operation);
      // Readers take a padlock for "needs a key": without requirements there is none.
      const needsKey = operation.security.length === 1;
      const body = await check(ask!, await get(ask!.url), needsKey ? 401 : 200);
      if (needsKey) expect(body).toMatchObject({ code: 'credentials_required' });
    }
  });

  it('describes what is answered to a copy that is fresh, and to each kind of fault', async () => {
    for (const [path, , operation] of operations()) {
      const [ask] = asks(path, operation);
      const authorization = { Authorization: `Bearer ${key}` };
      const etag = (await get(ask!.url, authorization)).headers.get('ETag')!;
      await check(ask!, await get(ask!.url, { ...authorization, 'If-None-Match': etag }), 304);
      await check(ask!, await get(ask!.url, { ...authorization, 'If-Match': '"other"' }), 412);
      await check(ask!, await get(`${ask!.url}?api_key=x`, authorization), 400);
      await check(ask!, await get(ask!.url, { Authorization: 'Bearer x' }), 401);
      for (const { name, in: place } of operation.parameters ?? []) {
        if (place === 'query') {
          await check(ask!, await get(`${ask!.url}?${name}=`, authorization), 400);
        } else {
          const url = filled(path, operation, { [name]: 'nothing' });
          await check(ask!, await get(url, authorization), 404);
        }
      }
    }
  });

  it('has a message for agents that works, and describes what is answered to others', async () => {
    const operation = document.paths['/mcp']!.post!;
    const ask: Ask = { operation, path: '/mcp', url: `${API}/mcp`, examples: [] };
    const { example } = document.components.schemas.McpRequest!;
    expect(await check(ask, await callMcp(example), 200, 'post')).toMatchObject({ id: 1, result: { isError: false } });
    await check(ask, await callMcp({ jsonrpc: '2.0', method: 'notifications/initialized' }), 202, 'post');
    await check(ask, await callMcp([]), 400, 'post');
    await check(ask, await callMcp(example, { Authorization: 'Bearer x' }), 401, 'post');
    await check(ask, await callMcp(example, { Origin: 'https://evil.example' }), 403, 'post');
    await check(ask, await callMcp('x'.repeat(300_000)), 413, 'post');
    await check(ask, await callMcp(example, { 'content-type': 'text/plain' }), 415, 'post');
    expect(Object.keys(operation.responses)).not.toContain('304');
  });

  it('has examples of the registers that are served', async () => {
    const parameters = operations().flatMap(([, , { parameters: given = [] }]) => given);
    const examplesOf = (name: string): readonly unknown[] => [
      ...new Set(parameters.filter((parameter) => parameter.name === name).map(({ schema }) => schema.example)),
    ];
    const [entry] = await store.registers();
    const [latest] = (await (await store.source(entry!.definition.id)).page({ limit: 1, offset: 0 })).records;
    expect(examplesOf('feed_id')).toEqual([entry!.definition.id]);
    expect(examplesOf('record_id')).toEqual([latest!.id]);
  });

  it('names every value of an enumeration that works', async () => {
    for (const [path, , operation] of operations()) {
      for (const { name, schema } of operation.parameters ?? []) {
        for (const value of schema.enum ?? []) {
          const url = API + path.replace('{feed_id}', 'zoning').replace(`{${name}}`, String(value));
          await check({ operation, path, url, examples: [] }, await get(url, { Authorization: `Bearer ${key}` }), 200);
        }
      }
    }
  });

  it('describes the preview of an older record, and the answer once it is withdrawn', async () => {
    const [path, , operation] = operations().find(([, , { operationId }]) => operationId === 'getRecord')!;
    const ask: Ask = { operation, path, url: `${API}/records/permits:24~2F0001`, examples: [] };
    expect(await check(ask, await get(ask.url), 200)).toMatchObject({ preview: true });
    await store.withdraw('permits', ['permits:24~2F0001'], { recordedAt: '2026-12-01T00:00:00Z' });
    expect(await check(ask, await get(ask.url), 410)).toMatchObject({ code: 'record_withdrawn' });
  });
});

/** How often a property of this name stands in a document, as a schema's keyword. */
function countOf(name: string, node: unknown): number {
  if (typeof node !== 'object' || node === null) return 0;
  const below = Object.values(node).reduce<number>((sum, value) => sum + countOf(name, value), 0);
  return below + (!Array.isArray(node) && name in node ? 1 : 0);
}
