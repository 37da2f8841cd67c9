// The spans of a service: what they are named, what they say, whose children they are; and what they never say.
import { randomUUID } from 'node:crypto';
import * as telemetry from '@opentelemetry/api';
import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createGazette } from '../../src/service/create-gazette.ts';
import { GazetteError } from '../../src/errors.ts';
import { traced } from '../../src/telemetry/traced.ts';
import { SAMPLE_DEFINITION } from '../contracts/sample-register.ts';
import { DelegatingStore } from '../contracts/delegating-store.ts';
import { collect, type CollectedSpan } from '../telemetry/collected.ts';
import { API, BASE_URL, NOW, SAMPLES, world } from '../world.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = 'b7ad6b7169203331';
const TRACEPARENT = `00-${TRACE}-${PARENT}-01`;

let spans: CollectedSpan[];
beforeEach(() => {
  spans = [];
  onTestFinished(collect((span) => spans.push(span)));
});

/** The spans of requests. */
const requests = (): CollectedSpan[] => spans.filter(({ name }) => !name.startsWith('store '));

/** What the store was asked within a span. */
const askedIn = ({ spanId }: CollectedSpan): readonly string[] =>
  spans.filter(({ parentId }) => parentId === spanId).map(({ name }) => name);

describe('the span of a request', () => {
  it('is named by its method and route, and says what became of it', async () => {
    const { pro } = await world({
      samples: SAMPLES,
      telemetry,
      baseUrl: 'https://registers.example.org/x',
      createRequestId: () => 'r1',
    });
    await pro('/feeds/permits/records?limit=3');
    expect(requests()).toEqual([
      expect.objectContaining({
        name: 'GET /api/v1/feeds/{feed_id}/records',
        kind: SpanKind.SERVER,
        status: { code: SpanStatusCode.UNSET },
        parentId: '',
        scope: expect.stringMatching(/^gazette \d/) as string,
        attributes: {
          'http.request.method': 'GET',
          'http.response.status_code': 200,
          'http.route': '/api/v1/feeds/{feed_id}/records',
          'url.path': '/api/v1/feeds/{feed_id}/records',
          'url.scheme': 'https',
          'server.address': 'registers.example.org',
          'server.port': 443,
          'gazette.request_id': 'r1',
          'gazette.register': 'permits',
          'gazette.tier': 'pro',
        },
      }),
    ]);
  });

  it.each([
    ['GET', '', 'GET /api/v1', 200],
    ['GET', `${BASE_URL}/healthz`, 'GET /healthz', 200],
    ['GET', `${BASE_URL}/feeds/permits`, 'GET /feeds/{feed_id}', 200],
    ['GET', `${BASE_URL}/sign-in/secret-of-a-link`, 'GET /sign-in/{secret}', 410],
    ['GET', '/nowhere', 'GET', 404],
    ['BREW', '/feeds', 'HTTP /api/v1/feeds', 405],
  ])('of %s %s is %s', async (method, path, name, status) => {
    const { get } = await world({ samples: SAMPLES, telemetry });
    expect((await get(path, { method })).status).toBe(status);
    const [span] = requests();
    expect(span!.name).toBe(name);
    expect(span!.attributes['http.request.method']).toBe(method === 'BREW' ? '_OTHER' : method);
    expect(span!.attributes['http.response.status_code']).toBe(status);
    // What a client did wrong is not a failure of the service.
    expect(span!.status.code).toBe(SpanStatusCode.UNSET);
  });

  it('goes on with the trace of the client, and begins one without', async () => {
    const { get } = await world({ samples: SAMPLES, telemetry });
    await get('/feeds', { headers: { traceparent: TRACEPARENT } });
    await get('/feeds', { headers: { traceparent: 'gz_nothing' } });
    const [first, second] = requests();
    expect([first!.traceId, first!.parentId]).toEqual([TRACE, PARENT]);
    expect([second!.traceId === TRACE, second!.parentId]).toEqual([false, '']);
  });

  it('is within the span of a program that the service is mounted in, whatever the client says', async () => {
    const { get } = await world({ samples: SAMPLES, telemetry });
    const outer = telemetry.trace.getTracer('host').startSpan('host');
    const within = telemetry.trace.setSpan(telemetry.context.active(), outer);
    await telemetry.context.with(within, () => get('/feeds', { headers: { traceparent: TRACEPARENT } }));
    const [span] = requests();
    expect([span!.kind, span!.parentId]).toEqual([SpanKind.INTERNAL, outer.spanContext().spanId]);
  });

  it('has its ids in the log', async () => {
    const { get, lines } = await world({ samples: SAMPLES, telemetry });
    await get('/feeds');
    const [{ traceId, spanId }] = requests() as [CollectedSpan];
    expect(lines).toEqual([expect.objectContaining({ trace_id: traceId, span_id: spanId })]);
  });

  it('never has a key, a query, an id of a record, or what a record says', async () => {
    const { get, pro, key } = await world({ samples: SAMPLES, telemetry });
    await pro('/records/permits:2026-0001');
    await pro('/feeds/permits/records?q=asbestos&key=2026-0001');
    await get(`/feeds?api_key=${key}`);
    await get('/records/permits:nobody', {
      headers: { authorization: `Bearer gz_${'a'.repeat(38)}`, 'x-request-id': key },
    });
    await get(`${BASE_URL}/sign-in/secret-of-a-link`);
    const told = JSON.stringify(spans);
    expect(requests()).toHaveLength(5);
    for (const hidden of [key, 'gz_', 'asbestos', '2026-0001', 'nobody', 'secret-of-a-link', '203.0.113.7']) {
      expect(told).not.toContain(hidden);
    }
  });
});

