// A server of its own for the service, on node:http: times after which nobody is waited for any longer, refusals of what
// is no HTTP, and a stop that cuts no request. For hosts that exist already there is node.ts.
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

/** Where a server listens. */
export interface ServerOptions {
  /** 0: any that is free. */
  readonly port: number;
  readonly host: string;
  /** Header fields of the answers that the server makes by itself. Default none. */
  readonly refusalHeaders?: HeaderFields;
  /** Told of those answers: the handler never sees what they are for. */
  readonly onRefusal?: (problem: Problem) => void;
}

/** A server that listens. */
export interface RunningServer {
  /** `http://host:port`, without a slash at its end. */
  readonly url: string;
  /**
   * Takes no more connections, answers what has come, closes the connections after that. Calling it again changes
   * nothing.
   *
   * @param graceMs how long requests may take to end before they are cut. Default {@link STOP_GRACE_MS}.
   */
  stop(graceMs?: number): Promise<void>;
}

/** Longer than any answer takes to make and most take to fetch; shorter than what supervisors wait before they kill. */
export const STOP_GRACE_MS = 8000;

/** Who sends a head more slowly than this means no good. */
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;

/** Longer than the minute for which balancers keep a connection: the side that sends must be the one that closes. */
const KEEP_ALIVE_TIMEOUT_MS = 65_000;

/** A reader that takes nothing for so long has gone. */
const IDLE_TIMEOUT_MS = 120_000;

/**
 * How long a connection may still bring requests once the server stops. To close it at once would reset those that are
 * on their way (RFC 9112 9.6): who asks within this time is told by the answer that it is the last.
 */
const LINGER_MS = 250;

/** How long the rest of a body may take once its request is answered: until then the connection serves nobody. */
const UNREAD_MS = 500;

/**
 * Listens.
 *
 * @throws GazetteError `listen_failed`: the port is taken, or not ours to take.
 * @example const server = await startServer(gazette.fetch, { port: 8080, host: '127.0.0.1' });
 */
export async function startServer(handler: WebHandler, options: ServerOptions): Promise<RunningServer> {
  const { port, host } = options;
  const refusals = new Refusals(options);
  const server = createServer({
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    // Told by our own words instead.
    requireHostHeader: false,
  });
  server.timeout = IDLE_TIMEOUT_MS;
  const connections = new Connections(server);
  const serving = {
    // What a proxy says of the public address is the handler's to believe.
    rules: { trustProxy: false, origins: new Origins() },
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
  // RFC 9110 10.1.1 lets an expectation nobody knows be ignored; Node would refuse it without a word.
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

/** What a connection does. */
interface Connection {
  /** Requests whose answers are not wholly on their way. */
  pending: number;
  /** Bytes that had come when it last had nothing to do; more by now are the beginning of a request. */
  bytesSeen: number;
}

/** The connections of a server, and how they end. */
class Connections {
  readonly #server: Server;
  readonly #connections = new Map<Socket, Connection>();
  #accepted = 0;
  #stopped: Promise<void> | null = null;

  constructor(server: Server) {
    this.#server = server;
    server.on('connection', (socket: Socket) => {
      this.#accepted++;
      this.#connections.set(socket, { pending: 0, bytesSeen: 0 });
      socket.once('close', () => this.#connections.delete(socket));
    });
  }

  /** A request has come. Its answer has no socket yet while the one to an earlier request holds it (RFC 9112 9.3.2). */
  begin(message: IncomingMessage, response: ServerResponse): void {
    const { socket } = message;
    const connection = this.#connections.get(socket)!;
    connection.pending++;
    if (this.#stopped !== null) response.setHeader('Connection', 'close');
    // Once all of it has been handed to the system.
    response.once('close', () => {
      connection.pending--;
      connection.bytesSeen = socket.bytesRead;
      if (!message.complete) this.#endUnlessRead(message);
      // Its answer began before the stop and keeps the connection.
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
    // The close of net alone: that of http takes a connection for idle whose answer is made and not yet sent, and cuts it.
    NetServer.prototype.close.call(this.#server);
    // Also those that browsers open ahead of need, and have never used.
    this.#endLater([...this.#connections.keys()]);
    const timer = setTimeout(() => {
      this.#server.closeAllConnections();
    }, graceMs);
    await closed;
    clearTimeout(timer);
    // Ends the timer by which http looks for requests that take too long.
    this.#server.close();
  }

  /**
   * Lets in who has connected: the system resets those that still wait for it when the listener is closed. One is let in
   * with each turn of the event loop.
   */
  async #letIn(): Promise<void> {
    const deadline = performance.now() + LINGER_MS;
    for (let before = -1; before !== this.#accepted && performance.now() < deadline;) {
      before = this.#accepted;
      // Of the first turn a part may be over.
      await nextTurn();
      await nextTurn();
    }
  }

  /** Who goes on sending what was refused, and slowly, is not waited for. */
  #endUnlessRead(message: IncomingMessage): void {
    setTimeout(() => {
      if (!message.complete) message.socket.destroySoon();
    }, UNREAD_MS).unref();
  }

  /** Closes those that have nothing to do by then. */
  #endLater(sockets: readonly Socket[]): void {
    setTimeout(() => {
      for (const socket of sockets) {
        const connection = this.#connections.get(socket);
        if (connection?.pending === 0 && socket.bytesRead === connection.bytesSeen) socket.destroySoon();
      }
    }, LINGER_MS).unref();
  }
}

/**
 * RFC 9112 3.2: a request names one host, and never two. In HTTP/1.0, in which balancers ask how we are, it may name
 * none: then it is given the address it came to.
 */
function hasOneHost({ httpVersion, headers, rawHeaders, socket }: IncomingMessage): boolean {
  let count = 0;
  // Of several Node's own view keeps the first alone.
  for (let i = 0; i < rawHeaders.length; i += 2) if (rawHeaders[i]!.toLowerCase() === 'host') count++;
  if (count > 0 || httpVersion !== '1.0') return count === 1;
  headers.host = authorityOf(socket.localAddress ?? 'localhost', socket.localPort ?? 80);
  return true;
}

/**
 * The target in the form that nearly every one has. RFC 9112 3.2.2: one that is a whole URL says itself which host is
 * asked, whatever Host says.
 */
function originForm({ url = '/', headers }: IncomingMessage): string {
  if (url.startsWith('/')) return url;
  const absolute = /^https?:\/\//i.test(url) ? URL.parse(url) : null;
  // No target, and so no host that could answer it.
  headers.host = absolute?.host ?? '';
  return absolute === null ? url : absolute.pathname + absolute.search;
}

/** Answers to what no handler can be asked about. */
class Refusals {
  readonly #options: ServerOptions;

  constructor(options: ServerOptions) {
    this.#options = options;
  }

  /** What came is HTTP, but no request to a server: a host that is none, or a target that is no path. */
  sendOfTarget(cause: unknown, response: ServerResponse): void {
    // Not the error's own words, which name the address: they are logged.
    send(this.#answer('the host and the path must make an http(s) URL', 400, cause), response);
  }

  sendOfHost(response: ServerResponse): void {
    send(this.#answer('the header Host must come once'), response);
  }

  /** What came is no HTTP, or came too slowly, or with too long a head. */
  sendOfBytes(error: NodeJS.ErrnoException, socket: Duplex & { readonly bytesWritten?: number }): void {
    // After the head of an answer, and after a connection that was reset, nobody would understand.
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

/** Host and port as a URL names them. */
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
