// examples/redis/limit-counter.ts, over ioredis: the contracts that the counters of PostgreSQL pass too.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { REDIS_OPTIONS, RedisLimitCounter } from '../../examples/redis/limit-counter.ts';
import { SqliteStore } from '../../src/stores/sqlite/store.ts';
import { limitCounterContract } from '../contracts/limit-counter-contract.ts';
import { sharedLimitsContract } from '../contracts/shared-limits-contract.ts';
import { freePort } from '../docs/free-port.ts';
import { startWay, type Way } from '../stores/postgres/way.ts';
import { letPass, until } from '../until.ts';
import { loadJudge, missing } from './tools.ts';

/** What is used of a client of ioredis. */
interface Redis {
  eval(script: string, keys: number, ...keysAndArguments: (string | number)[]): Promise<unknown>;
  call(command: string, ...args: string[]): Promise<unknown>;
  on(event: 'error', listener: (error: Error) => void): void;
  disconnect(): void;
}
interface Judge {
  readonly Redis: new (url: string, options?: object) => Redis;
}

let { Redis } = {} as Judge;
beforeAll(async () => {
  ({ Redis } = await loadJudge<Judge>('ioredis'));
});

/** A client as a service has it. */
function connect(url: string): Redis {
  const client = new Redis(url, REDIS_OPTIONS);
  client.on('error', () => undefined);
  return client;
}

const why = missing('redis-server', '--version');

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
    'its memory is full': [
      () => redis.call('CONFIG', 'SET', 'maxmemory', '1'),
      () => redis.call('CONFIG', 'SET', 'maxmemory', '0'),
    ],
    'it is a replica': [() => redis.call('REPLICAOF', '127.0.0.1', '1'), () => redis.call('REPLICAOF', 'NO', 'ONE')],
  };

  sharedLimitsContract(() => {
    const product = `p${++products}`;
    return Promise.resolve({
      openNode: () => {
        const store = SqliteStore.open(':memory:');
        const client = connect(way.url);
        return Promise.resolve({
          store,
          limitCounter: new RedisLimitCounter(client, product),
          close: () => {
            client.disconnect();
            return store.close();
          },
        });
      },
      takeAway: async (how) => {
        const [away, back] = AWAY[how]!;
        await away();
        let isBack: Promise<unknown> | null = null;
        const backOnce = (): Promise<unknown> => (isBack ??= back());
        // A test that fails before leaves it to the next as it was.
        onTestFinished(async () => {
          await backOnce();
        });
        return backOnce;
      },
    });
  }, Object.keys(AWAY));

  it('keeps nothing but what expires by itself, below the name of the product', async () => {
    await redis.call('FLUSHALL');
    const counter = new RedisLimitCounter(redis, 'notices');
    await counter.meet('a');
    const draw = { limit: 9, windowSeconds: 60, needed: 1, wanted: 1, spent: 0 };
    await counter.draw({ ...draw, caller: 'address 2001:db8::/64', isKept: false });
    await counter.draw({ ...draw, caller: 'failures 192.0.2.1', isKept: true });
    const keys = ((await redis.call('KEYS', '*')) as string[]).toSorted();
    expect(keys).toEqual([
      'gazette:{notices}:limit:address 2001:db8::/64',
      'gazette:{notices}:limit:failures 192.0.2.1',
      'gazette:{notices}:nodes',
    ]);
    const lives = await Promise.all(keys.map((key) => redis.call('PTTL', key)));
    for (const ms of lives) expect(ms).toBeGreaterThan(0);
    for (const ms of lives) expect(ms).toBeLessThanOrEqual(60_000);
  });

  it('answers no question while its memory is full, so that nobody takes it for back', async () => {
    const counter = new RedisLimitCounter(redis, 'full');
    await counter.meet('a');
    await redis.call('CONFIG', 'SET', 'maxmemory', '1');
    onTestFinished(async () => {
      await redis.call('CONFIG', 'SET', 'maxmemory', '0');
    });
    await expect(counter.meet('a')).rejects.toThrow(/OOM/);
  });

  it('leaves out nodes that were not heard of for half a minute', async () => {
    const counter = new RedisLimitCounter(redis, 'gone');
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
    expect(await redis.call('ZRANGE', 'gazette:{gone}:nodes', '0', '-1')).toEqual(['slow', 'a']);
  });

  it('fails what is not answered for three seconds, does not ask it again, and connects again', async () => {
    const client = connect(way.url);
    onTestFinished(() => {
      client.disconnect();
    });
    const counter = new RedisLimitCounter(client, 'silent');
    const draw = { caller: 'key a', isKept: false, limit: 9, windowSeconds: 60, needed: 1, wanted: 1, spent: 0 };
    await counter.meet('a');
    way.isSilent = true;
    const failed = expect(counter.draw(draw)).rejects.toThrow();
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
    const client = connect(moving.url);
    onTestFinished(() => {
      client.disconnect();
    });
    const counter = new RedisLimitCounter(client, 'moved');
    await counter.meet('b');
    const { port } = new URL(next.url);
    await redis.call('REPLICAOF', '127.0.0.1', port);
    onTestFinished(async () => {
      await redis.call('REPLICAOF', 'NO', 'ONE');
    });
    moving.leadTo(next.url);
    await expect(counter.meet('a')).rejects.toThrow(/READONLY/);
    await until('the other server', () => counter.meet('a').catch(() => null));
    const other = new Redis(next.url);
    expect(await other.call('ZRANGE', 'gazette:{moved}:nodes', '0', '-1')).toEqual(['a']);
    other.disconnect();
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
    await redis.call('CLUSTER', 'ADDSLOTSRANGE', '0', '16383');
    await until('the cluster', async () => String(await redis.call('CLUSTER', 'INFO')).includes('cluster_state:ok'));
  });
  afterAll(async () => {
    redis.disconnect();
    await server.stop();
    await rm(at, { recursive: true });
  });

  limitCounterContract(() => Promise.resolve(new RedisLimitCounter(redis)));
});
