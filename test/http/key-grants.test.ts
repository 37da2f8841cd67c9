// What a key may be used for holds on every surface: its scopes, its registers, its limit.
import { beforeAll, describe, expect, it } from 'vitest';
import type { KeyRequest } from '../../src/operate/accounts.ts';
import { SAMPLE_DEFINITION } from '../contracts/sample-register.ts';
import { API, SAMPLES, type World, world } from '../world.ts';
import { at, say } from '../contracts/store-register.ts';

let service: World;
let record: string;

beforeAll(async () => {
  service = await world({ samples: SAMPLES });
  const definition = SAMPLE_DEFINITION;
  await service.store.createRegister({ ...definition, id: 'laws', uuid: '0b6f1c5e-5d3a-4a8e-9c56-1a1f6f1c2d3e' });
  await service.store.apply('laws', [say('a', { title: 'Asbestos law' }, 'laws')], { recordedAt: at(0) });
  await service.store.createRegister({
    ...{ ...definition, id: 'open', access: 'open', uuid: '0b6f1c5e-5d3a-4a8e-9c56-1a1f6f1c2d3f' },
  });
  const page = (await (await service.pro('/feeds/permits/records?limit=1&offset=50')).json()) as {
    readonly records: readonly { readonly id: string }[];
  };
  record = page.records[0]!.id;
});

/** Asks with a new key. */
async function asker(request: KeyRequest): Promise<(path: string, init?: RequestInit) => Promise<Response>> {
  const { key } = await service.accounts.createKey('acme', request);
  return (path, init = {}) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    return service.fetch(new Request(API + path, { headers, ...init }), { remoteAddress: '203.0.113.7' });
  };
}

/** Every address that shows records of a register, or something that is made of them. */
function addressesOf(feed: string, id: string): readonly string[] {
  const list = `/feeds/${feed}/records`;
  const exports = ['csv', 'xlsx', 'xml', 'rss', 'atom'].map((format) => `${list}/export.${format}`);
  return [
    list,
    ...exports,
    `/feeds/${feed}/changes`,
    `/feeds/${feed}/facets`,
    `/records/${id}`,
    `/records/${id}/history`,
  ];
}

const SAME_FOR_ALL = ['', '/feeds', '/feeds/permits', '/feeds/laws', '/feeds/permits/register.xsd', '/openapi.json'];

describe('a key for some registers', () => {
  it('opens these and no others, not even what the public sees of them', async () => {
    const ask = await asker({ feeds: ['permits'] });
    for (const path of [...addressesOf('permits', record), ...SAME_FOR_ALL]) {
      expect([path, (await ask(path)).status]).toEqual([path, 200]);
    }
    for (const path of [...addressesOf('laws', 'laws:a'), '/feeds/open/records', '/feeds/absent/records']) {
      const response = await ask(path);
      expect([path, response.status]).toEqual([path, 403]);
      expect(response.headers.get('www-authenticate')).toMatch(/^Bearer realm="registers", error="insufficient_scope"/);
      expect(await response.json()).toMatchObject({
        code: 'insufficient_scope',
        detail: expect.stringMatching(/opens these registers only: permits$/) as string,
      });
    }
  });

  it('opens these and no others to agents, whether they name a register or search in all', async () => {
    const ask = await asker({ feeds: ['permits'] });
    const rpc = async (method: string, params: object): Promise<string> => {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
      return (await ask('/mcp', { method: 'POST', body })).text();
    };
    const call = (name: string, given: object): Promise<string> => rpc('tools/call', { name, arguments: given });
    const refused = /opens these registers only: permits/;
    for (const [tool, given] of [
      ['read_register', { feed_id: 'laws' }],
      ['read_record', { record_id: 'laws:a' }],
      ['fetch', { id: 'laws:a' }],
      ['record_history', { record_id: 'laws:a' }],
      ['ask_register', { feed_id: 'laws' }],
      ['changes', { feed_id: 'laws', since: '0' }],
      ['search', { query: 'asbestos', feed_id: 'laws' }],
    ] as const) {
      expect(await call(tool, given)).toMatch(refused);
    }
    expect(await rpc('resources/read', { uri: 'gazette://registers/laws' })).toMatch(refused);
    expect(await rpc('resources/read', { uri: 'gazette://records/laws:a' })).toMatch(refused);
    expect(await call('search', { query: 'asbestos' })).not.toContain('laws:a');
    // The publisher's key without its register, and the names of what there is.
    expect(await call('read_record', { record_id: 'a' })).not.toContain('Asbestos law');
    const template = /gazette:\/\/registers\/[^"]+/.exec(await rpc('resources/templates/list', {}))![0];
    const completed = await rpc('completion/complete', {
      ...{ ref: { type: 'ref/resource', uri: template }, argument: { name: 'document_type', value: '' } },
      context: { arguments: { feed_id: 'laws' } },
    });
    expect(completed).toContain('"values":[]');
    expect(await call('read_register', { feed_id: 'permits', limit: 1 })).toContain('"isError":false');
    const wide = await asker({});
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'read_record', arguments: { record_id: 'laws:a' } } }); // prettier-ignore
    expect(await (await wide('/mcp', { method: 'POST', body })).text()).toContain('Asbestos law');
  });
});

describe('a key without the scope read', () => {
  it('opens no record, not even those of the public', async () => {
    const ask = await asker({ scopes: ['webhooks', 'account'] });
    for (const path of [...addressesOf('permits', record), '/feeds/open/records']) {
      const response = await ask(path);
      expect([path, response.status]).toEqual([path, 403]);
      expect(await response.json()).toMatchObject({
        ...{ code: 'insufficient_scope', detail: expect.stringMatching(/needs a key with the scope read/) as string },
      });
    }
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
    expect((await ask('/mcp', { method: 'POST', body })).status).toBe(403);
    for (const path of SAME_FOR_ALL) expect([path, (await ask(path)).status]).toEqual([path, 200]);
  });
});

it('a key with a limit of its own is counted by it, besides the limit of its account', async () => {
  const { accounts, fetch } = await world({ samples: SAMPLES, limits: { perKey: null } });
  const { key } = await accounts.createKey('acme', { limit: { limit: 2, windowSeconds: 60 } });
  const ask = (): Promise<Response> =>
    fetch(new Request(`${API}/feeds`, { headers: { authorization: `Bearer ${key}` } }));
  const stateOf = (response: Response): unknown => [response.status, response.headers.get('ratelimit')?.slice(0, -2)];
  expect(stateOf(await ask())).toEqual([200, '"key";r=1;t=']);
  await accounts.setLimit('acme', { limit: 1, windowSeconds: 90 });
  expect(stateOf(await ask())).toEqual([200, '"key";r=0;t=']);
  expect(stateOf(await ask())).toEqual([429, '"key";r=0;t=']);
  const other = await accounts.createKey('acme', { limit: { limit: 9, windowSeconds: 60 } });
  const second = await fetch(new Request(`${API}/feeds`, { headers: { authorization: `Bearer ${other.key}` } }));
  expect(stateOf(second)).toEqual([429, '"account";r=0;t=']);
});
