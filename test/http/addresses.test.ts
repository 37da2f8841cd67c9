// Addresses beside those of the registers: the index, a slash at the end, and how to sign in, which is not offered.
import { describe, expect, it } from 'vitest';
import { API, BASE_URL, SAMPLES, world } from '../world.ts';

/** For all that only ask. */
const { get, pro, key } = await world({ samples: SAMPLES });

describe('the index', () => {
  it('names what there is by registered relations (RFC 8631), in the body and in Link', async () => {
    const response = await get(API);
    const { links } = (await response.json()) as { links: { rel: string; href: string; type: string }[] };
    expect(response.headers.get('link')).toBe(
      `<${API}/openapi.json>; rel="service-desc", <${API}/reference>; rel="service-doc"`,
    );
    expect(links.map(({ rel }) => rel)).toEqual(['service-desc', 'service-desc', 'service-doc', 'collection', 'mcp']);
    for (const { rel, href, type } of links.filter((link) => link.rel !== 'mcp')) {
      const target = await get(href.replace('{feed_id}', 'permits'));
      expect([rel, target.status, target.headers.get('content-type')!.split(';')[0]]).toEqual([rel, 200, type]);
    }
    expect((await get(API, { headers: { 'if-none-match': response.headers.get('etag')! } })).status).toBe(304);
  });
});

describe('a slash at the end', () => {
  it('belongs to the index as it is described, whose path is that of the server and a slash', async () => {
    expect(await (await get(`${API}/`)).json()).toEqual(await (await get(API)).json());
    const response = await get(`${API}///`);
    expect([response.status, response.headers.get('location')]).toEqual([308, API]);
  });

  it.each(['/feeds', '/feeds/permits', '/feeds/permits/records', '/records/permits:2026-0001', '/reference'])(
    'of %s leads to the path without it, with the query',
    async (path) => {
      for (const end of ['/', '///']) {
        const response = await get(`${path}${end}?limit=2&x=a%20b`);
        expect([response.status, response.headers.get('location')]).toEqual([308, `${API}${path}?limit=2&x=a%20b`]);
        expect(response.headers.get('access-control-allow-origin')).toBe('*');
        expect(await response.text()).toBe('');
      }
      expect((await get(`${path}/`, { method: 'HEAD' })).status).toBe(308);
    },
  );

  it.each([
    ['//evil.example/', 404],
    ['//evil.example/api/v1/', 200],
    ['/api/v1//evil.example/', 404],
    ['/api/v1/https://evil.example/', 404],
    ['/api/v1/feeds/..//evil.example/', 404],
    ['/api/v1/\\evil.example/', 404],
    ['/api/v1/feeds/%2F%2Fevil.example/', 308],
    ['/api/v1/feeds/%0D%0Alocation:evil.example/', 308],
  ])('leads %s to no other host', async (path, status) => {
    const { fetch } = await world({ samples: SAMPLES, baseUrl: BASE_URL });
    const response = await fetch(new Request(BASE_URL + path));
    expect(response.status).toBe(status);
    if (status === 308) expect(URL.parse(response.headers.get('location')!)!.origin).toBe(BASE_URL);
    else expect(response.headers.get('location')).toBeNull();
  });

  it('is not forgiven where nothing is served, nor for a key in the URL', async () => {
    for (const path of ['/nothing/', `${BASE_URL}/healthz/`]) expect((await get(path)).status).toBe(404);
    const response = await get(`/feeds/?api_key=${key}`);
    expect([response.status, response.headers.get('location')]).toEqual([400, null]);
  });

  it('leads a client through, with its key', async () => {
    const { headers } = await pro('/feeds/permits/records/?limit=2');
    const page = (await (await pro(headers.get('location')!)).json()) as { tier: string; records: unknown[] };
    expect([page.tier, page.records.length]).toEqual(['pro', 2]);
    expect((await get('/feeds/permits/records/', { method: 'OPTIONS' })).status).toBe(308);
  });
});

describe('how to sign in', () => {
  it.each([
    '/.well-known/oauth-protected-resource',
    '/.well-known/oauth-protected-resource/api/v1/mcp',
    '/.well-known/oauth-authorization-server',
    '/.well-known/oauth-authorization-server/api/v1/mcp',
    '/.well-known/openid-configuration',
    '/api/v1/mcp/.well-known/openid-configuration',
    '/open-data/.well-known/oauth-protected-resource/api/v1/feeds',
  ])('is not offered at %s', async (path) => {
    for (const method of ['GET', 'POST']) {
      const response = await get(BASE_URL + path, { method });
      expect([response.status, await response.json()]).toEqual([404, expect.objectContaining({ code: 'not_found' })]);
    }
  });
});
