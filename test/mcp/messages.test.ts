// Messages that are wrong, each with what is said of it; and who may ask at all.
import { describe, expect, it } from 'vitest';
import { createGazette, type Gazette, type GazetteOptions } from '../../src/service/create-gazette.ts';
import { closedAfter } from '../closed-after.ts';
import { BASE_URL, world, PRODUCT } from '../world.ts';
import { MCP_URL, modern, MODERN_META, post, read, rpc } from './agent.ts';

const service = await world({ records: 5 });

const PING = rpc('ping');
const VERSION = { 'mcp-protocol-version': '2026-07-28' };
const META_VERSION = 'io.modelcontextprotocol/protocolVersion';
const META_CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';

type Case = readonly [
  title: string,
  body: unknown,
  headers: Record<string, string>,
  status: number,
  code: number,
  id: unknown,
];

const LIST = modern('tools/list');
const CALL = modern('tools/call', { name: 'list_registers', arguments: {} });
const without = (headers: Readonly<Record<string, string>>, name: string): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([other]) => other !== name));

const WRONG: readonly Case[] = [
  ['no JSON', '{', {}, 400, -32700, null],
  ['nothing', '', {}, 400, -32700, null],
  ['no UTF-8', Uint8Array.of(0x22, 0xff, 0x22), {}, 400, -32700, null],
  ['a batch', [PING], {}, 400, -32600, null],
  ['an empty batch', [], {}, 400, -32600, null],
  ['a text', '"ping"', {}, 400, -32600, null],
  ['null', 'null', {}, 400, -32600, null],
  ['no jsonrpc', { id: 7, method: 'ping' }, {}, 400, -32600, 7],
  ['another jsonrpc', { jsonrpc: '1.0', id: 'x', method: 'ping' }, {}, 400, -32600, 'x'],
  ['a null id', rpc('ping', {}, null), {}, 400, -32600, null],
  ['a fractional id', rpc('ping', {}, 1.5), {}, 400, -32600, null],
  [
    'an id that JSON would change',
    '{"jsonrpc":"2.0","id":12345678901234567890,"method":"ping"}',
    {},
    400,
    -32600,
    null,
  ],
  ['an object as id', rpc('ping', {}, {}), {}, 400, -32600, null],
  ['a boolean id', rpc('ping', {}, true), {}, 400, -32600, null],
  ['an endless id', rpc('ping', {}, 'x'.repeat(1001)), {}, 400, -32600, null],
  ['no method', { jsonrpc: '2.0', id: 1 }, {}, 400, -32600, 1],
  ['a number as method', { jsonrpc: '2.0', id: 1, method: 3 }, {}, 400, -32600, 1],
  ['parameters in a list', rpc('ping', []), {}, 400, -32602, 1],
  ['an unknown method', rpc('prompts/list'), {}, 200, -32601, 1],
  ['a method of objects', rpc('constructor'), {}, 200, -32601, 1],
  ['an unknown tool', rpc('tools/call', { name: 'drop_register' }), {}, 200, -32602, 1],
  ['no tool', rpc('tools/call'), {}, 200, -32602, 1],
  ['a cursor that was never given', rpc('tools/list', { cursor: 'x' }), {}, 200, -32602, 1],
  ['an unknown version', PING, { 'mcp-protocol-version': '1900-01-01' }, 400, -32022, 1],
  ['a method of the other era', rpc('server/discover'), {}, 400, -32602, 1],

  ['modern: without _meta', rpc('tools/list'), LIST[1], 400, -32602, 1],
  ['modern: without a version', rpc('tools/list', { _meta: { [META_CAPABILITIES]: {} } }), LIST[1], 400, -32602, 1],
  [
    'modern: without capabilities',
    rpc('tools/list', { _meta: { [META_VERSION]: '2026-07-28' } }),
    LIST[1],
    400,
    -32602,
    1,
  ],
  [
    'modern: a number as version',
    rpc('tools/list', { _meta: { ...MODERN_META, [META_VERSION]: 1 } }),
    LIST[1],
    400,
    -32602,
    1,
  ],
  ['modern: no MCP-Protocol-Version', LIST[0], without(LIST[1], 'mcp-protocol-version'), 400, -32020, 1],
  [
    'modern: another MCP-Protocol-Version',
    LIST[0],
    { ...LIST[1], 'mcp-protocol-version': '2025-11-25' },
    400,
    -32020,
    1,
  ],
  ['modern: no Mcp-Method', LIST[0], VERSION, 400, -32020, 1],
  ['modern: another Mcp-Method', LIST[0], { ...LIST[1], 'mcp-method': 'TOOLS/LIST' }, 400, -32020, 1],
  ['modern: no Mcp-Name', CALL[0], without(CALL[1], 'mcp-name'), 400, -32020, 1],
  ['modern: another Mcp-Name', CALL[0], { ...CALL[1], 'mcp-name': 'read_register' }, 400, -32020, 1],
  ['modern: an Mcp-Name in bad Base64', CALL[0], { ...CALL[1], 'mcp-name': '=?base64?bGlzd?=' }, 400, -32020, 1],
  [
    'modern: an unknown version',
    rpc('tools/list', { _meta: { ...MODERN_META, [META_VERSION]: '2027-01-01' } }),
    { ...LIST[1], 'mcp-protocol-version': '2027-01-01' },
    400,
    -32022,
    1,
  ],
  [
    'modern: no Mcp-Name for a resource',
    ...modern('resources/read', { uri: 'gazette://registers/permits' }),
    400,
    -32020,
    1,
  ],
  ['a cursor of templates, which have one page', rpc('resources/templates/list', { cursor: 'x' }), {}, 200, -32602, 1],
  ['modern: a method that went', ...modern('ping'), 404, -32601, 1],
  ['modern: a handshake', ...modern('initialize'), 404, -32601, 1],
  ['modern: an unknown method', ...modern('subscriptions/listen'), 404, -32601, 1],
  ['modern: an unknown tool', ...modern('tools/call', { name: 'drop_register' }), 200, -32602, 1],
  ['modern: a cursor that was never given', ...modern('tools/list', { cursor: 'x' }), 200, -32602, 1],
];

