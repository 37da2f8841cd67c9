// The service's own server, on node:http, with timeouts, refusals of invalid HTTP, and a stop that does not interrupt
// requests. For existing hosts there is node.ts.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createNetServer, type ListenOptions, type Server } from 'node:net';
import type { Duplex } from 'node:stream';
import { GazetteError } from '../errors.ts';
import { Connections } from './connections.ts';
import { serve, type WebHandler } from './node.ts';
import { Origins } from './node-request.ts';
import { type RefusalOptions, Refusals } from './refusals.ts';

/** Where and how a server listens. */
export interface ServerOptions extends RefusalOptions {
  /** The port; 0 selects any free one. */
  readonly port: number;
  readonly host: string;
  /** Whether other processes may listen on the same port; see {@link SHARES_PORTS}. Default false. */
  readonly sharesPort?: boolean;
  /**
   * How many connections an address may have at a time, an IPv6 address with all of its /64. One more is answered 429 and
   * closed. Default: any number.
   */
  readonly connectionsPerAddress?: number;
  /**
   * Where {@link sharesPort}: waited for by a stopping server that listens no more, before its answers say that they are the last
   * of their connections.
   */
  readonly untilNoneListens?: () => Promise<void>;
  /** How long the head of a request may take before it is answered 408, in milliseconds. Default {@link HEAD_MS}. */
  readonly headMs?: number;
  /** After how long a reader that takes no data is considered gone, in milliseconds. Default {@link IDLE_TIMEOUT_MS}. */
  readonly idleMs?: number;
  /**
   * How long a connection may bring no byte before a stopping server closes it: what was sent by then is answered. Milliseconds,
   * default {@link LINGER_MS}.
   */
  readonly lingerMs?: number;
}

/** A running server. */
export interface RunningServer {
  /** `http://host:port`, without a slash at its end. */
  readonly url: string;
  /**
   * Accepts no more connections, answers what has arrived, at most one request of each connection with `Connection: close`,
   * and goes on reading until the peer closes or two seconds pass without a byte. Further calls change nothing.
   *
   * @param graceMs how long requests may take before they are interrupted. Default {@link STOP_GRACE_MS}.
   */
  stop(graceMs?: number): Promise<void>;
}

/** Longer than a request is on its way. */
const LINGER_MS = 2000;

/**
 * Longer than any answer takes to compute and most take to download; shorter than supervisors wait before they kill.
 */
const STOP_GRACE_MS = 8000;

/**
 * Whether processes can listen on one port and the system shares out the connections (SO_REUSEPORT). Elsewhere Node's
 * cluster gives them one listener to share.
 */
export const SHARES_PORTS: boolean = process.platform === 'linux';

/** A client that sends its head more slowly than this is treated as hostile. */
const HEAD_MS = 10_000;

/** Longer than the largest file that may be uploaded takes over half a megabit a second; whoever reads a short body waits less. */
const REQUEST_TIMEOUT_MS = 3_600_000;

/** How often Node looks for heads that take too long; its own 30 seconds would give them four times as long as they may take. */
const CHECK_MS = 500;

/**
 * Longer than the minute that load balancers keep a connection: the side that sends requests must be the one that
 * closes.
 */
const KEEP_ALIVE_TIMEOUT_MS = 65_000;

/** Longer than a reader that is there takes no data. */
const IDLE_TIMEOUT_MS = 120_000;

/**
 * Starts a server.
 *
 * @throws GazetteError `listen_failed` if the port is taken or not permitted.
 * @example const server = await startServer(gazette.fetch, { port: 8080, host: '127.0.0.1' });
 */
export async function startServer(handler: WebHandler, options: ServerOptions): Promise<RunningServer> {
  const { port, host, headMs = HEAD_MS } = options;
  const refusals = new Refusals(options);
  const server = createServer({
    headersTimeout: headMs,
    connectionsCheckingInterval: Math.min(CHECK_MS, headMs),
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    // We report it with our own message instead.
    requireHostHeader: false,
  });
  server.timeout = options.idleMs ?? IDLE_TIMEOUT_MS;
  const connections = new Connections(server, {
    lingerMs: options.lingerMs ?? LINGER_MS,
    untilNoneListens: options.untilNoneListens ?? (() => Promise.resolve()),
    perAddress: options.connectionsPerAddress ?? Infinity,
  });
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
    if (!connections.begin(message, response)) return;
    if (connections.isExcess(message.socket)) refusals.sendOfCrowd(options.connectionsPerAddress!, response);
    else if (!hasOneHost(message)) refusals.sendOfHost(response);
    else void serve(handler, { ...serving, message, response, target: originForm(message) });
  };
  server.on('request', answer);
  // RFC 9110 10.1.1 allows ignoring an unknown expectation; Node would refuse it without a message.
  server.on('checkExpectation', answer);
  server.on('clientError', (error, socket) => {
    refusals.sendOfBytes(error, socket, connections.isIdle(socket));
  });
  server.on('connect', (_message: IncomingMessage, socket: Duplex) => {
    // Node reads no more of it, and nobody else takes its errors.
    socket.on('error', () => socket.destroy());
    refusals.sendOfMethod(socket);
  });
  await listen(server, { port, host, reusePort: options.sharesPort ?? false });
  const bound = (server.address() as AddressInfo).port;
  return {
    url: `http://${authorityOf(host, bound)}`,
    stop: (graceMs = STOP_GRACE_MS) => connections.stop(graceMs),
  };
}

/**
 * Checks that no other program has this port. Processes that share a port would also share it with a service that was
 * started before, and each would get half of the requests.
 *
 * @throws GazetteError `listen_failed` if the port is taken or not permitted.
 */
export async function checkPort(port: number, host: string): Promise<void> {
  const server = createNetServer((socket) => {
    socket.destroy();
  });
  await listen(server, { port, host });
  server.close();
  await once(server, 'close');
}

async function listen(server: Server, options: ListenOptions & Pick<ServerOptions, 'port' | 'host'>): Promise<void> {
  server.listen(options);
  try {
    await once(server, 'listening');
  } catch (cause) {
    throw listenFailed(cause as NodeJS.ErrnoException, options.port, options.host);
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
