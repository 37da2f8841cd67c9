// The connections of the service's own server: how many an address has, which of them wait for an answer, and how they are
// closed when the server stops.
import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { callerOfAddress } from '../access/rate-limits.ts';
import { breakOff } from './node.ts';

/** How long the rest of a body may take after its request was answered: until then the connection is blocked. */
const UNREAD_MS = 500;

/** How long a connection that will be refused may take until its request arrives: the refusal answers it. */
const REFUSED_MS = 1000;

/** How long connections are still accepted that wait in the system when the server stops. */
const LET_IN_MS = 250;

/** How often a stopping server looks at its connections while they may be quiet. */
const LOOKS = 20;

/** The state of a connection. */
interface Connection {
  readonly socket: Socket;
  /** Answers that are not completely sent, in their order. */
  readonly pending: ServerResponse[];
  /** The answer that says it is the last one; null until there is one. */
  last: ServerResponse | null;
  /** The bytes received when a stopping server last looked at it. */
  bytesSeen: number;
  /** How often in a row it had brought no byte since then. */
  quiet: number;
  /** Whether its address had as many connections as it may have already. */
  readonly isExcess: boolean;
}

/** How connections are treated. */
export interface ConnectionRules {
  /** How long a connection may bring no byte before a stopping server closes it, in milliseconds. */
  readonly lingerMs: number;
  /** Resolves once no other process lets anybody in who is sent away here. */
  readonly untilNoneListens: () => Promise<void>;
  /** How many connections one address may have at a time; `Infinity` for any number. */
  readonly perAddress: number;
}

/** The connections of a server, and how they are closed. */
export class Connections {
  readonly #server: Server;
  readonly #lingerMs: number;
  readonly #untilNoneListens: () => Promise<void>;
  readonly #perAddress: number;
  readonly #connections = new Map<Duplex, Connection>();
  /** The number of connections of each address that has any; without a bound, of none. */
  readonly #addresses = new Map<string, number>();
  #accepted = 0;
  /** Whether nobody is let in any more, so that answers are the last of their connections. */
  #isClosing = false;
  #stopped: Promise<void> | null = null;

  constructor(server: Server, { lingerMs, untilNoneListens, perAddress }: ConnectionRules) {
    this.#server = server;
    this.#lingerMs = lingerMs;
    this.#untilNoneListens = untilNoneListens;
    this.#perAddress = perAddress;
    server.on('connection', (socket: Socket) => {
      this.#accepted++;
      const isExcess = this.#countAddress(socket) > perAddress;
      this.#connections.set(socket, { socket, pending: [], last: null, bytesSeen: 0, quiet: 0, isExcess });
      socket.once('close', () => this.#connections.delete(socket));
      if (isExcess) this.#endUnlessAsked(socket);
    });
    server.on('timeout', (socket: Socket) => {
      this.#cut(socket);
    });
  }

  /** Whether the connection must be refused, because its address has too many. */
  isExcess(socket: Duplex): boolean {
    return this.#connections.get(socket)?.isExcess === true;
  }

  /** Whether no request waits for the end of its answer. */
  isIdle(socket: Duplex): boolean {
    return this.#connections.get(socket)?.pending.length === 0;
  }

  /**
   * A request has arrived. Its answer gets no socket while an earlier request's answer holds it (RFC 9112 9.3.2).
   *
   * @returns whether it is to be answered: not behind an answer that is the last one (RFC 9112 9.6)
   */
  begin(message: IncomingMessage, response: ServerResponse): boolean {
    const { socket } = message;
    const connection = this.#connections.get(socket)!;
    if (connection.last !== null) {
      message.resume();
      return false;
    }
    const { pending } = connection;
    pending.push(response);
    if (this.#isClosing) endWith(connection, response);
    // Emitted once everything has been passed to the system.
    response.once('close', () => {
      pending.splice(pending.indexOf(response), 1);
      if (!message.complete) this.#endUnlessRead(message);
    });
    return true;
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
    const timer = setTimeout(() => {
      for (const socket of this.#connections.keys()) this.#cut(socket);
      this.#server.closeAllConnections();
    }, graceMs);
    await Promise.race([this.#untilNoneListens(), closed]);
    this.#isClosing = true;
    for (const connection of this.#connections.values()) {
      const answer = connection.pending.at(-1);
      // Where its head is sent already, the next one is the last.
      if (answer?.headersSent === false) endWith(connection, answer);
    }
    const looking = setInterval(() => {
      for (const connection of this.#connections.values()) this.#closeIfQuiet(connection);
    }, this.#lingerMs / LOOKS);
    await closed;
    clearTimeout(timer);
    clearInterval(looking);
    // Ends the timer with which http looks for requests that take too long.
    this.#server.close();
  }

  /**
   * Accepts clients that have connected: the system resets those still waiting when the listener is closed. Each turn
   * of the event loop accepts one.
   */
  async #letIn(): Promise<void> {
    const deadline = performance.now() + LET_IN_MS;
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

  /** Closes a connection, so that whoever reads an answer notices that there was more of it. */
  #cut(socket: Duplex): void {
    const answer = this.#connections.get(socket)?.pending[0];
    if (answer?.headersSent === true) breakOff(answer);
    else socket.destroy();
  }

  /**
   * Closes a connection that has brought no byte for as long as it may. What counts is how often it was looked at: between two
   * looks the event loop has read what the system had received, however long it was busy.
   */
  #closeIfQuiet(connection: Connection): void {
    const { socket, pending, bytesSeen } = connection;
    const isQuiet = pending.length === 0 && socket.bytesRead === bytesSeen;
    connection.bytesSeen = socket.bytesRead;
    connection.quiet = isQuiet ? connection.quiet + 1 : 0;
    if (connection.quiet >= LOOKS) socket.destroy();
  }
}

/**
 * Makes an answer the last of its connection. After it only our side is closed: a connection that is closed while bytes of its
 * peer are unread is reset, and the answer may be lost with it (RFC 9112 9.6).
 */
function endWith(connection: Connection, answer: ServerResponse): void {
  const { socket } = connection;
  connection.last = answer;
  answer.setHeader('Connection', 'close');
  // Node calls it once such an answer is sent.
  socket.destroySoon = () => {
    socket.end();
  };
}