describe('what a request asks of the store', () => {
  it('has spans within its own, each named by its operation', async () => {
    const { pro } = await world({ samples: SAMPLES, telemetry });
    await pro('/feeds/permits/records');
    const [span] = requests();
    expect(askedIn(span!)).toEqual(
      expect.arrayContaining(['store accounts.findKey', 'store source', 'store source.revision', 'store source.page']),
    );
    const page = spans.find(({ name }) => name === 'store source.page')!;
    expect([page.kind, page.attributes]).toEqual([SpanKind.INTERNAL, { 'gazette.store.operation': 'source.page' }]);
    expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
    // Asked by every request, of memory alone.
    expect(askedIn(span!)).not.toContain('store stamp');
  });

  it('has a span for each step of a walk', async () => {
    const { store, get } = await world({ samples: SAMPLES, telemetry });
    await store.createRegister({
      ...SAMPLE_DEFINITION,
      id: 'sold',
      uuid: randomUUID(),
      prices: { per_record: 50, currency: 'EUR' },
    });
    await get('/openapi.json');
    const [span] = requests();
    // The first step gives the register, the second says that this was all.
    expect(askedIn(span!).filter((name) => name === 'store catalogue.walk')).toHaveLength(2);
  });

  it('has failed where the store fails, and so has the request; what is not there is no failure', async () => {
    const reasons = [
      new TypeError('on fire'),
      new GazetteError('store_busy', 'locked'),
      new GazetteError('unknown_feed', 'no'),
    ];
    const store = new (class extends DelegatingStore {
      override async source(...given: Parameters<DelegatingStore['source']>): ReturnType<DelegatingStore['source']> {
        const reason = reasons.shift();
        if (reason !== undefined) throw reason;
        return super.source(...given);
      }
    })();
    const { get } = await world({ samples: SAMPLES, store, telemetry });
    const statuses = [];
    for (let request = 0; request < 3; request++) statuses.push((await get('/feeds/permits/records')).status);
    expect(statuses).toEqual([500, 503, 404]);
    const states = (all: readonly CollectedSpan[]): unknown[] =>
      all.map(({ status, attributes }) => [status.code, attributes['error.type']]);
    const { ERROR, UNSET } = SpanStatusCode;
    expect(states(spans.filter(({ name }) => name === 'store source'))).toEqual([
      [ERROR, 'TypeError'],
      [ERROR, 'store_busy'],
      [UNSET, 'unknown_feed'],
    ]);
    expect(states(requests())).toEqual([
      [ERROR, '500'],
      [ERROR, '503'],
      [UNSET, undefined],
    ]);
    expect(JSON.stringify(spans)).not.toContain('on fire');
  });

  it('has spans for a store, and for registers, that are frozen or copied', async () => {
    const store = new (class extends DelegatingStore {
      override async source(...given: Parameters<DelegatingStore['source']>): ReturnType<DelegatingStore['source']> {
        return Object.freeze({ ...(await super.source(...given)) });
      }
    })();
    const { pro } = await world({ samples: SAMPLES, store: Object.freeze(store), telemetry });
    expect((await pro('/feeds/permits/records')).status).toBe(200);
    expect(spans.map(({ name }) => name)).toContain('store source.page');
    const copied = { ...traced(Object.freeze({ page: () => 'a page', size: 1 }), telemetry, { prefix: '' }) };
    expect([copied.page(), copied.size, Object.keys(copied)]).toEqual(['a page', 1, ['page', 'size']]);
  });

  it('has no span where the service asks by itself', async () => {
    const service = await world({ samples: SAMPLES, telemetry });
    await service.pro('/feeds');
    await service.close();
    expect((await service.accounts.keys('acme'))[0]!.lastUsedAt).not.toBeNull();
    expect(spans.filter(({ parentId }) => parentId === '')).toEqual(requests());
    expect(spans.map(({ name }) => name)).not.toContain('store accounts.recordUses');
  });
});

it('makes no span and changes nothing unless it is told to', async () => {
  const { store, get, lines } = await world({ samples: SAMPLES });
  const gazette = createGazette({
    store,
    limits: null,
    now: () => NOW,
    telemetry,
    logger: { info: () => undefined, error: () => undefined },
  });
  const plain = await get('/feeds/permits/records');
  const spanned = await gazette.fetch(new Request(`${API}/feeds/permits/records`));
  expect(await plain.text()).toBe(await spanned.text());
  const fieldsOf = ({ headers }: Response): unknown[] => [...headers].filter(([name]) => name !== 'x-request-id');
  expect(fieldsOf(plain)).toEqual(fieldsOf(spanned));
  expect(requests()).toHaveLength(1);
  expect(lines).toEqual([expect.not.objectContaining({ trace_id: expect.anything() as string })]);
});
