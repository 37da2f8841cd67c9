// Requests of every shape: methods, parameters, keys in the wrong place, other sites, mounts and proxies, limits.
import { describe, expect, it } from 'vitest';
import { createApiKey } from '../../src/access/api-key.ts';
import { Accounts } from '../../src/operate/accounts.ts';
import { FILTERS } from '../../src/register/finding/filters.ts';
import { API, BASE_URL, PRODUCT, SAMPLES, world } from '../world.ts';

const ROUTES = [
  API,
  '/feeds',
  '/feeds/permits',
  '/feeds/permits/register.xsd',
  '/feeds/permits/records',
  '/feeds/permits/records/export.csv',
  '/feeds/permits/changes',
  '/records/permits:2026-0001',
  '/records/permits:2026-0001/history',
  '/openapi.json',
  '/reference',
  '/reference/start.js',
  `${BASE_URL}/healthz`,
  `${BASE_URL}/readyz`,
];
/** A service with nothing set, for all that only ask it. */
const service = await world({ samples: SAMPLES });
const { get, pro, key, lines } = service;

const problemOf = async (response: Response): Promise<Record<string, unknown>> =>
  (await response.json()) as Record<string, unknown>;

describe('methods', () => {
  it.each(ROUTES)('OPTIONS of %s says which there are, also to a page of another site', async (path) => {
    const response = await get(path, { headers: { origin: 'https://other.example' }, method: 'OPTIONS' });
    expect(response.status).toBe(204);
    expect(response.headers.get('allow')).toBe('GET, HEAD, OPTIONS');
    expect(response.headers.get('access-control-allow-methods')).toBe('GET, HEAD, OPTIONS');
    expect(response.headers.get('access-control-allow-headers')).toBe(
      'Authorization, Content-Type, If-None-Match, If-Modified-Since, If-Range, Range, Idempotency-Key, traceparent, tracestate, baggage, MCP-Protocol-Version, Mcp-Method, Mcp-Name',
    );
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(response.headers.get('access-control-allow-credentials')).toBeNull();
  });

  it.each([...ROUTES, '/mcp', '/nothing', '/feeds/none', '/feeds?api_key=x', `${BASE_URL}/nothing`])(
    'the preflight of %s is allowed, so that the page is shown the answer, whatever it is',
    async (path) => {
      const asked = { 'access-control-request-method': 'GET', 'access-control-request-headers': 'authorization' };
      const response = await get(path, { headers: { origin: 'https://other.example', ...asked }, method: 'OPTIONS' });
      expect([response.status, await response.text()]).toEqual([204, '']);
      expect(response.headers.get('access-control-allow-origin')).toBe('*');
      expect(response.headers.get('access-control-allow-headers')).toMatch(/^Authorization, .*If-None-Match/);
      const methods = path === '/mcp' ? 'POST, OPTIONS' : 'GET, HEAD, OPTIONS';
      expect(response.headers.get('access-control-allow-methods')).toBe(methods);
      expect(response.headers.get('access-control-allow-credentials')).toBeNull();
      const answer = await get(path, { headers: { origin: 'https://other.example' } });
      expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    },
  );

  it.each(['/nothing', '/feeds?api_key=x', `${BASE_URL}/nothing`])(
    'OPTIONS of %s without a preflight is refused',
    async (path) => {
      expect((await get(path, { method: 'OPTIONS' })).status).toBeGreaterThanOrEqual(400);
    },
  );

  it.each(ROUTES)('others than those are a 405 at %s', async (path) => {
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'PROPFIND']) {
      const response = await pro(path, { method });
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
      expect(await problemOf(response)).toMatchObject({ code: 'method_not_allowed' });
    }
  });
});

