// Every kind of credentials on every route: what is answered, how it may be cached, and that nothing of PRO reaches
// whoever may not see it.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createApiKey, newKeyEntry } from '../../src/access/api-key.ts';
import { world, keyAt, PRODUCT, type ProblemBody, SECRET } from '../world.ts';
import { at, say } from '../contracts/store-register.ts';
import { post, rpc } from '../mcp/agent.ts';
import { RUNS } from '../properties/arbitraries.ts';

const COUNT = 12;
const OLD = `permits:${keyAt(2)}`;
const WITHDRAWN = `permits:${keyAt(5)}`;

/** Answers that depend on who asks. */
const PUBLIC_ROUTES = ['/feeds', '/feeds/permits', '/feeds/permits/records', `/records/${OLD}`] as const;
/** Answers that are the same for all. */
const DOCUMENTS = ['/feeds/permits/register.xsd', '/openapi.json', '/reference'] as const;
const PRO_ROUTES = [
  '/feeds/permits/records/export.csv',
  '/feeds/permits/records/export.xlsx',
  '/feeds/permits/records/export.xml',
  '/feeds/permits/records/export.rss',
  '/feeds/permits/records/export.atom',
  '/feeds/permits/changes',
  `/records/${OLD}/history`,
] as const;
const ROUTES: readonly string[] = [...PUBLIC_ROUTES, ...DOCUMENTS, ...PRO_ROUTES];

const service = await world({ records: COUNT });
const { store } = service;
await store.withdraw('permits', [WITHDRAWN], { recordedAt: at(2) });

const make = async (accountId: string, product = PRODUCT): Promise<{ key: string; id: string }> => {
  const key = createApiKey();
  const { id } = await store.accounts.createKey(newKeyEntry(key, { accountId, product, createdAt: at(0) }));
  return { key, id };
};
const rotate = async (endsAt: string): Promise<string> => {
  const old = await make('acme');
  const next = newKeyEntry(createApiKey(), { accountId: 'acme', product: PRODUCT, createdAt: at(1) });
  await store.accounts.rotateKey(old.id, next, { endsAt });
  return old.key;
};
for (const [id, accessUntil] of [
  ['lapsed', at(30)],
  ['never', null],
  ['suspended', at(9999)],
] as const) {
  await store.accounts.createAccount({ id, accessUntil, createdAt: at(0) });
}
await store.accounts.updateAccount('suspended', { isSuspended: true });
const revoked = await make('acme');
await store.accounts.revokeKey(revoked.id, { revokedAt: at(1) });

const bearer = (key: string): string => `Bearer ${key}`;
const mistyped = service.key.slice(0, -1) + (service.key.endsWith('0') ? '1' : '0');
/** The Authorization header of each kind of credentials that is refused, with its code. */
const refused: Readonly<Record<string, readonly [authorization: string, status: number, code: string]>> = {
  'a malformed key': [bearer('nonsense'), 401, 'malformed_key'],
  'a mistyped key': [bearer(mistyped), 401, 'malformed_key'],
  'no key behind the scheme': ['Bearer', 401, 'malformed_key'],
  'another scheme': [`Basic ${Buffer.from(`acme:${service.key}`).toString('base64')}`, 401, 'malformed_key'],
  'an unknown key': [bearer(createApiKey()), 401, 'unknown_key'],
  'a revoked key': [bearer(revoked.key), 401, 'revoked_key'],
  'a rotated key after its grace': [bearer(await rotate(at(59))), 401, 'rotated_key'],
  'a key of another product': [bearer((await make('acme', 'others')).key), 401, 'wrong_product'],
  'a key whose access has lapsed': [bearer((await make('lapsed')).key), 401, 'access_lapsed'],
  'a key of an account that never had access': [bearer((await make('never')).key), 401, 'access_lapsed'],
  'a key of a suspended account': [bearer((await make('suspended')).key), 401, 'account_suspended'],
  'two keys': [`${bearer(service.key)}, ${bearer(service.key)}`, 400, 'repeated_credentials'],
};
/** The Authorization header of each kind that is accepted. */
const accepted: Readonly<Record<string, string>> = {
  'a valid key': bearer(service.key),
  'a lower-case scheme': `bearer ${service.key}`,
  'an upper-case scheme': `BEARER ${service.key}`,
  'a rotated key within its grace': bearer(await rotate(at(61))),
};

const REFUSED = [
  'a malformed key',
  'a mistyped key',
  'no key behind the scheme',
  'another scheme',
  'an unknown key',
  'a revoked key',
  'a rotated key after its grace',
  'a key of another product',
  'a key whose access has lapsed',
  'a key of an account that never had access',
  'a key of a suspended account',
  'two keys',
];
const ACCEPTED = ['a valid key', 'a lower-case scheme', 'an upper-case scheme', 'a rotated key within its grace'];

