// The answers of the service's own server to what never reaches a handler: bytes that are not HTTP or come too slowly,
// requests that name no host, and connections of an address that has too many.
import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { type ErrorCode, GazetteError } from '../errors.ts';
import { type Problem, toProblem } from '../problem.ts';
import { problemAnswer, RETRY_AFTER_SECONDS } from '../web/problem-answer.ts';
import type { HeaderFields, HttpResponse } from '../web/representation.ts';

/** How refusals look, and who is told about them. */
export interface RefusalOptions {
  /** Header fields of every refusal. Default none. */
  readonly refusalHeaders?: HeaderFields;
  /** Called with every refusal. */
  readonly onRefusal?: (problem: Problem) => void;
}

/** Answers to requests that cannot be passed to a handler. */
export class Refusals {
  readonly #options: RefusalOptions;

  constructor(options: RefusalOptions) {
    this.#options = options;
  }

  /** The message is HTTP but not a request to a server: the host is invalid, or the target is not a path. */
  sendOfTarget(cause: unknown, response: ServerResponse): void {
    // The error's own message is not used because it contains the URL, and these answers are logged.
    send(this.#answer('the host and the path must make an http(s) URL', 400, { cause }), response);
  }

  /** The message names no host, or several. */
  sendOfHost(response: ServerResponse): void {
    send(this.#answer('the header Host must come once'), response);
  }

  /** The address has more connections than it may have. The answer closes this one. */
  sendOfCrowd(limit: number, response: ServerResponse): void {
    const detail = `at most ${limit} connections from one address may be open at a time: close one, or use it again`;
    const { status, headers, body } = this.#answer(detail, 429, { code: 'rate_limited' });
    send(
      { status, headers: { ...headers, 'retry-after': String(RETRY_AFTER_SECONDS), connection: 'close' }, body },
      response,
    );
  }

  /**
   * The bytes are not HTTP, arrived too slowly, or have too long a head.
   *
   * @param isIdle whether no request of this connection waits for the end of its answer
   */
  sendOfBytes(
    error: NodeJS.ErrnoException & { readonly rawPacket?: unknown },
    socket: Duplex & { readonly bytesWritten?: number },
    isIdle: boolean,
  ): void {
    // After a reset no answer can be sent, nor in the middle of another one.
    if (!socket.writable || error.code === 'ECONNRESET' || (!isIdle && (socket.bytesWritten ?? 0) > 0)) {
      socket.destroy(error);
      return;
    }
    const isMethod = error.code === 'HPE_INVALID_METHOD' && REQUEST_LINE.test(String(error.rawPacket));
    if (isMethod) {
      this.sendOfMethod(socket);
      return;
    }
    const [status, reason, detail] =
      error.code === 'HPE_HEADER_OVERFLOW'
        ? ([431, 'Request Header Fields Too Large', 'the head of the request is longer than 16 KiB'] as const)
        : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
          ? ([408, 'Request Timeout', 'the request did not arrive in time'] as const)
          : ([400, 'Bad Request', 'this is no HTTP request'] as const);
    endWith(socket, reason, this.#answer(detail, status));
  }

  /** The method is one that Node does not know, or asks for a tunnel (RFC 9110 15.6.2). */
  sendOfMethod(socket: Duplex): void {
    const code = 'not_implemented';
    endWith(socket, 'Not Implemented', this.#answer('no resource here has this method', 501, { code }));
  }

  #answer(
    detail: string,
    status = 400,
    { code = 'bad_request', cause }: { readonly code?: ErrorCode; readonly cause?: unknown } = {},
  ): HttpResponse {
    const { refusalHeaders, onRefusal } = this.#options;
    const error = new GazetteError(code, detail, { cause });
    const problem = { ...toProblem(error, crypto.randomUUID()), status };
    onRefusal?.(problem);
    return problemAnswer('GET', problem, refusalHeaders);
  }
}

/** The line that begins a request (RFC 9112 3), whatever its method. */
const REQUEST_LINE = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+ \S+ HTTP\/1\.[01]\r\n/;

/** Answers where there is no request to answer, and closes the connection. */
function endWith(socket: Duplex, reason: string, { status, headers, body }: HttpResponse): void {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`HTTP/1.1 ${status} ${reason}\r\n${lines.join('')}connection: close\r\n\r\n`);
  socket.end(body);
}

function send({ status, headers, body }: HttpResponse, response: ServerResponse): void {
  response.writeHead(status, headers).end(response.req.method === 'HEAD' ? undefined : body);
}
