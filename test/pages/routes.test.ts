// How pages for people stand beside the API: where they are, who they are for, their errors, their languages, their caching.
import { describe, expect, it } from 'vitest';
import { API, BASE_URL, SAMPLES, world } from '../world.ts';
import { find } from './documents.ts';

/** For all that only ask. */
const { get, pro, key } = await world({ samples: SAMPLES });

/** As a browser asks. */
const BROWSER = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };

describe('a page', () => {
  it('is at the root, in HTML, with a policy that allows no script and no other host', async () => {
    const response = await get(`${BASE_URL}/?utm_source=letter`, { headers: BROWSER });
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const policy = response.headers.get('content-security-policy')!;
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    expect(response.headers.get('vary')).toBe('Cookie, Accept-Language, Accept-Encoding, Host');
    expect(response.headers.get('cache-control')).toBe('public, max-age=60');
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
    const again = await get(`${BASE_URL}/`, {
      headers: { ...BROWSER, 'if-none-match': response.headers.get('etag')! },
    });
    expect(again.status).toBe(304);
  });

  it('has a style sheet that caches may keep, since its name changes with it', async () => {
    const page = await (await get(`${BASE_URL}/`)).text();
    const [, href] = /<link rel="stylesheet" href="([^"]+)"/.exec(page)!;
    const response = await get(BASE_URL + href!);
    expect(response.headers.get('content-type')).toBe('text/css; charset=utf-8');
    expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(await response.text()).toContain('prefers-color-scheme: dark');
    expect((await get(`${BASE_URL}/assets/gazette-000000000000.css`)).status).toBe(404);
  });

  it('never knows its reader by Authorization', async () => {
    const response = await pro(`${BASE_URL}/`);
    expect(response.headers.get('cache-control')).toBe('public, max-age=60');
    expect(await response.text()).toBe(await (await get(`${BASE_URL}/`)).text());
    expect((await get(`${BASE_URL}/`, { headers: { authorization: 'Bearer nonsense' } })).status).toBe(200);
  });

  it.each(['api_key', 'token', 'access_token'])('is refused with %s in its address', async (name) => {
    const response = await get(`${BASE_URL}/?${name}=${key}`, { headers: BROWSER });
    expect([response.status, response.headers.get('content-type')]).toEqual([400, 'text/html; charset=utf-8']);
    expect(await response.text()).not.toContain(key);
  });

  it('is counted as other requests are', async () => {
    const { get } = await world({ samples: SAMPLES, limits: { perAddress: { limit: 2, windowSeconds: 60 } } });
    const statuses = [];
    for (let i = 0; i < 3; i++) statuses.push((await get(`${BASE_URL}/?n=${i}`, { headers: BROWSER })).status);
    expect(statuses).toEqual([200, 200, 429]);
    const refused = await get(`${BASE_URL}/`, { headers: BROWSER });
    expect(refused.headers.get('retry-after')).toMatch(/^\d+$/);
    expect(await refused.text()).toContain('Too many requests');
  });

  it('takes no other method', async () => {
    const response = await get(`${BASE_URL}/`, { headers: BROWSER, method: 'POST' });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
  });

  it('is not there where the operator wants none', async () => {
    const { get } = await world({ samples: SAMPLES, pages: false });
    const response = await get(`${BASE_URL}/`, { headers: BROWSER });
    expect([response.status, response.headers.get('content-type')]).toEqual([404, 'application/problem+json']);
  });
});

