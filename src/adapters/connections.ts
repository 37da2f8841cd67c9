// The connections of the service's own server: how many an address has, which of them wait for an answer, and how they are
// closed when the server stops.
import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { callerOfAddress } from '../access/rate-limits.ts';

/** How long the rest of a body may take after its request was answered: until then the connection is blocked. */
const UNREAD_MS = 500;

/** How long a connection that will be refused may take until its request arrives: the refusal answers it. */
const REFUSED_MS = 1000;

/** The state of a connection. */
interface Connection {
  readonly socket: Socket;
  /** Requests whose answers are not completely sent. */
  pending: number;
  /** Bytes received when it was last idle; more bytes mean that a request has begun. */
  bytesSeen: number;
  /** Whether its address had as many connections as it may have already. */
  readonly isExcess: boolean;
}

/** How connections are treated. */
export interface ConnectionRules {
  /** How long a connection may still bring requests once the server stops, in milliseconds. */
  readonly lingerMs: number;
  /** How many connections one address may have at a time; `Infinity` for any number. */
  readonly perAddress: number;
}

/** The connections of a server, and how they are closed. */
export class Connections {
  readonly #server: Server;
  readonly #lingerMs: number;
  readonly #perAddress: number;
  readonly #connections = new Map<Duplex, Connection>();
  /** The number of connections of each address that has any; without a bound, of none. */
  readonly #addresses = new Map<string, number>();
  #accepted = 0;
  #stopped: Promise<void> | null = null;

  constructor(server: Server, { lingerMs, perAddress }: ConnectionRules) {
    this.#server = server;
    this.#lingerMs = lingerMs;
    this.#perAddress = perAddress;
    server.on('connection', (socket: Socket) => {
      this.#accepted++;
      const isExcess = this.#countAddress(socket) > perAddress;
      this.#connections.set(socket, { socket, pending: 0, bytesSeen: 0, isExcess });
      socket.once('close', () => this.#connections.delete(socket));
      if (isExcess) this.#endUnlessAsked(socket);
    });
  }

  /** Whether the connection must be refused, because its address has too many. */
  isExcess(socket: Duplex): boolean {
    return this.#connections.get(socket)?.isExcess === true;
  }

  /** Whether no request waits for the end of its answer. */
  isIdle(socket: Duplex): boolean {
    return this.#connections.get(socket)?.pending === 0;
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
      if (this.#stopped !== null) this.#endLater([connection]);
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
    this.#endLater([...this.#connections.values()]);
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

  /** Counts a connection until it is closed. @returns the number of connections that its address has */
  #countAddress(socket: Socket): number {
    if (this.#perAddress === Infinity) return 0;
    const address = callerOfAddress(socket.remoteAddress ?? '');
    const count = (this.#addresses.get(address) ?? 0) + 1;
    this.#addresses.set(address, count);
    socket.once('close', () => {
      const others = this.#addresses.get(address)! - 1;
      if (others === 0) this.#addresses.delete(address);
      else this.#addresses.set(address, others);
    });
    return count;
  }

  /** Does not wait for the request of a client whose connection will be refused. */
  #endUnlessAsked(socket: Socket): void {
    setTimeout(() => {
      if (this.isIdle(socket)) socket.destroySoon();
    }, REFUSED_MS).unref();
  }

  /** Does not wait for a client that keeps sending a refused body slowly. */
  #endUnlessRead(message: IncomingMessage): void {
    setTimeout(() => {
      if (!message.complete) message.socket.destroySoon();
    }, UNREAD_MS).unref();
  }

  /** Closes the connections that are idle by then. */
  #endLater(connections: readonly Connection[]): void {
    setTimeout(() => {
      for (const { socket, pending, bytesSeen } of connections) {
        if (pending === 0 && socket.bytesRead === bytesSeen) socket.destroySoon();
      }
    }, this.#lingerMs).unref();
  }
}
