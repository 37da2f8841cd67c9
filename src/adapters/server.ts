// The service's own server, on node:http, with timeouts, refusals of invalid HTTP, and a stop that does not interrupt
// requests. For existing hosts there is node.ts.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { GazetteError } from '../errors.ts';
import { problemAnswer } from '../web/problem-answer.ts';
import type { HttpResponse, HeaderFields } from '../web/representation.ts';
import { type Problem, toProblem } from '../problem.ts';
import { serve, type WebHandler } from './node.ts';
import { Origins } from './node-request.ts';

/** Where and how a server listens. */
export interface ServerOptions {
  /** The port; 0 selects any free one. */
  readonly port: number;
  readonly host: string;
  /** Header fields of the answers that the server itself sends. Default none. */
  readonly refusalHeaders?: HeaderFields;
  /** Called with those answers, because the handler never sees their requests. */
  readonly onRefusal?: (problem: Problem) => void;
  /**
   * How long a connection may still bring requests once the server stops. Closing it at once would reset requests on their
   * way (RFC 9112 9.6); an answer within this time tells the client that it is the last. Milliseconds, default 250.
   */
  readonly lingerMs?: number;
}

/** A running server. */
export interface RunningServer {
  /** `http://host:port`, without a slash at its end. */
  readonly url: string;
  /**
   * Accepts no more connections, answers the requests that have arrived, then closes the connections. Further calls
   * change nothing.
   *
   * @param graceMs how long requests may take before they are interrupted. Default {@link STOP_GRACE_MS}.
   */
  stop(graceMs?: number): Promise<void>;
}

/**
 * Longer than any answer takes to compute and most take to download; shorter than supervisors wait before they kill.
 */
const STOP_GRACE_MS = 8000;

/** A client that sends its head more slowly than this is treated as hostile. */
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;

/**
 * Longer than the minute that load balancers keep a connection: the side that sends requests must be the one that
 * closes.
 */
const KEEP_ALIVE_TIMEOUT_MS = 65_000;

/** A reader that takes no data for this long is considered gone. */
const IDLE_TIMEOUT_MS = 120_000;

/** How long the rest of a body may take after its request was answered: until then the connection is blocked. */
const UNREAD_MS = 500;

/**
 * Starts a server.
 *
 * @throws GazetteError `listen_failed` if the port is taken or not permitted.
 * @example const server = await startServer(gazette.fetch, { port: 8080, host: '127.0.0.1' });
 */
export async function startServer(handler: WebHandler, options: ServerOptions): Promise<RunningServer> {
  const { port, host } = options;
  const refusals = new Refusals(options);
  const server = createServer({
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    // We report it with our own message instead.
    requireHostHeader: false,
  });
  server.timeout = IDLE_TIMEOUT_MS;
  const connections = new Connections(server, options.lingerMs ?? 250);
  const serving = {
    // The handler decides whether to trust a proxy about the public URL.
    rules: { trustProxy: false, trustForwardedHost: false, origins: new Origins() },
    onError: (error: unknown): void => {
      console.error('gazette: a request failed', error);
    },
    refuseAddress: (error: unknown, response: ServerResponse): void => {
      refusals.sendOfTarget(error, response);
    },
  };
  const answer = (message: IncomingMessage, response: ServerResponse): void => {
    connections.begin(message, response);
    if (!hasOneHost(message)) refusals.sendOfHost(response);
    else void serve(handler, { ...serving, message, response, target: originForm(message) });
  };
  server.on('request', answer);
  // RFC 9110 10.1.1 allows ignoring an unknown expectation; Node would refuse it without a message.
  server.on('checkExpectation', answer);
  server.on('clientError', (error, socket) => {
    refusals.sendOfBytes(error, socket);
  });
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (cause) {
    throw listenFailed(cause as NodeJS.ErrnoException, port, host);
  }
  const bound = (server.address() as AddressInfo).port;
  return {
    url: `http://${authorityOf(host, bound)}`,
    stop: (graceMs = STOP_GRACE_MS) => connections.stop(graceMs),
  };
}

/** The state of a connection. */
interface Connection {
  /** Requests whose answers are not completely sent. */
  pending: number;
  /** Bytes received when it was last idle; more bytes mean that a request has begun. */
  bytesSeen: number;
}

/** The connections of a server, and how they are closed. */
class Connections {
  readonly #server: Server;
  readonly #lingerMs: number;
  readonly #connections = new Map<Socket, Connection>();
  #accepted = 0;
  #stopped: Promise<void> | null = null;

