// A Node request in the form that handlers read. Each part is created only when it is used: for most requests the
// method, the URL and two or three header fields are enough.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { GazetteError, quote } from '../errors.ts';
import { forwardedField } from '../web/forwarded-field.ts';
import type { IncomingRequest } from '../web/incoming-request.ts';

/** A request in Node's form. */
export interface NodeExchange {
  readonly message: IncomingMessage;
  readonly response: ServerResponse;
  /** The target as it was sent, even if a framework has shortened `message.url`. */
  readonly target: string;
}

/** How the public URL of a request is determined. */
export interface AddressRules {
  /** Whether the last value of `X-Forwarded-Proto` is trusted. */
  readonly trustProxy: boolean;
  /** Whether the last value of `X-Forwarded-Host` is trusted. */
  readonly trustForwardedHost: boolean;
  readonly origins: Origins;
}

/** How many origins are cached: a deployment has only a few, and invented host names must not fill the memory. */
const MAX_ORIGINS = 100;

/** A cache of checked origins, since nearly all requests name the same one. */
export class Origins {
  readonly #known = new Map<string, string | null>();

  /** An http(s) origin in its normal form; null if the two form none. */
  of(protocol: string, host: string): string | null {
    const written = `${protocol}://${host}`;
    let origin = this.#known.get(written);
    if (origin === undefined) {
      const isPlain = /^https?$/.test(protocol) && /^[A-Za-z0-9.:[\]_-]+$/.test(host);
      origin = isPlain ? (URL.parse(written)?.origin ?? null) : null;
      if (this.#known.size >= MAX_ORIGINS) this.#known.clear();
      this.#known.set(written, origin);
    }
    return origin;
  }
}

/** Methods that `Request` does not accept (Fetch 2.2.1). */
const FORBIDDEN_METHODS: ReadonlySet<string> = new Set(['CONNECT', 'TRACE', 'TRACK']);

/** A target in normal form: a URL parser would not encode, decode or remove any part of it (URL 4.4). */
const NORMAL_TARGET = /^\/[!$&()*+,\-./0-9:;=?@A-Z[\]_a-z~]*$/;
const DOT_SEGMENT = /\/\.\.?(?:[/?]|$)/;

/** The parts of a message that a handler reads. */
export class NodeRequest implements IncomingRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: RawFields;
  readonly #message: IncomingMessage;
  readonly #response: ServerResponse;
  #hangUp: AbortController | null = null;

  /** @throws GazetteError `bad_request` if host and target do not form a URL */
  constructor({ message, response, target }: NodeExchange, rules: AddressRules) {
    this.#message = message;
    this.#response = response;
    this.method = message.method ?? 'GET';
    this.headers = new RawFields(message.rawHeaders);
    this.url = this.#address(target, rules);
  }

