// Every answer is one that openapi.json describes: to requests chosen for each status there is, and to thousands made at
// random, valid and not, in trouble and out of it.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApiKey, newKeyEntry } from '../../src/access/api-key.ts';
import { GazetteError } from '../../src/errors.ts';
import { createGazette, type Gazette } from '../../src/service/create-gazette.ts';
import type { ServiceStore } from '../../src/stores/contract/accounts.ts';
import { tries } from '../effort.ts';
import { BASE_URL, type World, world, type OpenServiceStore, PRODUCT } from '../world.ts';
import { type OpenApi, OpenApiJudge } from './openapi-judge.ts';
import { at } from './store-register.ts';
import { addTypedRegisters, TYPED, typedCalls, typedTargets } from './typed-registers.ts';

const API = `${BASE_URL}/api/v1`;

/** So many that a page of them is closed. */
const RECORDS = 125;

/** What a request is made of. */
interface Asked {
  readonly method: string;
  readonly target: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string | null;
  /** Whether few requests are answered, and what goes wrong in the store. */
  readonly trouble: 'none' | 'limits' | 'busy' | 'away' | 'broken';
}

const FAULTS = {
  busy: new GazetteError('store_busy', 'another process holds the lock'),
  away: new GazetteError('store_unavailable', 'the database does not answer'),
  broken: new Error('a fault of our own'),
} as const;

const asked = (target: string, more: Partial<Asked> = {}): Asked => ({
  method: 'GET',
  target,
  headers: [],
  body: null,
  trouble: 'none',
  ...more,
});

const KEY = ['Authorization', 'Bearer KEY'] as const;
const LIST = '/feeds/permits/records';

/** A message for agents. */
const message = (content: unknown, ...headers: (readonly [string, string])[]): Asked =>
  asked('/mcp', {
    method: 'POST',
    headers: [['Content-Type', 'application/json'], ...headers],
    body: typeof content === 'string' ? content : JSON.stringify(content),
  });

const call = (name: string, given: object): object => ({
  jsonrpc: '2.0',
  id: 7,
  method: 'tools/call',
  params: { name, arguments: given },
});

/** What stands in the addresses of operations, each way to fill a place. */
const FILLED: Readonly<Record<string, readonly string[]>> = {
  name: ['published_at'],
  feed_id: ['permits'],
  record_id: ['permits:001'],
  'register.format': ['csv', 'xlsx', 'xml', 'ndjson', 'parquet'],
  format: ['csv', 'xlsx', 'xml', 'rss', 'atom'],
  page: ['000001.json', '000001.csv', '000001.xlsx', '000001.xml', '000001.rss', '000001.atom'],
};

/** Operations of what this service does not have: signed logs, and purchases. */
const MISSING = /\/(?:log|proof|full)\b|^\/log/;

/** The addresses of an operation; none if it needs what is not here. */
function targetsOf(path: string): readonly string[] {
  const place = /(register\.)?\{(\w+)\}/.exec(path);
  if (place === null) return [path];
  const [found, before = '', name] = place;
  return (FILLED[before + name!] ?? []).flatMap((value) => targetsOf(path.replace(found, before + value)));
}

/** One request for each status, at least. */
const CHOSEN: readonly (readonly [status: number, Asked])[] = [
  [200, asked('')],
  [200, asked(LIST)],
  [200, asked(`${LIST}?limit=2`, { headers: [KEY, ['Accept-Encoding', 'gzip']] })],
  [200, asked(`${LIST}/export.csv?limit=2`, { headers: [KEY] })],
  [200, asked('/records/permits:001')],
  [200, asked('/records/permits:001/history', { headers: [KEY] })],
  [200, message(call('list_registers', {}))],
  [202, message({ jsonrpc: '2.0', method: 'notifications/initialized' })],
  [204, asked(LIST, { method: 'OPTIONS' })],
  [304, asked(LIST, { headers: [['If-None-Match', '*']] })],
  [308, asked('/feeds/?limit=2')],
  [400, asked(`${LIST}?limt=2`)],
  [400, asked(`${LIST}?api_key=x`)],
  [400, message('[]')],
  [401, asked('/feeds/permits/changes')],
  [401, asked(LIST, { headers: [['Authorization', 'Bearer x']] })],
  [403, message(call('list_registers', {}), ['Origin', 'https://evil.example'])],
  [404, asked('/nothing')],
  [404, asked('/records/permits:999')],
  [405, asked(LIST, { method: 'DELETE' })],
  [410, asked('/records/permits:010')],
  [412, asked(LIST, { headers: [['If-Match', '"other"']] })],
  [413, message('x'.repeat(300_000))],
  [415, asked('/mcp', { method: 'POST', headers: [['Content-Type', 'text/plain']], body: 'x' })],
  [429, asked(LIST, { trouble: 'limits' })],
  [500, asked('/feeds', { trouble: 'broken' })],
  [503, asked('/feeds', { trouble: 'busy' })],
  [503, { ...message(call('list_registers', {})), trouble: 'away' }],
];