  constructor(server: Server, lingerMs: number) {
    this.#server = server;
    this.#lingerMs = lingerMs;
    server.on('connection', (socket: Socket) => {
      this.#accepted++;
      this.#connections.set(socket, { pending: 0, bytesSeen: 0 });
      socket.once('close', () => this.#connections.delete(socket));
    });
  }

  /** A request has arrived. Its answer gets no socket while an earlier request's answer holds it (RFC 9112 9.3.2). */
  begin(message: IncomingMessage, response: ServerResponse): void {
    const { socket } = message;
    const connection = this.#connections.get(socket)!;
    connection.pending++;
    if (this.#stopped !== null) response.setHeader('Connection', 'close');
    // Emitted once everything has been passed to the system.
    response.once('close', () => {
      connection.pending--;
      connection.bytesSeen = socket.bytesRead;
      if (!message.complete) this.#endUnlessRead(message);
      // Its answer began before the stop and keeps the connection open.
      if (this.#stopped !== null) this.#endLater([socket]);
    });
  }

  stop(graceMs: number): Promise<void> {
    this.#stopped ??= this.#stop(graceMs);
    return this.#stopped;
  }

  async #stop(graceMs: number): Promise<void> {
    const closed = once(this.#server, 'close');
    await this.#letIn();
    // Only net's close: http's close treats a connection as idle when its answer is made but not sent, and cuts it.
    NetServer.prototype.close.call(this.#server);
    // Including connections that browsers open in advance and have never used.
    this.#endLater([...this.#connections.keys()]);
    const timer = setTimeout(() => {
      this.#server.closeAllConnections();
    }, graceMs);
    await closed;
    clearTimeout(timer);
    // Ends the timer with which http looks for requests that take too long.
    this.#server.close();
  }

  /**
   * Accepts clients that have connected: the system resets those still waiting when the listener is closed. Each turn
   * of the event loop accepts one.
   */
  async #letIn(): Promise<void> {
    const deadline = performance.now() + this.#lingerMs;
    for (let before = -1; before !== this.#accepted && performance.now() < deadline;) {
      before = this.#accepted;
      // The first turn may be partly over.
      await nextTurn();
      await nextTurn();
    }
  }

  /** Does not wait for a client that keeps sending a refused body slowly. */
  #endUnlessRead(message: IncomingMessage): void {
    setTimeout(() => {
      if (!message.complete) message.socket.destroySoon();
    }, UNREAD_MS).unref();
  }

  /** Closes the connections that are idle by then. */
  #endLater(sockets: readonly Socket[]): void {
    setTimeout(() => {
      for (const socket of sockets) {
        const connection = this.#connections.get(socket);
        if (connection?.pending === 0 && socket.bytesRead === connection.bytesSeen) socket.destroySoon();
      }
    }, this.#lingerMs).unref();
  }
}

/**
 * RFC 9112 3.2: a request names exactly one host. HTTP/1.0, which load balancers use for health checks, may name none:
 * the request then gets the address at which it arrived.
 */
function hasOneHost({ httpVersion, headers, rawHeaders, socket }: IncomingMessage): boolean {
  let count = 0;
  // Node's own view keeps only the first of several.
  for (let i = 0; i < rawHeaders.length; i += 2) if (rawHeaders[i]!.toLowerCase() === 'host') count++;
  if (count > 0 || httpVersion !== '1.0') return count === 1;
  headers.host = authorityOf(socket.localAddress ?? 'localhost', socket.localPort ?? 80);
  return true;
}

/**
 * The target in origin form, which nearly all have. RFC 9112 3.2.2: if the target is a complete URL, its host replaces
 * the Host field.
 */
function originForm({ url = '/', headers }: IncomingMessage): string {
  if (url.startsWith('/')) return url;
  const absolute = /^https?:\/\//i.test(url) ? URL.parse(url) : null;
  // Without a valid target, there is no host.
  headers.host = absolute?.host ?? '';
  return absolute === null ? url : absolute.pathname + absolute.search;
}

/** Answers to requests that cannot be passed to a handler. */
class Refusals {
  readonly #options: ServerOptions;

  constructor(options: ServerOptions) {
    this.#options = options;
  }

  /** The message is HTTP but not a request to a server: the host is invalid, or the target is not a path. */
  sendOfTarget(cause: unknown, response: ServerResponse): void {
    // The error's own message is not used because it contains the URL, and these answers are logged.
    send(this.#answer('the host and the path must make an http(s) URL', 400, cause), response);
  }

  sendOfHost(response: ServerResponse): void {
    send(this.#answer('the header Host must come once'), response);
  }

  /** The bytes are not HTTP, arrived too slowly, or have too long a head. */
  sendOfBytes(error: NodeJS.ErrnoException, socket: Duplex & { readonly bytesWritten?: number }): void {
    // After the head of an answer, or after a reset, no answer can be sent.
    if (!socket.writable || error.code === 'ECONNRESET' || (socket.bytesWritten ?? 0) > 0) {
      socket.destroy(error);
      return;
    }
    const [status, reason, detail] =
      error.code === 'HPE_HEADER_OVERFLOW'
        ? ([431, 'Request Header Fields Too Large', 'the head of the request is longer than 16 KiB'] as const)
        : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
          ? ([408, 'Request Timeout', 'the request did not arrive in time'] as const)
          : ([400, 'Bad Request', 'this is no HTTP request'] as const);
    const { headers, body } = this.#answer(detail, status);
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`HTTP/1.1 ${status} ${reason}\r\n${lines.join('')}connection: close\r\n\r\n`);
    socket.end(body);
  }

  #answer(detail: string, status = 400, cause?: unknown): HttpResponse {
    const { refusalHeaders, onRefusal } = this.#options;
    const error = new GazetteError('bad_request', detail, { cause });
    const problem = { ...toProblem(error, crypto.randomUUID()), status };
    onRefusal?.(problem);
    return problemAnswer('GET', problem, refusalHeaders);
  }
}

function send({ status, headers, body }: HttpResponse, response: ServerResponse): void {
  response.writeHead(status, headers).end(response.req.method === 'HEAD' ? undefined : body);
}

/** Host and port as in a URL. */
function authorityOf(host: string, port: number): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

function listenFailed(cause: NodeJS.ErrnoException, port: number, host: string): GazetteError {
  const why =
    cause.code === 'EADDRINUSE'
      ? 'it is taken: choose another with --port'
      : cause.code === 'EACCES'
        ? 'it needs privileges'
        : cause.message;
  return new GazetteError('listen_failed', `cannot listen on port ${port} of ${host}: ${why}`, { cause });
}
