// Connections of the sender. An idle connection ends when the addresses of its host may no longer be used, so that a
// host that moves is looked up, and checked, again.
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** How long an idle connection is kept at most, in milliseconds. */
const IDLE_MS = 30_000;

/** The maximum number of idle connections to all destinations together. */
const MAX_IDLE = 256;

const OPTIONS = { keepAlive: true, maxFreeSockets: MAX_IDLE, timeout: IDLE_MS };

/** The look-up that a connection was made with. */
export interface Lookup {
  /** When its addresses may no longer be used, in milliseconds of `performance.now()`. Infinity: always. */
  usableUntil: number;
}

/** All connections of a sender: only its own, because those of others were never checked. */
export class Connections {
  readonly #lookups = new WeakMap<Duplex, Lookup>();
  readonly #http = new EndingHttpAgent((socket) => this.#remainingMs(socket));
  readonly #https = new EndingHttpsAgent((socket) => this.#remainingMs(socket));

  /** The agent for requests over https, or over http. */
  agent(isHttps: boolean): HttpAgent {
    return isHttps ? this.#https : this.#http;
  }

  /** Notes which look-up a new connection is made with. */
  note(socket: Duplex, lookup: Lookup): void {
    this.#lookups.set(socket, lookup);
  }

  close(): void {
    this.#http.destroy();
    this.#https.destroy();
  }

  #remainingMs(socket: Duplex): number {
    return (this.#lookups.get(socket)?.usableUntil ?? Number.POSITIVE_INFINITY) - performance.now();
  }
}

/** How long a connection may still be used, in milliseconds. */
type RemainingMs = (socket: Duplex) => number;

class EndingHttpAgent extends HttpAgent {
  readonly #remainingMs: RemainingMs;

  constructor(remainingMs: RemainingMs) {
    super(OPTIONS);
    this.#remainingMs = remainingMs;
  }

  override keepSocketAlive(socket: Duplex): boolean {
    // Node's types say that it returns nothing; it returns whether the connection is kept.
    const isKept: unknown = super.keepSocketAlive(socket);
    return isKept !== false && isUsable(socket, this.#remainingMs(socket));
  }
}

class EndingHttpsAgent extends HttpsAgent {
  readonly #remainingMs: RemainingMs;

  constructor(remainingMs: RemainingMs) {
    super(OPTIONS);
    this.#remainingMs = remainingMs;
  }

  override keepSocketAlive(socket: Duplex): boolean {
    const isKept: unknown = super.keepSocketAlive(socket);
    return isKept !== false && isUsable(socket, this.#remainingMs(socket));
  }
}

/** Whether an idle connection may be kept. If so, it ends when it may no longer be used: the agent destroys it then. */
function isUsable(socket: Duplex, remainingMs: number): boolean {
  if (remainingMs <= 0) return false;
  const idleMs = socket instanceof Socket ? (socket.timeout ?? IDLE_MS) : IDLE_MS;
  if (socket instanceof Socket && remainingMs < idleMs) socket.setTimeout(remainingMs);
  return true;
}