const feedIds = fc.constantFrom('permits', 'permits', 'permits', 'notices', 'none', 'UPPER', '%00', 'x'.repeat(80));
const recordIds = fc.constantFrom(
  ...['permits:025', 'permits:024', 'permits%3A001', 'permits:002', 'permits:010', 'permits:999', 'none:1'],
  ...['permits:', 'permits', 'permits:~zz', 'permits:%2F', `permits:${'9'.repeat(300)}`],
);
const formats = fc.constantFrom('csv', 'xlsx', 'xml', 'rss', 'atom', 'pdf', '', 'CSV');

const paths = fc.oneof(
  fc.constantFrom('', '/feeds', '/openapi.json', '/mcp', '/nothing', '/feeds/permits/values', '/.well-known/x'),
  feedIds.map((id) => `/feeds/${id}`),
  fc
    .tuple(feedIds, fc.constantFrom('/records', '/records', '/facets', '/changes', '/register.xsd'))
    .map((parts) => `/feeds/${parts.join('')}`),
  fc.tuple(feedIds, formats).map(([id, format]) => `/feeds/${id}/records/export.${format}`),
  fc.tuple(recordIds, fc.constantFrom('', '', '/history')).map(([id, rest]) => `/records/${id}${rest}`),
);

const pairs = fc.oneof(
  fc.tuple(
    fc.constantFrom('limit', 'offset', 'as_of', 'since'),
    fc.constantFrom('0', '1', '2', '25', '26', '100', '101', '-1', '1.5', '', 'x', '9007199254740993', '12345678.3'),
  ),
  fc.tuple(
    fc.constantFrom('document_type', 'facility_id', 'key'),
    fc.constantFrom('adopted', 'draft', 'FAC-0003', '001', '', '%00', 'x'.repeat(3000), '%F0%9F%92%A9'),
  ),
  fc.tuple(
    fc.constantFrom('published_since', 'updated_until', 'q', 'field', 'data.amount', 'data.amount_min', 'data.'),
    fc.constantFrom('2026-04-01', '2026-02-30', 'adopted', '-%22', 'document_type', 'facility_id,facility_id', '', '5'),
  ),
  fc.constantFrom(
    ['measure', 'count'] as const,
    ...(['max:published_at', 'avg:data.amount'] as const).map((measure) => ['measure', measure] as const),
    ...(['document_type', 'published_at:year,facility_id', ''] as const).map((by) => ['by', by] as const),
    ...(['key', '-value', '2'] as const).map((order) => ['order', order] as const),
    ...(['1', '101'] as const).map((top) => ['top', top] as const),
  ),
  fc.tuple(
    fc.constantFrom('limt', 'format', 'api_key', 'token', 'q', '__proto__', 'utm_source', ''),
    fc.constantFrom('1', 'gz_x', ''),
  ),
);
const queries = fc
  .array(pairs, { maxLength: 3 })
  .map((given) => (given.length === 0 ? '' : `?${given.map((pair) => pair.join('=')).join('&')}`));

const authorizations = fc.constantFrom(
  ...['Bearer KEY', 'Bearer KEY', 'Bearer KEY', 'Bearer KEY', 'bearer KEY', 'Bearer LAPSED', 'Bearer REVOKED'],
  ...['Bearer OTHER', `Bearer gz_${'0'.repeat(32)}_000000`, 'Bearer', 'Basic OktFWQ==', 'Bearer a, Bearer b'],
);
const headers = fc.oneof(
  fc.tuple(fc.constant('If-None-Match'), fc.constantFrom('*', '"x"', 'W/"x", "y"', 'ETAG', 'ETAG', 'x')),
  fc.tuple(fc.constant('If-Match'), fc.constantFrom('*', '"x"', 'ETAG')),
  fc.tuple(
    fc.constantFrom('If-Modified-Since', 'If-Unmodified-Since'),
    fc.constantFrom('Fri, 20 Nov 2026 12:00:00 GMT', 'Sunday, 06-Nov-94 08:49:37 GMT', 'yesterday'),
  ),
  fc.tuple(fc.constant('Accept-Encoding'), fc.constantFrom('gzip', 'br', 'zstd', 'identity', '*;q=0')),
  fc.tuple(fc.constantFrom('X-API-Key', 'Cookie', 'Proxy-Authorization'), fc.constantFrom('KEY', 'x')),
  fc.tuple(fc.constant('Origin'), fc.constantFrom(BASE_URL, 'https://evil.example')),
  fc.tuple(fc.constant('Access-Control-Request-Method'), fc.constant('GET')),
  fc.tuple(fc.constant('X-Request-Id'), fc.constantFrom('mine-1', 'x'.repeat(500), 'a b')),
  fc.tuple(fc.constant('Content-Type'), fc.constantFrom('application/json', 'text/plain')),
);

