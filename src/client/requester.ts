// One request of a consumer, repeated until it is answered: waits as the service asks, starts again where a connection
// broke, revalidates what is known already, and shows the key to the origin it was given for and to no other.
import { GazetteError, quote } from '../errors.ts';

/** What every reader of a service takes. */
export interface ClientOptions {
  /** The API key. Sent to the origin of the first address alone. */
  readonly key?: string;
  /** Ends the walk; the iteration then throws `aborted`. */
  readonly signal?: AbortSignal;
  /** Answers by address, to be revalidated instead of fetched again. */
  readonly cache?: ClientCache;
  /** How often a request is tried before the walk fails. Default {@link DEFAULT_ATTEMPTS}. */
  readonly attempts?: number;
  /** How long one try may take, in milliseconds, its body included. Default {@link DEFAULT_TIMEOUT_MS}. */
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

/** An answer that was read whole. */
export interface Answer {
  readonly url: URL;
  readonly headers: Headers;
  readonly body: Uint8Array<ArrayBuffer>;
}

/** An answer as a cache keeps it. */
export interface CachedAnswer {
  readonly etag: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array<ArrayBuffer>;
}

/** Keeps answers; a `Map` is one. What a key opened lies in it: keep it where nobody else can read it. */
export interface ClientCache {
  get(url: string): CachedAnswer | undefined | Promise<CachedAnswer | undefined>;
  set(url: string, answer: CachedAnswer): unknown;
}

/** Over some minutes: longer than a service takes to start anew. */
export const DEFAULT_ATTEMPTS = 8;

export const DEFAULT_TIMEOUT_MS = 60_000;

/** A service that is down for longer than this is for its reader to come back to. */
export const DEFAULT_MAX_WAIT_MS = 300_000;

/** The first wait where the service does not name one; each later one is twice as long. */
const FIRST_WAIT_MS = 500;
const LONGEST_OWN_WAIT_MS = 30_000;

/** More than any sensible service needs. */
const MAX_REDIRECTS = 5;

/** Statuses that pass: too many requests, and those of a service, or of what stands before it, that is not there now. */
const PASSING: ReadonlySet<number> = new Set([429, 502, 503, 504]);

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Asks one service. */
export class Requester {
  readonly #options: ClientOptions;
  readonly #origin: string;
  readonly #fetch: typeof fetch;
  readonly #attempts: number;

  /** @param url an address of the service: the key belongs to its origin @throws GazetteError `invalid_option` */
  constructor(url: URL, options: ClientOptions) {
    if (url.protocol !== 'https:' && url.protocol !== 'http:') {
      throw new GazetteError('invalid_option', `the address must be an http(s) URL, got ${quote(url.href)}`);
    }
    if (url.username !== '' || url.password !== '') {
      throw new GazetteError('invalid_option', 'the address must hold no credentials: give the key by itself');
    }
    this.#options = options;
    this.#origin = url.origin;
    this.#fetch = options.fetch ?? fetch;
    this.#attempts = options.attempts ?? DEFAULT_ATTEMPTS;
  }