describe('where nothing is', () => {
  it('is a page for browsers, and a problem for programs', async () => {
    const typeOf = async (address: string, accept?: string): Promise<(string | number | null)[]> => {
      const response = await get(address, { headers: accept === undefined ? {} : { accept } });
      return [response.status, response.headers.get('content-type')];
    };
    expect(await typeOf(`${BASE_URL}/nothing`, BROWSER.accept)).toEqual([404, 'text/html; charset=utf-8']);
    for (const accept of [undefined, '*/*', 'application/json', 'application/json, text/html;q=0.9'])
      expect(await typeOf(`${BASE_URL}/nothing`, accept)).toEqual([404, 'application/problem+json']);
    expect(await typeOf(`${API}/nothing`, BROWSER.accept)).toEqual([404, 'text/html; charset=utf-8']);
    expect(await typeOf(`${API}/nothing`)).toEqual([404, 'application/problem+json']);
  });

  it.each([
    ['/feeds/permits/records/export.csv', 401, 'It needs paid access'],
    ['/feeds/permits/register.xlsx', 401, 'It needs paid access'],
    ['/feeds/permits/changes', 401, 'It needs paid access'],
    ['/feeds/none/records', 404, 'Check the address'],
    ['/records/permits:none', 404, 'Check the address'],
    ['/feeds/permits/records?limit=x', 400, 'Something in the address'],
    ['/account', 401, 'It needs paid access'],
    ['/mcp', 405, 'the method must be one of POST, OPTIONS'],
  ])('a browser at %s of the API gets a page with its status', async (path, status, said) => {
    const response = await get(API + path, { headers: { ...BROWSER, 'accept-language': 'en' } });
    expect([response.status, response.headers.get('content-type')]).toEqual([status, 'text/html; charset=utf-8']);
    expect(await response.text()).toContain(said);
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
    const told = await get(API + path);
    expect([told.status, told.headers.get('content-type')]).toEqual([status, 'application/problem+json']);
    for (const field of ['allow', 'www-authenticate']) {
      expect([field, response.headers.get(field)]).toEqual([field, told.headers.get(field)]);
    }
  });

  it('says in the reader’s language what to do, and what the service says in English', async () => {
    const response = await get(`${BASE_URL}/nothing`, {
      headers: { ...BROWSER, 'accept-language': 'fr, de-CH;q=0.9' },
    });
    const page = await response.text();
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(page).toContain('<html lang="de">');
    expect(page).toContain('lang="en">nothing is served at');
    expect(page).toContain(response.headers.get('x-request-id'));
  });
});

describe('the reference', () => {
  it('has the site’s header, and says where its content is', async () => {
    const page = await (await get(`${BASE_URL}/data/api/v1/reference`)).text();
    const links = find(page, 'a').map(({ attributes }) => attributes.get('href'));
    expect(links.slice(0, 4)).toEqual(['#content', '/data/', '/data/', '/data/guide']);
    expect(find(page, 'a', { 'aria-current': 'page' }).map(({ text }) => text)).toEqual(['API reference']);
    expect(find(page, 'div', { id: 'content' })).toHaveLength(1);
    const style = await (await get(`${API}/reference/reference.css`)).text();
    expect(style).toContain('header.site');
    const { get: alone } = await world({ samples: SAMPLES, pages: false });
    expect(find(await (await alone(`${API}/reference`)).text(), 'header')).toEqual([]);
  });
});

describe('a mount', () => {
  it.each([
    ['https://example.org/open', '/open/', '/open/assets/'],
    ['https://example.org/open', '/', '/open/assets/'],
    ['https://example.org', '/', '/assets/'],
  ])('of %s has the first page at %s', async (baseUrl, path, assets) => {
    const { get } = await world({ samples: SAMPLES, baseUrl, anyPrefix: false });
    const page = await (await get(BASE_URL + path, { headers: BROWSER })).text();
    expect(page).toContain(`href="${assets}gazette-`);
  });

  it('without its slash leads to it', async () => {
    const { get } = await world({ samples: SAMPLES, baseUrl: 'https://example.org/open', anyPrefix: false });
    const response = await get(`${BASE_URL}/open?lang=de`);
    expect([response.status, response.headers.get('location')]).toEqual([308, 'https://example.org/open/?lang=de']);
  });

  it('that a server chose is the root of every link', async () => {
    const page = await (await get(`${BASE_URL}/data/registers/`, { headers: BROWSER })).text();
    expect(page).toContain('href="/data/registers/assets/gazette-');
    expect(page).toContain('href="/data/registers/api/v1/reference"');
  });
});