const requests: fc.Arbitrary<Asked> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      method: fc.constantFrom('GET', 'GET', 'GET', 'HEAD'),
      target: typedTargets,
      headers: fc
        .tuple(fc.constantFrom([KEY], [KEY], []), fc.array(headers, { maxLength: 1 }))
        .map(([credentials, others]) => [...others, ...credentials]),
      body: fc.constant(null),
      trouble: fc.constant<Asked['trouble']>('none'),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      method: fc.constantFrom('GET', 'GET', 'GET', 'GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'DELETE', 'QUERY'),
      target: fc.tuple(paths, fc.constantFrom('', '', '', '', '/'), queries).map((parts) => parts.join('')),
      headers: fc
        .tuple(fc.option(authorizations), fc.array(headers, { maxLength: 2 }))
        .map(([authorization, others]) =>
          authorization === null ? others : [...others, ['Authorization', authorization] as const],
        ),
      body: fc.constant(null),
      trouble: fc.constantFrom('none', 'none', 'none', 'none', 'limits', 'busy', 'away', 'broken'),
    }),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(
        fc.oneof(
          typedCalls.map(({ tool, given }) => call(tool, given)),
          fc.constantFrom<unknown>(
            ...[call('list_registers', {}), call('read_register', { feed_id: 'permits', limit: 3 })],
            ...[
              call('read_record', { record_id: 'permits:001' }),
              call('record_history', { record_id: 'permits:025' }),
            ],
            ...[call('nothing', {}), { jsonrpc: '2.0', id: 1, method: 'tools/list' }, '{', [], 7, null],
            ...[
              { jsonrpc: '2.0', method: 'notifications/x' },
              { jsonrpc: '2.0', id: 'a', method: 'ping' },
            ],
          ),
        ),
        fc.array(headers, { maxLength: 1 }),
        fc.option(authorizations),
        fc.constantFrom<Asked['trouble']>('none', 'none', 'none', 'away', 'limits'),
      )
      .map(([content, others, authorization, trouble]) => ({
        ...message(content, ...others, ...(authorization === null ? [] : [['Authorization', authorization] as const])),
        trouble,
      })),
  },
);

