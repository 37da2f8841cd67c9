// One attempt to deliver: a POST whose destination is checked as it connects, which follows nothing, waits for nobody
// beyond its time, and keeps little of what it is answered.
import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { isGazetteError } from '../../errors.ts';
import { type DestinationRules, type ResolveHost, toRequestOptions } from './destination.ts';

/** How much of an answer is read, in bytes. */
const MAX_RESPONSE_BYTES = 4096;

/** How long a connection that nothing uses is kept, in milliseconds. */
const IDLE_MS = 30_000;

/** The connections kept for all destinations together. */
const MAX_IDLE = 256;

/** How attempts reach their destinations. */
export interface PosterOptions {
  readonly rules: DestinationRules;
  readonly resolve?: ResolveHost;
  /** For everything: name, connection, head and body. In milliseconds. */
  readonly timeoutMs: number;
}

/** What came of an attempt. */
export interface PostResult {
  /** The HTTP status; null when there was no answer. */
  readonly status: number | null;
  /** Why there was none: `timeout`, `destination_refused`, `aborted`, or the system's code, such as `ECONNREFUSED`. */
  readonly error: string | null;
  /** The beginning of the body, as text. */
  readonly body: string;
  readonly retryAfter: string | undefined;
}

/** Sends bodies. Its connections are its own: one that others opened was never checked. */
export class Poster {
  readonly #options: PosterOptions;
  readonly #http = new HttpAgent({ keepAlive: true, maxFreeSockets: MAX_IDLE, timeout: IDLE_MS });
  readonly #https = new HttpsAgent({ keepAlive: true, maxFreeSockets: MAX_IDLE, timeout: IDLE_MS });

  constructor(options: PosterOptions) {
    this.#options = options;
  }

  /** Sends one. Never rejects: whatever happens is the result. */
  async post(
    url: string,
    headers: Readonly<Record<string, string>>,
    body: Uint8Array,
    signal: AbortSignal,
  ): Promise<PostResult> {
    const deadline = performance.now() + this.#options.timeoutMs;
    const first = await this.#post(url, headers, body, signal, deadline);
    // A connection that was kept may have been closed just then by the other side: no attempt was made.
    return first === 'stale' ? ((await this.#post(url, headers, body, signal, deadline, true)) as PostResult) : first;
  }

  close(): void {
    this.#http.destroy();
    this.#https.destroy();
  }

  #post(
    url: string,
    headers: Readonly<Record<string, string>>,
    body: Uint8Array,
    signal: AbortSignal,
    deadline: number,
    isLast = false,
  ): Promise<PostResult | 'stale'> {
    const { rules, resolve } = this.#options;
    return new Promise((done) => {
      let options;
      try {
        options = toRequestOptions(url, rules, resolve);
      } catch (error) {
        done(failure(error));
        return;
      }
      const isHttps = options.protocol === 'https:';
      const request = (isHttps ? requestHttps : requestHttp)({
        ...options,
        method: 'POST',
        agent: isHttps ? this.#https : this.#http,
        headers: { ...headers, 'content-length': body.length },
      });
      let response: IncomingMessage | null = null;
      let ending: string | null = null;
      const chunks: Buffer[] = [];
      const end = (error: string | null): void => {
        ending ??= error;
        request.destroy();
      };
      const timer = setTimeout(() => {
        end('timeout');
      }, deadline - performance.now());
      const onAbort = (): void => {
        end('aborted');
      };
      signal.addEventListener('abort', onAbort, { once: true });
      let failed: unknown = null;
      request.once('response', (answer) => {
        response = answer;
        let length = 0;
        answer.on('data', (chunk: Buffer) => {
          chunks.push(chunk);
          length += chunk.length;
          if (length >= MAX_RESPONSE_BYTES) end(null);
        });
        // The status is known, and that is all that counts.
        answer.on('error', () => undefined);
      });
      request.on('error', (error) => {
        failed ??= error;
      });
      request.once('close', () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
        if (response !== null) done(answerOf(response, chunks));
        else if (ending !== null) done({ ...NO_ANSWER, error: ending });
        else if (request.reusedSocket && isReset(failed) && !isLast) done('stale');
        else done(failure(failed));
      });
      if (signal.aborted) onAbort();
      request.end(body);
    });
  }
}

const NO_ANSWER: PostResult = { status: null, error: null, body: '', retryAfter: undefined };

function answerOf({ statusCode, headers }: IncomingMessage, chunks: readonly Buffer[]): PostResult {
  const text = Buffer.concat(chunks).subarray(0, MAX_RESPONSE_BYTES).toString('utf8');
  // What moves a terminal's cursor, and U+0000, which PostgreSQL does not keep.
  const body = text.replace(/[^\P{Cc}\n\t]/gu, '');
  return { status: statusCode ?? null, error: null, body, retryAfter: headers['retry-after'] };
}

/** In a word: an error's text may name addresses of the inside. */
function failure(error: unknown): PostResult {
  if (isGazetteError(error)) return { ...NO_ANSWER, error: error.code };
  const code = (error as { readonly code?: unknown } | null)?.code;
  return { ...NO_ANSWER, error: typeof code === 'string' && /^[A-Z0-9_]{1,64}$/.test(code) ? code : 'no_answer' };
}

function isReset(error: unknown): boolean {
  const code = (error as { readonly code?: unknown } | null)?.code;
  return code === 'ECONNRESET' || code === 'EPIPE';
}