/** What a HEAD and a GET have in common, with the GET's body. */
async function ask(path: string, headers: Readonly<Record<string, string>>): Promise<[Response, string]> {
  const response = await service.get(path, { headers });
  const head = await service.get(path, { headers, method: 'HEAD' });
  const names = ['Content-Type', 'Content-Length', 'Cache-Control', 'Vary', 'ETag', 'WWW-Authenticate', 'Link'];
  const shown = (answer: Response): unknown[] => [answer.status, ...names.map((name) => answer.headers.get(name))];
  // A problem names its request, so that two of them differ in nothing else.
  expect(shown(head)).toEqual(shown(response));
  expect(await head.text()).toBe('');
  return [response, await response.text()];
}

describe('credentials', () => {
  it.each(REFUSED)('refuses %s on every route, the public ones too', async (kind) => {
    const [authorization, status, code] = refused[kind]!;
    for (const path of ROUTES) {
      const [response, text] = await ask(path, { Authorization: authorization });
      const body = JSON.parse(text) as ProblemBody;
      expect([path, response.status, body.status, body.code]).toEqual([path, status, status, code]);
      expect(response.headers.get('Cache-Control')).toBe('no-store');
      expect(response.headers.get('Vary')).toContain('Authorization');
      expect(body.request_id).toBe(response.headers.get('X-Request-Id'));
      expect(text).not.toContain(SECRET);
      const challenge = response.headers.get('WWW-Authenticate');
      if (status === 401) expect(challenge).toMatch(/^Bearer realm="registers", error="invalid_token"/);
      else expect(challenge).toBeNull();
      // The credentials themselves are told to nobody.
      expect(text + [...response.headers.values()].join('\n')).not.toContain(authorization.slice(7, 40) || 'Bearer x');
    }
  });

  it.each(REFUSED)('refuses %s to agents too, before it looks at what they ask', async (kind) => {
    const [authorization, status, code] = refused[kind]!;
    for (const message of [rpc('tools/list'), 'no JSON']) {
      const reply = await post(service, message, { authorization });
      expect([reply.status, reply.body?.code]).toEqual([status, code]);
      expect(reply.headers.get('Cache-Control')).toBe('no-store');
      expect(reply.headers.get('Vary')).toContain('Authorization');
      const challenge = reply.headers.get('WWW-Authenticate');
      if (status === 401) expect(challenge).toMatch(/^Bearer realm="registers", error="invalid_token"/);
      else expect(challenge).toBeNull();
    }
  });

  it.each(ACCEPTED)('opens every route to %s, for nobody else to keep', async (kind) => {
    for (const path of ROUTES) {
      const [response] = await ask(path, { Authorization: accepted[kind]! });
      expect([path, response.status]).toEqual([path, 200]);
      expect(response.headers.get('Vary')).toContain('Authorization');
      if (!(DOCUMENTS as readonly string[]).includes(path)) {
        expect([path, response.headers.get('Cache-Control')]).toEqual([path, 'private, no-cache']);
      }
    }
  });

  it('answers requests without credentials on public routes, for a minute', async () => {
    for (const path of [...PUBLIC_ROUTES, ...DOCUMENTS]) {
      const [response, text] = await ask(path, {});
      expect([path, response.status]).toEqual([path, 200]);
      expect(response.headers.get('Cache-Control')).toMatch(/^public, max-age=\d+/);
      expect(response.headers.get('Vary')).toContain('Authorization');
      expect(text).not.toContain(SECRET);
    }
    const list = await service.get('/feeds/permits/records');
    expect(list.headers.get('Cache-Control')).toBe('public, max-age=60');
  });

  it('asks for a key on PRO routes, without calling the absence of one an error', async () => {
    for (const path of PRO_ROUTES) {
      const [response, text] = await ask(path, {});
      expect([path, response.status, (JSON.parse(text) as ProblemBody).code]).toEqual([
        path,
        401,
        'credentials_required',
      ]);
      expect(response.headers.get('WWW-Authenticate')).toBe('Bearer realm="registers"');
      expect(response.headers.get('Cache-Control')).toBe('no-store');
    }
  });

  it.each(['api_key', 'key', 'token', 'access_token', 'API_KEY', 'api%5Fkey'])(
    'refuses ?%s= on every route, also beside a valid header, and does not repeat it',
    async (parameter) => {
      for (const path of [...ROUTES, '/nothing']) {
        for (const headers of [{}, { Authorization: accepted['a valid key']! }]) {
          const response = await service.get(`${path}?limit=2&${parameter}=${service.key}`, { headers });
          const text = await response.text();
          expect([path, response.status, (JSON.parse(text) as ProblemBody).code]).toEqual([
            path,
            400,
            'credentials_in_url',
          ]);
          expect(text + [...response.headers.values()].join('\n')).not.toContain(service.key);
          expect(response.headers.get('Cache-Control')).toBe('no-store');
        }
      }
    },
  );

  it('are told to nobody where a key stands in the path or a parameter', async () => {
    for (const key of [service.key, service.key.slice(0, -3), service.key.replaceAll('_', '%5F')]) {
      for (const path of [
        `/feeds/${key}`,
        `/feeds/${key}/records`,
        `/records/${key}`,
        `/records/permits:${key}`,
        `/feeds/permits/records/export.${key}`,
        `/feeds/permits/records?limit=${key}`,
        `/reference/${key}`,
        `/${key}`,
      ]) {
        const response = await service.pro(path);
        expect([path, response.status < 500 && response.status >= 400]).toEqual([path, true]);
        const { detail } = (await response.json()) as ProblemBody;
        // A whole key in a parameter is refused as such; elsewhere the message shows what is left of it.
        expect(detail).toMatch(/gz_…|do not send a key in a URL/);
        expect(detail).not.toContain(service.key.slice(3, 20));
      }
    }
  });

  it('says 401 to a bad key before it says anything about the resource', async () => {
    const [authorization] = refused['a revoked key']!;
    const headers = { Authorization: authorization };
    const etag = (await service.pro('/feeds/permits/records')).headers.get('ETag')!;
    for (const path of ['/feeds/nothing/records', '/records/permits:nothing', `/records/${WITHDRAWN}`]) {
      expect([path, (await service.get(path, { headers })).status]).toEqual([path, 401]);
    }
    const conditional = { ...headers, 'If-None-Match': etag };
    expect((await service.get('/feeds/permits/records', { headers: conditional })).status).toBe(401);
  });

  it('never gives one tier’s 304 to the other', async () => {
    for (const path of ['/feeds/permits/records?limit=3', `/records/${OLD}`]) {
      const pro = (await service.pro(path)).headers.get('ETag')!;
      const open = (await service.get(path)).headers.get('ETag')!;
      expect(pro).not.toBe(open);
      expect((await service.get(path, { headers: { 'If-None-Match': pro } })).status).toBe(200);
      const asked = await service.get(path, { key: service.key, headers: { 'If-None-Match': open } });
      expect(asked.status).toBe(200);
    }
  });
});

