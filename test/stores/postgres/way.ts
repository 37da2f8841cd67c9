// A way to a PostgreSQL server that can be made to swallow everything, as a host does that loses its network, or be cut.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type pg from 'pg';

/** A way to a server. */
export interface Way {
  /** The server's URL over this way. */
  readonly url: string;
  /** Whether connections stay open and nothing comes over them. */
  isSilent: boolean;
  /** Whether connections that are asked for are ended at once. */
  isCut: boolean;
  /** How many pieces of answers came back over it. */
  readonly answers: number;
  /** Breaks once: this piece from now is lost and all connections end, as are so many of those asked for next. */
  breakAt(answer: number, refusals: number): void;
  /** Has new connections go to another server. */
  leadTo(url: string): void;
  /** Ends every connection. */
  end(): void;
  /** Ends every connection, and the way. */
  stop(): void;
}

/** Opens a way to the server with this URL. */
export async function startWay(serverUrl: string): Promise<Way> {
  const url = new URL(serverUrl);
  let { hostname, port } = url;
  const sockets = new Set<Socket>();
  let answers = 0;
  let lost = Infinity;
  let refusals = 0;
  const listener = createServer((client) => {
    if (way.isCut || (lost <= answers && refusals-- > 0)) {
      client.destroy();
      return;
    }
    const server = connect(Number(port), hostname);
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      sockets.add(from);
      from.on('data', (chunk) => {
        if (from === server && ++answers === lost) end();
        else if (!way.isSilent) to.write(chunk);
      });
      from.on('error', () => undefined);
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
    }
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  url.port = String((listener.address() as AddressInfo).port);
  const end = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  const way: Way = {
    url: url.href,
    isSilent: false,
    isCut: false,
    get answers() {
      return answers;
    },
    breakAt: (answer, refused) => {
      lost = answers + answer;
      refusals = refused;
    },
    leadTo: (next) => void ({ hostname, port } = new URL(next)),
    end,
    stop: () => {
      listener.close();
      end();
    },
  };
  return way;
}

/**
 * How long a connection may take, in milliseconds: on a busy machine a server needs seconds to begin one. Of a server that is
 * away or was killed it is said at once that there is none.
 */
export const CONNECT_PATIENCE_MS = 20_000;

/** Lets connections break, also while the pool ends. */
export function quiet(pool: pg.Pool): pg.Pool {
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool.on('error', () => undefined);
}
