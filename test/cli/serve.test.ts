// `gazette serve` in processes of its own: what it says, what it serves, how it ends.
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { Agent, get, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect, createServer } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { childrenOf } from './children.ts';
import { folder, gazette, gazetteProcess } from './run.ts';
import { makeStore, serve } from './served.ts';

const RECORDS = 12;

describe('gazette serve', () => {
  it('serves a store, logs a line for each answer, and ends well when asked to', async () => {
    const { path, key } = await makeStore(RECORDS);
    const { child, api, said, ended } = await serve(path, '--metrics-port', '0');
    const list = (await (await fetch(`${api}/feeds/permits/records`)).json()) as {
      readonly records: readonly object[];
    };
    expect(list.records).toHaveLength(3);
    const headers = { authorization: `Bearer ${key}` };
    const csv = await fetch(`${api}/feeds/permits/records/export.csv?limit=5`, { headers });
    expect([csv.status, csv.headers.get('link')]).toEqual([
      200,
      `<${api}/feeds/permits/records/export.csv?limit=5&offset=5&as_of=${RECORDS}>; rel="next"`,
    ]);
    const metrics = await fetch(/metrics on (\S+)/.exec(said)![1]!);
    expect(await metrics.text()).toMatch(/gazette_http_requests_total\{.*tier="pro"\} 1\n[^]*process_cpu/);
    const socket = connect(Number(new URL(api).port), '127.0.0.1').end('GARBAGE\r\n\r\n');
    expect(String(await once(socket, 'data'))).toMatch(
      /^HTTP\/1.1 400 [^]*\r\nvary: Authorization, Accept-Encoding\r\n/,
    );
    child.kill('SIGTERM');
    const { code, stdout, stderr } = await ended;
    expect([code, stderr]).toEqual([0, said]);
    const lines = stdout
      .toString()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines).toMatchObject([
      { route: '/feeds/{feed_id}/records', status: 200 },
      { route: '/feeds/{feed_id}/records/export.{format}', status: 200, account: 'demo' },
      { route: null, status: 400, request_id: expect.any(String) as unknown },
    ]);
    expect(stdout.toString()).not.toContain(key);
    expect((await readFile(path)).includes(key)).toBe(false);
  });

  it('lets the pages of other sites ask its endpoint for agents, in answers as long as it is told', async () => {
    const { path, key } = await makeStore(RECORDS, { content: 'x'.repeat(5000) });
    const origins = ['--mcp-allow-origin', 'https://a.example', '--mcp-allow-origin', 'https://b.example'];
    const { child, api, ended } = await serve(path, ...origins, '--mcp-budget-tokens', '2000');
    const ask = (origin: string): Promise<Response> =>
      fetch(`${api}/mcp`, {
        method: 'POST',
        headers: { origin, 'content-type': 'application/json', authorization: `Bearer ${key}` },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name: 'read_register', arguments: { feed_id: 'permits' } },
        }),
      });
    const answers = await Promise.all(['https://a.example', 'https://b.example', 'https://c.example'].map(ask));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 403]);
    expect((await answers[0]!.text()).length).toBeLessThan(8000);
    child.kill('SIGTERM');
    expect((await ended).code).toBe(0);
  });

  it('has other processes answer, replaces one that ends, lets nobody else share its port, and ends them all', async () => {
    const { path } = await makeStore(RECORDS);
    const { child, api, ended } = await serve(path, '--workers', '2', '--metrics-port', '0');
    expect((await fetch(`${api}/feeds`)).status).toBe(200);
    const pids = await childrenOf(child.pid!);
    expect(pids).toHaveLength(2);
    const second = await gazetteProcess(['serve', '--store', path, '--port', new URL(api).port, '--workers', '2']);
    expect([second.code, second.stderr]).toEqual([1, expect.stringContaining('it is taken')]);
    let log = '';
    const replaced = new Promise<void>((resolve) => {
      child.stderr.on('data', (chunk: Buffer) => {
        log += chunk.toString();
        if (/ serves in the place of worker \d\n/.test(log)) resolve();
      });
    });
    process.kill(pids[0]!, 'SIGKILL');
    await replaced;
    const order =
      /^gazette: worker (\d) ended \(SIGKILL\); starting another one\n(?:.*\n)*gazette: worker 3 serves in the place of worker \1\n$/;
    expect(log).toMatch(order);
    expect((await fetch(`${api}/feeds`, { headers: { connection: 'close' } })).status).toBe(200);
    child.kill('SIGTERM');
    expect((await ended).code).toBe(0);
    expect(() => process.kill(pids[1]!, 0)).toThrow();
  });

  it('bounds the connections of an address, but not those of a trusted proxy', async () => {
    const { path } = await makeStore(RECORDS);
    const count = async (bound: number, ...options: readonly string[]): Promise<number> => {
      const { child, api, ended } = await serve(path, ...options);
      const agent = new Agent({ keepAlive: true });
      const answers = Array.from({ length: bound + 8 }, async () => {
        const [answer] = (await once(get(new URL('/healthz', api), { agent }), 'response')) as [IncomingMessage];
        return answer.resume().statusCode;
      });
      const statuses = await Promise.all(answers);
      agent.destroy();
      child.kill('SIGTERM');
      expect((await ended).code).toBe(0);
      return statuses.filter((status) => status === 200).length;
    };
    const counts = [count(3, '--connections-per-address', '3'), count(256, '--trust-proxy')];
    expect(await Promise.all(counts)).toEqual([3, 264]);
  });

  it('ends at once on a second signal', async () => {
    const { path } = await makeStore(RECORDS);
    const { child, api } = await serve(path);
    // A request that is never complete keeps the server from ending by itself.
    const { port } = new URL(api);
    const socket = connect(Number(port), '127.0.0.1');
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    socket.write('GET /api/v1/feeds HTTP/1.1\r\nHost: a\r\n');
    await fetch(`${api}/feeds`);
    const ended = once(child, 'exit');
    child.kill('SIGINT');
    // The first was taken in once nobody is let in any more.
    while (
      await fetch(`${api}/feeds`).then(
        (response) => response.ok,
        () => false,
      )
    );
    child.kill('SIGINT');
    expect(await ended).toEqual([null, 'SIGINT']);
    socket.destroy();
  });

  it('says what is wrong: no store, a port that is taken, an option that is none', async () => {
    const missing = await gazetteProcess(['serve', '--store', `${await folder()}/none.db`, '--port', '0']);
    expect([missing.code, missing.stderr]).toEqual([1, expect.stringContaining('there is no store')]);
    const { path } = await makeStore(RECORDS);
    const taken = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void taken.close());
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo;
    const complained = ['1', '2'].map(async (workers) => {
      const refused = await gazetteProcess(['serve', '--store', path, '--port', String(port), '--workers', workers]);
      expect(refused.code).toBe(1);
      expect(refused.stderr).toContain(`cannot listen on port ${port} of 127.0.0.1: it is taken`);
    });
    const options = [
      ['--port', 'x'],
      ['--workers', '0'],
      ['--base-url', 'nowhere'],
      ['--mcp-allow-origin', 'agents.example'],
      ['--mcp-budget-tokens', '1999'],
      ['--connections-per-address', '0'],
      ['--connections-per-address', '8', '--trust-proxy'],
    ];
    const wrong = options.map(async (option) => {
      const { code, stdout } = await gazette(['serve', '--store', path, '--port', '0', ...option]);
      expect([code, stdout.toString()]).toEqual([2, '']);
    });
    await Promise.all([...complained, ...wrong]);
  });
});
