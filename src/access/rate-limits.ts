// How much of the service one caller may take, counted in this process alone: nodes behind a balancer each count for
// themselves. Told to clients as draft-ietf-httpapi-ratelimit-headers-10 says, and never by more than numbers.
import { isIPv4, isIPv6 } from 'node:net';
import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible';
import { GazetteError } from '../errors.ts';

/** What is counted: requests by key, requests without one by address, and refused credentials by address. */
export type RatePolicy = 'key' | 'address' | 'failures';

/** So many in a window that begins with the first of them. */
export interface RateLimit {
  /** 1..1,000,000. */
  readonly limit: number;
  /** 1..86,400. */
  readonly windowSeconds: number;
}

/** The limits; null for none. */
export interface RateLimitOptions {
  /** Default {@link KEY_LIMIT}. */
  readonly perKey?: RateLimit | null;
  /** Default {@link ADDRESS_LIMIT}. */
  readonly perAddress?: RateLimit | null;
  /** Default {@link FAILURE_LIMIT}. */
  readonly failures?: RateLimit | null;
  /**
   * How many callers are kept in mind by each policy; of more, the one not seen for longest is forgotten, and counts
   * anew. Default {@link MAX_CALLERS}.
   */
  readonly maxCallers?: number;
}

/** How a caller stands with a policy. Without a limit all numbers but `resetSeconds` are `Infinity`. */
export interface RateState {
  readonly policy: RatePolicy;
  /** Whether this one was within the limit; of `peek()`, whether the next would be. */
  readonly isAllowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** Until all of the limit is there again; 0 when it is. */
  readonly resetSeconds: number;
  readonly windowSeconds: number;
}

/** Counts. Ids are a key's id, or an address as text, of which an IPv6 one counts by its /64. */
export interface RateLimits {
  /** Counts one. */
  take(policy: RatePolicy, id: string): Promise<RateState>;
  /** Takes one back that was counted and allowed: a 304 costs nothing. */
  giveBack(policy: RatePolicy, id: string): Promise<void>;
  /** Looks without counting. */
  peek(policy: RatePolicy, id: string): Promise<RateState>;
}

/** Ten a second: a whole register of 100,000 records in under two minutes. */
export const KEY_LIMIT: RateLimit = { limit: 600, windowSeconds: 60 };

/** The public reads three records of each register; many readers may share one address. */
export const ADDRESS_LIMIT: RateLimit = { limit: 120, windowSeconds: 60 };

/** A reader whose key has ended finds out at the first answer; nobody needs to be told more often. */
export const FAILURE_LIMIT: RateLimit = { limit: 20, windowSeconds: 60 };

/** Some tens of megabytes at most, whatever number of addresses comes. */
export const MAX_CALLERS = 50_000;

/** The longest address there is has 45 characters; what is none must not fill the memory either. */
const MAX_ADDRESS_LENGTH = 64;

/**
 * Counters of this process.
 *
 * @throws GazetteError `invalid_option` for a limit out of its range.
 * @example
 * const limits = createRateLimits({ perAddress: { limit: 10, windowSeconds: 60 } });
 * (await limits.take('address', '192.0.2.1')).remaining; // 9
 */
export function createRateLimits(options: RateLimitOptions = {}): RateLimits {
  const {
    perKey = KEY_LIMIT,
    perAddress = ADDRESS_LIMIT,
    failures = FAILURE_LIMIT,
    maxCallers = MAX_CALLERS,
  } = options;
  checkWhole('maxCallers', maxCallers, 1, 10_000_000);
  const counters: Readonly<Record<RatePolicy, Counter>> = {
    key: counterOf('key', 'perKey', perKey, maxCallers),
    address: counterOf('address', 'perAddress', perAddress, maxCallers),
    failures: counterOf('failures', 'failures', failures, maxCallers),
  };
  const callerOf = (policy: RatePolicy, id: string): string => (policy === 'key' ? id : callerOfAddress(id));
  return {
    take: (policy, id) => counters[policy].take(callerOf(policy, id)),
    giveBack: (policy, id) => counters[policy].giveBack(callerOf(policy, id)),
    peek: (policy, id) => counters[policy].peek(callerOf(policy, id)),
  };
}

/**
 * The header fields that tell a client how it stands: `RateLimit-Policy`, `RateLimit`, and `Retry-After` (RFC 9110
 * 10.2.3) when it has to wait. None without a limit.
 *
 * @example rateLimitHeaders(state) // [['RateLimit-Policy', '"key";q=600;w=60'], ['RateLimit', '"key";r=599;t=60']]
 */
export function rateLimitHeaders(state: RateState): readonly (readonly [name: string, value: string])[] {
  if (state.limit === Infinity) return [];
  const { policy, limit, windowSeconds, remaining, resetSeconds, isAllowed } = state;
  return [
    ['RateLimit-Policy', `"${policy}";q=${limit};w=${windowSeconds}`],
    ['RateLimit', `"${policy}";r=${remaining};t=${resetSeconds}`],
    ...(isAllowed ? [] : [['Retry-After', String(resetSeconds)] as const]),
  ];
}

