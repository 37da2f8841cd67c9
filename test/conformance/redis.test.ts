// Redis as the counter of limits: the contracts that PostgreSQL passes too, and `gazette serve --limits` over processes.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { RedisLimitCounter } from '../../src/access/shared/redis-counter.ts';
import { openRedisCounter } from '../../src/cli/process/limits/redis.ts';
import { SqliteStore } from '../../src/stores/sqlite/store.ts';
import { folder, gazetteProcess } from '../cli/run.ts';
import { makeStore, serveAs } from '../cli/served.ts';
import { limitCounterContract } from '../contracts/limit-counter-contract.ts';
import { sharedLimitsContract } from '../contracts/shared-limits-contract.ts';
import { freePort } from '../docs/free-port.ts';
import { startWay, type Way } from '../stores/postgres/way.ts';
import { letPass, until } from '../until.ts';
import { missing, program } from './tools.ts';

const why = missing('redis-server', '--version');

/** It must not be seen in anything that a process says. */
const PASSWORD = 'hunter2/hunter3@%';

interface RedisServer {
  readonly url: string;
  /** Starts it again, empty, at the same port. */
  start(): Promise<void>;
  signal(name: NodeJS.Signals): Promise<unknown>;
  stop(): Promise<void>;
}

/** Starts one that keeps nothing on the disk. */
async function startRedis(...options: readonly string[]): Promise<RedisServer> {
  const port = await freePort();
  let child: ChildProcess;
  const start = async (): Promise<void> => {
    const basics = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', '/tmp'];
    child = spawn('redis-server', [...basics, ...options], { stdio: ['ignore', 'pipe', 'inherit'] });
    let said = '';
    await new Promise<void>((resolve, reject) => {
      child.stdout!.on('data', (chunk: Buffer) => {
        said += chunk.toString();
        if (said.includes('Ready to accept connections')) resolve();
      });
      child.once('exit', () => {
        reject(new Error(`redis-server ended: ${said}`));
      });
    });
  };
  const stop = async (): Promise<void> => {
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  };
  await start();
  return {
    url: `redis://127.0.0.1:${port}`,
    start,
    signal: (name) => Promise.resolve(child.kill(name)),
    stop,
  };
}

