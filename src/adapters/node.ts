// From a web-standard handler to Node's (request, response): node:http, Express, Connect, and Koa by a middleware of
// its own. Every ending is handled: the client hangs up, the body fails, the handler throws.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { GazetteError, quote } from '../errors.ts';
import { forwardedField } from '../export/forwarded-field.ts';
import { problemAnswer } from '../export/problem-answer.ts';
import { type Problem, toProblem } from '../problem.ts';

/** What is known of a request beside the request. */
export interface RequestOrigin {
  /** Where the connection comes from. */
  readonly remoteAddress?: string | undefined;
}

/** A web-standard request handler, as `exportHandler()` and `createGazette().fetch` are. */
export type WebHandler = (request: Request, origin?: RequestOrigin) => Response | Promise<Response>;

/** How requests are understood and failures told. */
export interface NodeListenerOptions {
  /**
   * Whether `X-Forwarded-Proto` and `X-Forwarded-Host` are believed, of each the last value, which the nearest proxy
   * added: only behind a proxy that sets them. Default false.
   * A handler's own `baseUrl` is the safer way to say where the world finds it.
   */
  readonly trustProxy?: boolean;
  /** Told of every failure of the handler or of a body. Default: `console.error`. */
  readonly onError?: (error: unknown) => void;
}

/** Where a request's full target is kept when a framework has cut the mount point off `url` (Express, Connect). */
interface MountedMessage extends IncomingMessage {
  readonly originalUrl?: string;
}

/** Methods that `Request` refuses to carry (Fetch 2.2.1). */
const FORBIDDEN_METHODS: ReadonlySet<string> = new Set(['CONNECT', 'TRACE', 'TRACK']);

/** Bodies of a known length up to this many bytes are sent in one piece. */
const ONE_PIECE_BYTES = 64 * 1024 * 1024;

/**
 * A request listener for `http.createServer()`, and a handler for Express and Connect.
 *
 * @example http.createServer(toNodeListener(exportHandler(permits))).listen(8080, '127.0.0.1');
 * @example app.use('/open-data', toNodeListener(exportHandler(permits))); // Express
 */
export function toNodeListener(
  handler: WebHandler,
  options: NodeListenerOptions = {},
): (request: IncomingMessage, response: ServerResponse) => void {
  return (request, response) => {
    const target = (request as MountedMessage).originalUrl ?? request.url ?? '/';
    void serve(handler, request, response, target, options);
  };
}

/** The part of Koa's context that {@link toKoaMiddleware} uses. */
export interface KoaContext {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly originalUrl: string;
  respond?: boolean | undefined;
}

/**
 * A middleware for Koa. It answers every request that reaches it.
 *
 * @example app.use(toKoaMiddleware(exportHandler(permits)));
 */
export function toKoaMiddleware(
  handler: WebHandler,
  options: NodeListenerOptions = {},
): (context: KoaContext) => Promise<void> {
  return (context) => {
    // Koa shall not answer as well.
    context.respond = false;
    return serve(handler, context.req, context.res, context.originalUrl, options);
  };
}

/** Runs the handler for one request and sends what it answers. Never rejects. */
async function serve(
  handler: WebHandler,
  message: IncomingMessage,
  response: ServerResponse,
  target: string,
  options: NodeListenerOptions,
): Promise<void> {
  const onError =
    options.onError ??
    ((error: unknown): void => {
      console.error('gazette: a request failed', error);
    });
  const hangUp = new AbortController();
  response.once('close', () => {
    // After a complete answer nobody listens any more: the abort then reaches no one.
    if (!response.writableFinished) hangUp.abort(new DOMException('the client closed the connection', 'AbortError'));
  });
  try {
    const request = toRequest(message, target, options.trustProxy === true, hangUp.signal);
    const { remoteAddress } = message.socket;
    await send(await handler(request, { remoteAddress }), response, message.method === 'HEAD');
    // What nobody read stands before the connection's next request.
    if (!message.complete) drain(message);
  } catch (error) {
    const requestId = crypto.randomUUID();
    const problem = toProblem(error, requestId);
    if (problem.status >= 500 && problem.status !== 501 && !hangUp.signal.aborted) onError(error);
    // After the head the only honest sign of failure is a connection that breaks off.
    if (response.headersSent) response.destroy();
    else refuse(response, problem);
  }
}

/** Answers in the place of a handler that has not. */
function refuse(response: ServerResponse, problem: Problem): void {
  const { status, headers, body } = problemAnswer(response.req.method ?? 'GET', problem);
  response.writeHead(status, headers).end(body ?? undefined);
}

