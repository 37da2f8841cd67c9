// What the operator sees of the service, and what nobody else does: logs, metrics, probes, failures.
import { describe, expect, it } from 'vitest';
import { GazetteError } from '../../src/errors.ts';
import { operatorHandler } from '../../src/service/operator.ts';
import { DelegatingStore } from '../contracts/delegating-store.ts';
import { at } from '../contracts/store-register.ts';
import { API, BASE_URL, SAMPLES, world } from '../world.ts';

/** A store whose reads fail. */
class BrokenStore extends DelegatingStore {
  isBroken = false;
  reason: Error = new Error('/srv/secret.db is on fire');

  override async register(feedId: string): ReturnType<DelegatingStore['register']> {
    if (this.isBroken) throw this.reason;
    return super.register(feedId);
  }

  override get accounts(): DelegatingStore['accounts'] {
    if (this.isBroken) throw this.reason;
    return super.accounts;
  }
}

/** A store that tells of no change by stamps, and holds the next question for a revision until it may go on. */
class HeldStore extends DelegatingStore {
  isHeld = false;
  readonly held = Promise.withResolvers<undefined>();
  readonly go = Promise.withResolvers<undefined>();
  #stamps = 0;

  override stamp(): number {
    return ++this.#stamps;
  }

  override async source(...given: Parameters<DelegatingStore['source']>): ReturnType<DelegatingStore['source']> {
    const source = await super.source(...given);
    const revision = async (): Promise<string> => {
      if (this.isHeld) {
        this.held.resolve(undefined);
        await this.go.promise;
      }
      return source.revision!();
    };
    return { ...source, revision };
  }
}

describe('a failure', () => {
  it('is told to the operator whole, and to the client by its request id alone', async () => {
    const store = new BrokenStore();
    const { get, errors } = await world({ samples: SAMPLES, store });
    store.isBroken = true;
    const response = await get('/feeds/permits');
    const text = await response.text();
    expect(response.status).toBe(500);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(text).not.toContain('secret');
    expect(JSON.parse(text)).toMatchObject({
      code: 'internal_error',
      request_id: response.headers.get('x-request-id'),
    });
    expect(errors).toEqual([store.reason]);
  });

  it('that will pass is a 503', async () => {
    const store = new BrokenStore();
    const { get } = await world({ samples: SAMPLES, store });
    store.isBroken = true;
    store.reason = new GazetteError('store_busy', '/srv/secret.db is locked');
    const response = await get('/feeds/permits');
    expect(response.status).toBe(503);
    expect(await response.text()).not.toContain('secret');
  });

  it('is none when the client has hung up', async () => {
    const store = new BrokenStore();
    const { fetch, errors } = await world({ samples: SAMPLES, store });
    store.isBroken = true;
    const request = new Request(`${API}/feeds/permits`, { signal: AbortSignal.abort() });
    expect((await fetch(request)).status).toBe(499);
    expect(errors).toEqual([]);
  });
});

describe('the log', () => {
  it('has a line for each answer: the route, not the address, the account and the key’s id, not the key', async () => {
    const { pro, get, lines, key, accounts } = await world({ samples: SAMPLES });
    await pro('/feeds/permits/records?document_type=secret-interest');
    await get('/nothing/secret-path');
    const [entry] = await accounts.keys('acme');
    expect(lines).toEqual([
      {
        request_id: expect.stringMatching(/^[0-9a-f-]{36}$/) as unknown,
        method: 'GET',
        route: '/feeds/{feed_id}/records',
        register: 'permits',
        status: 200,
        duration_ms: expect.any(Number) as unknown,
        bytes: expect.any(Number) as unknown,
        account: 'acme',
        key: entry!.id,
        key_ends: key.slice(-4),
        network: '203.0.113.0/24',
      },
      expect.objectContaining({ route: null, status: 404 }) as unknown,
    ]);
    expect(JSON.stringify(lines)).not.toContain('secret');
    expect(JSON.stringify(lines)).not.toContain(key);
  });
});