describe('a message that is wrong', () => {
  it.each(WRONG)('is answered in the protocol’s words: %s', async (_, body, headers, status, code, id) => {
    const reply = await post(service, body, headers);
    expect([reply.status, reply.body?.error?.code, reply.body?.id]).toEqual([status, code, id]);
    expect(reply.body!.jsonrpc).toBe('2.0');
    expect(reply.body!.result).toBeUndefined();
    expect(reply.headers.get('content-type')).toBe('application/json');
    expect(reply.headers.get('cache-control')).toBe('no-store');
  });

  it('is told which versions there are', async () => {
    const reply = await post(service, PING, { 'mcp-protocol-version': '1900-01-01' });
    expect(reply.body!.error!.data).toEqual({
      supported: ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'],
      requested: '1900-01-01',
    });
  });
});

describe('a message that is right', () => {
  it.each([[1], ['1'], [0], [-5], [''], ['ü'], [2 ** 53 - 1]])('gets its id back as it was: %j', async (id) => {
    expect((await post(service, rpc('ping', {}, id))).body).toEqual({ jsonrpc: '2.0', id, result: {} });
  });

  it.each([
    ['2025-06-18', '2025-06-18'],
    ['2025-11-25', '2025-11-25'],
    ['2025-03-26', '2025-03-26'],
    ['2024-11-05', '2024-11-05'],
    ['2023-01-01', '2025-11-25'],
    ['2026-07-28', '2025-11-25'],
    ['2099-01-01', '2025-11-25'],
    [undefined, '2025-06-18'],
    [null, '2025-06-18'],
  ])('agrees on a version: asked for %s, says %s', async (protocolVersion, expected) => {
    const { body } = await post(service, rpc('initialize', { protocolVersion }));
    expect(body!.result!.protocolVersion).toBe(expected);
  });

  it.each(['2023-01-01', '2026-07-28', 'x'])(
    'agrees on a version by its body, whatever the header says: %s',
    async (header) => {
      const asked = rpc('initialize', { protocolVersion: '2025-03-26' });
      const { status, body } = await post(service, asked, { 'mcp-protocol-version': header });
      expect([status, body!.result?.protocolVersion]).toEqual([200, '2025-03-26']);
    },
  );

  it('is answered as JSON, whatever Accept says', async () => {
    for (const accept of ['text/event-stream', 'application/json, text/event-stream', '*/*', 'text/html']) {
      const reply = await post(service, PING, { accept });
      expect([reply.status, reply.headers.get('content-type')]).toEqual([200, 'application/json']);
    }
  });

  it.each([
    ['a notification', { jsonrpc: '2.0', method: 'notifications/initialized' }, {}],
    ['a notification nobody knows', { jsonrpc: '2.0', method: 'notifications/x', params: {} }, {}],
    ['a notification of 2026-07-28', { jsonrpc: '2.0', method: 'notifications/x' }, VERSION],
    ['a call that wants no answer', { jsonrpc: '2.0', method: 'tools/call', params: { name: 'list_registers' } }, {}],
    ['an answer to nothing', { jsonrpc: '2.0', id: 1, result: {} }, {}],
  ])('is accepted without a word: %s', async (_, body, headers) => {
    const reply = await post(service, body, headers);
    expect([reply.status, reply.text]).toEqual([202, '']);
  });

  it('takes a null cursor for none', async () => {
    expect((await post(service, rpc('tools/list', { cursor: null }))).body!.result).toHaveProperty('tools');
  });

  it('says which parameter is missing', async () => {
    expect((await post(service, rpc('tools/call', {}))).body!.error!.message).toMatch(/^params\.name must be a tool: /);
  });

  it('ignores a session it never opened', async () => {
    const reply = await post(service, PING, { 'mcp-session-id': 'x', 'last-event-id': '3' });
    expect([reply.status, reply.headers.get('mcp-session-id')]).toEqual([200, null]);
  });

  it('of 2026-07-28 says what it is in every result, and how long lists may be kept', async () => {
    const info = { 'io.modelcontextprotocol/serverInfo': expect.objectContaining({ name: 'gazette' }) as unknown };
    const discovered = (await post(service, ...modern('server/discover'))).body!.result!;
    expect(discovered).toMatchObject({
      resultType: 'complete',
      supportedVersions: ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'],
      capabilities: { tools: {}, resources: {}, completions: {} },
      cacheScope: 'public',
      _meta: info,
    });
    expect(discovered.ttlMs).toBeGreaterThan(0);
    expect((await post(service, ...LIST)).body!.result).toMatchObject({
      resultType: 'complete',
      ttlMs: 60_000,
      cacheScope: 'public',
      _meta: info,
    });
    const called = (await post(service, ...CALL)).body!.result!;
    expect(called).toMatchObject({ resultType: 'complete', isError: false, _meta: info });
    expect(called).not.toHaveProperty('ttlMs');
  });

  it('takes Mcp-Name in Base64, and with blanks around it', async () => {
    for (const name of [`=?base64?${btoa('list_registers')}?=`, '  list_registers\t']) {
      expect((await post(service, CALL[0], { ...CALL[1], 'mcp-name': name })).status).toBe(200);
    }
  });

  it('may name an older version in _meta, and is then of that era', async () => {
    const params = { _meta: { [META_VERSION]: '2025-11-25' } };
    expect((await post(service, rpc('ping', params))).body!.result).toEqual({});
  });
});

