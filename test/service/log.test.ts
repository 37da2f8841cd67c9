// The line of an answer: what was asked of which register, by whom, and nothing that a client could hide a key in.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { networkOf } from '../../src/service/log-line.ts';
import { tries } from '../effort.ts';
import { API, SAMPLES, world, type World } from '../world.ts';

type Line = Readonly<Record<string, unknown>>;

const lastOf = ({ lines }: World): Line => lines.at(-1) as Line;

/** Sends a message for agents. */
const tell = ({ fetch }: World, message: unknown, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(
    new Request(`${API}/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(message),
    }),
  );
const call = (name: unknown, given: unknown): object => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, arguments: given },
});

describe('a line of the log', () => {
  it.each([
    ['/feeds/permits', 'permits'],
    ['/feeds/permits/records/export.csv', 'permits'],
    ['/records/permits:2026-0001/history', 'permits'],
    ['/records/nothing', undefined],
    ['/feeds/NOT%20AN%20ID', undefined],
    ['/feeds', undefined],
  ])('of %s names the register %s', async (path, register) => {
    const service = await world({ samples: SAMPLES });
    await service.pro(path);
    expect(lastOf(service).register).toBe(register);
  });

  it('names the method, the tool and the register of an agent', async () => {
    const service = await world({ samples: SAMPLES });
    await tell(service, call('read_register', { feed_id: 'permits' }));
    const common = { route: '/mcp', mcp_method: 'tools/call' };
    expect(lastOf(service)).toMatchObject({ ...common, mcp_tool: 'read_register', register: 'permits' });
    await tell(service, call('read_record', { id: 'permits:2026-0120' }));
    expect(lastOf(service)).toMatchObject({ ...common, mcp_tool: 'read_record', register: 'permits' });
    await tell(service, { jsonrpc: '2.0', id: 1, method: 'tools/list' });
    expect(lastOf(service)).toMatchObject({ mcp_method: 'tools/list' });
    expect(lastOf(service)).not.toHaveProperty('mcp_tool');
  });

  it('has the ids that a request brought, where they have the form of ids', async () => {
    const service = await world({ samples: SAMPLES });
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const response = await service.get('/feeds/permits/changes', {
      headers: { 'x-request-id': 'proxy/7f-3', traceparent },
    });
    expect(lastOf(service)).toMatchObject({ given_request_id: 'proxy/7f-3', traceparent });
    // The answer's own id stays ours: a client's may come twice.
    expect(response.headers.get('x-request-id')).toBe(lastOf(service).request_id);
    for (const [name, value] of [
      ['x-request-id', 'a b'],
      ['x-request-id', 'x'.repeat(129)],
      ['x-request-id', service.key],
      ['traceparent', `00-${'0'.repeat(32)}-b7ad6b7169203331-01`],
      ['traceparent', traceparent.toUpperCase()],
    ]) {
      await service.get('/feeds', { headers: { [name!]: value! } });
      expect(lastOf(service)).not.toHaveProperty('given_request_id');
      expect(lastOf(service)).not.toHaveProperty('traceparent');
    }
  });

  it('says whose request it was, unless the operator wants it otherwise', async () => {
    const told = await world({ samples: SAMPLES });
    await told.pro('/feeds');
    expect(lastOf(told)).toMatchObject({ account: 'acme', key_ends: told.key.slice(-4), network: '203.0.113.0/24' });
    const silent = await world({ samples: SAMPLES, logCallers: false });
    await silent.pro('/feeds');
    for (const name of ['account', 'key', 'key_ends', 'network']) expect(lastOf(silent)).not.toHaveProperty(name);
  });

  it.each([
    ['192.0.2.77', '192.0.2.0/24'],
    ['::ffff:192.0.2.77', '192.0.2.0/24'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1::/48'],
    ['fe80::1%eth0', 'fe80:0:0::/48'],
  ])('shortens %s to %s', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });

  it('has no address that is none, whatever a proxy says', async () => {
    const service = await world({ samples: SAMPLES, trustProxy: true });
    await service.get('/feeds', { headers: { 'x-forwarded-for': 'somebody@example.org' } });
    expect(lastOf(service)).not.toHaveProperty('network');
  });

  it('never has a key, wherever it is sent', async () => {
    const service = await world({ samples: SAMPLES });
    const { key } = service;
    const secret = key.slice(3, 35);
    const places = fc.constantFrom<(text: string) => Promise<Response>>(
      (text) => service.get('/feeds', { headers: { 'x-request-id': text } }),
      (text) => service.get('/feeds', { headers: { traceparent: text } }),
      (text) => service.get(`/feeds/${encodeURIComponent(text)}`),
      (text) => service.get(`/records/${encodeURIComponent(text)}:1`),
      (text) => service.get('/feeds', { headers: { 'x-forwarded-for': text } }),
      (text) => tell(service, call(text, {})),
      (text) => tell(service, call('read_register', { feed_id: text })),
      (text) => tell(service, call('read_record', { id: `${text}:1` })),
      (text) => tell(service, { jsonrpc: '2.0', id: 1, method: text }),
    );
    const texts = fc.constantFrom(key, key.toLowerCase(), ` ${key}`, `x-${key}`, `${key}/1`);
    await fc.assert(
      fc.asyncProperty(places, texts, async (send, text) => {
        await send(text);
        expect(JSON.stringify(lastOf(service)).toLowerCase()).not.toContain(secret.toLowerCase());
      }),
      { numRuns: tries(20, 2000) },
    );
  });
});
