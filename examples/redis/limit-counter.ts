// Counts the callers of all nodes in Redis 5 or later, or Valkey, for services that share no PostgreSQL or want to spare it
// the counts. Each question is one script, so one round trip; windows begin and end by the clock of Redis. What it keeps lies
// below `gazette:{PRODUCT}:`, in one slot of a cluster, and expires by itself. Counts of refused credentials outlive a crash
// of Redis if it keeps what it is told (`appendonly yes`); it must not evict keys (`maxmemory-policy noeviction`).
import type { DrawnTokens, LimitCounter, LimitDraw, UnusedTokens } from 'gazette/stores';

/** Options of `ioredis` that the counter needs: what is not answered fails after three seconds and is not sent again. */
export const REDIS_OPTIONS = {
  connectTimeout: 3000,
  socketTimeout: 3000,
  maxRetriesPerRequest: 0,
  retryStrategy: (times: number): number => Math.min(50 * times, 1000),
  // After a failover the connection may be to what is a replica now.
  reconnectOnError: ({ message }: Error): boolean => message.includes('READONLY'),
};

/** A node that was not heard of for so long is gone, in milliseconds. */
const NODE_GONE_MS = 30_000;

/** The part of a client of Redis that is used; `ioredis` has it, for one server and for a cluster. */
interface RedisClient {
  /** Runs a script. @param keys how many of what follows are names of keys; the rest are its arguments */
  eval(script: string, keys: number, ...keysAndArguments: (string | number)[]): Promise<unknown>;
}

/** The server's time, in milliseconds. */
const NOW = `local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)`;

/** KEYS: the caller's window, the nodes. ARGV: limit, milliseconds of a window, needed, wanted, spent. */
const DRAW = `${NOW}
local limit, needed, wanted = tonumber(ARGV[1]), tonumber(ARGV[3]), tonumber(ARGV[4])
local window = redis.call('HMGET', KEYS[1], 'used', 'ends_at')
local used, ends_at = math.min(limit, (window[1] or 0) + ARGV[5]), tonumber(window[2] or now + ARGV[2])
local nodes = math.max(1, redis.call('ZCOUNT', KEYS[2], '(' .. now - ${NODE_GONE_MS}, '+inf'))
local granted = 0
if limit - used >= needed then
  granted = math.min(wanted, math.max(needed, math.floor((limit - used) / (4 * nodes))))
end
used = used + granted
redis.call('HSET', KEYS[1], 'used', used, 'ends_at', ends_at)
redis.call('PEXPIREAT', KEYS[1], ends_at)
return {granted, limit - used, ends_at, math.max(0, ends_at - now), nodes}`;

/** KEYS: the caller's window. ARGV: when it ends, tokens. */
const GIVE_BACK = `local window = redis.call('HMGET', KEYS[1], 'used', 'ends_at')
if window[2] ~= ARGV[1] then return end
redis.call('HSET', KEYS[1], 'used', math.max(0, window[1] - ARGV[2]))`;

/** KEYS: the nodes. ARGV: this one. */
const MEET = `${NOW}
-- First: after another write, Redis whose memory is full would take it, and refuse the next draw.
redis.call('ZADD', KEYS[1], now, ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - ${NODE_GONE_MS})
redis.call('PEXPIRE', KEYS[1], ${NODE_GONE_MS})
return redis.call('ZCARD', KEYS[1])`;

/** KEYS: the nodes. ARGV: this one. */
const LEAVE = `redis.call('ZREM', KEYS[1], ARGV[1])`;

/**
 * A counter of limits in Redis. A service should not start before the client is connected: it would not know how many nodes
 * share the limits.
 *
 * @example
 * const limitCounter = new RedisLimitCounter(new Redis('redis://127.0.0.1', REDIS_OPTIONS));
 * const gazette = createGazette({ store, limitCounter });
 */
export class RedisLimitCounter implements LimitCounter {
  readonly #client: RedisClient;
  readonly #prefix: string;
  readonly #nodes: string;

  /** @param product services of the same one share their counts */
  constructor(client: RedisClient, product = 'gazette') {
    this.#client = client;
    // The text in braces decides in which slot of a cluster a key lies. A script may use keys of one slot alone.
    this.#prefix = `gazette:{${product}}:`;
    this.#nodes = `${this.#prefix}nodes`;
  }

  async draw({ caller, limit, windowSeconds, needed, wanted, spent }: LimitDraw): Promise<DrawnTokens> {
    const values = [limit, windowSeconds * 1000, needed, wanted, spent];
    const answer = await this.#run(DRAW, 2, this.#windowOf(caller), this.#nodes, ...values);
    const [granted, left, endsAt, endsInMs, nodes] = answer as readonly number[];
    return { granted: granted!, left: left!, endsAt: endsAt!, endsInMs: endsInMs!, nodes: nodes! };
  }

  async giveBack({ caller, endsAt, tokens }: UnusedTokens): Promise<void> {
    await this.#run(GIVE_BACK, 1, this.#windowOf(caller), endsAt, tokens);
  }

  async meet(node: string): Promise<number> {
    return (await this.#run(MEET, 1, this.#nodes, node)) as number;
  }

  async leave(node: string): Promise<void> {
    await this.#run(LEAVE, 1, this.#nodes, node);
  }

  #run(...question: Parameters<RedisClient['eval']>): Promise<unknown> {
    // An error of ioredis has what was sent, which may be a password: only its message is told.
    return this.#client.eval(...question).catch((error: unknown) => {
      throw new Error(`the counter of limits cannot be used now: ${(error as Error).message}`);
    });
  }

  #windowOf(caller: string): string {
    return `${this.#prefix}limit:${caller}`;
  }
}
