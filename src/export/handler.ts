// The exports as a web-standard handler, for any server and without a store: paging, links, validators and errors as in
// http.md. Access control, CORS and compression are up to the server that mounts it.
import { GazetteError, quote } from '../errors.ts';
import { checkFormatOptions } from '../formats/check-options.ts';
import type { Format, FormatOptions } from '../formats/format.ts';
import { checkFormats } from '../formats/check-formats.ts';
import { EXPORT_FORMATS, findFormat } from '../formats/index.ts';
import { toProblem } from '../problem.ts';
import { PAGE_SIZE } from '../register/page.ts';
import { canonicalQuery, parsePageQuery } from '../register/query.ts';
import { checkPaged, type RegisterSource } from '../register/sources/source.ts';
import { toEpochMs } from '../register/time.ts';
import { isHttpUrl } from '../register/url.ts';
import { bodyOf, type ExportRequest, requestTag, writePage } from './page.ts';
import type { ExportOptions } from './document-head.ts';
import { checkBaseUrl } from './page-links.ts';
import { problemAnswer } from '../web/problem-answer.ts';
import { type HttpResponse, answerConditionally, type HeaderFields } from '../web/representation.ts';
import { lastModified, registerModified, type Validators } from '../web/validators.ts';

/** One register, several, or a function that finds one by its feed id and returns null if there is none. */
export type Sources =
  | RegisterSource
  | readonly RegisterSource[]
  | ((feedId: string) => RegisterSource | null | undefined | Promise<RegisterSource | null | undefined>);

/** Options of {@link exportHandler}. */
export interface ExportHandlerOptions extends Omit<ExportOptions, 'formatOptions'> {
  /**
   * The public URL that precedes the requests' paths: `https://example.org`, or with the prefix that a proxy strips,
   * `https://example.org/registers`. Default: the URL of the request itself.
   */
  readonly baseUrl?: string;
  /**
   * The formats to serve, each at `export.` and its name: `[...EXPORT_FORMATS, tsv]` adds one to gazette's own.
   * Default: {@link EXPORT_FORMATS}.
   */
  readonly formats?: readonly Format[];
  /** Options of each format, by its name. */
  readonly formatOptions?: Readonly<Record<string, FormatOptions>>;
  /**
   * Default `private, no-cache`: exports are for authorised readers and are revalidated each time. Answers that caches may
   * give to others have no `X-Request-Id`, and without a `baseUrl` they vary by `Host`, which their links name.
   */
  readonly cacheControl?: string;
  /** Called with every failure that the client did not cause. Default: `console.error`. */
  readonly onError?: (error: unknown, requestId: string) => void;
  /** Default: a random UUID. */
  readonly createRequestId?: () => string;
  /** Milliseconds since 1970. Default: the system clock. It only decides whether `Last-Modified` can be sent yet. */
  readonly now?: () => number;
}

const ALLOWED_METHODS = 'GET, HEAD, OPTIONS';

/** Header fields of every answer. */
const COMMON: HeaderFields = { 'x-content-type-options': 'nosniff' };

/** Matches `export.<format>` at the end of a path, and the feed id if the path has one. */
const EXPORT_PATH = /^(?:.*\/feeds\/([^/]+)\/records|.*)\/export\.([^/.]+)$/;

/**
 * A web-standard handler that answers every request and never rejects. It serves `…/feeds/{feed_id}/records/export.{format}`, under any path prefix. With a single register, it
 * also serves any other path that ends in `/export.{format}`.
 *
 * @throws GazetteError `invalid_option` for a `baseUrl`, `alternate`, `list`, `schema` or `recordUrl` that is not an absolute
 *   http(s) URL, for invalid `formats` or two with the same name, for `formatOptions` of a format that is not served or
 *   that has no such option, for a stream, which has no pages, and for two sources with the same feed id.
 * @example http.createServer(toNodeListener(exportHandler(permits))).listen(8080);
 */
