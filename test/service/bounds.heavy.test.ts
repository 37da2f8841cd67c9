// What openapi.json and tools/list describe is what is enforced, and the other way round: for every parameter of every
// route, every member of a message and every argument of a tool, a value is refused if and only if its schema refuses it.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { isObject } from '../../src/checks.ts';
import { FILTERS } from '../../src/register/finding/filters.ts';
import { MAX_FEED_ID_LENGTH, MAX_ID_LENGTH, MAX_KEY_LENGTH } from '../../src/register/identity.ts';
import { signAll } from '../wings/signs.ts';
import { world, type ProblemBody } from '../world.ts';
import { at, permits, PLACE, say } from '../contracts/store-register.ts';
import { callTool, post, rpc } from '../mcp/agent.ts';
import { tries } from '../effort.ts';
import { character } from '../properties/arbitraries.ts';

const RUNS = tries(100, 10_000);

/** How many records, and changes, `permits` has. */
const COUNT = 25;

const LONG_FEED = 'a'.repeat(MAX_FEED_ID_LENGTH);
const LONG_KEY = 'k'.repeat(MAX_KEY_LENGTH);

/** An endpoint of the account, and an id that none has. */
const ENDPOINT = `ep_${'0f'.repeat(9)}`;
const NO_ENDPOINT = `ep_${'0'.repeat(18)}`;

/** By what the account's paths begin with: an id there may be, its own code where there is none, and texts that are no ids. */
const ACCOUNT_IDS = [
  [
    '/account/endpoints/',
    NO_ENDPOINT,
    'unknown_endpoint',
    [`${ENDPOINT}0`, ENDPOINT.slice(0, -1), `ep_${'F'.repeat(18)}`],
  ],
  [
    '/account/deliveries/',
    `dlv_${'9'.repeat(15)}`,
    'unknown_delivery',
    [`dlv_${'9'.repeat(16)}`, 'dlv_0', 'dlv_01', '1'],
  ],
  [
    '/account/keys/',
    `key_${'z'.repeat(12)}`,
    'unknown_key_id',
    [`key_${'z'.repeat(13)}`, `key_${'z'.repeat(11)}`, 'key_'],
  ],
] as const;

const ofAccount = (path: string): (typeof ACCOUNT_IDS)[number] | undefined =>
  ACCOUNT_IDS.find(([beginning]) => path.startsWith(beginning));

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly items?: Schema;
  readonly maxItems?: number;
  readonly const?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly enum?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

interface Parameter {
  readonly in: 'path' | 'query';
  readonly name: string;
  readonly schema: Schema;
}

/** A parameter that stands in the components of the document. */
interface Reference {
  readonly $ref: string;
}

interface Operation {
  readonly parameters?: readonly (Parameter | Reference)[];
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly parameters: Readonly<Record<string, Parameter>>;
    readonly schemas: Readonly<Record<string, Schema>>;
  };
}

const service = await world({ records: COUNT });
const { store } = service;
const inspected = { name: 'inspected', label: 'Inspected', type: 'date', filterable: true } as const;
await store.updateRegister({ ...permits(), fields: [...permits().fields, inspected] }, { recordedAt: at(1) });
await store.finding!.build('permits');
// It says where its records are: every format has its whole.
await store.createRegister({ ...permits(LONG_FEED), fields: [...permits().fields, PLACE] });
await store.apply(LONG_FEED, [say(LONG_KEY, {}, LONG_FEED)], { recordedAt: at(0) });
for (const feedId of ['permits', LONG_FEED]) await signAll(store, feedId);
const {
  accountId,
  store: { deliveries },
} = service;
const all = { feeds: null, types: null, filter: null };
const endpoint = { id: ENDPOINT, accountId, url: 'https://example.org/', createdAt: at(0), secret: Uint8Array.of(1) };
await deliveries.createEndpoint({ ...endpoint, ...all });
/** A delivery to the endpoint. */
const { id: delivery } = await deliveries.createTest(ENDPOINT, { id: 'evt_1', type: 'endpoint.test' }, { at: at(0) });
/** The ids of the account's keys. */
const keyIds = (await service.store.accounts.keys(accountId)).map(({ id }) => id);
const document = (await (await service.get('/openapi.json')).json()) as Document;
const ajv = new Ajv2020({ strict: false });
ajv.addFormat('uri', true).addFormat('date-time', true);
ajv.addSchema(document, 'openapi.json');