/** The request in web terms. @throws GazetteError `bad_request`, `not_implemented` */
function toRequest(message: IncomingMessage, target: string, trustProxy: boolean, signal: AbortSignal): Request {
  const method = message.method ?? 'GET';
  if (FORBIDDEN_METHODS.has(method)) {
    throw new GazetteError('not_implemented', `the method ${method} is not implemented`);
  }
  const headers = new Headers();
  // Raw headers: Node's own view keeps only the first of two Authorization headers, and two are to be seen as two.
  for (let i = 0; i < message.rawHeaders.length; i += 2) {
    const name = message.rawHeaders[i]!;
    if (!name.startsWith(':')) headers.append(name, message.rawHeaders[i + 1]!);
  }
  const forwarded = (name: string): string | undefined => (trustProxy ? forwardedField(headers, name) : undefined);
  const encrypted = 'encrypted' in message.socket;
  const protocol = forwarded('x-forwarded-proto') ?? (encrypted ? 'https' : 'http');
  // HTTP/2 has `:authority` where HTTP/1.1 has Host.
  const authority = message.headers[':authority'] as string | undefined;
  const host = forwarded('x-forwarded-host') ?? message.headers.host ?? authority ?? 'localhost';
  // Put together as text: resolving `//other.example/` against a base would let the path name the host.
  const address = `${protocol}://${host}${pathOf(target)}`;
  if (!/^https?$/.test(protocol) || !/^[A-Za-z0-9.:[\]_-]+$/.test(host) || URL.parse(address) === null) {
    throw new GazetteError('bad_request', `the host and the path must make an http(s) URL, got ${quote(address)}`);
  }
  const hasBody = method !== 'GET' && method !== 'HEAD';
  return new Request(address, {
    method,
    headers,
    signal,
    ...(hasBody ? { body: lazyBody(message), duplex: 'half' as const } : {}),
  });
}

/** Reads what is left of a request and forgets it. */
function drain(message: IncomingMessage): void {
  // A reader that has stopped half way has left its listener, and with one a stream does not flow.
  message.removeAllListeners('readable');
  message.resume();
}

/**
 * The request's body, begun when somebody reads it.
 */
function lazyBody(message: IncomingMessage): ReadableStream<Uint8Array> {
  let chunks: AsyncIterator<Uint8Array> | undefined;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        chunks ??= message.iterator({ destroyOnReturn: false }) as AsyncIterator<Uint8Array>;
        const next: IteratorResult<Uint8Array, unknown> = await chunks.next();
        if (next.done === true) controller.close();
        else controller.enqueue(next.value);
      },
    },
    { highWaterMark: 0 },
  );
}

/** The path and query of a request target (RFC 9112 3.2): origin-form as it is, absolute-form without its authority. */
function pathOf(target: string): string {
  if (target.startsWith('/')) return target;
  if (target === '*') return '/';
  return /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*(\/.*)?$/i.exec(target)?.[1] ?? '/';
}

async function send(answer: Response, response: ServerResponse, isHead: boolean): Promise<void> {
  response.statusCode = answer.status;
  if (answer.statusText !== '') response.statusMessage = answer.statusText;
  answer.headers.forEach((value, name) => {
    if (name !== 'set-cookie') response.setHeader(name, value);
  });
  const cookies = answer.headers.getSetCookie();
  if (cookies.length > 0) response.setHeader('set-cookie', cookies);

  if (answer.body === null || isHead) {
    await answer.body?.cancel();
    response.end();
    return;
  }
  const length = Number(answer.headers.get('content-length') ?? NaN);
  if (length <= ONE_PIECE_BYTES) {
    response.end(new Uint8Array(await answer.arrayBuffer()));
    return;
  }
  await pipe(answer.body, response);
}

/** Sends a stream as fast as the client takes it, and cancels it when the client goes away. */
async function pipe(body: ReadableStream<Uint8Array>, response: ServerResponse): Promise<void> {
  const reader = body.getReader();
  const closed = (): void => {
    // A stream that is cancelled while it fails has already told of its failure to the reader below.
    reader.cancel(new DOMException('the client closed the connection', 'AbortError')).catch(() => undefined);
  };
  response.once('close', closed);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done || response.destroyed) break;
      if (!response.write(value)) await drained(response);
    }
    if (!response.destroyed) response.end();
  } finally {
    response.off('close', closed);
  }
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const settle = (): void => {
      response.off('drain', settle);
      response.off('close', settle);
      resolve();
    };
    response.once('drain', settle);
    response.once('close', settle);
  });
}
