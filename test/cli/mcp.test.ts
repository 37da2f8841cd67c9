// `gazette mcp`: the agents' service over standard input and output, as a process.
import { expect, it } from 'vitest';
import { SqliteStore } from '../../src/stores/sqlite/store.ts';
import { world, type World } from '../world.ts';
import { modern, post, rpc } from '../mcp/agent.ts';
import { until } from '../until.ts';
import { ending, folder, gazette, start } from './run.ts';

/** A store with 25 records, and a service over it. */
async function made(): Promise<{ readonly path: string; readonly service: World }> {
  const path = `${await folder()}/store.db`;
  const service = await world({ store: SqliteStore.open(path), baseUrl: 'http://127.0.0.1:8080' });
  return { path, service };
}

const lines = (stdout: Buffer): unknown[] => {
  const text = stdout.toString();
  expect(text.endsWith('\n')).toBe(true);
  return text
    .slice(0, -1)
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
};

const CALL = rpc('tools/call', { name: 'read_register', arguments: { feed_id: 'permits', limit: 30 } }, 'c');
const MESSAGES: readonly object[] = [
  rpc('initialize', { protocolVersion: '2025-11-25' }, 1),
  rpc('tools/list', {}, 2),
  CALL,
  rpc('resources/read', { uri: 'gazette://records/permits:001' }, 3),
  rpc('completion/complete', {}, 4),
  rpc('nothing', {}, 5),
  modern('server/discover')[0],
  modern('tools/call', { name: 'list_registers', arguments: {} })[0],
];

it('answers what the endpoint answers to a key, line by line, and ends with its input', async () => {
  const { path, service } = await made();
  const expected: unknown[] = [];
  for (const message of MESSAGES) {
    const { method, params } = message as { method: string; params?: { _meta?: object; name?: string } };
    const legacy = { 'mcp-protocol-version': '2025-11-25' };
    const headers = params?._meta === undefined ? legacy : modern(method, params)[1];
    const sent = { ...headers, authorization: `Bearer ${service.key}` };
    expected.push((await post(service, message, sent)).body);
  }
  const notified = { jsonrpc: '2.0', method: 'notifications/initialized' };
  // Blank lines, CRLF, and a last line without its end.
  const input = `\n${[notified, ...MESSAGES].map((message) => JSON.stringify(message)).join('\r\n\n  \n')}`;
  const { code, stdout, stderr } = await gazette(['mcp', '--store', path], input);
  expect([code, stderr]).toEqual([0, '']);
  expect(lines(stdout)).toEqual(expected);
  await service.close();
});

it('answers before its input ends, whatever pieces it comes in, and ends at a signal', async () => {
  const { path, service } = await made();
  await service.close();
  const child = start(['mcp', '--store', path]);
  let told = '';
  child.stdout.on('data', (chunk: Buffer) => (told += chunk.toString()));
  const ended = ending(child);
  for (const piece of ['{"jsonrpc":"2.0",', '"id":"ü"', ',"method":"ping"}\n{"jsonrpc"']) child.stdin.write(piece);
  await until('the first answer', () => told.includes('\n'));
  expect(told).toBe('{"jsonrpc":"2.0","id":"ü","result":{}}\n');
  child.kill('SIGTERM');
  const { code, signal, stderr } = await ended;
  expect([code, signal, stderr]).toEqual([0, null, '']);
});

it('refuses what is not a message, in the protocol’s words, and goes on', async () => {
  const { path, service } = await made();
  await service.close();
  const long = JSON.stringify(rpc('ping', { x: 'x'.repeat(300_000) }));
  const { code, stdout } = await gazette(['mcp', '--store', path], `{\n[]\n${long}\n${JSON.stringify(rpc('ping'))}\n`);
  expect(code).toBe(0);
  expect(lines(stdout)).toMatchObject([
    { id: null, error: { code: -32700 } },
    { id: null, error: { code: -32600 } },
    { id: null, error: { code: -32600, message: 'a message must be at most 262144 bytes long' } },
    { id: 1, result: {} },
  ]);
});

it('names the address it is given, keeps to the budget it is given, and refuses bad ones', async () => {
  const { path, service } = await made();
  await service.close();
  const args = ['mcp', '--store', path, '--base-url', 'https://registers.example.org', '--budget-tokens', '2000'];
  const { stdout } = await gazette(args, JSON.stringify(CALL));
  expect(stdout.toString()).toContain('https://registers.example.org/api/v1/records/{id}/history');
  expect(stdout.length).toBeLessThanOrEqual(8001);
  const small = await gazette(['mcp', '--store', path, '--budget-tokens', '10']);
  expect([small.code, small.stdout.length, small.stderr]).toEqual([2, 0, expect.stringContaining('budgetTokens')]);
  const missing = await gazette(['mcp', '--store', `${path}.none`]);
  expect([missing.code, missing.stdout.length]).toEqual([1, 0]);
});