export function exportHandler(
  sources: Sources,
  options: ExportHandlerOptions = {},
): (request: Request) => Promise<Response> {
  const baseUrl = options.baseUrl === undefined ? null : checkBaseUrl(options.baseUrl);
  const formats = checkFormats(options.formats ?? EXPORT_FORMATS);
  const find = finder(sources);
  for (const name of ['alternate', 'list', 'schema', 'recordUrl'] as const) checkLink(name, options[name]);
  checkFormatOptions(formats, options.formatOptions);
  const now = options.now ?? Date.now;
  const cacheControl = options.cacheControl ?? 'private, no-cache';
  const isShared = !/\b(?:private|no-store)\b/i.test(cacheControl);
  const vary = isShared && baseUrl === null ? 'Authorization, Host' : 'Authorization';
  // A new configuration may change the bytes even if the data is unchanged.
  const configuredAtMs = now();
  const onError =
    options.onError ??
    ((error: unknown, requestId: string): void => {
      console.error(`gazette: request ${requestId} failed`, error);
    });

  async function answer(request: Request, requestId: HeaderFields): Promise<HttpResponse> {
    const url = new URL(request.url);
    const match = EXPORT_PATH.exec(url.pathname);
    if (match === null) throw notFound(url);
    if (request.method === 'OPTIONS')
      return { status: 204, headers: { ...COMMON, ...requestId, allow: ALLOWED_METHODS }, body: null };
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      throw new GazetteError(
        'method_not_allowed',
        `method must be one of ${ALLOWED_METHODS}, got ${quote(request.method)}`,
      );
    }
    const format = findFormat(match[2]!, formats);
    const source = await find(match[1] === undefined ? null : decode(match[1], url));
    const { definition, filters: known } = source;
    const given = parsePageQuery(url.searchParams, { defaultLimit: PAGE_SIZE });
    const query = canonicalQuery(given, definition.fields, known === undefined ? {} : { known });
    const formatOptions = options.formatOptions?.[format.name];
    const exportRequest: ExportRequest = {
      url: baseUrl === null ? url : new URL(baseUrl + url.pathname),
      query: { ...query, signal: request.signal },
      ...(options.alternate === undefined ? {} : { alternate: options.alternate }),
      ...(options.list === undefined ? {} : { list: options.list }),
      ...(options.schema === undefined ? {} : { schema: options.schema }),
      ...(options.recordUrl === undefined ? {} : { recordUrl: options.recordUrl }),
      ...(formatOptions === undefined ? {} : { formatOptions }),
    };

    // Before the revision: the register may change meanwhile, and a body may be newer than its date, but not older.
    const modified = await modifiedAt(source, configuredAtMs, now);
    const etag = await requestTag(source, format, exportRequest);
    return answerConditionally(
      request,
      { ...COMMON, ...(isShared ? {} : requestId), 'cache-control': cacheControl, vary },
      {
        etag,
        ...modified,
        write: async () => bodyOf(await writePage(source, format, exportRequest, etag)),
      },
    );
  }

  return async (request) => {
    const requestId = (options.createRequestId ?? (() => crypto.randomUUID()))();
    let answered: HttpResponse;
    try {
      answered = await answer(request, { 'x-request-id': requestId });
    } catch (error) {
      const problem = toProblem(error, requestId);
      // It is not our failure if the client disconnected.
      if (problem.status >= 500 && !request.signal.aborted) onError(error, requestId);
      const allow = problem.code === 'method_not_allowed' ? { allow: ALLOWED_METHODS } : {};
      answered = problemAnswer(request.method, problem, { ...COMMON, ...allow });
    }
    const { status, headers, body } = answered;
    return new Response(body, { status, headers });
  };
}

function finder(sources: Sources): (feedId: string | null) => Promise<RegisterSource> {
  const list = typeof sources === 'function' ? null : 'definition' in sources ? [sources] : sources;
  list?.forEach(checkPaged);
  const byId = new Map(list?.map((source) => [source.definition.id, source]));
  if (list !== null && byId.size < list.length) {
    throw new GazetteError('invalid_option', 'each of the sources must have its own feed id');
  }
  return async (feedId) => {
    // Without a feed id, the path can only mean the single register.
    if (feedId === null && list?.length === 1) return list[0]!;
    const source = feedId === null ? null : typeof sources === 'function' ? await sources(feedId) : byId.get(feedId);
    // A look-up in a map or an object may return undefined.
    if (source === null || source === undefined) {
      throw new GazetteError('unknown_feed', `no register has the feed id ${quote(feedId ?? '')}`, {
        details: { feed_id: feedId },
      });
    }
    return source;
  };
}

async function modifiedAt(
  source: RegisterSource,
  configuredAtMs: number,
  now: () => number,
): Promise<Pick<Validators, 'lastModified' | 'isDateDecisive'>> {
  if (source.lastModified !== undefined) return registerModified(await source.lastModified(), configuredAtMs, now());
  const changed = (await source.lastChange?.()) ?? null;
  return { lastModified: changed === null ? null : lastModified(Math.max(toEpochMs(changed), configuredAtMs), now()) };
}

function checkLink(name: string, url: string | undefined): void {
  if (url === undefined || isHttpUrl(url.replaceAll('{id}', 'id'))) return;
  throw new GazetteError('invalid_option', `${name} must be an absolute http(s) URL, got ${quote(url)}`);
}

function decode(segment: string, url: URL): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    // The path is not valid UTF-8, so no feed can have this name.
    throw notFound(url);
  }
}

function notFound(url: URL): GazetteError {
  return new GazetteError('not_found', `nothing is served at ${quote(url.pathname)}`);
}