describe('every answer', () => {
  it.each([...ROUTES, '/nothing', '/feeds/none', '/feeds/permits/records?limit=0', `${BASE_URL}/nothing`])(
    'to %s has a request id unless it is for all, and lets other sites’ pages read what they need',
    async (path) => {
      const response = await get(path);
      const isForAll = response.headers.get('cache-control')!.startsWith('public');
      expect(response.headers.get('x-request-id')).toEqual(isForAll ? null : expect.stringMatching(/^[0-9a-f-]{36}$/));
      expect(response.headers.get('vary')).toBe('Authorization, Accept-Encoding, Host');
      expect(response.headers.get('x-content-type-options')).toBe('nosniff');
      expect(response.headers.get('access-control-expose-headers')).toBe(
        'Link, ETag, Retry-After, RateLimit, RateLimit-Policy, WWW-Authenticate, X-Request-Id, Content-Disposition, Gazette-Warnings, Gazette-Matched, Content-Location, Deprecation, Sunset',
      );
      if (response.status < 400) return;
      expect(response.headers.get('content-type')).toBe('application/problem+json');
      expect(await problemOf(response)).toMatchObject({
        status: response.status,
        request_id: response.headers.get('x-request-id'),
      });
    },
  );
});

describe('parameters', () => {
  const LISTS = ['/feeds/permits/records', '/feeds/permits/records/export.csv', '/records/permits:2026-0001/history'];

  it.each([
    ...LISTS.flatMap((path) =>
      ['0', '-1', '101', '1.5', '1e1', 'abc', ' 5', '', '5&limit=5', '00'].map((value) => [path, 'limit', value]),
    ),
    ...LISTS.flatMap((path) => ['-1', '1.5', 'x', '', '1&offset=1'].map((value) => [path, 'offset', value])),
    ...['101', '0', ''].map((value) => ['/feeds/permits/changes', 'limit', value]),
    ...['-1', 'x', '', '1&since=1'].map((value) => ['/feeds/permits/changes', 'since', value]),
    ...['/feeds/permits/changes', LISTS[2]!].flatMap((path) =>
      ['0', '2', 'true', '', '1&statement=1'].map((value) => [path, 'statement', value]),
    ),
    ...['121', '-1', 'x', ''].map((value) => ['/feeds/permits/records', 'as_of', value]),
    ...['121', 'x'].map((value) => ['/feeds/permits/records/export.rss', 'as_of', value]),
    ['/feeds/permits/records', 'document_type', ''],
    ['/feeds/permits/records', 'published_since', '2026-01-01&published_since=2026-02-01'],
    ['/feeds/permits/records/export.xml', 'facility_id', ''],
  ])('%s?%s=%s is a 400 that names it', async (path, name, value) => {
    // A date must not turn it into a 304.
    const response = await pro(`${path}?${name}=${value}`, {
      headers: { 'if-modified-since': new Date().toUTCString() },
    });
    expect(response.status).toBe(400);
    expect(await problemOf(response)).toMatchObject({ code: 'invalid_parameter', parameter: name });
  });

  it.each([
    ['/feeds', 'document_type', 'there are limit, offset, updated_since'],
    ['/feeds/permits', 'utm_source', 'there are none here'],
    ['/feeds/permits/register.xsd', 'x', 'there are none here'],
    ['/feeds/permits/records', 'limt', 'did you mean limit?'],
    ['/feeds/permits/records', 'facility', 'did you mean facility_id?'],
    [
      '/feeds/permits/changes',
      'area',
      `there are limit, since, statement, proof, ${FILTERS.map((filter) => filter.name).join(', ')}, data.NAME of own fields`,
    ],
    ['/feeds/permits/records/export.csv', 'Offset', 'did you mean offset?'],
    ['/feeds/permits/changes', 'sinse', 'did you mean since?'],
    ['/records/permits:2026-0001', 'as_of', 'there are at'],
    ['/records/permits:2026-0001/history', 'since', 'there are limit, offset, statement'],
    ['/openapi.json', 'v', 'there are none here'],
  ])('%s?%s is a 400 that names what there is', async (path, name, hint) => {
    const response = await pro(`${path}?${name}=1`, { headers: { 'if-modified-since': new Date().toUTCString() } });
    expect(response.status).toBe(400);
    expect(await problemOf(response)).toMatchObject({
      code: 'unknown_parameter',
      parameter: name,
      detail: `unknown parameter "${name}": ${hint}`,
    });
  });

  it.each(['/reference', '/reference/start.js', `${BASE_URL}/healthz`])(
    'of shared links are ignored at %s',
    async (path) => {
      expect((await get(`${path}?utm_source=x`)).status).toBe(200);
    },
  );

  it('past the end give an empty page and no next one', async () => {
    const response = await pro('/feeds/permits/records?offset=9007199254740991');
    expect(await response.json()).toMatchObject({ records: [], next_offset: null });
  });
});

