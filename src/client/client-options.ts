// What every reader of a service takes, and what is asked of it before anything is sent.
import { GazetteError, quote } from '../errors.ts';

/** What every reader of a service takes. */
export interface ClientOptions {
  /** The API key, visible ASCII; blanks around it are dropped. Sent to the origin of the first address alone. */
  readonly key?: string | undefined;
  /** Ends the walk; the iteration then throws `aborted`. */
  readonly signal?: AbortSignal;
  /** Answers by address, to be revalidated instead of fetched again. */
  readonly cache?: ClientCache;
  /** How often a request is tried before the walk fails, from 1. Default {@link DEFAULT_ATTEMPTS}. */
  readonly attempts?: number;
  /** How long one try may take, in milliseconds, its body included, from 1. Default {@link DEFAULT_TIMEOUT_MS}. */
  readonly timeoutMs?: number;
  /** The longest time the service may ask to be left alone, in milliseconds. Default {@link DEFAULT_MAX_WAIT_MS}. */
  readonly maxWaitMs?: number;
  /** Default: the global `fetch`. */
  readonly fetch?: typeof fetch;
  /** Waits; default by `setTimeout`. */
  readonly sleep?: (ms: number, signal: AbortSignal | undefined) => Promise<void>;
  /** Milliseconds since 1970, for `Retry-After` as a date. Default `Date.now`. */
  readonly now?: () => number;
  /** 0 to 1, for the jitter of waits. Default `Math.random`. */
  readonly random?: () => number;
}

/** An answer as a cache keeps it. */
export interface CachedAnswer {
  /** The answer's entity tag, sent back to ask whether it still holds. */
  readonly etag: string;
  /** Its header fields, in order. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Its body, decoded. */
  readonly body: Uint8Array<ArrayBuffer>;
}

/** Keeps answers; a `Map` is one. What a key opened lies in it: keep it where nobody else can read it. */
export interface ClientCache {
  /** The answer kept for an address; undefined when there is none. */
  get(url: string): CachedAnswer | undefined | Promise<CachedAnswer | undefined>;
  /** Keeps an answer in the place of an older one. */
  set(url: string, answer: CachedAnswer): unknown;
}

/** Over some minutes: longer than a service takes to start anew. */
export const DEFAULT_ATTEMPTS = 8;

/** Longer than any page takes. */
export const DEFAULT_TIMEOUT_MS = 60_000;

/** A service that is down for longer than this is for its reader to come back to. */
export const DEFAULT_MAX_WAIT_MS = 300_000;

/** The longest time that a timer counts: beyond it, it fires at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Options with their defaults. */
export interface CheckedOptions extends Omit<ClientOptions, 'key'> {
  readonly key: string | null;
  readonly attempts: number;
  readonly timeoutMs: number;
  readonly maxWaitMs: number;
}

/** @throws GazetteError `invalid_option`, in which a key is never shown */
export function checkOptions(options: ClientOptions): CheckedOptions {
  return {
    ...options,
    key: checkKey(options.key),
    attempts: checkWhole('attempts', options.attempts ?? DEFAULT_ATTEMPTS, 1),
    timeoutMs: checkWhole('timeoutMs', options.timeoutMs ?? DEFAULT_TIMEOUT_MS, 1),
    maxWaitMs: checkWhole('maxWaitMs', options.maxWaitMs ?? DEFAULT_MAX_WAIT_MS, 0),
  };
}

function checkKey(given: string | undefined): string | null {
  if (given === undefined) return null;
  const key = given.trim();
  // `fetch` would refuse anything else with a message that holds all of it.
  if (/^[\x21-\x7e]+$/.test(key)) return key;
  throw new GazetteError('invalid_option', 'the key must be one line of visible ASCII characters without blanks', {
    details: { option: 'key' },
  });
}

function checkWhole(option: string, value: number, min: number): number {
  if (Number.isSafeInteger(value) && value >= min && value <= MAX_TIMER_MS) return value;
  throw new GazetteError('invalid_option', `${option} must be ${min}..${MAX_TIMER_MS}, got ${quote(value)}`, {
    details: { option },
  });
}
