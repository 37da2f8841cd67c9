// What the options of `gazette serve` change for its readers: the operator's words, limits, the metrics' address.
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { gazette } from './run.ts';
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
});