describe('a key', () => {
  it.each([...ROUTES, '/nothing', `${BASE_URL}/nothing`])(
    'in the URL is refused at %s, even beside a valid header',
    async (path) => {
      for (const name of ['api_key', 'key', 'token', 'access_token']) {
        const response = await pro(`${path}?${name}=${key}`);
        const text = await response.text();
        expect([response.status, (JSON.parse(text) as { readonly code: string }).code]).toEqual([
          400,
          'credentials_in_url',
        ]);
        expect(text).not.toContain(key);
      }
      expect(JSON.stringify(lines)).not.toContain(key);
    },
  );

  it('works with the scheme in any case, and is never a silent fall back to public', async () => {
    const ask = (authorization: string): Promise<Response> =>
      get('/feeds/permits/records', { headers: { authorization } });
    expect(await (await ask(`bearer ${key}`)).json()).toMatchObject({ next_offset: 50 });
    const wrong = await ask(`Bearer ${key.slice(0, -1)}${key.endsWith('x') ? 'y' : 'x'}`);
    expect([wrong.status, (await problemOf(wrong)).code]).toEqual([401, 'malformed_key']);
    expect(wrong.headers.get('www-authenticate')).toBe(
      'Bearer realm="registers", error="invalid_token", error_description="The credentials are not an API key"',
    );
    expect((await ask(`Bearer ${key}, Bearer ${key}`)).status).toBe(400);
  });
});

describe('a key as the password of Basic', () => {
  it('is asked for and taken where that is allowed', async () => {
    const { get, key } = await world({ samples: SAMPLES, allowBasic: true });
    const basic = 'Basic realm="registers", charset="UTF-8"';
    const without = await get('/feeds/permits/changes');
    expect(without.headers.get('www-authenticate')).toBe(`Bearer realm="registers", ${basic}`);
    const wrong = await get('/feeds', { headers: { authorization: `Basic ${btoa('reader:nonsense')}` } });
    expect(wrong.headers.get('www-authenticate')).toBe(
      `Bearer realm="registers", error="invalid_token", error_description="The credentials are not an API key", ${basic}`,
    );
    const right = await get('/feeds/permits/changes', { headers: { authorization: `Basic ${btoa(`reader:${key}`)}` } });
    expect([without.status, wrong.status, right.status]).toEqual([401, 401, 200]);
  });
});

