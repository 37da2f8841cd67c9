// How much one caller may request, who is one caller, and what callers are told. `limits/` counts.
// Clients are informed as in draft-ietf-httpapi-ratelimit-headers-10, with numbers only.
import { isIPv4, isIPv6 } from 'node:net';
import { checkWhole } from '../checks.ts';
import { checkRateLimit, type RateLimit } from '../web/rate-limit.ts';

/**
 * What is counted: requests by key, or by account where it has a limit of its own, which its keys share; by address
 * requests without a key, previews among them, and keys that do not exist.
 */
export type RatePolicy = 'key' | 'account' | 'address' | 'previews' | 'failures';

/** How a request is counted. */
export interface TakeOptions {
  /** What it counts for. Default 1. */
  readonly times?: number;
  /** The limit of this caller alone. Default: that of the policy. */
  readonly rate?: RateLimit;
}

/** The limits; null disables one. */
export interface RateLimitOptions {
  /** Default 600 in 60 seconds. */
  readonly perKey?: RateLimit | null;
  /** Default 120 in 60 seconds. */
  readonly perAddress?: RateLimit | null;
  /** Previews of older records, besides `perAddress`. Default 60 in 60 seconds. */
  readonly previews?: RateLimit | null;
  /** Requests with keys that do not work, by address. Default 20 in 60 seconds. */
  readonly failures?: RateLimit | null;
  /**
   * How many callers each policy remembers; above that, the one not seen for longest is forgotten, and its count
   * restarts. Default 50,000.
   */
  readonly maxCallers?: number;
}

/** A caller's state under a policy. Without a limit all numbers except `resetSeconds` are `Infinity`. */
export interface RateState {
  readonly policy: RatePolicy;
  /** Whether this request was within the limit; from `giveBack()`, whether the next one would be. */
  readonly isAllowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** Seconds until the full limit is available again; 0 if it is. */
  readonly resetSeconds: number;
  readonly windowSeconds: number;
  /** Identifies the window, where it is one of a counter that several processes share; 0 otherwise. */
  readonly window: number;
}

/** Whose count is undone. */
export interface GiveBackOptions extends Pick<TakeOptions, 'rate'> {
  /** `window` of the state that `take()` gave. */
  readonly window: number;
}

/**
 * Counts requests. An id is a key's id, or an address as text; IPv6 addresses are counted by their /64.
 */
export interface CallerLimits {
  /** Counts one request. A promise only if others have to be asked: every request passes here. */
  take(policy: RatePolicy, id: string, options?: TakeOptions): RateState | Promise<RateState>;
  /** Undoes the count of an allowed request, since a 304 costs nothing. Returns the caller's state afterwards. */
  giveBack(policy: RatePolicy, id: string, options: GiveBackOptions): RateState;
}

/** Ten per second: a whole register of 100,000 records takes less than two minutes. */
export const KEY_LIMIT: RateLimit = { limit: 600, windowSeconds: 60 };

/** The public tier reads three records of each register, and many readers may share one address. */
export const ADDRESS_LIMIT: RateLimit = { limit: 120, windowSeconds: 60 };

/** People follow links to older records; a program that reads all of them needs a key. */
export const PREVIEW_LIMIT: RateLimit = { limit: 60, windowSeconds: 60 };

/** Whoever mistypes a key learns that from the first answer; whoever guesses gets nowhere. */
export const FAILURE_LIMIT: RateLimit = { limit: 20, windowSeconds: 60 };

/** Some tens of megabytes at most, however many addresses there are. */
export const MAX_CALLERS = 50_000;

/** The longest valid address has 45 characters; invalid ones must not fill the memory either. */
const MAX_ADDRESS_LENGTH = 64;

/** The limit of each policy, null: none. @throws GazetteError `invalid_option` for a limit out of its range */
export function ratesOf(options: RateLimitOptions): Readonly<Record<RatePolicy, RateLimit | null>> {
  const { perKey, perAddress, previews, failures, maxCallers = MAX_CALLERS } = options;
  checkWhole('maxCallers', maxCallers, 1, 10_000_000);
  const rateOf = (option: string, rate: RateLimit | null | undefined, usual: RateLimit): RateLimit | null =>
    rate === null ? null : checkRateLimit(option, rate ?? usual);
  const key = rateOf('perKey', perKey, KEY_LIMIT);
  return {
    key,
    // Without limits of keys there may be some of accounts.
    account: key ?? KEY_LIMIT,
    address: rateOf('perAddress', perAddress, ADDRESS_LIMIT),
    previews: rateOf('previews', previews, PREVIEW_LIMIT),
    failures: rateOf('failures', failures, FAILURE_LIMIT),
  };
}

/** Who is counted: a key or an account by its id, an address by its network. */
export function callerOf(policy: RatePolicy, id: string): string {
  return policy === 'key' || policy === 'account' ? id : callerOfAddress(id);
}

/** The state of a caller without a limit. */
export function unlimited(policy: RatePolicy): RateState {
  const none = { limit: Infinity, remaining: Infinity, resetSeconds: 0, windowSeconds: Infinity, window: 0 };
  return { policy, isAllowed: true, ...none };
}

/**
 * The header fields that inform a client about its limit: `RateLimit-Policy`, `RateLimit`, and `Retry-After` (RFC 9110
 * 10.2.3) when it has to wait. None without a limit.
 *
 * @example rateLimitHeaders(state) // { 'ratelimit-policy': '"key";q=600;w=60', ratelimit: '"key";r=599;t=60' }
 */
export function rateLimitHeaders(state: RateState): Readonly<Record<string, string>> {
  if (state.limit === Infinity) return {};
  const { policy, limit, windowSeconds, remaining, resetSeconds, isAllowed } = state;
  const fields = {
    'ratelimit-policy': `"${policy}";q=${limit};w=${windowSeconds}`,
    ratelimit: `"${policy}";r=${remaining};t=${resetSeconds}`,
  };
  return isAllowed ? fields : { ...fields, 'retry-after': String(resetSeconds) };
}

/**
 * The caller that an address is counted as. For IPv6 it is the /64, because a household or machine gets at least that
 * much and may use all of it (RFC 6177, RFC 4291 2.5.4); an IPv4 address in IPv6 form counts as the IPv4 address.
 */
export function callerOfAddress(address: string): string {
  const bare = address.replace(/%.*$/, '');
  if (isIPv4(bare) || !isIPv6(bare)) return bare.slice(0, MAX_ADDRESS_LENGTH);
  // URL writes each address in exactly one form (RFC 5952).
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

/** Whole seconds, rounded up. The difference of two times may be a trifle too large: 60 seconds must not become 61. */
export function secondsUntil(ms: number): number {
  return Math.ceil(Math.round(ms * 1000) / 1_000_000);
}