/** What stands in the components of the document under this reference. */
function found<T>(components: Readonly<Record<string, T>>, kind: string, reference: string): T {
  const beginning = `#/components/${kind}/`;
  const one = reference.startsWith(beginning) ? components[reference.slice(beginning.length)] : undefined;
  if (one === undefined) throw new Error(`openapi.json has no ${reference}`);
  return one;
}

function resolved(parameter: Parameter | Reference): Parameter {
  const { parameters, schemas } = document.components;
  const one = '$ref' in parameter ? found(parameters, 'parameters', parameter.$ref) : parameter;
  const { $ref } = one.schema;
  return $ref === undefined ? one : { ...one, schema: found(schemas, 'schemas', $ref) };
}

/** Every parameter of this kind of requests by this method, with its route. */
function parametersIn(place: 'path' | 'query', method = 'get'): readonly (readonly [path: string, Parameter])[] {
  return Object.entries(document.paths).flatMap(([path, { [method]: operation }]) =>
    (operation?.parameters ?? [])
      .map(resolved)
      .filter((parameter) => parameter.in === place && parameter.name !== 'data')
      .map((parameter) => [path, parameter] as const),
  );
}

const example = (path: string): string =>
  path
    .replace('{feed_id}', 'permits')
    .replace('{record_id}', 'permits:001')
    .replace('{format}', 'csv')
    .replace('{page}', '000001.csv');

/** What the query of a URL says: a whole number is its digits, several values or those of a list a list, all else a text. */
function meaning({ schema }: Parameter, values: readonly string[]): unknown {
  if (values.length !== 1 || schema.type === 'array') return values;
  const isNumber = (schema.type === 'integer' || schema.type === 'number') && /^(?:0|-?[1-9]\d*)$/.test(values[0]!);
  return isNumber ? Number(values[0]) : values[0];
}

/** What no document can say of a value: which fields a register has, which days there are, and what a word is. */
const UNSAID: Readonly<Record<string, RegExp>> = {
  field: /^field must be some of /,
  fields: /^fields must (?:name fields|be absent)/,
  q: /^q must have at (?:least one word|most 32 words)/,
  measure: /^measure must be count, or one of /,
  by: /^by must be (?:some of|:\w+ after one of|at most 2 different fields)/,
  ...Object.fromEntries(
    ['', '_since', '_until'].map((end) => [
      `data.inspected${end}`,
      /^data\.inspected\w* must be a (?:date such as|value of type date)/,
    ]),
  ),
  ...Object.fromEntries(
    FILTERS.filter(({ test }) => test === 'since' || test === 'until').map(({ name }) => [
      name,
      / must be a date such as /,
    ]),
  ),
};

/** Bounds that no document can describe, because they move with the register; the texts of the two say so. */
const MOVING: Readonly<Record<string, number>> = { as_of: COUNT, since: COUNT };

const values = fc.oneof(
  { weight: 3, arbitrary: fc.integer({ min: -2, max: 103 }).map(String) },
  fc.constantFrom('', '0', '-0', '00', '1.0', '1e2', '+1', ' 1', '1 ', 'NaN', 'true', 'null', '[]', '0x1', '٣', '\0'),
  fc.bigInt({ min: 2n ** 53n - 3n, max: 2n ** 53n + 3n }).map(String),
  fc.integer({ min: 990, max: 1010 }).map((length) => 'x'.repeat(length)),
  fc.integer({ min: 495, max: 1005 }).map((length) => '💩'.repeat(length)),
  fc.string({ unit: character, maxLength: 5 }),
  fc.constantFrom(ENDPOINT, ...ACCOUNT_IDS.flatMap(([, id, , others]) => [id, ...others])),
);

/** What comes beside a parameter that means nothing alone. */
const beside = (path: string, name: string): [string, string][] => {
  if (path.endsWith('/stream') && name === 'live') return [['offset', '-1']];
  return path.endsWith('/facets') && /^(?:order|top|offset|as_of)$/.test(name) ? [['measure', 'count']] : [];
};

