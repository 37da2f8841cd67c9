// Connections of the sender. An idle connection ends when the addresses of its host may no longer be used, so that a
// host that moves is looked up, and checked, again.
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Socket } from 'node:net';

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
  readonly #http = new HttpAgent(OPTIONS);
  readonly #https = new HttpsAgent(OPTIONS);
  /** The idle connections, the one that has been idle longest first. */
  readonly #idle = new Set<Socket>();

  /** The agent for requests over https, or over http. */
  agent(isHttps: boolean): HttpAgent {
    return isHttps ? this.#https : this.#http;
  }

  /** A request has got an idle connection. */
  reuse(socket: Socket): void {
    this.#idle.delete(socket);
  }

  /** Ends a new connection with the look-up it is made with: at once when it is idle, else after the attempt. */
  endWith(socket: Socket, lookup: Lookup): void {
    // The agent emits it, and has put the connection to the idle ones when this is called.
    socket.on('free', () => {
      const remainingMs = lookup.usableUntil - performance.now();
      if (remainingMs <= 0) {
        socket.destroy();
        return;
      }
      // The agent destroys an idle connection at its time limit, which the receiver may have shortened.
      if (remainingMs < (socket.timeout ?? IDLE_MS)) socket.setTimeout(remainingMs);
      this.#idle.add(socket);
      const [oldest] = this.#idle;
      if (this.#idle.size > MAX_IDLE) oldest?.destroy();
    });
    socket.once('close', () => {
      this.#idle.delete(socket);
    });
  }

  close(): void {
    this.#http.destroy();
    this.#https.destroy();
  }
}
