// `gazette serve` in processes of its own: what it says, what it serves, how it ends.
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { childrenOf } from './children.ts';
import { gazetteProcess } from './run.ts';
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
      { route: '/feeds/{feed_id}/records/export.{format}', status: 200, account: 'acme' },
      { route: null, status: 400, request_id: expect.any(String) as unknown },
    ]);
    expect(stdout.toString()).not.toContain(key);
    expect((await readFile(path)).includes(key)).toBe(false);
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
});
