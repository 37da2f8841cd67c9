// Requests over loopback, as many at once as there are connections: written as bytes and read only as far as telling
// where an answer ends needs, so that the asking side costs little beside the answering one.
import { connect, type Socket } from 'node:net';

/** What came back. */
export interface LoadResult {
  /** How many answers of each status. */
  readonly statuses: ReadonlyMap<number, number>;
  /** Bytes of bodies. */
  readonly bytes: number;
  /** From the start to the first byte of the first answer, in milliseconds. */
  readonly firstByteMs: number;
}

const HEAD_END = '\r\n\r\n';

const LAST_CHUNK = '0\r\n\r\n';

/** A GET as bytes. */
export function getRequest(path: string, headers: Readonly<Record<string, string>> = {}): string {
  return headOf('GET', path, headers);
}

/** A POST as bytes. @param body ASCII */
export function postRequest(path: string, body: string, headers: Readonly<Record<string, string>> = {}): string {
  return headOf('POST', path, { ...headers, 'Content-Length': String(body.length) }) + body;
}

function headOf(method: string, path: string, headers: Readonly<Record<string, string>>): string {
  const lines = Object.entries({ Host: '127.0.0.1', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`;
}

/** Keeps connections open between runs. */
export class LoadGenerator {
  readonly #port: number;
  #connections: Connection[] = [];

  constructor(port: number) {
    this.#port = port;
  }

  /**
   * Sends `total` requests, over and over the same ones in order, each connection its next when its last is answered.
   *
   * @throws Error when a connection breaks
   */
  async run(requests: readonly string[], total: number, connections: number): Promise<LoadResult> {
    // A server closes those that waited too long for their next request.
    this.#connections = this.#connections.filter(({ isOpen }) => isOpen);
    while (this.#connections.length < connections) this.#connections.push(await Connection.open(this.#port));
    const encoded = requests.map((request) => Buffer.from(request, 'latin1'));
    const statuses = new Map<number, number>();
    let bytes = 0;
    let sent = 0;
    let firstByteMs = NaN;
    // Never asleep: to wake a process costs the one that writes to it more than the answer did, and the slower of two
    // servers would pay it more often.
    let isRunning = true;
    const stayAwake = (): void => {
      if (isRunning) setImmediate(stayAwake);
    };
    stayAwake();
    const startedAt = performance.now();
    await Promise.all(
      this.#connections.slice(0, connections).map(async (connection) => {
        while (sent < total) {
          const answer = await connection.ask(encoded[sent++ % encoded.length]!);
          if (Number.isNaN(firstByteMs)) firstByteMs = performance.now() - startedAt;
          statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
          bytes += answer.length;
        }
      }),
    );
    isRunning = false;
    return { statuses, bytes, firstByteMs };
  }

  close(): void {
    for (const connection of this.#connections.splice(0)) connection.close();
  }
}

/** One answer: its status and its body's length. */
interface Answer {
  readonly status: number;
  readonly length: number;
}

/** One kept-alive connection, one request at a time. */
class Connection {
  readonly #socket: Socket;
  #head = '';
  /** The last bytes of a body in chunks; null where the head says how long the body is. */
  #tail: string | null = null;
  /** Bytes of the body still to come; -1 while the head is read. */
  #left = -1;
  #answer: Answer = { status: 0, length: 0 };
  #waiting: { readonly resolve: (answer: Answer) => void; readonly reject: (error: Error) => void } | null = null;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', (chunk) => {
      // Unasked: the server says that nothing came for too long (RFC 9110 15.5.9), and closes.
      if (this.#waiting === null) socket.destroy();
      else this.#take(chunk);
    });
    const broken = (error?: Error): void => {
      this.#waiting?.reject(error ?? new Error('the server closed the connection'));
      this.#waiting = null;
    };
    socket.on('error', broken);
    socket.on('close', () => {
      broken();
    });
  }

  static async open(port: number): Promise<Connection> {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve);
      socket.once('error', reject);
    });
    return new Connection(socket);
  }

  get isOpen(): boolean {
    return this.#socket.readyState === 'open';
  }

  ask(request: Buffer): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#socket.write(request);
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #take(chunk: Buffer): void {
    if (this.#left < 0) {
      // A head comes in one piece, nearly always.
      this.#head += chunk.toString('latin1');
      const end = this.#head.indexOf(HEAD_END);
      if (end < 0) return;
      const head = this.#head.slice(0, end);
      const came = this.#head.length - end - HEAD_END.length;
      this.#head = '';
      const status = Number(head.slice(9, 12));
      if (/\r\ntransfer-encoding: chunked/i.test(head)) {
        this.#answer = { status, length: 0 };
        this.#tail = '';
        this.#left = Infinity;
        this.#takeChunked(chunk.subarray(chunk.length - came));
        return;
      }
      const length = status === 304 ? 0 : Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? NaN);
      if (Number.isNaN(length)) throw new Error('an answer without Content-Length cannot be measured here');
      this.#answer = { status, length };
      this.#left = length - came;
    } else if (this.#tail !== null) {
      this.#takeChunked(chunk);
      return;
    } else {
      this.#left -= chunk.length;
    }
    if (this.#left <= 0) this.#settle();
  }

  /** A body in chunks ends with an empty one (RFC 9112 7.1); no text that is measured here holds its five bytes. */
  #takeChunked(chunk: Buffer): void {
    this.#answer = { ...this.#answer, length: this.#answer.length + chunk.length };
    this.#tail = (this.#tail! + chunk.subarray(-LAST_CHUNK.length).toString('latin1')).slice(-LAST_CHUNK.length);
    if (this.#tail === LAST_CHUNK) this.#settle();
  }

  #settle(): void {
    this.#left = -1;
    this.#tail = null;
    const { resolve } = this.#waiting!;
    this.#waiting = null;
    resolve(this.#answer);
  }
}
