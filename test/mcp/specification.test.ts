// The specification's own request (4.4), over a socket, with nothing but what it writes down: one header field, four
// methods. Then the same with a key.
import { request as send } from 'node:http';
import { afterAll, describe, expect, it } from 'vitest';
import { startServer } from '../../src/adapters/server.ts';
import { createGazette } from '../../src/service/create-gazette.ts';
import { closedAfter } from '../closed-after.ts';
import { world, PRODUCT } from '../world.ts';
import { recordsIn, type RpcBody } from './agent.ts';

const service = await world();
const gazette = closedAfter(createGazette({ store: service.store, product: PRODUCT, now: () => service.clock.now }));
const server = await startServer((request, info) => gazette.fetch(request, info), { port: 0, host: '127.0.0.1' });
afterAll(() => server.stop(0));

interface Said {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: RpcBody | undefined;
}

/** Sends exactly these header fields: `fetch` would add its own, `Accept` among them. */
function curl(message: object | null, headers: Record<string, string>, method = 'POST'): Promise<Said> {
  return new Promise((resolve, reject) => {
    const options = { method, headers, agent: false };
    const sent = send(new URL('/api/v1/mcp', server.url), options, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('end', () => {
        const body = text === '' ? undefined : (JSON.parse(text) as RpcBody);
        resolve({ status: response.statusCode!, headers: response.headers, body });
      });
    });
    sent.on('error', reject);
    sent.end(message === null ? undefined : JSON.stringify(message));
  });
}

const JSON_TYPE = { 'Content-Type': 'application/json' };

describe('the specification’s own request (4.4)', () => {
  it('initializes', async () => {
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'curl', version: '1' } };
    const answer = await curl({ jsonrpc: '2.0', id: 1, method: 'initialize', params }, JSON_TYPE);
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toBe('application/json');
    expect(answer.headers['mcp-session-id']).toBeUndefined();
    expect(answer.body).toMatchObject({
      jsonrpc: '2.0',
      id: 1,
      result: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'gazette' } },
    });
  });

  it('initializes without parameters', async () => {
    const { body } = await curl({ jsonrpc: '2.0', id: 1, method: 'initialize' }, JSON_TYPE);
    expect(body).toMatchObject({ result: { protocolVersion: '2025-06-18' } });
  });

  it('is told nothing about a notification but that it arrived', async () => {
    const answer = await curl({ jsonrpc: '2.0', method: 'notifications/initialized' }, JSON_TYPE);
    expect([answer.status, answer.body]).toEqual([202, undefined]);
  });

  it('answers the same with an id, as every one of its requests may have one', async () => {
    const answer = await curl({ jsonrpc: '2.0', id: 1, method: 'notifications/initialized' }, JSON_TYPE);
    expect([answer.status, answer.body]).toEqual([200, { jsonrpc: '2.0', id: 1, result: {} }]);
  });

  it('lists the tools, without having initialized', async () => {
    const { status, body } = await curl({ jsonrpc: '2.0', id: 'a', method: 'tools/list' }, JSON_TYPE);
    expect([status, body!.id]).toEqual([200, 'a']);
    const tools = body!.result!.tools as { name: string; inputSchema: { required?: string[] } }[];
    expect(tools.map(({ name }) => name)).toEqual([
      ...['read_register', 'list_registers', 'read_record', 'record_history', 'search', 'fetch', 'ask_register'],
      'changes',
    ]);
    expect(tools[0]!.inputSchema.required).toEqual(['feed_id']);
  });

  it('reads a register with feed_id alone', async () => {
    const params = { name: 'read_register', arguments: { feed_id: 'permits' } };
    const message = { jsonrpc: '2.0', id: 2, method: 'tools/call', params };
    const open = await curl(message, JSON_TYPE);
    expect(open.status).toBe(200);
    const shown = recordsIn(open.body!.result!.structuredContent as Readonly<Record<string, unknown>>);
    expect(shown.map(({ id }) => id)).toEqual(['permits:025', 'permits:024', 'permits:023']);
    expect(shown[0]).toHaveProperty('source_url', 'https://example.org/permits/025');
    expect(shown[0]).not.toHaveProperty('content');

    const paid = await curl(message, { ...JSON_TYPE, Authorization: `Bearer ${service.key}` });
    const all = paid.body!.result!.structuredContent as Readonly<Record<string, unknown>>;
    expect(recordsIn(all)).toHaveLength(20);
    expect(recordsIn(all)[0]).toMatchObject({ content: 'open content 25' });
    expect(all.history_url).toBe(`${server.url}/api/v1/records/{id}/history`);
  });

  it.each(['GET', 'HEAD', 'PUT', 'DELETE', 'PATCH'])('is not made by %s, which is refused at once', async (method) => {
    const answer = await curl(null, {}, method);
    expect([answer.status, answer.headers.allow]).toEqual([405, 'POST, OPTIONS']);
  });

  it('may be made by a page the service serves, and by none that was pointed here under another name', async () => {
    const message = { jsonrpc: '2.0', id: 1, method: 'ping' };
    const { port } = new URL(server.url);
    const ask = async (headers: Record<string, string>): Promise<number> =>
      (await curl(message, { ...JSON_TYPE, ...headers })).status;
    expect(await ask({ Origin: server.url })).toBe(200);
    expect(await ask({ Origin: 'http://localhost:6274' })).toBe(200);
    expect(await ask({ Host: `localhost:${port}` })).toBe(200);
    expect(await ask({ Host: 'evil.example' })).toBe(403);
    expect(await ask({ Host: 'evil.example', Origin: 'http://evil.example' })).toBe(403);
    expect(await ask({ Host: `127.0.0.1.evil.example:${port}` })).toBe(403);
    expect(await ask({ Origin: 'http://evil.example' })).toBe(403);
    expect(await ask({ Origin: 'null' })).toBe(403);
  });
});