describe('a request', () => {
  it.each([
    ['text/plain'],
    ['application/jsonp'],
    ['application/x-www-form-urlencoded'],
    ['application/json; charset=utf-16'],
    [''],
  ])('of the media type %j is refused unread', async (type) => {
    const reply = await post(service, PING, { 'content-type': type });
    expect([reply.status, reply.body!.code]).toEqual([415, 'unsupported_media_type']);
  });

  it.each([['Application/JSON; charset=utf-8'], ['application/json;Charset="UTF-8"'], ['application/json; v=1']])(
    'of the media type %j is read',
    async (type) => {
      expect((await post(service, PING, { 'content-type': type })).status).toBe(200);
    },
  );

  it('is refused in a content coding, which it is not read in', async () => {
    const reply = await post(service, PING, { 'content-encoding': 'gzip' });
    expect([reply.status, reply.body!.code]).toEqual([415, 'unsupported_media_type']);
    expect((await post(service, PING, { 'content-encoding': 'identity' })).status).toBe(200);
  });

  it('is refused once its body is too long, whether it says so or not', async () => {
    const long = JSON.stringify(rpc('ping', { x: 'x'.repeat(300_000) }));
    const told = await post(service, long, { 'content-length': String(long.length) });
    expect([told.status, told.body!.code]).toEqual([413, 'body_too_large']);

    let pulled = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        pulled += 65_536;
        controller.enqueue(new Uint8Array(65_536));
        // A server that reads on shall fail the test, not fill the machine.
        if (pulled > 8_000_000) controller.close();
      },
    });
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: endless, duplex: 'half' };
    const reply = await read(await service.fetch(new Request(MCP_URL, init as RequestInit)));
    expect(reply.status).toBe(413);
    expect(pulled).toBeLessThan(1_000_000);
  });

  it('with a bad key is refused before anything of it is read', async () => {
    const authorization = 'Bearer nonsense';
    for (const body of [PING, '{', rpc('tools/call', { name: 'drop_register' })]) {
      const reply = await post(service, body, { authorization, origin: 'https://evil.example' });
      expect([reply.status, reply.body!.code]).toEqual([401, 'malformed_key']);
      expect(reply.headers.get('www-authenticate')).toMatch(/^Bearer realm="registers", error="invalid_token"/);
    }
  });

  it('without a key is never asked for one', async () => {
    for (const body of [PING, rpc('tools/call', { name: 'record_history', arguments: { record_id: 'permits:001' } })]) {
      expect((await post(service, body)).status).toBe(200);
    }
  });

  it('is counted like all others', async () => {
    const limits = { perAddress: { limit: 2, windowSeconds: 60 } };
    const gazette = createGazette({ store: service.store, product: PRODUCT, baseUrl: BASE_URL, limits });
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(PING) };
    const ask = async (): Promise<Response> =>
      gazette.fetch(new Request(MCP_URL, init), { remoteAddress: '203.0.113.7' });
    expect([(await ask()).status, (await ask()).status]).toEqual([200, 200]);
    const refused = await ask();
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    await gazette.close();
  });
});