describe('addresses', () => {
  const nextOf = (response: Response): string => /^<([^>]+)>/.exec(response.headers.get('link')!)![1]!;

  it('continue the mount that the request came through', async () => {
    const response = await pro(`${BASE_URL}/open/data/api/v1/feeds/permits/records?limit=1`);
    expect(nextOf(response)).toMatch(
      /^https:\/\/registers\.example\.org\/open\/data\/api\/v1\/feeds\/permits\/records\?/,
    );
    expect(await (await pro(nextOf(response))).json()).toMatchObject({ next_offset: 2 });
  });

  it('continue the base URL where there is one, whatever the request names', async () => {
    const { pro } = await world({ samples: SAMPLES, baseUrl: 'https://registers.example/open/' });
    const response = await pro('http://10.0.0.7:8080/inner/api/v1/feeds/permits/records?limit=1', {
      headers: {
        'x-forwarded-host': 'evil.example',
      },
    });
    expect(nextOf(response)).toMatch(/^https:\/\/registers\.example\/open\/api\/v1\/feeds\//);
  });

  it('follow what a proxy says only where it is trusted', async () => {
    // What stands before the last may come from the client.
    const headers = { 'x-forwarded-proto': 'ftp, http', 'x-forwarded-host': 'evil.example, front.example:81' };
    const path = '/feeds/permits/records?limit=1';
    const trusting = await world({ samples: SAMPLES, trustProxy: true, trustForwardedHost: true });
    expect(nextOf(await trusting.pro(path, { headers }))).toMatch(/^http:\/\/front\.example:81\/api\/v1\//);
    // Most proxies set the protocol, and pass on whatever host the client named.
    const proxied = await world({ samples: SAMPLES, trustProxy: true });
    expect(nextOf(await proxied.pro(path, { headers }))).toMatch(/^http:\/\/registers\.example\.org\/api\/v1\//);
    const hostOnly = await world({ samples: SAMPLES, trustForwardedHost: true });
    expect(nextOf(await hostOnly.pro(path, { headers }))).toMatch(/^https:\/\/front\.example:81\/api\/v1\//);
    const wary = service;
    expect(nextOf(await wary.pro(path, { headers }))).toMatch(/^https:\/\/registers\.example\.org\/api\/v1\//);
    expect(nextOf(await trusting.pro(path, { headers: { 'x-forwarded-host': 'a b/<>' } }))).toMatch(
      /^https:\/\/registers\.example\.org\//,
    );
  });

  it.each([
    [{}, 'Host'],
    [{ trustProxy: true }, 'Host, X-Forwarded-Proto'],
    [{ trustProxy: true, trustForwardedHost: true }, 'Host, X-Forwarded-Proto, X-Forwarded-Host'],
    [{ trustProxy: true, trustForwardedHost: true, baseUrl: 'https://registers.example' }, null],
  ] as const)('vary by what they are made of: %j', async (options, naming) => {
    const { get } = await world({ samples: SAMPLES, ...options });
    const all = ['Authorization', 'Accept-Encoding', ...(naming === null ? [] : [naming])];
    expect((await get('/feeds')).headers.get('vary')).toBe(all.join(', '));
  });

  it.each([
    ['https://registers.example/open', ['', '/open'], ['/', '/open/open', '/ope', '/other']],
    ['https://registers.example', [''], ['/', '/open']],
    ['https://registers.example/api', ['', '/api'], ['/api/api']],
    ['https://registers.example/api/v1', ['', '/api/v1'], ['/api/v1/api/v1']],
  ])('of a server of its own at %s are below its own mounts and nowhere else', async (baseUrl, own, others) => {
    const { get } = await world({ samples: SAMPLES, baseUrl, anyPrefix: false });
    for (const path of ['/api/v1/feeds', '/healthz']) {
      for (const mount of own) expect([mount, (await get(`${BASE_URL}${mount}${path}`)).status]).toEqual([mount, 200]);
      for (const mount of others)
        expect([mount, (await get(`${BASE_URL}${mount}${path}`)).status]).toEqual([mount, 404]);
    }
  });

  it.each(['ftp://x.example', 'https://x.example/?a=1', 'x.example', 'https://me@x.example'])(
    'never continue %s',
    async (baseUrl) => {
      await expect(world({ samples: SAMPLES, baseUrl })).rejects.toMatchObject({ code: 'invalid_option' });
    },
  );
});

describe('options of formats', () => {
  it('are refused at once where there is no such format', async () => {
    await expect(world({ samples: SAMPLES, formatOptions: { cvs: {} } })).rejects.toMatchObject({
      code: 'invalid_option',
      message: 'formatOptions must be for csv, xlsx, xml, rss, atom, got "cvs"',
    });
  });
});

describe('limits', () => {
  const limits = {
    perKey: { limit: 3, windowSeconds: 60 },
    perAddress: { limit: 2, windowSeconds: 60 },
    failures: { limit: 2, windowSeconds: 60 },
  };

  it('count requests by key, and say so; a 304 costs nothing', async () => {
    const { pro } = await world({ samples: SAMPLES, limits });
    const first = await pro('/feeds');
    expect(first.headers.get('ratelimit-policy')).toBe('"key";q=3;w=60');
    expect(first.headers.get('ratelimit')).toMatch(/^"key";r=2;t=\d+$/);
    for (let i = 0; i < 5; i++) {
      const again = await pro('/feeds', { headers: { 'if-none-match': first.headers.get('etag')! } });
      expect([again.status, again.headers.get('ratelimit')?.slice(0, 9)]).toEqual([304, '"key";r=2']);
    }
    await pro('/feeds');
    await pro('/feeds');
    const refused = await pro('/feeds');
    expect([refused.status, (await problemOf(refused)).code]).toEqual([429, 'rate_limited']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it('are not told of in answers that caches give to others', async () => {
    const { get } = await world({ samples: SAMPLES, limits });
    const first = await get('/feeds');
    const again = await get('/feeds', { headers: { 'if-none-match': first.headers.get('etag')! } });
    expect([first.status, again.status]).toEqual([200, 304]);
    for (const { headers } of [first, again]) {
      const names = ['ratelimit', 'ratelimit-policy', 'x-request-id', 'retry-after'];
      expect(names.filter((name) => headers.has(name))).toEqual([]);
    }
  });

  it('count requests without a key by address, and not those of others', async () => {
    const { fetch } = await world({ samples: SAMPLES, limits });
    const ask = (remoteAddress: string): Promise<Response> => fetch(new Request(`${API}/feeds`), { remoteAddress });
    const statuses = [];
    for (const address of ['192.0.2.1', '192.0.2.1', '192.0.2.1', '192.0.2.2'])
      statuses.push((await ask(address)).status);
    expect(statuses).toEqual([200, 200, 429, 200]);
  });

  it('count refused keys apart: after too many no more is said of them, and a key that works still does', async () => {
    const { get, key } = await world({ samples: SAMPLES, limits });
    const ask = (attempt: string): Promise<Response> =>
      get('/feeds', { headers: { authorization: `Bearer ${attempt}` } });
    const statuses = [];
    for (const attempt of [`${key}x`, `${key}y`, `${key}z`, key]) statuses.push((await ask(attempt)).status);
    expect(statuses).toEqual([401, 401, 429, 200]);
    const refused = await ask(`${key}x`);
    expect([refused.status, (await problemOf(refused)).code]).toEqual([429, 'rate_limited']);
    expect(refused.headers.get('ratelimit-policy')).toBe('"failures";q=2;w=60');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await get('/feeds')).status).toBe(200);
  });

  it('count no key that exists: why it has ended is said each time, also to an address that guessed others', async () => {
    const { get, store, accounts, clock } = await world({ samples: SAMPLES, limits });
    const of = async (product: string, until: string): Promise<string> => {
      const owner = new Accounts(store, { product, now: () => Date.parse('2026-01-01T00:00:00Z') });
      const account = `until-${until.slice(0, 4)}-${product}`;
      await owner.add(account, until);
      return (await owner.createKey(account)).key;
    };
    const lapsed = await of(PRODUCT, '2026-01-02T00:00:00Z');
    const foreign = await of('other', '2030-01-01T00:00:00Z');
    const revoked = await accounts.createKey('acme');
    await accounts.revokeKey('acme', revoked.entry.id);
    clock.now += 1000;
    const ask = (attempt: string): Promise<Response> =>
      get('/feeds', { headers: { authorization: `Bearer ${attempt}` } });
    const codes = async (): Promise<unknown[]> =>
      Promise.all([lapsed, foreign, revoked.key].map(async (key) => (await problemOf(await ask(key))).code));
    const reasons = ['access_lapsed', 'wrong_product', 'revoked_key'];
    for (let i = 0; i < 25; i++) expect(await codes()).toEqual(reasons);
    const unknown = createApiKey();
    expect([(await ask(unknown)).status, (await ask('x')).status, (await ask(unknown)).status]).toEqual([
      401, 401, 429,
    ]);
    expect(await codes()).toEqual(reasons);
  });

  it('go by the address a trusted proxy saw', async () => {
    const { get } = await world({ samples: SAMPLES, limits, trustProxy: true });
    const ask = async (forwarded: string): Promise<number> =>
      (await get('/feeds', { headers: { 'x-forwarded-for': forwarded } })).status;
    expect([await ask('1.1.1.1, 192.0.2.1'), await ask('2.2.2.2, 192.0.2.1'), await ask('3.3.3.3, 192.0.2.1')]).toEqual(
      [200, 200, 429],
    );
    expect(await ask('192.0.2.9')).toBe(200);
  });

  it.each([
    ['192.0.2.1:4444', '192.0.2.1:4445', '192.0.2.1'],
    ['[2001:db8::1]:4444', '[2001:db8::1]', '2001:db8::1'],
  ])('take %s, %s and %s for one caller', async (...addresses) => {
    const { get } = await world({ samples: SAMPLES, limits, trustProxy: true });
    const statuses = [];
    for (const address of addresses)
      statuses.push((await get('/feeds', { headers: { 'x-forwarded-for': address } })).status);
    expect(statuses).toEqual([200, 200, 429]);
  });
});
