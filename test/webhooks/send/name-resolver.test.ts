// Names of destinations: who is asked, how long an answer is used, and that nobody waits for a silent name server.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { guardedLookup } from '../../../src/webhooks/send/destination.ts';
import { NameResolver, type NameResolverOptions } from '../../../src/webhooks/send/name-resolver.ts';
import { nameServer } from './name-server.ts';

/** A hosts file with this content. */
function hostsFile(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'gazette-hosts-'));
  onTestFinished(() => {
    rmSync(folder, { recursive: true });
  });
  const path = join(folder, 'hosts');
  writeFileSync(path, text);
  return path;
}

interface Looked {
  readonly error: string | null;
  readonly addresses: readonly string[];
  readonly usableMs: number | undefined;
}

function look(names: NameResolver, host: string, family: 0 | 4 | 6 = 0): Promise<Looked> {
  return new Promise((done) => {
    names.resolve(host, { all: true, family }, (error, addresses, usableMs) => {
      done({ error: error?.code ?? null, addresses: addresses.map(({ address }) => address), usableMs });
    });
  });
}

/** A resolver without names of its own, closed when the test ends, whose clock stands at `clock.ms`. */
function resolverOf(options: NameResolverOptions): { readonly names: NameResolver; readonly clock: { ms: number } } {
  const clock = { ms: 0 };
  const names = new NameResolver({ hostsFile: hostsFile(''), now: () => clock.ms, ...options });
  onTestFinished(() => {
    names.close();
  });
  return { names, clock };
}

describe('a name', () => {
  it('in the hosts file is not asked for, and a change of the file counts within seconds', async () => {
    const server = await nameServer(() => 'no such name');
    const path = hostsFile('# ours\n192.0.2.7 Hooks.test other.test # both\n2001:db8::7\thooks.test\n192.0.2.7 hooks.test\nnonsense hooks.test\n'); // prettier-ignore
    const { names, clock } = resolverOf({ servers: [server.address], hostsFile: path });
    expect((await look(names, 'HOOKS.test')).addresses).toEqual(['192.0.2.7', '2001:db8::7']);
    expect((await look(names, 'hooks.test.', 6)).addresses).toEqual(['2001:db8::7']);
    expect(await look(names, 'other.test')).toEqual({ error: null, addresses: ['192.0.2.7'], usableMs: 5000 });
    expect(server.asked).toEqual([]);
    writeFileSync(path, '192.0.2.8 hooks.test');
    clock.ms += 5000;
    expect((await look(names, 'hooks.test')).addresses).toEqual(['192.0.2.8']);
  });

  it('of this machine is loopback, whatever a name server says', async () => {
    const server = await nameServer(() => ({ addresses: ['8.8.8.8'], ttl: 60 }));
    const { names } = resolverOf({ servers: [server.address] });
    for (const name of ['localhost', 'hooks.localhost.']) {
      expect((await look(names, name)).addresses).toEqual(['127.0.0.1', '::1']);
    }
    expect(server.asked).toEqual([]);
  });

  it('is asked for as it is written, for addresses of both families, whoever asks at the same time', async () => {
    const server = await nameServer(() => ({ addresses: ['192.0.2.1', '192.0.2.2', '2001:db8::1'], ttl: 60 }));
    const { names } = resolverOf({ servers: [server.address] });
    const all = await Promise.all([look(names, 'hooks'), look(names, 'hooks', 4), look(names, 'hooks', 6)]);
    expect(all.map(({ addresses }) => [...addresses].sort())).toEqual([
      ['192.0.2.1', '192.0.2.2', '2001:db8::1'],
      ['192.0.2.1', '192.0.2.2'],
      ['2001:db8::1'],
    ]);
    // Both families once: no search list makes other names of it.
    expect(server.asked).toEqual(['hooks', 'hooks']);
  });

  it.each([
    [0, 5],
    [60, 60],
    [86_400, 300],
  ])('whose time to live is %i s is used for %i s', async (ttl, seconds) => {
    const server = await nameServer(() => ({ addresses: ['192.0.2.1'], ttl }));
    const { names, clock } = resolverOf({ servers: [server.address] });
    expect(await look(names, 'hooks.test')).toEqual({
      ...{ error: null, addresses: ['192.0.2.1'], usableMs: seconds * 1000 },
    });
    const asked = server.asked.length;
    clock.ms += seconds * 1000 - 1;
    expect((await look(names, 'hooks.test')).usableMs).toBe(1);
    expect(server.asked).toHaveLength(asked);
    clock.ms += 1;
    await look(names, 'hooks.test');
    expect(server.asked).toHaveLength(2 * asked);
  });

  it('that does not exist is asked for again after 5, 10, 20 and 30 seconds, and after a success after 5', async () => {
    let answers = false;
    const server = await nameServer(() => (answers ? { addresses: ['192.0.2.1'], ttl: 0 } : 'no such name'));
    const { names, clock } = resolverOf({ servers: [server.address] });
    const failFor = async (seconds: number): Promise<void> => {
      expect(await look(names, 'hooks.test')).toMatchObject({ error: 'ENOTFOUND', addresses: [] });
      const asked = server.asked.length;
      clock.ms += seconds * 1000 - 1;
      await look(names, 'hooks.test');
      expect(server.asked).toHaveLength(asked);
      clock.ms += 1;
    };
    for (const seconds of [5, 10, 20, 30, 30]) await failFor(seconds);
    answers = true;
    expect((await look(names, 'hooks.test')).addresses).toEqual(['192.0.2.1']);
    answers = false;
    clock.ms += 5000;
    await failFor(5);
  });

  it('whose name server is silent is given up after the time limit, also for those who joined', async () => {
    const server = await nameServer(() => 'silence');
    const { names } = resolverOf({ servers: [server.address], timeoutMs: 100 });
    const both = await Promise.all([look(names, 'hooks.test'), look(names, 'hooks.test')]);
    expect(both.map(({ error }) => error)).toEqual(['DNS_TIMEOUT', 'DNS_TIMEOUT']);
    expect(server.asked).toHaveLength(2);
  });

  it('is checked each time, also when the answer was remembered, and all of its addresses are', async () => {
    const server = await nameServer((name) => {
      return { addresses: name === 'good.test' ? ['8.8.8.8'] : ['8.8.8.8', '10.0.0.1'], ttl: 300 };
    });
    const { names } = resolverOf({ servers: [server.address] });
    const lookup = guardedLookup({}, names.resolve);
    const code = (host: string, all: boolean): Promise<unknown> => {
      return new Promise((done) => {
        lookup(host, { all }, (error) => {
          done(error?.code ?? null);
        });
      });
    };
    for (const all of [true, false, true]) {
      expect([await code('good.test', all), await code('bad.test', all)]).toEqual([null, 'destination_refused']);
    }
    // Two questions for each name: the rest was remembered.
    expect(server.asked).toHaveLength(4);
  });

  it('can only be asked of addresses', () => {
    for (const server of ['127.0.0.1', '127.0.0.1:53', '::1', '[::1]:5353']) new NameResolver({ servers: [server] });
    for (const server of ['', 'dns.example.org', '127.0.0.1:', '1:53']) {
      expect(() => new NameResolver({ servers: [server] })).toThrow(
        expect.objectContaining({ code: 'invalid_option', details: { option: 'dnsServers' } }),
      );
    }
  });
});
