// Options of every client function, and their checks before anything is sent.
import { checkWhole } from '../checks.ts';
import { GazetteError } from '../errors.ts';

/** Options of every client function. */
export interface ClientOptions {
  /** The API key, visible ASCII; surrounding blanks are removed. It is sent only to the origin of the first URL. */
  readonly key?: string | undefined;
  /** Ends the walk; the iteration then throws `aborted`. */
  readonly signal?: AbortSignal;
  /** Keeps answers by URL, so that they are revalidated instead of downloaded again. */
  readonly cache?: ClientCache;
  /** How often a request is tried before the walk fails, at least 1. Default 8. */
  readonly attempts?: number;
  /** How long one try may take, in milliseconds, including its body, at least 1. Default 60,000. */
  readonly timeoutMs?: number;
  /**
   * The longest answer that is read, in bytes after decompression, at least 1. A longer page is asked for once more with ten
   * records. Default 64 MiB.
   */
  readonly maxBodyBytes?: number;
  /** The longest wait that the service may ask for, in milliseconds. Default 300,000. */
  readonly maxWaitMs?: number;
  /** Default: the global `fetch`. */
  readonly fetch?: typeof fetch;
  /** Waits. Default: with `setTimeout`. */
  readonly sleep?: (ms: number, signal: AbortSignal | undefined) => Promise<void>;
  /** Milliseconds since 1970, for `Retry-After` as a date. Default `Date.now`. */
  readonly now?: () => number;
  /** 0 to 1, for the jitter of waits. Default `Math.random`. */
  readonly random?: () => number;
}

/** An answer in a cache. */
export interface CachedAnswer {
  /** The answer's entity tag, sent to ask whether the answer is still current. */
  readonly etag: string;
  /** Its header fields, in order. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Its body, decoded. */
  readonly body: Uint8Array<ArrayBuffer>;
}

/** Stores answers; a `Map` can be used. It contains data that a key gave access to: keep it private. */
export interface ClientCache {
  /** The stored answer for a URL; undefined if there is none. */
  get(url: string): CachedAnswer | undefined | Promise<CachedAnswer | undefined>;
  /** Stores an answer, replacing an older one. */
  set(url: string, answer: CachedAnswer): unknown;
}

/** Over several minutes: longer than a service takes to restart. */
export const DEFAULT_ATTEMPTS = 8;

/** Longer than any page takes. */
export const DEFAULT_TIMEOUT_MS = 60_000;

/** 64 MiB: more than most pages, and what a small process has room for. */
export const DEFAULT_MAX_BODY_BYTES: number = 64 * 1024 * 1024;

/** If a service is down for longer than this, its reader should come back later. */
export const DEFAULT_MAX_WAIT_MS = 300_000;

/** The longest time of a timer; with a longer one it fires immediately. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Options with their defaults filled in. */
export interface CheckedOptions extends Omit<ClientOptions, 'key'> {
  readonly key: string | null;
  readonly attempts: number;
  readonly timeoutMs: number;
  readonly maxBodyBytes: number;
  readonly maxWaitMs: number;
}

/** @throws GazetteError `invalid_option`; the message never shows a key */
export function checkOptions(options: ClientOptions): CheckedOptions {
  return {
    ...options,
    key: checkKey(options.key),
    attempts: checkWhole('attempts', options.attempts ?? DEFAULT_ATTEMPTS, 1, MAX_TIMER_MS),
    timeoutMs: checkWhole('timeoutMs', options.timeoutMs ?? DEFAULT_TIMEOUT_MS, 1, MAX_TIMER_MS),
    maxBodyBytes: checkWhole('maxBodyBytes', options.maxBodyBytes ?? DEFAULT_MAX_BODY_BYTES, 1),
    maxWaitMs: checkWhole('maxWaitMs', options.maxWaitMs ?? DEFAULT_MAX_WAIT_MS, 0, MAX_TIMER_MS),
  };
}

function checkKey(given: string | undefined): string | null {
  if (given === undefined) return null;
  const key = given.trim();
  // `fetch` would reject any other key with a message that contains all of it.
  if (/^[\x21-\x7e]+$/.test(key)) return key;
  throw new GazetteError('invalid_option', 'the key must be one line of visible ASCII characters without blanks', {
    details: { option: 'key' },
  });
}
