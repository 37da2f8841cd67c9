// The exports as a web-standard handler, for any server and without a store: paging, links, validators and errors as
// http.md states them. Who may read, CORS and compression are the business of whoever mounts it.
import { GazetteError, quote } from '../errors.ts';
import type { Format, FormatOptions } from '../formats/format.ts';
import { FORMATS } from '../formats/index.ts';
import { PROBLEM_MEDIA_TYPE, toProblem } from '../problem.ts';
import { PAGE_SIZE } from '../register/page.ts';
import { parsePageQuery } from '../register/query.ts';
import type { RegisterSource } from '../register/source.ts';
import { toEpochMs } from '../register/time.ts';
import { isHttpUrl } from '../register/url.ts';
import { type ExportRequest, requestTag, writePage } from './export-page.ts';
import type { ExportOptions } from './feed-head.ts';
import { evaluatePreconditions, lastModified } from './validators.ts';

/** One register, several, or a way to find one by its feed id; null where there is none. */
export type Sources =
  | RegisterSource
  | readonly RegisterSource[]
  | ((feedId: string) => RegisterSource | null | undefined | Promise<RegisterSource | null | undefined>);

/** What {@link exportHandler} takes. */
export interface ExportHandlerOptions extends Omit<ExportOptions, 'formatOptions'> {
  /**
   * The public address the requests' paths continue: `https://example.org`, or with the prefix a proxy strips,
   * `https://example.org/registers`. Default: the address the request itself names.
   */
  readonly baseUrl?: string;
  /** The formats to serve, by the ending of the path. Default: every format the specification serves over HTTP. */
  readonly formats?: Readonly<Record<string, Format>>;
  /** Each format's own options, by its name. */
  readonly formatOptions?: Readonly<Record<string, FormatOptions>>;
  /** Default `private, no-cache`: exports are for whoever may read them, and are revalidated each time. */
  readonly cacheControl?: string;
  /** Told of every failure that is not the client's. Default: `console.error`. */
  readonly onError?: (error: unknown, requestId: string) => void;
  /** Default: a random UUID. */
  readonly createRequestId?: () => string;
  /** Milliseconds since 1970. Default: the machine's clock; it decides only whether `Last-Modified` is honest yet. */
  readonly now?: () => number;
}

/** A web-standard request handler. It answers every request and never rejects. */
export type Handler = (request: Request) => Promise<Response>;

const ALLOWED_METHODS = 'GET, HEAD, OPTIONS';

/** `export.<format>` at the end of a path, with the register's place in it where the path has one. */
const EXPORT_PATH = /^(?:.*\/feeds\/([^/]+)\/records|.*)\/export\.([^/.]+)$/;

const HTTP_FORMATS: Readonly<Record<string, Format>> = Object.fromEntries(
  Object.values(FORMATS)
    .filter((format) => format.http)
    .map((format) => [format.name, format]),
);

/**
 * A handler that serves `…/feeds/{feed_id}/records/export.{format}`, below any mount; with one register also any other
 * path that ends in `/export.{format}`.
 *
 * @throws GazetteError `invalid_option` for a `baseUrl`, `alternate`, `list` or `recordUrl` that is no absolute http(s) URL,
 *   and for two sources with one feed id.
 * @example http.createServer(toNodeListener(exportHandler(permits))).listen(8080);
 */