  get signal(): AbortSignal {
    if (this.#hangUp === null) {
      const hangUp = new AbortController();
      this.#hangUp = hangUp;
      const abort = (): void => {
        hangUp.abort(new DOMException('the client closed the connection', 'AbortError'));
      };
      if (this.isAbandoned) abort();
      this.#response.once('close', () => {
        if (!this.#response.writableFinished) abort();
      });
    }
    return this.#hangUp.signal;
  }

  /** Whether the client disconnected before it got its answer. */
  get isAbandoned(): boolean {
    const { closed, writableFinished } = this.#response;
    return (closed && !writableFinished) || (this.#message.destroyed && !this.#message.complete);
  }

  get body(): AsyncIterable<Uint8Array> | null {
    return this.#hasBody ? { [Symbol.asyncIterator]: () => this.#chunks() } : null;
  }

  /** The same as a `Request`. @throws GazetteError `not_implemented` for methods that `Request` does not accept */
  toRequest(): Request {
    const { method, url, signal } = this;
    if (FORBIDDEN_METHODS.has(method)) {
      throw new GazetteError('not_implemented', `the method ${method} is not implemented`);
    }
    const headers = new Headers();
    const { rawHeaders } = this.#message;
    for (let i = 0; i < rawHeaders.length; i += 2) {
      const name = rawHeaders[i]!;
      if (!name.startsWith(':')) headers.append(name, rawHeaders[i + 1]!);
    }
    return new Request(url, {
      method,
      headers,
      signal,
      ...(this.#hasBody ? { body: this.#stream(), duplex: 'half' as const } : {}),
    });
  }

  get #hasBody(): boolean {
    return this.method !== 'GET' && this.method !== 'HEAD';
  }

  #chunks(): AsyncIterator<Uint8Array> {
    return this.#message.iterator({ destroyOnReturn: false }) as AsyncIterator<Uint8Array>;
  }

  /** The body; the stream starts when it is read. */
  #stream(): ReadableStream<Uint8Array> {
    let chunks: AsyncIterator<Uint8Array> | undefined;
    return new ReadableStream<Uint8Array>(
      {
        pull: async (controller) => {
          chunks ??= this.#chunks();
          const next: IteratorResult<Uint8Array, unknown> = await chunks.next();
          if (next.done === true) controller.close();
          else controller.enqueue(next.value);
        },
      },
      { highWaterMark: 0 },
    );
  }

  #address(target: string, { trustProxy, trustForwardedHost, origins }: AddressRules): string {
    const { headers, socket } = this.#message;
    const forwarded = (name: string, isTrusted: boolean): string | undefined =>
      isTrusted ? forwardedField(this.headers, name) : undefined;
    const protocol = forwarded('x-forwarded-proto', trustProxy) ?? ('encrypted' in socket ? 'https' : 'http');
    // HTTP/2 has `:authority` instead of HTTP/1.1's Host.
    const authority = headers[':authority'] as string | undefined;
    const host = forwarded('x-forwarded-host', trustForwardedHost) ?? headers.host ?? authority ?? 'localhost';
    const origin = origins.of(protocol, host);
    const path = pathOf(target);
    // Joined as text: resolving `//other.example/` against a base URL would let the path set the host.
    const address = `${origin}${path}`;
    if (origin !== null && NORMAL_TARGET.test(path) && !DOT_SEGMENT.test(path)) return address;
    const url = origin === null || /^[^?]*\\/.test(path) ? null : URL.parse(address);
    if (url !== null) return url.href;
    throw new GazetteError(
      'bad_request',
      `the host and the path must make an http(s) URL, got ${quote(`${protocol}://${host}${path}`)}`,
    );
  }
}

/** The raw header fields, because Node's own view keeps only the first of two Authorization headers. */
class RawFields implements Pick<Headers, 'get'> {
  readonly #raw: readonly string[];
  /** By their names in lower case, made at the first question: a request is asked for some twenty fields that it may have. */
  #values: ReadonlyMap<string, string> | null = null;

  constructor(raw: readonly string[]) {
    this.#raw = raw;
  }

  /** All values of a field as one list (RFC 9110 5.3); null if there is none. */
  get(name: string): string | null {
    this.#values ??= this.#read();
    return this.#values.get(name) ?? this.#values.get(name.toLowerCase()) ?? null;
  }

  #read(): ReadonlyMap<string, string> {
    const values = new Map<string, string>();
    for (let i = 0; i < this.#raw.length; i += 2) {
      const [name, value] = [this.#raw[i]!.toLowerCase(), this.#raw[i + 1]!];
      const before = values.get(name);
      values.set(name, before === undefined ? value : `${before}, ${value}`);
    }
    return values;
  }
}

/**
 * The path and query of a request target (RFC 9112 3.2): origin-form unchanged, absolute-form without its authority.
 */
function pathOf(target: string): string {
  if (target.startsWith('/')) return target;
  if (target === '*') return '/';
  return /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*(\/.*)?$/i.exec(target)?.[1] ?? '/';
}