/** Values just inside and just outside each bound that a schema has. */
function edges({ items, ...schema }: Schema): readonly string[] {
  if (schema.enum !== undefined) return [...schema.enum, 'x', ''];
  const { type, const: only, minimum, maximum, minLength, maxLength, pattern } = items ?? schema;
  if (pattern?.includes('T') === true) {
    return ['2026-04-01', '2026-04-01T00:00:00.5+02:00', '2026-13-01', '2026-04-1', '2026-04-01T00:00:00', '1', ''];
  }
  const ids = ACCOUNT_IDS.find(([, id]) => pattern !== undefined && new RegExp(pattern).test(id));
  if (ids !== undefined) return [ENDPOINT, delivery, ids[1], ...ids[3], `${ids[1]}\n`, '\0', ''];
  if (only !== undefined) return [only - 1, only, only + 1, 'x', ''].map(String);
  if (pattern !== undefined) return ['0', '9'.repeat(15), '9'.repeat(16), '-1', '01', '1.5', '', '9F8E7D6C.1', '.1'];
  if (type === 'integer') {
    const numbers = [minimum! - 1, minimum!, minimum! + 1, maximum! - 1, maximum!].map(String);
    return [...numbers, String(BigInt(maximum!) + 1n), '1.5', 'x'];
  }
  const lengths = [minLength! - 1, minLength!, minLength! + 1, maxLength! - 1, maxLength!, maxLength! + 1];
  return lengths.flatMap((length) => ['x'.repeat(length), '💩'.repeat(length)]);
}

async function checkQuery(path: string, parameter: Parameter, given: readonly string[]): Promise<boolean> {
  const { name, schema } = parameter;
  const query = new URLSearchParams(given.map((value): [string, string] => [name, value.toWellFormed()]));
  const whole = new URLSearchParams([...query, ...beside(path, name)]);
  const response = await service.pro(`${example(path)}?${whole.toString()}`);
  const value = meaning(parameter, query.getAll(name));
  const isDescribed = ajv.validate(schema, value);
  if (isDescribed && Number(value) > (MOVING[name] ?? Infinity)) {
    expect([response.status, ((await response.json()) as ProblemBody).detail]).toEqual([
      400,
      `${name} must be 0..${MOVING[name]!}, got ${Number(value)}`,
    ]);
    return true;
  }
  if (isDescribed && response.status === 400 && name in UNSAID) {
    expect(((await response.json()) as ProblemBody).detail).toMatch(UNSAID[name]!);
    return true;
  }
  if (isDescribed && name === 'endpoint' && value !== ENDPOINT) {
    // No document can say which endpoints there are.
    expect([response.status, ((await response.json()) as ProblemBody).code]).toEqual([404, 'unknown_endpoint']);
    return true;
  }
  if (isDescribed && name === 'etag') {
    // No page is closed, and no register is in the state of this tag.
    const refusal = path.includes('/register.') ? [409, 'register_changed'] : [404, 'not_found'];
    expect([response.status, ((await response.json()) as ProblemBody).code]).toEqual(refusal);
    return true;
  }
  if (isDescribed && path.endsWith('/stream') && name === 'offset' && String(value).includes('_')) {
    // No log has this name.
    expect([response.status, ((await response.json()) as ProblemBody).code]).toEqual([410, 'log_restarted']);
    return true;
  }
  if (isDescribed && name === 'at' && path === '/records/{record_id}') {
    // It was first observed later.
    expect([response.status, ((await response.json()) as ProblemBody).code]).toEqual([404, 'unknown_record']);
    return true;
  }
  if (isDescribed && name === 'version' && Number(value) > 1) {
    // The record has one version.
    expect([response.status, ((await response.json()) as ProblemBody).code]).toEqual([404, 'not_found']);
    return true;
  }
  const shown = [path, name, ...given.map((text) => text.slice(0, 40))];
  expect([...shown, response.status]).toEqual([...shown, isDescribed ? 200 : 400]);
  if (!isDescribed) expect((await response.json()) as ProblemBody).toMatchObject({ parameter: name });
  // A whole register that nobody reads would keep its place.
  else await response.body?.cancel();
  return isDescribed;
}

