// One request of a client, repeated until it is answered. It waits as the service asks, retries if a connection broke,
// revalidates cached answers, and sends the key only to the origin for which it was given.
import { type ErrorCode, GazetteError, isGazetteError, quote } from '../errors.ts';
import { isHttp } from './address.ts';
import { type CheckedOptions, checkOptions, type ClientOptions } from './client-options.ts';
import { httpDate } from '../web/http-date.ts';
import { endingSilence, type Failed, isUnaskable, messageOf, problemOf, sleepFor } from './trouble.ts';

/** A completely received answer. */
export interface ReceivedResponse {
  readonly url: URL;
  readonly headers: Headers;
  readonly body: Uint8Array<ArrayBuffer>;
}

/** An answer whose body is still to come. */
export interface OpenedResponse extends Omit<ReceivedResponse, 'body'> {
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>>;
}

type Tried<Answer> = { readonly answer: Answer } | Failed;

/** The first wait if the service does not name one; each later one is twice as long. */
const FIRST_WAIT_MS = 500;
const LONGEST_OWN_WAIT_MS = 30_000;

/** More than any sensible service needs. */
const MAX_REDIRECTS = 5;

/** Temporary statuses: too many requests, and those of a service, or of a proxy before it, that is unavailable now. */
const PASSING: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** How many records a page is asked for if a longer one was too long: as a rule each has at most 1 MiB of content. */
const FEW_RECORDS = 10;