  /**
   * A GET, read whole.
   *
   * @throws GazetteError `foreign_address` for another origin than the first, `request_refused` for an answer that will
   *   not change, `request_failed` where none came or it named too long a wait, `aborted`.
   */
  async get(url: URL, accept: string): Promise<Answer> {
    for (let attempt = 1; ; attempt++) {
      const tried = await this.#try(url, accept);
      if ('answer' in tried) return tried.answer;
      if (attempt >= this.#attempts) throw tried.failure;
      await this.#wait(tried.waitMs ?? this.#ownWait(attempt), tried.failure);
    }
  }

  /** One try: the answer, or why it may be tried again and after which time. */
  async #try(url: URL, accept: string): Promise<{ answer: Answer } | { failure: GazetteError; waitMs: number | null }> {
    const cached = await this.#options.cache?.get(url.href);
    let response: Response;
    let body: Uint8Array<ArrayBuffer>;
    try {
      response = await this.#follow(url, accept, cached?.etag);
      body = new Uint8Array(await response.arrayBuffer());
    } catch (cause) {
      if (this.#options.signal?.aborted === true) throw this.#aborted();
      if (cause instanceof GazetteError) throw cause;
      const why = cause instanceof Error ? messageOf(cause) : String(cause);
      return {
        failure: new GazetteError('request_failed', `${where(url)} could not be read: ${why}`, { cause }),
        waitMs: null,
      };
    }
    if (response.status === 304 && cached !== undefined) {
      return {
        answer: { url, headers: new Headers(cached.headers.map(([name, value]) => [name, value])), body: cached.body },
      };
    }
    if (response.status === 200) {
      const etag = response.headers.get('etag');
      if (etag !== null) await this.#options.cache?.set(url.href, { etag, headers: [...response.headers], body });
      return { answer: { url, headers: response.headers, body } };
    }
    const failure = refusal(url, response.status, body);
    if (!PASSING.has(response.status)) throw failure;
    return { failure, waitMs: this.#retryAfter(response.headers.get('retry-after')) };
  }

  /** Follows redirections within the origin: `fetch` itself would take the key along to wherever they lead. */
  async #follow(url: URL, accept: string, etag: string | undefined): Promise<Response> {
    const { key, signal, timeoutMs = DEFAULT_TIMEOUT_MS } = this.#options;
    const timeout = AbortSignal.timeout(timeoutMs);
    let address = url;
    for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
      if (address.origin !== this.#origin) {
        throw new GazetteError(
          'foreign_address',
          `the service at ${this.#origin} leads to ${address.origin}, which is not asked: the key is not for it`,
        );
      }
      const response = await this.#fetch(address, {
        redirect: 'manual',
        signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
        headers: {
          Accept: accept,
          ...(key === undefined ? {} : { Authorization: `Bearer ${key}` }),
          ...(etag === undefined ? {} : { 'If-None-Match': etag }),
        },
      });
      const location = REDIRECTS.has(response.status) ? response.headers.get('location') : null;
      if (location === null) return response;
      await response.body?.cancel();
      const next = URL.parse(location, address.href);
      if (next === null)
        throw new GazetteError('invalid_answer', `${where(url)} leads to ${quote(location)}, no address`);
      address = next;
    }
    throw new GazetteError('request_failed', `${where(url)} leads on and on, more than ${MAX_REDIRECTS} times`);
  }

  #ownWait(attempt: number): number {
    const full = Math.min(LONGEST_OWN_WAIT_MS, FIRST_WAIT_MS * 2 ** (attempt - 1));
    // Half of it by chance, so that readers who were cut off together do not come back together.
    return full / 2 + (full / 2) * (this.#options.random ?? Math.random)();
  }

  /** RFC 9110 10.2.3: seconds, or a date. */
  #retryAfter(value: string | null): number | null {
    if (value === null) return null;
    if (/^\d+$/.test(value)) return Number(value) * 1000;
    const at = Date.parse(value);
    return Number.isNaN(at) ? null : Math.max(0, at - (this.#options.now ?? Date.now)());
  }

  async #wait(ms: number, failure: GazetteError): Promise<void> {
    const { signal, sleep = sleepFor, maxWaitMs = DEFAULT_MAX_WAIT_MS } = this.#options;
    if (ms > maxWaitMs) {
      throw new GazetteError(
        'request_failed',
        `${failure.message}; the service asks to be left alone for ${Math.ceil(ms / 1000)} s, longer than ${maxWaitMs / 1000} s`,
        { cause: failure },
      );
    }
    await sleep(ms, signal);
    if (signal?.aborted === true) throw this.#aborted();
  }

  #aborted(): GazetteError {
    return new GazetteError('aborted', 'the walk was cancelled', { cause: this.#options.signal?.reason });
  }
}

/** The JSON of an answer. @throws GazetteError `invalid_answer` */
export function jsonOf(answer: Answer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(answer.body)) as unknown;
  } catch (cause) {
    throw new GazetteError('invalid_answer', `${where(answer.url)} answered something that is no JSON`, { cause });
  }
}

/** An address as a message may show it: a query may hold anything. */
export function where(url: URL): string {
  return quote(url.origin + url.pathname);
}

function refusal(url: URL, status: number, body: Uint8Array): GazetteError {
  const { code, detail } = problemOf(body);
  const said = detail === undefined ? '' : `: ${quote(detail)}`;
  return new GazetteError(
    'request_refused',
    `${where(url)} answered ${status}${code === undefined ? '' : ` ${quote(code)}`}${said}`,
    {
      details: { status, ...(code === undefined ? {} : { code }) },
    },
  );
}

/** What problem details say (RFC 9457), of an answer that may be anything. */
function problemOf(body: Uint8Array): { readonly code?: string; readonly detail?: string } {
  try {
    const problem = JSON.parse(new TextDecoder().decode(body)) as {
      readonly code?: unknown;
      readonly detail?: unknown;
    } | null;
    return {
      ...(typeof problem?.code === 'string' ? { code: problem.code } : {}),
      ...(typeof problem?.detail === 'string' ? { detail: problem.detail } : {}),
    };
  } catch {
    // A page for people, or nothing: the status has to do.
    return {};
  }
}

/** `fetch` hides the reason behind "fetch failed". */
function messageOf(error: Error): string {
  return error.cause instanceof Error ? `${error.message} (${error.cause.message})` : error.message;
}

function sleepFor(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener('abort', done, { once: true });
    if (signal?.aborted === true) done();
  });
}