describe('a page in a browser', () => {
  const make = (options: Partial<GazetteOptions>): Gazette =>
    closedAfter(createGazette({ store: service.store, product: PRODUCT, limits: null, ...options }));

  const from = async (gazette: Gazette, url: string, origin: string, remoteAddress: string): Promise<number> => {
    const headers = { 'content-type': 'application/json', origin };
    const request = new Request(`${url}/api/v1/mcp`, { method: 'POST', headers, body: JSON.stringify(PING) });
    return (await gazette.fetch(request, { remoteAddress })).status;
  };

  it('may ask from the configured address, and from the origins that are allowed', async () => {
    const gazette = make({ baseUrl: BASE_URL, mcp: { allowedOrigins: ['https://tool.example'] } });
    for (const [origin, status] of [
      [BASE_URL, 200],
      ['https://tool.example', 200],
      ['https://tool.example:8443', 403],
      ['http://tool.example', 403],
      [BASE_URL.replace('https:', 'http:'), 403],
      ['https://evil.example', 403],
      ['http://localhost:3000', 403],
      ['null', 403],
      ['not an origin', 403],
    ] as const) {
      expect([origin, await from(gazette, BASE_URL, origin, '203.0.113.7')]).toEqual([origin, status]);
    }
    const anyone = make({ baseUrl: BASE_URL, mcp: { allowedOrigins: ['*'] } });
    expect(await from(anyone, BASE_URL, 'https://evil.example', '203.0.113.7')).toBe(200);
  });

  it('reaches a local server only by a name of this machine, or by the configured one', async () => {
    const open = make({});
    const configured = make({ baseUrl: BASE_URL });
    const proxied = make({ trustProxy: true });
    for (const address of ['127.0.0.1', '::1', '::ffff:127.0.0.1']) {
      expect(await from(open, 'http://evil.example', 'http://evil.example', address)).toBe(403);
      expect(await from(open, 'http://[::1]:8080', 'http://[::1]:8080', address)).toBe(200);
      expect(await from(open, 'http://a.localhost', 'http://localhost:1', address)).toBe(200);
      expect(await from(open, 'http://a.localhost', 'chrome-extension://localhost', address)).toBe(403);
      expect(await from(open, 'http://a.localhost', 'http://evil@localhost', address)).toBe(403);
      expect(await from(configured, BASE_URL, BASE_URL, address)).toBe(200);
      expect(await from(proxied, 'http://registers.example', 'http://registers.example', address)).toBe(200);
    }
    expect(await from(open, 'http://registers.example', 'http://registers.example', '203.0.113.7')).toBe(200);
  });

  it('is told beforehand what it may send', async () => {
    const reply = await service.fetch(new Request(MCP_URL, { method: 'OPTIONS' }));
    expect([reply.status, reply.headers.get('allow')]).toEqual([204, 'POST, OPTIONS']);
    expect(reply.headers.get('access-control-allow-headers')).toBe(
      'Authorization, Content-Type, If-None-Match, If-Modified-Since, If-Range, Range, Idempotency-Key, traceparent, tracestate, baggage, MCP-Protocol-Version, Mcp-Method, Mcp-Name',
    );
  });
});

describe('the budget', () => {
  it.each([[1999], [0.5], [NaN], [-1]])('is refused as %d', (budgetTokens) => {
    expect(() => createGazette({ store: service.store, mcp: { budgetTokens } })).toThrow(/budgetTokens/);
  });
});

describe('an allowed origin', () => {
  it.each([['agents.example'], ['https://agents.example/'], ['https://Agents.example'], ['ftp://a.example'], ['null']])(
    'is refused as %s',
    (origin) => {
      const mcp = { allowedOrigins: ['https://first.example', '*', origin] };
      expect(() => createGazette({ store: service.store, mcp })).toThrow(/allowedOrigins/);
    },
  );
});
