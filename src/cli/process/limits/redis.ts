// `gazette serve --limits`: counts requests in Redis, over `ioredis`, which is an optional peer dependency.
import type { RedisOptions } from 'ioredis';
import { type RedisClient, RedisLimitCounter } from '../../../access/shared/redis-counter.ts';
import { GazetteError } from '../../../errors.ts';
import type { LimitCounter } from '../../../stores/contract/nodes/counter.ts';
import type { LimitOptions } from '../../options/limits.ts';
import type { ProductOptions } from '../../options/product.ts';
import { reasonOf, withoutPassword } from '../../options/store.ts';

/** How long the server may take to accept a connection, and to answer, in milliseconds. */
const PATIENCE_MS = 3000;

/** How long it is waited between two attempts to connect, in milliseconds, at most. */
const RETRY_MS = 1000;

/** What ioredis says of a question that waits when the other end closes the connection. */
const ENDED = /^Reached the max retries.*/;

/** A counter, and a function that ends its connection. */
export interface OpenedCounter {
  readonly counter: LimitCounter;
  readonly close: () => void;
}

/**
 * Connects to the Redis that counts; null: another one counts.
 *
 * A process that has never reached it does not know how many share the limits, so it does not start.
 *
 * @throws GazetteError `usage` for a malformed URL, `missing_peer`, `store_unavailable`
 */
export async function openRedisCounter({
  limits,
  product,
}: Pick<LimitOptions, 'limits'> & ProductOptions): Promise<OpenedCounter | null> {
  if (limits === undefined) return null;
  const place = placeOf(limits);
  const { Redis } = await import('ioredis').catch((cause: unknown) => {
    throw new GazetteError('missing_peer', '--limits needs the package ioredis: npm install ioredis', { cause });
  });
  const redis = new Redis({
    ...place,
    ...{ lazyConnect: true, connectTimeout: PATIENCE_MS, socketTimeout: PATIENCE_MS, keepAlive: 10_000 },
    // What waits when a connection ends has failed. Sent again, it would draw tokens for nobody.
    maxRetriesPerRequest: 0,
    retryStrategy: (times) => Math.min(50 * times, RETRY_MS),
    // After a failover the connection may be to what is a replica now.
    reconnectOnError: ({ message }) => message.includes('READONLY'),
  });
  let failure: unknown = null;
  redis.on('error', (error) => (failure = error));
  redis.on('ready', () => (failure = null));
  // The errors of ioredis have the arguments of what was sent, the password among them: only their messages are told.
  const away = (error: unknown): GazetteError =>
    new GazetteError(
      'store_unavailable',
      `the counter of limits ${withoutPassword(limits)} cannot be used now: ${reasonOf(failure ?? error).replace(ENDED, 'the connection ended')}`,
    );
  const client: RedisClient = {
    eval: (...question) =>
      redis.eval(...question).catch((error: unknown) => {
        throw away(error);
      }),
  };
  try {
    await redis.connect();
  } catch (error) {
    redis.disconnect();
    throw away(error);
  }
  return {
    counter: new RedisLimitCounter(client, { product }),
    close: () => {
      redis.disconnect();
    },
  };
}

/** Where a URL leads. @throws GazetteError `usage`, without the URL, which may contain a password */
function placeOf(limits: string): Pick<RedisOptions, 'host' | 'port' | 'db' | 'username' | 'password' | 'tls'> {
  const url = URL.parse(limits);
  const db = /^\/?(\d{0,5})$/.exec(url?.pathname ?? '')?.[1];
  const isOurs = url !== null && /^rediss?:$/.test(url.protocol) && url.hostname !== '' && url.search + url.hash === '';
  if (!isOurs || db === undefined) {
    throw new GazetteError('usage', '--limits must be a URL such as redis://:password@redis.example.org:6379/0');
  }
  return {
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: Number(url.port || '6379'),
    db: Number(db),
    ...(url.username === '' ? {} : { username: plain(url.username) }),
    ...(url.password === '' ? {} : { password: plain(url.password) }),
    ...(url.protocol === 'rediss:' ? { tls: {} } : {}),
  };
}

/** A part of a URL that may contain `%`, as itself if it is not escaped. */
function plain(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