/**
 * Whom an address counts as. Of IPv6 it is the /64, which is the least that one household or machine is given and all of
 * which it may use (RFC 6177, RFC 4291 2.5.4); an IPv4 address that comes as IPv6 is the IPv4 address.
 */
export function callerOfAddress(address: string): string {
  const bare = address.replace(/%.*$/, '');
  if (isIPv4(bare) || !isIPv6(bare)) return bare.slice(0, MAX_ADDRESS_LENGTH);
  // URL writes an address in one way alone (RFC 5952).
  const canonical = new URL(`http://[${bare}]/`).hostname.slice(1, -1);
  const mapped = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(canonical);
  if (mapped !== null) {
    const [high, low] = [parseInt(mapped[1]!, 16), parseInt(mapped[2]!, 16)];
    return [high >> 8, high & 255, low >> 8, low & 255].join('.');
  }
  const [head = '', tail = ''] = canonical.split('::');
  const [first, last] = [head, tail].map((part) => (part === '' ? [] : part.split(':')));
  const zeros = Array<string>(8 - first!.length - last!.length).fill('0');
  return `${[...first!, ...zeros, ...last!].slice(0, 4).join(':')}::/64`;
}

/** Counts the callers of one policy. */
interface Counter {
  take(caller: string): Promise<RateState>;
  giveBack(caller: string): Promise<void>;
  peek(caller: string): Promise<RateState>;
}

function counterOf(policy: RatePolicy, option: string, rate: RateLimit | null, maxCallers: number): Counter {
  if (rate === null) return new Unlimited(policy);
  checkWhole(`${option}.limit`, rate.limit, 1, 1_000_000);
  checkWhole(`${option}.windowSeconds`, rate.windowSeconds, 1, 86_400);
  return new Limited(policy, rate, maxCallers);
}

class Unlimited implements Counter {
  readonly #state: RateState;

  constructor(policy: RatePolicy) {
    const none = { limit: Infinity, remaining: Infinity, resetSeconds: 0, windowSeconds: Infinity };
    this.#state = { policy, isAllowed: true, ...none };
  }

  async take(): Promise<RateState> {
    return this.#state;
  }

  async giveBack(): Promise<void> {
    // Nothing was counted.
  }

  async peek(): Promise<RateState> {
    return this.#state;
  }
}

class Limited implements Counter {
  readonly #policy: RatePolicy;
  readonly #rate: RateLimit;
  readonly #maxCallers: number;
  readonly #limiter: RateLimiterMemory;
  /** The callers in mind, the one not seen for longest first. The limiter itself forgets only what has expired. */
  readonly #callers = new Set<string>();
  /** Goes along with the set for ever: a new iterator would step over all that was deleted, each time. */
  readonly #oldest = this.#callers.values();

  constructor(policy: RatePolicy, rate: RateLimit, maxCallers: number) {
    this.#policy = policy;
    this.#rate = rate;
    this.#maxCallers = maxCallers;
    this.#limiter = new RateLimiterMemory({ points: rate.limit, duration: rate.windowSeconds, keyPrefix: '' });
  }

  async take(caller: string): Promise<RateState> {
    await this.#remember(caller);
    // Beyond the limit it rejects with the very same kind of answer.
    const count = await this.#limiter.consume(caller).catch((refused: unknown) => {
      if (refused instanceof Error) throw refused;
      return refused as RateLimiterRes;
    });
    return this.#state(count, count.consumedPoints <= this.#rate.limit);
  }

  async giveBack(caller: string): Promise<void> {
    const count = await this.#current(caller);
    if (count !== null && count.consumedPoints > 0) await this.#limiter.reward(caller);
  }

  async peek(caller: string): Promise<RateState> {
    const count = await this.#current(caller);
    return this.#state(count, count === null || count.consumedPoints < this.#rate.limit);
  }

  /** Null when nothing is counted, or no longer: the limiter drops what has expired a little late. */
  async #current(caller: string): Promise<RateLimiterRes | null> {
    const count = await this.#limiter.get(caller);
    return count !== null && count.msBeforeNext > 0 ? count : null;
  }

  async #remember(caller: string): Promise<void> {
    this.#callers.delete(caller);
    this.#callers.add(caller);
    if (this.#callers.size <= this.#maxCallers) return;
    const oldest = this.#oldest.next().value!;
    this.#callers.delete(oldest);
    await this.#limiter.delete(oldest);
  }

  #state(count: RateLimiterRes | null, isAllowed: boolean): RateState {
    const { limit, windowSeconds } = this.#rate;
    return {
      policy: this.#policy,
      isAllowed,
      limit,
      remaining: count === null ? limit : Math.max(0, limit - count.consumedPoints),
      resetSeconds: count === null ? 0 : Math.max(1, Math.ceil(count.msBeforeNext / 1000)),
      windowSeconds,
    };
  }
}

function checkWhole(option: string, value: number, min: number, max: number): void {
  if (Number.isSafeInteger(value) && value >= min && value <= max) return;
  throw new GazetteError('invalid_option', `${option} must be ${min}..${max}, got ${value}`, { details: { option } });
}
