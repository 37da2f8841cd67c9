// What the options of `gazette serve` change for its readers: the operator's words, limits, the metrics' address.
import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect, createServer } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { folder, gazette, gazetteProcess } from './run.ts';
import { makeStore, serve } from './served.ts';

describe('gazette serve', () => {
  it('says the operator’s words, holds the limits, and serves the metrics where it is told to', async () => {
    const { path, key } = await makeStore(12);
    const { child, api, said, ended } = await serve(
      path,
      ...['--title', 'Registers of Uster', '--contact', 'data@uster.example'],
      ...['--terms-url', 'https://uster.example/terms', '--licence-url', 'https://uster.example/licence'],
      ...['--keys-url', 'https://uster.example/keys'],
      ...['--limit-key', '7/60', '--limit-address', '8/3600', '--limit-previews', '1/9', '--limit-failures', '1/9'],
      ...['--metrics-port', '0', '--metrics-host', '127.0.0.2'],
      ...['--base-url', 'https://registers.uster.example/open'],
    );
    const own = new URL(api).origin;
    const anonymous = [`${api}/feeds`, `${api}/nothing`, `${own}/`, `${own}/healthz`, `${own}/open/`, `${own}/feeds//`];
    for (const url of anonymous) {
      const { headers } = await fetch(url, { redirect: 'manual' });
      expect([url, headers.get('strict-transport-security')]).toEqual([url, 'max-age=31536000']);
    }
    const socket = connect(Number(new URL(api).port), '127.0.0.1').end('GARBAGE\r\n\r\n');
    expect(String(await once(socket, 'data'))).toMatch(/^HTTP\/1.1 400 [^]*\r\nstrict-transport-security: max-age=/);
    const { info } = (await (await fetch(`${api}/openapi.json`)).json()) as { info: object };
    expect(info).toMatchObject({
      title: 'Registers of Uster',
      contact: { email: 'data@uster.example' },
      termsOfService: 'https://uster.example/terms',
      license: { url: 'https://uster.example/licence' },
    });
    const wanting = await fetch(`${api}/feeds/permits/changes`);
    expect(await wanting.json()).toMatchObject({
      detail: expect.stringContaining('https://uster.example/keys') as string,
    });
    expect(wanting.headers.get('ratelimit-policy')).toBe('"address";q=8;w=3600');
    const answered = await fetch(`${api}/feeds`, { headers: { authorization: `Bearer ${key}` } });
    expect(answered.headers.get('ratelimit-policy')).toBe('"key";q=7;w=60');
    const previews = [1, 2].map(() => fetch(`${api}/records/permits:2026-0001`));
    const statuses = (await Promise.all(previews)).map(({ status }) => status);
    expect(statuses.sort()).toEqual([200, 429]);
    const wrong = { headers: { authorization: 'Bearer none' } };
    expect([(await fetch(`${api}/feeds`, wrong)).status, (await fetch(`${api}/feeds`, wrong)).status]).toEqual([
      401, 429,
    ]);
    const metrics = /metrics on (\S+)/.exec(said)![1]!;
    expect(new URL(metrics).hostname).toBe('127.0.0.2');
    expect((await fetch(metrics)).status).toBe(200);
    child.kill('SIGTERM');
    expect((await ended).code).toBe(0);
  });

  it('takes none for a limit, and refuses what is neither that nor requests and seconds', async () => {
    const { path, key } = await makeStore(1);
    const { child, api, ended } = await serve(
      path,
      ...['--limit-key', 'none', '--no-log-callers'],
      ...['--base-url', 'https://registers.uster.example', '--no-hsts'],
    );
    const answered = await fetch(`${api}/feeds`, { headers: { authorization: `Bearer ${key}` } });
    expect(answered.headers.get('ratelimit-policy')).toBeNull();
    expect(answered.headers.get('strict-transport-security')).toBeNull();
    child.kill('SIGTERM');
    const line = JSON.parse((await ended).stdout.toString()) as object;
    expect(line).toHaveProperty('status', 200);
    for (const name of ['account', 'key', 'network']) expect(line).not.toHaveProperty(name);
    const wrong = ['600', '0/60', '600/0', '600/86401', '-1/60', 'all'].map(async (rate) => {
      const { code, stderr } = await gazette(['serve', '--store', path, '--port', '0', '--limit-address', rate]);
      expect([rate, code, stderr]).toEqual([rate, 2, expect.stringContaining('such as 600/60')]);
    });
    await Promise.all(wrong);
    const { code, stderr } = await gazette(['serve', '--store', path, '--port', '0', '--keys-url', 'keys']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('keysUrl must be an absolute http(s) URL')]);
  });

  it('lets the pages of other sites ask its endpoint for agents, in answers as long as it is told', async () => {
    const { path, key } = await makeStore(12, { content: 'x'.repeat(5000) });
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

  it('bounds the connections of an address, but not those of a trusted proxy', async () => {
    const { path } = await makeStore(12);
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

  it('says what is wrong: no store, a port that is taken, an option that is none', async () => {
    const missing = await gazetteProcess(['serve', '--store', `${await folder()}/none.db`, '--port', '0']);
    expect([missing.code, missing.stderr]).toEqual([1, expect.stringContaining('there is no store')]);
    const { path } = await makeStore(12);
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
