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
    error: NodeJS.ErrnoException,
    socket: Duplex & { readonly bytesWritten?: number },
    isIdle: boolean,
  ): void {
    // After a reset no answer can be sent, nor in the middle of another one.
    if (!socket.writable || error.code === 'ECONNRESET' || (!isIdle && (socket.bytesWritten ?? 0) > 0)) {
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

function send({ status, headers, body }: HttpResponse, response: ServerResponse): void {
  response.writeHead(status, headers).end(response.req.method === 'HEAD' ? undefined : body);
}