describe('a parameter in a query', () => {
  it('is taken just inside each bound that openapi.json describes, and refused just outside', async () => {
    const seen = new Set<string>();
    for (const [path, parameter] of parametersIn('query')) {
      for (const value of edges(parameter.schema)) {
        seen.add(`${parameter.name} ${await checkQuery(path, parameter, [value])}`);
      }
      const { items, maxItems = 1 } = parameter.schema;
      if (items?.pattern !== undefined) continue;
      expect(await checkQuery(path, parameter, Array<string>(maxItems + 1).fill('1'))).toBe(false);
      if (maxItems > 1) expect(await checkQuery(path, parameter, Array<string>(maxItems).fill('1'))).toBe(true);
    }
    const filters = FILTERS.map(({ name }) => name);
    const names = [
      'limit',
      'offset',
      'as_of',
      'at',
      'since',
      'statement',
      'bom',
      'proof',
      'field',
      'fields',
      'endpoint',
      'before',
      'etag',
      'live',
      'cursor',
      'version',
      'measure',
      'by',
      'order',
      'top',
      'data.inspected',
      'data.inspected_since',
      'data.inspected_until',
      ...filters,
    ];
    expect([...seen].sort()).toEqual(names.flatMap((name) => [`${name} false`, `${name} true`]).sort());
  });

  it(`is refused if and only if its schema refuses it, whatever it is (${RUNS})`, async () => {
    const asked = fc.record({
      parameter: fc.constantFrom(...parametersIn('query')),
      given: fc.oneof(
        { weight: 9, arbitrary: values.map((value) => [value]) },
        { weight: 1, arbitrary: fc.tuple(values, values) },
      ),
    });
    await fc.assert(
      fc.asyncProperty(asked, async ({ parameter: [path, parameter], given }) => {
        await checkQuery(path, parameter, given);
      }),
      { numRuns: RUNS * 4 },
    );
  });
});