export function exportHandler(sources: Sources, options: ExportHandlerOptions = {}): Handler {
  const baseUrl = options.baseUrl === undefined ? null : checkBaseUrl(options.baseUrl);
  const formats = options.formats ?? HTTP_FORMATS;
  const find = finder(sources);
  for (const name of ['alternate', 'list', 'recordUrl'] as const) checkLink(name, options[name]);
  const now = options.now ?? Date.now;
  // A new configuration may change bytes without any change of data.
  const configuredAtMs = now();
  const onError =
    options.onError ??
    ((error: unknown, requestId: string): void => {
      console.error(`gazette: request ${requestId} failed`, error);
    });

  async function answer(request: Request, headers: Headers): Promise<Response> {
    const url = new URL(request.url);
    const match = EXPORT_PATH.exec(url.pathname);
    if (match === null) throw notFound(url);
    if (request.method === 'OPTIONS') {
      headers.set('Allow', ALLOWED_METHODS);
      return new Response(null, { status: 204, headers });
    }
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      headers.set('Allow', ALLOWED_METHODS);
      throw new GazetteError(
        'method_not_allowed',
        `method must be one of ${ALLOWED_METHODS}, got ${quote(request.method)}`,
      );
    }
    const format = formats[match[2]!];
    if (format === undefined || !Object.hasOwn(formats, match[2]!)) {
      throw new GazetteError(
        'unknown_format',
        `export format must be one of ${Object.keys(formats).join(', ')}, got ${quote(match[2])}`,
        { details: { format: match[2]! } },
      );
    }
    const source = await find(match[1] === undefined ? null : decode(match[1], url));
    const query = parsePageQuery(url.searchParams, { defaultLimit: PAGE_SIZE });
    const formatOptions = options.formatOptions?.[format.name];
    const exportRequest: ExportRequest = {
      url: baseUrl === null ? url : new URL(baseUrl + url.pathname),
      query: { ...query, signal: request.signal },
      ...(options.alternate === undefined ? {} : { alternate: options.alternate }),
      ...(options.list === undefined ? {} : { list: options.list }),
      ...(options.recordUrl === undefined ? {} : { recordUrl: options.recordUrl }),
      ...(formatOptions === undefined ? {} : { formatOptions }),
    };

    const tag = await requestTag(source, format, exportRequest);
    const changed = await source.lastChange?.();
    const modified =
      changed === undefined || changed === null
        ? null
        : lastModified(Math.max(toEpochMs(changed), configuredAtMs), now());
    headers.set('Cache-Control', options.cacheControl ?? 'private, no-cache');
    headers.set('Vary', 'Authorization');
    if (modified !== null) headers.set('Last-Modified', new Date(modified * 1000).toUTCString());

    // With a revision the preconditions are decided before any record is read.
    // `*` asks whether there is a page at all (RFC 9110 13.1.2), which only reading it tells.
    const isAny = request.headers.get('if-none-match')?.trim() === '*';
    const early = tag === null || isAny ? null : conditional(request, headers, tag, modified);
    if (early !== null) return early;
    const page = await writePage(source, format, exportRequest, tag);
    const late = tag === null || isAny ? conditional(request, headers, page.headers.get('ETag')!, modified) : null;
    if (late !== null) return late;
    page.headers.forEach((value, name) => {
      headers.set(name, value);
    });
    return new Response(request.method === 'HEAD' ? null : page.body, { status: 200, headers });
  }

  return async (request) => {
    const requestId = (options.createRequestId ?? (() => crypto.randomUUID()))();
    const headers = new Headers({ 'X-Request-Id': requestId, 'X-Content-Type-Options': 'nosniff' });
    try {
      return await answer(request, headers);
    } catch (error) {
      const problem = toProblem(error, requestId);
      // A client that hung up is no failure of ours.
      if (problem.status >= 500 && !request.signal.aborted) onError(error, requestId);
      const kept = new Headers({ 'Content-Type': PROBLEM_MEDIA_TYPE, 'Cache-Control': 'no-store' });
      for (const name of ['X-Request-Id', 'X-Content-Type-Options', 'Allow']) {
        const value = headers.get(name);
        if (value !== null) kept.set(name, value);
      }
      const body = new TextEncoder().encode(`${JSON.stringify(problem)}\n`);
      kept.set('Content-Length', String(body.length));
      return new Response(request.method === 'HEAD' ? null : body, { status: problem.status, headers: kept });
    }
  };
}

/** The answer that the preconditions alone decide; null: the page is wanted. */
function conditional(request: Request, headers: Headers, etag: string, modified: number | null): Response | null {
  const outcome = evaluatePreconditions(request.headers, { etag, lastModified: modified });
  if (outcome === 'proceed') return null;
  if (outcome === 'failed') {
    throw new GazetteError('precondition_failed', 'the page is not the one that If-Match or If-Unmodified-Since names');
  }
  headers.set('ETag', etag);
  return new Response(null, { status: 304, headers });
}

function finder(sources: Sources): (feedId: string | null) => Promise<RegisterSource> {
  const list = typeof sources === 'function' ? null : 'definition' in sources ? [sources] : sources;
  const byId = new Map(list?.map((source) => [source.definition.id, source]));
  if (list !== null && byId.size < list.length) {
    throw new GazetteError('invalid_option', 'each of the sources must have a feed id of its own');
  }
  return async (feedId) => {
    // A path without a feed id can mean one register only.
    if (feedId === null && list?.length === 1) return list[0]!;
    const source = feedId === null ? null : typeof sources === 'function' ? await sources(feedId) : byId.get(feedId);
    // A look-up in a map or an object answers undefined.
    if (source === null || source === undefined) {
      throw new GazetteError('unknown_feed', `no register has the feed id ${quote(feedId ?? '')}`, {
        details: { feed_id: feedId },
      });
    }
    return source;
  };
}

function checkLink(name: string, url: string | undefined): void {
  if (url === undefined || isHttpUrl(url.replaceAll('{id}', 'id'))) return;
  throw new GazetteError('invalid_option', `${name} must be an absolute http(s) URL, got ${quote(url)}`);
}

function checkBaseUrl(baseUrl: string): string {
  const url = URL.parse(baseUrl);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || /[?#]/.test(baseUrl)) {
    throw new GazetteError(
      'invalid_option',
      `baseUrl must be an absolute http(s) URL without query, got ${quote(baseUrl)}`,
    );
  }
  return url.href.replace(/\/+$/, '');
}

function decode(segment: string, url: URL): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    // Not UTF-8: no feed can have this name.
    throw notFound(url);
  }
}

function notFound(url: URL): GazetteError {
  return new GazetteError('not_found', `nothing is served at ${quote(url.pathname)}`);
}
