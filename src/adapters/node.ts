// Turns a web-standard handler into Node's (request, response) form: for node:http, Express and Connect, and as a
// middleware for Koa. Every way to end is handled: the client disconnects, the body fails, the handler throws.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { IncomingRequest, RequestOrigin } from '../web/incoming-request.ts';
import { problemAnswer } from '../web/problem-answer.ts';
import type { HttpResponse } from '../web/representation.ts';
import { type Problem, toProblem } from '../problem.ts';
import { type AddressRules, type NodeExchange, NodeRequest, Origins } from './node-request.ts';

/** A web-standard request handler, such as `exportHandler()` or `createGazette().fetch`. */
export interface WebHandler {
  (request: Request, origin?: RequestOrigin): Response | Promise<Response>;
  /** The same without web objects. Node hosts call it if it exists. @internal */
  readonly answer?: (request: IncomingRequest, origin?: RequestOrigin) => Promise<HttpResponse>;
}

/** How requests are interpreted and failures reported. */
export interface NodeListenerOptions {
  /**
   * Whether the last value of `X-Forwarded-Proto`, which the nearest proxy added, is trusted. Set it only behind a proxy
   * that sets this field. Default false.
   */
  readonly trustProxy?: boolean;
  /**
   * Whether the last value of `X-Forwarded-Host` is trusted too. Set it only behind a proxy that sets this field itself:
   * most pass on what the client sent, and a shared cache would keep its links. Default false. The handler's own
   * `baseUrl` is the safer way to configure the public URL.
   */
  readonly trustForwardedHost?: boolean;
  /** Called with every failure of the handler or of a body. Default: `console.error`. */
  readonly onError?: (error: unknown) => void;
}

/** Frameworks that remove the mount point from `url` keep the full target here (Express, Connect). */
interface MountedMessage extends IncomingMessage {
  readonly originalUrl?: string;
}

/** Bodies of a known length up to this many bytes are sent in one piece. */
const ONE_PIECE_BYTES = 1024 * 1024;

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
  const server = serverOf(handler, options);
  return (message, response) => {
    void server({ message, response, target: (message as MountedMessage).originalUrl ?? message.url ?? '/' });
  };
}

/** The part of Koa's context that {@link toKoaMiddleware} uses. */
export interface KoaContext {
  /** Node's request. */
  readonly req: IncomingMessage;
  /** Node's response. */
  readonly res: ServerResponse;
  /** The target as the client sent it, before any mount point was removed. */
  readonly originalUrl: string;
  /** Set to false so that Koa leaves the answer to us. */
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
  const server = serverOf(handler, options);
  return (context) => {
    // Prevents Koa from answering as well.
    context.respond = false;
    return server({ message: context.req, response: context.res, target: context.originalUrl });
  };
}

function serverOf(handler: WebHandler, options: NodeListenerOptions): (exchange: NodeExchange) => Promise<void> {
  const common = {
    rules: {
      trustProxy: options.trustProxy === true,
      trustForwardedHost: options.trustForwardedHost === true,
      origins: new Origins(),
    },
    onError:
      options.onError ??
      ((error: unknown): void => {
        console.error('gazette: a request failed', error);
      }),
    refuseAddress: (error: unknown, response: ServerResponse): void => {
      sendProblem(toProblem(error, crypto.randomUUID()), response);
    },
  };
  return (exchange) => serve(handler, { ...common, ...exchange });
}

/** A request to serve. */
export interface Serving extends NodeExchange {
  readonly rules: AddressRules;
  readonly onError: (error: unknown) => void;
  /** Answers a request whose host and target do not form a URL. */
  readonly refuseAddress: (error: unknown, response: ServerResponse) => void;
}

/** Runs the handler for one request and sends its answer. Never rejects. */
export async function serve(handler: WebHandler, serving: Serving): Promise<void> {
  const { message, response, rules, onError, refuseAddress } = serving;
  let request: NodeRequest;
  try {
    request = new NodeRequest(serving, rules);
  } catch (error) {
    refuseAddress(error, response);
    return;
  }
  try {
    const { remoteAddress } = message.socket;
    if (handler.answer === undefined) {
      await send(await handler(request.toRequest(), { remoteAddress }), response, message.method === 'HEAD');
    } else {
      const { status, headers, body } = await handler.answer(request, { remoteAddress });
      response.writeHead(status, headers);
      if (body instanceof ReadableStream) await pipe(body, response);
      // Sent with the head in one write.
      else response.end(body ?? undefined);
    }
    // An unread body would block the connection's next request.
    if (!message.complete) drain(message);
  } catch (error) {
    const requestId = crypto.randomUUID();
    const problem = toProblem(error, requestId);
    if (problem.status >= 500 && problem.status !== 501 && !request.isAbandoned) onError(error);
    // After the head, the only way to signal a failure is to break the connection.
    if (response.headersSent) breakOff(response);
    else sendProblem(problem, response);
  }
}

/**
 * Ends an answer so that its reader notices. To HTTP/1.0, as proxies speak it, the end of the connection is the end of the body (RFC 9112
 * 6.3), unless it is reset.
 */
export function breakOff(response: ServerResponse): void {
  const { httpVersion, socket } = response.req;
  // Over TLS, and where there is no TCP, nothing can be reset.
  if (httpVersion === '1.0' && socket.remoteAddress !== undefined && !('encrypted' in socket)) socket.resetAndDestroy();
  else response.destroy();
}

/** Sends a problem if the handler has not answered. */
function sendProblem(problem: Problem, response: ServerResponse): void {
  const { status, headers, body } = problemAnswer(response.req.method ?? 'GET', problem);
  response.writeHead(status, headers).end(body ?? undefined);
}

/** Reads and discards the rest of a request. */
function drain(message: IncomingMessage): void {
  // A reader that stopped half-way has left its listener, which keeps the stream from flowing.
  message.removeAllListeners('readable');
  message.resume();
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

/** Sends a stream as fast as the client takes it, and cancels it when the client disconnects or it cannot be sent. */
async function pipe(body: ReadableStream<Uint8Array>, response: ServerResponse): Promise<void> {
  const reader = body.getReader();
  const cancel = (reason: unknown): void => {
    // A stream that fails while it is cancelled has already reported its failure to the reader below.
    reader.cancel(reason).catch(() => undefined);
  };
  const closed = (): void => {
    cancel(new DOMException('the client closed the connection', 'AbortError'));
  };
  response.once('close', closed);
  // The client may have disconnected while the handler worked.
  if (response.destroyed) closed();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done || response.destroyed) break;
      if (!response.write(value)) await drained(response);
    }
    if (!response.destroyed) response.end();
  } catch (error) {
    cancel(error);
    throw error;
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