// What the paths below a log take is in test/wings/proofs/http/logs.test.ts: each tile has one; closed pages have their own suite.
describe('a parameter in a path', () => {
  const inPaths = (): ReturnType<typeof parametersIn> =>
    parametersIn('path').filter(([path]) => !path.includes('/log/') && !path.includes('/pages/'));

  const get = async (path: string, name: string, value: string, method = 'GET'): Promise<Response> => {
    const [ofFeed, ofRecord] = value.startsWith('permits')
      ? ['permits', 'permits:001']
      : [LONG_FEED, `${LONG_FEED}:${LONG_KEY}`];
    const encoded = path
      .replace(`{${name}}`, encodeURIComponent(value.toWellFormed()))
      .replace('{feed_id}', ofFeed)
      .replace('{record_id}', ofRecord)
      .replace('{format}', 'csv')
      .replace('{name}', 'published_at');
    return service.get(encoded, { key: service.key, method });
  };

  it('is served up to the longest that openapi.json describes', async () => {
    const longest: Record<string, string> = {
      ...{ feed_id: LONG_FEED, record_id: `${LONG_FEED}:${LONG_KEY}` },
      // What every register has.
      name: 'published_at',
    };
    for (const [path, { name, schema }] of inPaths()) {
      const own = { '/account/endpoints/': ENDPOINT, '/account/deliveries/': delivery, '/account/keys/': keyIds[0]! };
      const [beginning] = ofAccount(path) ?? [];
      for (const value of schema.enum ?? [beginning === undefined ? longest[name]! : own[beginning]]) {
        expect([path, value, ajv.validate(schema, value)]).toEqual([path, value, true]);
        const { status, body } = await get(path, name, value);
        await body?.cancel();
        expect([path, value, status]).toEqual([path, value, 200]);
      }
    }
    // That of a key which was used anew is longer by the number at its end.
    expect(longest.record_id).toHaveLength(MAX_ID_LENGTH - '~~999999'.length);
  });

  it(`is 404 whenever its schema refuses it, and its schema takes all that there is (${RUNS})`, async () => {
    const hostile = fc.oneof(
      fc.constantFrom(
        'permits',
        'permits:001',
        'Permits',
        `${LONG_FEED}a`,
        `${LONG_FEED}:${LONG_KEY}k`,
        'permits:~4',
        'csv',
      ),
      fc.constantFrom('permits:', ':001', 'permits:a b', 'permits:~41', 'CSV', 'export.csv', '-a', 'a_b', 'permits:💩'),
      fc.constantFrom(ENDPOINT, ...ACCOUNT_IDS.flatMap(([, id, , others]) => [id, ...others])),
      fc.string({ unit: character, minLength: 1, maxLength: 5 }).filter((text) => !/^[./]*$/.test(text)),
    );
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...inPaths()), hostile, async ([path, parameter], value) => {
        const response = await get(path, parameter.name, value);
        if (!ajv.validate(parameter.schema, value.toWellFormed())) {
          expect([path, value, response.status]).toEqual([path, value, 404]);
        } else if (response.status !== 200) {
          const [, , code] = ofAccount(path) ?? [];
          expect(((await response.json()) as ProblemBody).code).toMatch(
            code ?? /^(?:unknown_(?:feed|record)|not_found)$/,
          );
        }
        // A whole register that nobody reads keeps one of few places.
        if (!response.bodyUsed) await response.body?.cancel();
      }),
      { numRuns: RUNS * 2 },
    );
  });

  it('is 404 with the code of its kind on every route of the account, whether or not it could be an id', async () => {
    let count = 0;
    for (const method of ['get', 'post', 'patch', 'delete']) {
      for (const [path, { name, schema }] of parametersIn('path', method)) {
        const ids = ofAccount(path);
        if (ids === undefined) continue;
        const [, absent, code, others] = ids;
        for (const value of [absent, ...others, `${absent}\n`, '\0', ' ', 'x'.repeat(1000)]) {
          expect([path, value, ajv.validate(schema, value)]).toEqual([path, value, value === absent]);
          const response = await get(path, name, value, method.toUpperCase());
          const body = (await response.json()) as ProblemBody;
          expect([method, path, value, response.status, body.code]).toEqual([method, path, value, 404, code]);
        }
        count += 1;
      }
    }
    expect(count).toBe(12);
  });

  it('is described so that every key’s id is taken', () => {
    expect(keyIds).not.toEqual([]);
    const described = parametersIn('path', 'delete').filter(([path]) => path.startsWith('/account/keys/'));
    for (const [, { schema }] of described) {
      expect(keyIds.filter((id) => ajv.validate(schema, id))).toEqual(keyIds);
    }
    expect(described).toHaveLength(1);
  });
});

/** Anything that JSON can say, often near a bound. */
const anything: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    0,
    1,
    -1,
    1.5,
    100,
    101,
    true,
    '',
    'x',
    '5',
    ' 101 ',
    '1.5',
    'id, title',
    '["id"]',
    '[1]',
    '{"field":',
    [],
    ['x'],
    [1],
    {},
    2 ** 53 - 1,
    2 ** 53,
    -(2 ** 53),
  ),
  fc.constantFrom(999, 1000, 1001).map((length) => 'x'.repeat(length)),
  fc.constantFrom(500, 1000, 1001).map((length) => '💩'.repeat(length)),
);

describe('a message to the agents’ endpoint', () => {
  it(`is refused if and only if the body’s schema refuses it (${RUNS})`, async () => {
    const pointer = 'paths/~1mcp/post/requestBody/content/application~1json/schema';
    const validate = ajv.compile({ $ref: `openapi.json#/${pointer}` });
    const usual: Readonly<Record<string, unknown>> = { jsonrpc: '2.0', id: 1, method: 'ping', params: {} };
    const member = fc.constantFrom('jsonrpc', 'id', 'method', 'params', 'result', 'error');
    const changes = fc.array(fc.tuple(member, fc.oneof(anything, fc.constantFrom(null, undefined, '2.0'))), {
      maxLength: 3,
    });
    const outcomes = new Set<boolean>();
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          changes.map((made) => ({ ...usual, ...Object.fromEntries(made) })),
          anything,
        ),
        async (body) => {
          // JSON has no undefined: such a member is left out.
          const text = JSON.stringify(body);
          const { status } = await post(service, text);
          const isDescribed = validate(JSON.parse(text));
          outcomes.add(isDescribed);
          expect([text.slice(0, 200), status === 400]).toEqual([text.slice(0, 200), !isDescribed]);
        },
      ),
      { numRuns: RUNS * 4 },
    );
    expect(outcomes.size).toBe(2);
  });
});

