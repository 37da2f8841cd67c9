// One attempt to deliver: a POST whose destination is checked when it connects. It follows no redirect, has a time
// limit, and stores only the beginning of the response.
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isGazetteError } from '../../errors.ts';
import { Connections, type Lookup } from './connections.ts';
import { type DestinationRules, type ReadRules, readRules, toRequestOptions } from './destination.ts';
import type { ResolveHost } from './name-resolver.ts';

/** How much of a response is read, in bytes. */
const MAX_RESPONSE_BYTES = 4096;

/** Options of attempts. */
export interface PosterOptions {
  readonly rules: DestinationRules;
  readonly resolve: ResolveHost;
  /** The time limit of an attempt for name, connection, head and body together, in milliseconds. */
  readonly timeoutMs: number;
}

/** The result of an attempt. */
export interface PostResult {
  /** The HTTP status; null when there was no answer. */
  readonly status: number | null;
  /**
   * Why there was no response: `timeout`, `destination_refused`, `aborted`, or the system's code, such as
   * `ECONNREFUSED`.
   */
  readonly error: string | null;
  /** The beginning of the body, as text. */
  readonly body: string;
  readonly retryAfter: string | undefined;
}

/** Sends bodies. */
export class Poster {
  readonly #options: PosterOptions;
  readonly #rules: ReadRules;
  readonly #connections = new Connections();
  /** Ends the attempts under way. A signal would look through all its listeners for each new one. */
  readonly #underWay = new Set<(error: string) => void>();
  #isCut = false;

  /** @throws GazetteError `invalid_option` */
  constructor(options: PosterOptions) {
    this.#options = options;
    this.#rules = readRules(options.rules);
  }

  /** Sends one body. Never rejects: every failure is a result. @param signal ends this attempt: it is `aborted` */
  async post(
    url: string,
    headers: Readonly<Record<string, string>>,
    body: Uint8Array,
    signal?: AbortSignal,
  ): Promise<PostResult> {
    const ends = { deadline: performance.now() + this.#options.timeoutMs, signal };
    const first = await this.#post(url, headers, body, ends);
    // The receiver may have closed a kept connection at just that moment: then no attempt was made.
    return first === 'stale' ? ((await this.#post(url, headers, body, ends, true)) as PostResult) : first;
  }

  /** Aborts the attempts under way, and all later ones. */
  cut(): void {
    this.#isCut = true;
    for (const end of this.#underWay) end('aborted');
  }

  close(): void {
    this.#connections.close();
  }

  #post(
    url: string,
    headers: Readonly<Record<string, string>>,
    body: Uint8Array,
    { deadline, signal }: { readonly deadline: number; readonly signal: AbortSignal | undefined },
    isLast = false,
  ): Promise<PostResult | 'stale'> {
    const { resolve } = this.#options;
    const lookup: Lookup = { usableUntil: Number.POSITIVE_INFINITY };
    const resolveNoting: ResolveHost = (hostname, asked, callback) => {
      resolve(hostname, asked, (error, addresses, usableMs = Number.POSITIVE_INFINITY) => {
        lookup.usableUntil = performance.now() + usableMs;
        callback(error, addresses);
      });
    };
    return new Promise((done) => {
      let options;
      try {
        options = toRequestOptions(url, this.#rules, resolveNoting);
      } catch (error) {
        done(failure(error));
        return;
      }
      const isHttps = options.protocol === 'https:';
      const request = (isHttps ? requestHttps : requestHttp)({
        ...options,
        method: 'POST',
        agent: this.#connections.agent(isHttps),
        headers: { ...headers, 'content-length': body.length },
      });
      request.once('socket', (socket) => {
        if (request.reusedSocket) this.#connections.reuse(socket);
        else this.#connections.endWith(socket, lookup);
      });
      let response: IncomingMessage | null = null;
      let ending: string | null = null;
      const chunks: Buffer[] = [];
      const end = (error: string | null): void => {
        ending ??= error;
        request.destroy();
      };
      // When this process was held up, the response may be there and not read: reading comes before the next turn.
      const timer = setTimeout(() => {
        setImmediate(end, 'timeout');
      }, deadline - performance.now());
      this.#underWay.add(end);
      const onAbort = (): void => {
        end('aborted');
      };
      signal?.addEventListener('abort', onAbort);
      let failed: unknown = null;
      request.once('response', (answer) => {
        response = answer;
        let length = 0;
        answer.on('data', (chunk: Buffer) => {
          chunks.push(chunk);
          length += chunk.length;
          if (length >= MAX_RESPONSE_BYTES) end(null);
        });
        // The status is known, and only the status matters.
        answer.on('error', () => undefined);
      });
      request.on('error', (error) => {
        failed ??= error;
      });
      request.once('close', () => {
        clearTimeout(timer);
        this.#underWay.delete(end);
        signal?.removeEventListener('abort', onAbort);
        if (response !== null) done(answerOf(response, chunks));
        else if (ending !== null) done({ ...NO_ANSWER, error: ending });
        else if (request.reusedSocket && isReset(failed) && !isLast) done('stale');
        else done(failure(failed));
      });
      if (this.#isCut || signal?.aborted === true) end('aborted');
      request.end(body);
    });
  }
}

const NO_ANSWER: PostResult = { status: null, error: null, body: '', retryAfter: undefined };

function answerOf({ statusCode, headers }: IncomingMessage, chunks: readonly Buffer[]): PostResult {
  const text = Buffer.concat(chunks).subarray(0, MAX_RESPONSE_BYTES).toString('utf8');
  // Characters that move a terminal's cursor, and U+0000, which PostgreSQL does not store.
  const body = text.replace(/[^\P{Cc}\n\t]/gu, '');
  return { status: statusCode ?? null, error: null, body, retryAfter: headers['retry-after'] };
}

/** One word, because the text of an error may contain internal addresses. */
function failure(error: unknown): PostResult {
  if (isGazetteError(error)) return { ...NO_ANSWER, error: error.code };
  const code = (error as { readonly code?: unknown } | null)?.code;
  return { ...NO_ANSWER, error: typeof code === 'string' && /^[A-Z0-9_]{1,64}$/.test(code) ? code : 'no_answer' };
}

function isReset(error: unknown): boolean {
  const code = (error as { readonly code?: unknown } | null)?.code;
  return code === 'ECONNRESET' || code === 'EPIPE';
}