describe('the public', () => {
  const segment = fc.oneof(
    fc.constantFrom('permits', 'notices', 'nothing', `permits:${keyAt(1)}`, OLD, WITHDRAWN, `permits:${keyAt(COUNT)}`),
    fc.string({ maxLength: 8 }).map(encodeURIComponent),
  );
  const paths = fc.oneof(
    fc.constantFrom(...ROUTES),
    segment.map((id) => `/records/${id}`),
    segment.map((id) => `/records/${id}/history`),
    fc
      .tuple(segment, fc.constantFrom('records', 'changes', 'register.xsd'))
      .map(([id, rest]) => `/feeds/${id}/${rest}`),
  );
  const parameters = fc.dictionary(
    fc.constantFrom('limit', 'offset', 'as_of', 'document_type', 'facility_id', 'since', 'tier', 'preview'),
    fc.oneof(
      fc.integer({ min: -1, max: 120 }).map(String),
      fc.constantFrom('adopted', 'draft', 'FAC-0003', 'pro', 'x'),
    ),
    { maxKeys: 4 },
  );
  const headers = fc.record(
    {
      Accept: fc.constantFrom('*/*', 'text/csv', 'application/json'),
      'If-None-Match': fc.constantFrom('*', '"x"'),
      Range: fc.constant('bytes=0-10'),
      'X-Forwarded-Host': fc.constant('evil.example'),
    },
    { requiredKeys: [] },
  );

  it('never sees a byte of what is PRO, whatever it asks and whatever bad key it shows', async () => {
    const kinds = fc.constantFrom('none', ...REFUSED);
    await fc.assert(
      fc.asyncProperty(paths, parameters, headers, kinds, async (path, query, extra, kind) => {
        const authorization = kind === 'none' ? {} : { Authorization: refused[kind]![0] };
        const search = new URLSearchParams(query).toString();
        const response = await service.get(`${path}${search === '' ? '' : `?${search}`}`, {
          headers: { ...extra, ...authorization },
        });
        const text = Buffer.from(await response.arrayBuffer()).toString('latin1');
        expect(text).not.toContain(SECRET);
        expect(response.status).toBeLessThan(500);
        const isShared = response.headers.get('Cache-Control')?.startsWith('public') === true;
        expect(response.headers.has('X-Request-Id')).toBe(!isShared);
      }),
      { numRuns: 5 * RUNS },
    );
  });

  it('does see it with a key, so that the search above can find something', async () => {
    const found = await (await service.pro(`/records/${OLD}`)).text();
    expect(found).toContain(SECRET);
  });

  it('sees a record that left the latest three with the id and the dates it had', async () => {
    const other = await world({ records: 3 });
    const { store } = other;
    const path = `/records/permits:${keyAt(1)}`;
    const read = async (): Promise<Record<string, unknown>> => (await (await other.get(path)).json()) as never;
    const before = await read();
    await store.apply('permits', [say('newer')], { recordedAt: at(2) });
    const after = await read();
    expect([before.preview, after.preview]).toEqual([undefined, true]);
    for (const name of ['id', 'title', 'source_url', 'published_at', 'observed_at', 'document_type']) {
      expect([name, after[name]]).toEqual([name, before[name]]);
    }
  });
});