/** Runs the suite. */
export function describedAnswersContract(name: string, open: OpenServiceStore): void {
  describe(`the answers of a service over a ${name}, by openapi.json`, () => {
    let service: World;
    let dispose: () => Promise<void>;
    let judge: OpenApiJudge;
    /** By the document of each register that most requests are about, by its id. */
    const registerJudges = new Map<string, OpenApiJudge>();
    /** How many answers a register's document described too, by their status. */
    const judgedTwice: Record<number, number> = {};
    let fault: Error | null = null;
    const keys = new Map<string, string>();
    const gazettes: Gazette[] = [];
    const etags: string[] = [];

    beforeAll(async () => {
      const opened = await open();
      dispose = opened.dispose;
      service = await world({ store: opened.store, records: RECORDS });
      const { store, clock } = service;
      await store.withdraw('permits', ['permits:010'], { recordedAt: at(1) });
      await addTypedRegisters(store);
      await addKeys(store);
      const common = { store: failing(store), product: PRODUCT, baseUrl: BASE_URL, now: () => clock.now };
      const logger = { info: () => undefined, error: () => undefined };
      const rate = { limit: 1, windowSeconds: 86_400 };
      const limits = { perKey: rate, perAddress: rate, previews: rate, failures: rate };
      gazettes.push(createGazette({ ...common, logger, limits: null }), createGazette({ ...common, logger, limits }));
      const judgeAt = async (path: string): Promise<OpenApiJudge> =>
        new OpenApiJudge((await (await send(asked(path))).json()) as OpenApi);
      judge = await judgeAt('/openapi.json');
      for (const id of ['permits', ...TYPED]) registerJudges.set(id, await judgeAt(`/feeds/${id}/openapi.json`));
      // From now on every counted request is one too many.
      for (const headers of [[], [KEY], [['Authorization', 'Bearer x'] as const]]) {
        await send(asked('/records/permits:001', { headers, trouble: 'limits' }));
      }
    });

    afterAll(async () => {
      for (const gazette of gazettes) await gazette.close();
      await service.close();
      await dispose();
    });

    async function addKeys(store: ServiceStore): Promise<void> {
      const { accounts } = store;
      await accounts.createAccount({ id: 'lapsed', accessUntil: at(1), createdAt: at(0) });
      const make = async (mark: string, accountId: string, product = PRODUCT): Promise<void> => {
        const key = createApiKey();
        const { id } = await accounts.createKey(newKeyEntry(key, { accountId, product, createdAt: at(0) }));
        if (mark === 'REVOKED') await accounts.revokeKey(id, { revokedAt: at(1) });
        keys.set(mark, key);
      };
      await make('LAPSED', 'lapsed');
      await make('REVOKED', service.accountId);
      await make('OTHER', service.accountId, 'another');
      keys.set('KEY', service.key);
    }

    /** The store, whose calls fail while there is a fault. */
    function failing(store: ServiceStore): ServiceStore {
      return new Proxy(store, {
        get(target, property) {
          if (fault !== null && property !== 'stamp') throw fault;
          const value: unknown = Reflect.get(target, property, target);
          return typeof value === 'function' ? (value.bind(target) as unknown) : value;
        },
      });
    }

    async function send({ method, target, headers, body, trouble }: Asked): Promise<Response> {
      const filled = headers.map(([header, value]): [string, string] => [
        header,
        value
          .replace(/KEY|LAPSED|REVOKED|OTHER/, (mark) => keys.get(mark) ?? mark)
          .replace('ETAG', etags.at(-1) ?? '"x"'),
      ]);
      const request = new Request(API + target, { method, headers: filled, body });
      fault = trouble === 'none' || trouble === 'limits' ? null : FAULTS[trouble];
      try {
        const response = await gazettes[trouble === 'limits' ? 1 : 0]!.fetch(request, { remoteAddress: '192.0.2.1' });
        const etag = response.headers.get('etag');
        if (etag !== null) etags.push(etag);
        return response;
      } finally {
        fault = null;
      }
    }

    /** What the service's document does not say of an answer, nor that of its register. */
    async function complaints(request: Pick<Asked, 'method' | 'target'>, response: Response): Promise<unknown> {
      const judged = { method: request.method, url: API + request.target };
      const [, feedId] = /^\/(?:feeds|records)\/(\w+)/.exec(request.target) ?? [];
      const narrower = (await registerJudges.get(feedId ?? '')?.complaints(judged, response.clone())) ?? null;
      if (narrower !== null) judgedTwice[response.status] = (judgedTwice[response.status] ?? 0) + 1;
      return [await judge.complaints(judged, response), narrower ?? []].flat();
    }

    it.each(CHOSEN.map(([status, request]) => [status, request.method, request.target, request] as const))(
      '%i to %s %s is described',
      async (status, _method, _target, request) => {
        const response = await send(request);
        expect(response.status).toBe(status);
        expect(await complaints(request, response)).toEqual([]);
      },
    );

    it('come from every operation that only reads, of the media type and the form that are described', async () => {
      const unasked: string[] = [];
      for (const path of judge.reading) {
        const targets = targetsOf(path);
        if (targets.length === 0) unasked.push(path);
        for (const target of targets) {
          const response = await send(asked(target, { headers: [KEY] }));
          if (!MISSING.test(path)) expect([target, response.status]).toEqual([target, 200]);
          expect(await complaints(asked(target), response)).toEqual([]);
          const known = asked(target, { headers: [KEY, ['If-None-Match', '*']] });
          expect(await complaints(known, await send(known))).toEqual([]);
        }
      }
      expect(unasked.filter((path) => !path.startsWith('/account') && !MISSING.test(path))).toEqual([]);
    });

    it('are described, whatever is asked', async () => {
      await fc.assert(
        fc.asyncProperty(requests, async (request) => {
          const response = await send(request);
          expect(await complaints(request, response)).toEqual([]);
        }),
        { numRuns: tries(200, 20_000) },
      );
      expect(judgedTwice[200]).toBeGreaterThan(20);
    });
  });
}