describe('the metrics', () => {
  it('count answers by route on the operator’s interface, and nowhere else', async () => {
    const { metrics, get, pro } = await world({ samples: SAMPLES });
    await get('/feeds/permits/records');
    await pro('/feeds/permits/records');
    await get('/records/permits:somebody', { method: 'BREW' });
    expect((await get(`${BASE_URL}/metrics`)).status).toBe(404);
    const operator = operatorHandler(metrics.registry);
    const response = await operator(new Request('http://127.0.0.1:9090/metrics'));
    expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    const text = await response.text();
    const count = (labels: string): string => `gazette_http_requests_total{${labels}} 1`;
    const route = 'route="/feeds/{feed_id}/records",method="GET",status="200"';
    expect(text).toContain(count(`${route},tier="public"`));
    expect(text).toContain(count(`${route},tier="pro"`));
    expect(text).toContain(count('route="/records/{record_id}",method="other",status="405",tier="public"'));
    expect(text).toContain('gazette_http_request_duration_seconds_bucket');
    expect(text).not.toContain('somebody');
    expect((await operator(new Request('http://127.0.0.1:9090/api/v1/feeds'))).status).toBe(404);
    expect((await operator(new Request('http://127.0.0.1:9090/metrics', { method: 'POST' }))).status).toBe(405);
  });

  it('count what limits refuse, and no 304 whose next request would be refused', async () => {
    const perKey = { limit: 2, windowSeconds: 3600 };
    const store = new HeldStore();
    const limits = { perKey, failures: { limit: 1, windowSeconds: 3600 } };
    const { metrics, get, pro } = await world({ samples: SAMPLES, store, limits });
    const etag = (await pro('/feeds/permits/records')).headers.get('etag')!;
    store.isHeld = true;
    const once = pro('/feeds/permits/records', { headers: { 'if-none-match': etag } });
    await store.held.promise;
    const refused = await Promise.all([pro('/feeds'), pro('/feeds')]);
    store.go.resolve(undefined);
    expect([(await once).status, ...refused.map(({ status }) => status)]).toEqual([304, 429, 429]);
    const wrong = { authorization: `Bearer gz_${'a'.repeat(38)}` };
    expect([
      (await get('/feeds', { headers: wrong })).status,
      (await get('/feeds', { headers: wrong })).status,
    ]).toEqual([401, 429]);
    const text = await metrics.registry.metrics();
    expect(text.match(/^gazette_limit_refusals_total.*$/gm)).toEqual([
      'gazette_limit_refusals_total{policy="key"} 2',
      'gazette_limit_refusals_total{policy="failures"} 1',
    ]);
  });
});

describe('the probes', () => {
  it('say that the process lives, and whether the store answers', async () => {
    const store = new BrokenStore();
    const { get, errors } = await world({
      samples: SAMPLES,
      store,
      limits: { perAddress: { limit: 1, windowSeconds: 60 } },
    });
    for (let i = 0; i < 3; i++) expect((await get(`${BASE_URL}/readyz`)).status).toBe(200);
    store.isBroken = true;
    expect((await get(`${BASE_URL}/healthz`)).status).toBe(200);
    const response = await get(`${BASE_URL}/readyz`);
    expect([response.status, ((await response.json()) as { readonly code: string }).code]).toEqual([503, 'not_ready']);
    expect(errors).toHaveLength(1);
  });

  it('turn a balancer away while the service is being stopped, which goes on answering', async () => {
    const service = await world({ samples: SAMPLES });
    const { get, errors } = service;
    service.drain();
    expect((await get(`${BASE_URL}/readyz`)).status).toBe(503);
    expect((await get('/feeds')).status).toBe(200);
    expect(errors).toEqual([]);
  });
});

it('records the last use of keys by the time it is closed', async () => {
  const service = await world({ samples: SAMPLES });
  await service.pro('/feeds');
  await service.close();
  expect((await service.accounts.keys('acme'))[0]!.lastUsedAt).toBe(at(60));
});