/** How much of a refusal is read: its code and its detail are at the beginning. */
const MAX_REFUSAL_BYTES = 65_536;

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** An entity tag as in RFC 9110 8.8.3, checked because a cache may contain any text. */
const ENTITY_TAG = /^(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"$/;

/** Sends requests to one service. */
export class Requester {
  readonly #options: CheckedOptions;
  readonly #origin: string;
  readonly #fetch: typeof fetch;

  /** @param url a URL of the service: the key belongs to its origin @throws GazetteError `invalid_option` */
  constructor(url: URL, options: ClientOptions) {
    this.#options = checkOptions(options);
    this.#origin = url.origin;
    this.#fetch = options.fetch ?? fetch;
  }

  /**
   * Sends a GET and reads the whole answer, which may have no body (204).
   *
   * @throws GazetteError `foreign_address` for another origin than the first, `invalid_answer` for a URL that cannot be
   *   requested, `request_refused` for an answer that will not change, `request_failed` if there was no answer or it
   *   asked for too long a wait, `body_too_large`, `aborted`.
   */
  async get(url: URL, accept: string): Promise<ReceivedResponse> {
    const { cache, timeoutMs } = this.#options;
    return this.#repeat(url, async () => {
      const cached = await cache?.get(url.href);
      const known = ENTITY_TAG.test(cached?.etag ?? '') ? { 'If-None-Match': cached!.etag } : {};
      const response = await this.#follow(url, { Accept: accept, ...known }, AbortSignal.timeout(timeoutMs));
      const body = await this.#bodyOf(url, response);
      if (response.status === 304 && cached !== undefined) {
        const headers = new Headers(cached.headers.map(([name, value]) => [name, value]));
        return { answer: { url, headers, body: cached.body } };
      }
      if (response.status !== 200 && response.status !== 204) return this.#refused(url, response, body);
      const etag = response.headers.get('etag');
      if (etag !== null) await cache?.set(url.href, { etag, headers: [...response.headers], body });
      return { answer: { url, headers: response.headers, body } };
    });
  }

  /**
   * The same without waiting for the body, which fails with `request_failed`. @param from the first byte that is asked for (RFC 9110 14)
   */
  async open(url: URL, accept: string, from?: number): Promise<OpenedResponse> {
    const { timeoutMs, maxWaitMs } = this.#options;
    return this.#repeat(url, async () => {
      const silence = new AbortController();
      const inTime = <T>(work: () => Promise<T>, ms = timeoutMs): Promise<T> => endingSilence(silence, ms, work);
      const fields = { Accept: accept, ...(from === undefined ? {} : { Range: `bytes=${from}-` }) };
      // A service makes what is before it once more, and says nothing meanwhile.
      const ms = from === undefined ? timeoutMs : Math.max(timeoutMs, maxWaitMs);
      const response = await inTime(() => this.#follow(url, fields, silence.signal), ms);
      if (response.status !== 200 && response.status !== 206)
        return this.#refused(url, response, await inTime(() => this.#bodyOf(url, response)));
      const [, first, last, all] = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(response.headers.get('content-range') ?? '') ?? [];
      const isWhole = first === String(from) && Number(last) + 1 === Number(all);
      if (from !== undefined && (!isWhole || response.headers.has('content-encoding'))) {
        await response.body?.cancel();
        throw new GazetteError('invalid_answer', `${where(url)} must answer its bytes from ${from} on`);
      }
      const reader = (response.body as ReadableStream<Uint8Array<ArrayBuffer>> | null)?.getReader();
      const body = new ReadableStream<Uint8Array<ArrayBuffer>>(
        {
          pull: async (controller) => {
            const piece = await inTime(async () => reader?.read()).catch((cause: unknown) => {
              throw this.#failure(url, cause);
            });
            if (piece?.value === undefined) controller.close();
            else controller.enqueue(piece.value);
          },
          cancel: (reason) => reader?.cancel(reason),
        },
        { highWaterMark: 0 },
      );
      return { answer: { url, headers: response.headers, body } };
    });
  }

  /** Tries until there is an answer. */
  async #repeat<Answer>(url: URL, attemptOnce: () => Promise<Tried<Answer>>): Promise<Answer> {
    for (let attempt = 1; ; attempt++) {
      const tried = await attemptOnce().catch((cause: unknown) => {
        const failure = this.#failure(url, cause);
        if (failure.code !== 'request_failed' || failure === cause || isUnaskable(cause)) throw failure;
        return { failure, asksForMs: 0 };
      });
      if ('answer' in tried) return tried.answer;
      if (attempt >= this.#options.attempts) throw tried.failure;
      // If the service asks for a wait of zero, all tries would be used up at once.
      await this.#wait(tried.asksForMs, this.#ownWait(attempt), tried.failure);
    }
  }

  /** Why there is no answer. */
  #failure(url: URL, cause: unknown): GazetteError {
    if (this.#options.signal?.aborted === true) return this.#aborted();
    if (cause instanceof GazetteError) return cause;
    const why = cause instanceof Error ? messageOf(cause) : String(cause);
    return new GazetteError('request_failed', `${where(url)} could not be read: ${why}`, { cause });
  }

  /** @throws GazetteError `request_refused` for an answer that will not change */
  #refused(url: URL, { status, headers }: Response, body: Uint8Array): Failed {
    const failure = this.#refusal(url, status, body);
    if (!PASSING.has(status)) throw failure;
    return { failure, asksForMs: this.#retryAfter(headers.get('retry-after')) };
  }

  /**
   * The same for a page, which is asked for once more with a `limit` of {@link FEW_RECORDS} if it is too long.
   *
   * @param url gets that `limit`
   */
  async getPage(url: URL, accept: string): Promise<ReceivedResponse> {
    try {
      return await this.get(url, accept);
    } catch (error) {
      const limit = Number(url.searchParams.get('limit') ?? Infinity);
      if (!isGazetteError(error, 'body_too_large') || limit <= FEW_RECORDS) throw error;
      url.searchParams.set('limit', String(FEW_RECORDS));
      return this.get(url, accept);
    }
  }

  /** Follows redirections within the origin, since `fetch` itself would send the key to any redirection target. */
  async #follow(url: URL, fields: Readonly<Record<string, string>>, timeout: AbortSignal): Promise<Response> {
    const { key, signal } = this.#options;
    let address = url;
    for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
      this.#checkAddress(address);
      const response = await this.#fetch(address, {
        redirect: 'manual',
        signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
        headers: { ...fields, ...(key === null ? {} : { Authorization: `Bearer ${key}` }) },
      });
      if (response.type === 'opaqueredirect') {
        throw new GazetteError(
          'request_refused',
          `${where(url)} redirects, and a browser does not say where to: use the address that it redirects to`,
          { details: { status: response.status } },
        );
      }
      const location = REDIRECTS.has(response.status) ? response.headers.get('location') : null;
      if (location === null) return response;
      await response.body?.cancel();
      const next = URL.parse(location, address.href);
      if (next === null)
        throw new GazetteError(
          'invalid_answer',
          `${where(url)} redirects to ${quote(location)}, which is not an address`,
        );
      address = next;
    }
    throw new GazetteError('request_failed', `${where(url)} redirects more than ${MAX_REDIRECTS} times`);
  }

  /** The service chooses the targets of links and redirections. */
  #checkAddress(address: URL): void {
    if (!isHttp(address)) {
      throw new GazetteError(
        'invalid_answer',
        `the service at ${this.#origin} leads to a ${quote(address.protocol)} address, not an http(s) one`,
      );
    }
    if (address.origin !== this.#origin) {
      throw new GazetteError(
        'foreign_address',
        `the service at ${this.#origin} leads to ${address.origin}, which gets no request: the key is not for it. If the service is there now, give that address`,
      );
    }
    if (address.username !== '' || address.password !== '') {
      throw new GazetteError('invalid_answer', `the service at ${this.#origin} leads to an address with credentials`);
    }
  }

  /** Reads a body: all of an answer, the beginning of a refusal. @throws GazetteError `body_too_large` */
  async #bodyOf(url: URL, response: Response): Promise<Uint8Array<ArrayBuffer>> {
    const { maxBodyBytes } = this.#options;
    const limit = response.status === 200 ? maxBodyBytes : Math.min(maxBodyBytes, MAX_REFUSAL_BYTES);
    const stream = response.body as ReadableStream<Uint8Array> | null;
    const reader = stream?.getReader();
    const chunks: Uint8Array[] = [];
    let length = 0;
    for (let read = await reader?.read(); read?.value !== undefined; read = await reader?.read()) {
      chunks.push(read.value);
      length += read.value.length;
      if (length <= limit) continue;
      await reader?.cancel();
      if (response.status !== 200) break;
      throw new GazetteError(
        'body_too_large',
        `the answer of ${where(url)} is longer than ${maxBodyBytes} bytes: ask for fewer records a page with limit, or allow more with maxBodyBytes`,
      );
    }
    const body = new Uint8Array(length);
    let at = 0;
    for (const chunk of chunks) {
      body.set(chunk, at);
      at += chunk.length;
    }
    return body;
  }

  #ownWait(attempt: number): number {
    const full = Math.min(LONGEST_OWN_WAIT_MS, FIRST_WAIT_MS * 2 ** (attempt - 1));
    // Half of it is random, so that readers that were disconnected together do not return together.
    return full / 2 + (full / 2) * (this.#options.random ?? Math.random)();
  }

  /** The wait in milliseconds, from seconds or a date (RFC 9110 10.2.3). */
  #retryAfter(value: string | null): number {
    if (value === null) return 0;
    if (/^\d+$/.test(value)) return Number(value) * 1000;
    const now = this.#options.now ?? Date.now;
    const at = httpDate(value, now);
    return at === null ? 0 : Math.max(0, at * 1000 - now());
  }

  async #wait(asksForMs: number, ownMs: number, failure: GazetteError): Promise<void> {
    const { signal, sleep = sleepFor, maxWaitMs } = this.#options;
    if (asksForMs > maxWaitMs) {
      throw new GazetteError(
        'request_failed',
        `${failure.message}; the service asks to wait ${Math.ceil(asksForMs / 1000)} s, longer than ${maxWaitMs / 1000} s`,
        { cause: failure },
      );
    }
    await sleep(Math.max(asksForMs, ownMs), signal);
    if (signal?.aborted === true) throw this.#aborted();
  }

  #refusal(url: URL, status: number, body: Uint8Array): GazetteError {
    const { key } = this.#options;
    // A service may repeat the key in its answer.
    const { code, detail } = problemOf(body, (text) => (key === null ? text : text.replaceAll(key, '…')));
    const shown = `${code === undefined ? '' : ` ${quote(code)}`}${detail === undefined ? '' : `: ${quote(detail)}`}`;
    return new GazetteError('request_refused', `${where(url)} answered ${status}${shown}`, {
      details: { status, ...(code === undefined ? {} : { code }) },
    });
  }

  #aborted(): GazetteError {
    return new GazetteError('aborted', 'the walk was cancelled', { cause: this.#options.signal?.reason });
  }
}

/** The JSON of an answer. @param otherwise the code of the error for what is none, as a proxy's page. @throws GazetteError */
export function jsonOf(answer: ReceivedResponse, otherwise: ErrorCode = 'invalid_answer'): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(answer.body)) as unknown;
  } catch (cause) {
    throw new GazetteError(otherwise, `${where(answer.url)} answered something that is not JSON`, { cause });
  }
}

/** A URL as a message may show it, since a query may contain anything. */
export function where(url: URL): string {
  return quote(url.origin + url.pathname);
}