describe.skipIf(why !== null)(`limits that Redis counts${why === null ? '' : `: ${why}`}`, () => {
  let server: RedisServer;
  let way: Way;
  let redis: Redis;
  let products = 0;

  beforeAll(async () => {
    server = await startRedis();
    way = await startWay(server.url);
    redis = new Redis(server.url);
    redis.on('error', () => undefined);
  });
  afterAll(async () => {
    redis.disconnect();
    way.stop();
    await server.stop();
  });

  limitCounterContract(() => Promise.resolve(new RedisLimitCounter(redis)));

  const silence = (isSilent: boolean): Promise<unknown> => Promise.resolve(Object.assign(way, { isSilent }));

  /** How it may be away, and how it comes back. */
  const AWAY: Readonly<Record<string, readonly [away: () => Promise<unknown>, back: () => Promise<unknown>]>> = {
    'its server is gone': [() => server.stop(), () => server.start()],
    'its server has stopped': [() => server.signal('SIGSTOP'), () => server.signal('SIGCONT')],
    'its connections are half open': [() => silence(true), () => silence(false)],
    'its memory is full': [() => redis.config('SET', 'maxmemory', '1'), () => redis.config('SET', 'maxmemory', '0')],
    'it is a replica': [() => redis.replicaof('127.0.0.1', 1), () => redis.replicaof('NO', 'ONE')],
  };

  sharedLimitsContract(() => {
    const product = `p${++products}`;
    return Promise.resolve({
      openNode: async () => {
        const store = SqliteStore.open(':memory:');
        const { counter, close } = (await openRedisCounter({ limits: way.url, product }))!;
        return {
          store,
          limitCounter: counter,
          close: () => {
            close();
            return store.close();
          },
        };
      },
      takeAway: async (how) => {
        const [away, back] = AWAY[how]!;
        await away();
        return back;
      },
    });
  }, Object.keys(AWAY));

  it('keeps nothing but what expires by itself, below the name of the product', async () => {
    await redis.flushall();
    const counter = new RedisLimitCounter(redis, { product: 'notices' });
    await counter.meet('a');
    const draw = { limit: 9, windowSeconds: 60, needed: 1, wanted: 1, spent: 0 };
    await counter.draw({ ...draw, caller: 'address 2001:db8::/64', isKept: false });
    await counter.draw({ ...draw, caller: 'failures 192.0.2.1', isKept: true });
    const keys = (await redis.keys('*')).toSorted();
    expect(keys).toEqual([
      'gazette:{notices}:limit:address 2001:db8::/64',
      'gazette:{notices}:limit:failures 192.0.2.1',
      'gazette:{notices}:nodes',
    ]);
    const lives = await Promise.all(keys.map((key) => redis.pttl(key)));
    for (const ms of lives) expect(ms).toBeGreaterThan(0);
    for (const ms of lives) expect(ms).toBeLessThanOrEqual(60_000);
  });

  it('leaves out nodes that were not heard of for half a minute', async () => {
    const counter = new RedisLimitCounter(redis, { product: 'gone' });
    const ago = (ms: number, node: string): Promise<unknown> =>
      redis.eval(
        "local now = redis.call('TIME')[1] * 1000; redis.call('ZADD', KEYS[1], now - ARGV[1], ARGV[2])",
        ...[1, 'gazette:{gone}:nodes', String(ms), node],
      );
    await counter.meet('a');
    await ago(25_000, 'slow');
    await ago(30_001, 'gone');
    const draw = { caller: 'key a', isKept: false, limit: 120, windowSeconds: 60, needed: 1, wanted: 120, spent: 0 };
    expect(await counter.draw(draw)).toMatchObject({ nodes: 2, granted: 15 });
    expect(await counter.meet('a')).toBe(2);
    expect(await redis.zrange('gazette:{gone}:nodes', 0, '-1')).toEqual(['slow', 'a']);
  });

  it('fails what is not answered for three seconds, does not ask it again, and connects again', async () => {
    const { counter, close } = (await openRedisCounter({ limits: way.url, product: 'silent' }))!;
    onTestFinished(close);
    const draw = { caller: 'key a', isKept: false, limit: 9, windowSeconds: 60, needed: 1, wanted: 1, spent: 0 };
    way.isSilent = true;
    const failed = expect(counter.draw(draw)).rejects.toMatchObject({ code: 'store_unavailable' });
    await letPass(500, 'the question is on its way');
    way.isSilent = false;
    await failed;
    expect(await counter.draw(draw)).toMatchObject({ granted: 1, left: 8 });
  });

  it('follows its address to another server when that it is connected to becomes a replica', async () => {
    const next = await startRedis();
    onTestFinished(() => next.stop());
    const moving = await startWay(server.url);
    onTestFinished(() => {
      moving.stop();
    });
    const { counter, close } = (await openRedisCounter({ limits: moving.url, product: 'moved' }))!;
    onTestFinished(close);
    const { port } = new URL(next.url);
    await redis.replicaof('127.0.0.1', Number(port));
    onTestFinished(async () => {
      await redis.replicaof('NO', 'ONE');
    });
    moving.leadTo(next.url);
    await expect(counter.meet('a')).rejects.toThrow(/READONLY/);
    await until('the other server', () => counter.meet('a').catch(() => null));
    const other = new Redis(next.url);
    expect(await other.zrange('gazette:{moved}:nodes', 0, '-1')).toEqual(['a']);
    other.disconnect();
  });

  it('needs no rights but those that the documentation lists', async () => {
    const page = await readFile(new URL('../../docs/operate.md', import.meta.url), 'utf8');
    const rights = /A user of Redis for gazette alone needs `([^`]+)`/.exec(page)![1]!.split(' ');
    await redis.acl('SETUSER', 'limited', 'reset', 'on', '>hunter5', ...rights);
    const limits = server.url.replace('//', '//limited:hunter5@');
    const { counter, close } = (await openRedisCounter({ limits, product: 'limited' }))!;
    onTestFinished(close);
    const draw = { caller: 'key a', isKept: false, limit: 9, windowSeconds: 60, needed: 5, wanted: 5, spent: 0 };
    expect(await counter.meet('a')).toBe(1);
    const { endsAt } = await counter.draw(draw);
    await counter.giveBack({ ...draw, endsAt, tokens: 2 });
    expect(await counter.draw({ ...draw, needed: 6, wanted: 6 })).toMatchObject({ granted: 6, left: 0 });
    await counter.leave('a');
    expect(await redis.exists('gazette:{limited}:nodes')).toBe(0);
    for (const right of rights.filter((one) => one !== '+info')) {
      await redis.acl('SETUSER', 'limited', 'reset', 'on', '>hunter5', ...rights.filter((one) => one !== right));
      const all = [counter.meet('a'), counter.draw(draw), counter.giveBack({ ...draw, endsAt, tokens: 1 })];
      const ended = await Promise.allSettled([...all, counter.leave('a')]);
      expect([right, ended.some(({ status }) => status === 'rejected')]).toEqual([right, right !== '+select']);
    }
  });

  it('counts for all processes of two services on SQLite, and nothing says its password', async () => {
    const secured = await startRedis('--requirepass', PASSWORD);
    onTestFinished(() => secured.stop());
    const { path, key } = await makeStore(1);
    const env = { GAZETTE_LIMITS: secured.url.replace('//', `//:${encodeURIComponent(PASSWORD)}@`) };
    const options = ['--workers', '2', '--limit-address', '120/3600', '--limit-key', '40/3600', '--metrics-port', '0'];
    const services = await Promise.all([1, 2].map(() => serveAs({ env }, path, ...options)));
    const through = async (requests: number, headers: Record<string, string> = {}): Promise<number> => {
      const asked = Array.from({ length: requests }, async (_, n) => {
        const { api } = services[n % 2]!;
        const answer = await fetch(`${api}/feeds`, { headers: { ...headers, connection: 'close' } });
        await answer.arrayBuffer();
        return answer.status;
      });
      return (await Promise.all(asked)).filter((status) => status === 200).length;
    };
    const figures = async (figure: string): Promise<readonly number[]> => {
      const texts = services.map(async ({ said }) => (await fetch(/metrics on (\S+)/.exec(said)![1]!)).text());
      return (await Promise.all(texts)).map((text) => Number(new RegExp(`^${figure} (\\d+)$`, 'm').exec(text)?.[1]));
    };
    // Every two seconds a process says that it is there.
    await until('four processes', async () => (await figures('gazette_limit_nodes')).every((told) => told === 4));
    const first = await through(520);
    expect(first).toBeGreaterThanOrEqual(114);
    expect(first).toBeLessThanOrEqual(120);
    const admin = new Redis(secured.url, { password: PASSWORD });
    onTestFinished(() => {
      admin.disconnect();
    });
    await admin.config('SET', 'requirepass', 'hunter6');
    await admin.call('CLIENT', 'KILL', 'TYPE', 'normal');
    const away = await through(160, { authorization: `Bearer ${key}` });
    expect(away).toBeGreaterThan(0);
    expect(away).toBeLessThanOrEqual(40);
    expect(await figures('gazette_limit_counter_away')).toEqual([1, 1]);
    await admin.config('SET', 'requirepass', PASSWORD);
    await until('the counter', async () => (await figures('gazette_limit_counter_away')).every((told) => told === 0));
    for (const { child } of services) child.kill('SIGTERM');
    for (const { said, ended } of services) {
      const { code, stdout, stderr } = await ended;
      expect(code).toBe(0);
      const log = said + stderr + stdout.toString();
      expect(log).toMatch(/the counter of limits redis:\/\/…@127\.0\.0\.1:\d+ cannot be used now: WRONGPASS/);
      for (const part of ['hunter2', 'hunter3']) expect(log).not.toContain(part);
    }
  });

  it('refuses to serve with another password, and does not say it', async () => {
    const secured = await startRedis('--requirepass', PASSWORD);
    onTestFinished(() => secured.stop());
    const url = secured.url.replace('//', '//default:hunter4@');
    const { code, stderr } = await gazetteProcess(['serve', '--store', (await makeStore(1)).path, '--limits', url]);
    const where = url.replace('default:hunter4', '…');
    const reason = 'WRONGPASS invalid username-password pair or user is disabled.';
    expect(stderr).toBe(`gazette: the counter of limits ${where} cannot be used now: ${reason} (store_unavailable)\n`);
    expect(code).toBe(1);
  });

  it('is asked over TLS, if its certificate is good', async () => {
    const at = await folder();
    const files = { key: `${at}/key.pem`, certificate: `${at}/certificate.pem` };
    const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];
    const made = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', files.key];
    await program('openssl', 'req', '-x509', ...made, ...subject, '-days', '2', '-out', files.certificate);
    const port = await freePort();
    const certificate = ['--tls-cert-file', files.certificate, '--tls-key-file', files.key];
    const tls = await startRedis('--tls-port', String(port), ...certificate, '--tls-auth-clients', 'no');
    onTestFinished(() => tls.stop());
    const { path } = await makeStore(1);
    const limits = ['--limits', `rediss://127.0.0.1:${port}/3`];
    const refused = await gazetteProcess(['serve', '--store', path, ...limits]);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('self-signed certificate')]);
    const env = { NODE_EXTRA_CA_CERTS: files.certificate };
    const { api, child, ended } = await serveAs({ env }, path, ...limits);
    expect((await fetch(`${api}/feeds`)).status).toBe(200);
    const third = new Redis(tls.url, { db: 3 });
    expect(await third.keys('gazette:{gazette}:limit:address *')).toHaveLength(1);
    third.disconnect();
    child.kill('SIGTERM');
    expect((await ended).code).toBe(0);
  });
});

describe.skipIf(why !== null)('limits that a cluster of Redis counts', () => {
  let server: RedisServer;
  let redis: Redis;
  let at: string;

  beforeAll(async () => {
    // One server with all slots: it refuses a script whose keys lie in two.
    at = await mkdtemp(join(tmpdir(), 'gazette-redis-'));
    server = await startRedis('--cluster-enabled', 'yes', '--cluster-config-file', `${at}/nodes`);
    redis = new Redis(server.url);
    await redis.cluster('ADDSLOTSRANGE', 0, 16_383);
    await until('the cluster', async () => (await redis.cluster('INFO')).includes('cluster_state:ok'));
  });
  afterAll(async () => {
    redis.disconnect();
    await server.stop();
    await rm(at, { recursive: true });
  });

  limitCounterContract(() => Promise.resolve(new RedisLimitCounter(redis)));
});