/** Values near the bounds of arguments: their lengths, how many they are, what times look like; for `where`, conditions. */
function near(name: string): readonly unknown[] {
  if (name === 'where') {
    const condition = { field: 'data.inspected', op: 'is', value: '2026-04-01' };
    const values = [true, 1.5, {}, ...near(''), ...near('_since')].map((value) => [{ ...condition, value }]);
    const incomplete = { field: 'data.inspected', op: 'is' };
    return [
      [condition],
      [{ ...condition, op: 'like' }],
      [{ ...condition, field: 1 }],
      [incomplete],
      [],
      'x',
      ...values,
    ];
  }
  if (/_(?:since|until)$/.test(name)) {
    return [
      ...['2026-04-01', '2026-04-31', '2026-04-01T00:00:00Z', '2026-04-01T', '2026-4-1', ' 2026-04-01', '2026-04-01 '],
      ...['2026-04-01T00:00:00.123456789+14:00', '2026-04-01T00:00:00.1234567890+14:00', '2026-04-01T24:00:00Z'],
    ];
  }
  const lengths = [0, 1, MAX_KEY_LENGTH, MAX_KEY_LENGTH + 1, 1000, 1001];
  const texts = lengths.flatMap((length) => ['k'.repeat(length), '💩'.repeat(length)]);
  const lists = [0, 1, 99, 100, 101].map((count) => Array<string>(count).fill('k'));
  const numbers = [0, 1, 100, 101, 2 ** 53 - 1, 2 ** 53];
  return [...numbers, ...texts, ...lists, ...texts.map((text) => ['k', text])];
}

describe('an argument of a tool', () => {
  interface Tool {
    readonly name: string;
    readonly inputSchema: Schema;
  }

  // Schemas are written in what the hosts of all models take. Whether a register, a record or a field is there, or a cursor was
  // given, no schema can say; nor, in these words, what a word is, which days and times there are, what fits the type of a
  // field, that a text is empty, how many values a list has, or that an argument is a stranger.
  const UNSAID = new RegExp(
    [
      ...[
        'there is no (?:register|record|argument) ',
        'fields must be some of .*, got "',
        'offset must be a whole number from 0, got 9007199254740992$',
        'measure must be (?:given as a text, got ""$|count, or one of )',
        'since must be (?:a day such as|0\\.\\.)',
        'by must be (?:some of|:\\w+ after one of|at most 2 different fields)',
        'cursor must be that of the',
      ],
      ...[
        '(?:q|query) must have at (?:least one word|most 32 words)',
        '\\w+_(?:since|until) must be a (?:date such as|value)',
      ],
      '(?:data\\.inspected|query|q|key|document_type|facility_id) must be (?:a date such as|a value|words|given at most 100)',
      'data\\.inspected must be at most 1000 characters',
    ]
      .map((sentence) => `^${sentence}`)
      .join('|'),
  );

  /** The arguments that take several values as a list. */
  const SEVERAL = /^(?:key|document_type|facility_id)$/;

  let tools: readonly Tool[];
  beforeAll(async () => {
    ({ tools } = (await post(service, rpc('tools/list'))).body!.result as { readonly tools: readonly Tool[] });
  });

  const usualOf = ({ required }: Schema): object => {
    const known = { feed_id: 'permits', record_id: 'permits:001', id: 'permits:001', query: 'permit', since: '0' };
    return Object.fromEntries(Object.entries(known).filter(([asked]) => required?.includes(asked)));
  };

  /** The list or the object that a text is as JSON. */
  function jsonIn(text: string): unknown {
    if (!/^\s*[[{]/.test(text)) return undefined;
    try {
      return JSON.parse(text);
    } catch {
      return undefined;
    }
  }

  /** What a value stands for, as docs/agents.md says: a text for a number or a list, one item for the list of it. */
  function meant(name: string, value: unknown, schema: Schema | undefined): unknown {
    if (name === 'since' && Number.isSafeInteger(value)) return `${value as number}`;
    if (schema?.type === 'array') {
      const names = schema.items?.type === 'string' ? (text: string) => text.split(',').map((one) => one.trim()) : null;
      const list = typeof value === 'string' ? (jsonIn(value) ?? names?.(value) ?? value) : value;
      return isObject(list) ? [list] : list;
    }
    if (typeof value !== 'string') return value;
    if (schema?.type === 'integer') return /^\s*-?\d+\s*$/.test(value) ? Number(value) : value;
    return SEVERAL.test(name) || name === 'since' ? (jsonIn(value) ?? value) : value;
  }

  /** What the service takes beyond what schemas say: of several values a list, and in conditions what JSON has no quotes for. */
  function asDescribed(given: Readonly<Record<string, unknown>>, { properties = {} }: Schema): object {
    const args = Object.fromEntries(
      Object.entries(given).map(([name, value]) => [name, meant(name, value, properties[name])]),
    );
    const isTexts = (value: unknown): value is string[] =>
      Array.isArray(value) && value.every((one) => typeof one === 'string');
    const plain = Object.entries(args).map(([name, value]) => {
      if (SEVERAL.test(name) && isTexts(value)) {
        return [name, value.toSorted((a, b) => Array.from(b).length - Array.from(a).length)[0]] as const;
      }
      if (name !== 'where' || !Array.isArray(value)) return [name, value] as const;
      const conditions = value.map((one: unknown) => {
        const given = isObject(one) ? one.value : undefined;
        return typeof given === 'number' || typeof given === 'boolean'
          ? { ...(one as object), value: `${given}` }
          : one;
      });
      return [name, conditions] as const;
    });
    return Object.fromEntries(plain.filter(([, value]) => value !== undefined));
  }

  /** Calls a tool; whether its schema takes the arguments. */
  async function checkCall({ name, inputSchema }: Tool, validate: ValidateFunction, given: object): Promise<boolean> {
    const args = JSON.parse(JSON.stringify({ ...usualOf(inputSchema), ...given })) as Record<string, unknown>;
    const { isError, content } = await callTool(service, name, args, service.key);
    const isDescribed = validate(asDescribed(args, inputSchema));
    const said = content[0]!.text;
    const isRefused = isError === true && !(isDescribed && UNSAID.test(said));
    const shown = [name, JSON.stringify(args).slice(0, 200), said.slice(0, 80)];
    expect([...shown, isRefused]).toEqual([...shown, !isDescribed]);
    return isDescribed;
  }

  it('is taken just inside each bound that its schema says, and refused just outside', async () => {
    expect(tools).toHaveLength(8);
    for (const tool of tools) {
      const validate: ValidateFunction = ajv.compile(tool.inputSchema);
      const outcomes = new Set<boolean>();
      for (const name of Object.keys(tool.inputSchema.properties!)) {
        for (const value of near(name)) outcomes.add(await checkCall(tool, validate, { [name]: value }));
      }
      expect([tool.name, outcomes.size]).toEqual([tool.name, 2]);
    }
  });

  it(`is refused if and only if its schema refuses it (${RUNS} for each tool)`, async () => {
    for (const tool of tools) {
      const validate: ValidateFunction = ajv.compile(tool.inputSchema);
      const member = fc.constantFrom(...Object.keys(tool.inputSchema.properties!), 'stranger', '__proto__');
      // Null is left out here: it counts as leaving an argument out.
      const changes = fc.array(fc.tuple(member, fc.oneof(anything, fc.constant(undefined))), { maxLength: 3 });
      const outcomes = new Set<boolean>();
      await fc.assert(
        fc.asyncProperty(changes, async (given) => {
          outcomes.add(await checkCall(tool, validate, Object.fromEntries(given)));
        }),
        { numRuns: RUNS },
      );
      expect([tool.name, outcomes.size]).toEqual([tool.name, 2]);
    }
  });
});
