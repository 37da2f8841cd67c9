// One page of a register as a complete HTTP representation: headers and body, without a server. The whole page is read
// and written before it is returned, so a failure is an exception and never half a file.
import { isGazetteError } from '../errors.ts';
import { headFor } from '../formats/dated-head.ts';
import { encode, type EncodeOptions } from '../formats/encode.ts';
import type { Format, FormatOptions } from '../formats/format.ts';
import { Report, type Warning } from '../formats/report.ts';
import { canonicalJson, type JsonValue } from '../register/canonical-json.ts';
import { type Filter, filterEntries, filterText } from '../register/finding/filter.ts';
import { isMoment, type PageQuery } from '../register/page.ts';
import { checkLimit, checkOffset } from '../register/query.ts';
import { endedBy, matchedBy, matchedText } from '../register/sources/matched.ts';
import { readPage, type RegisterSource } from '../register/sources/source.ts';
import { VERSION } from '../version.ts';
import { type ExportOptions, documentHead } from './document-head.ts';
import { firstUrl, linkHeader, nextUrl, selfUrl } from './page-links.ts';
import type { WrittenBody } from '../web/representation.ts';
import { entityTag } from '../web/validators.ts';

/** A request for one page in a format. */
export interface ExportRequest<Options extends FormatOptions = FormatOptions> extends ExportOptions<Options> {
  /** The absolute public URL of the export; its query is replaced by the page's own. */
  readonly url: URL;
  /** Which page of which records. */
  readonly query: PageQuery;
}

/** A finished page. */
export interface ExportPage {
  /** The URL of exactly this page, with the view it was read in. */
  readonly url: URL;
  /**
   * `Content-Type`, `Content-Length`, `Content-Disposition`, `ETag`, `Link` with `rel="next"` unless this is the last
   * page (specification 4.2.2), `Gazette-Matched` under a filter (how many records match: `340`, or `20000+` for at least so
   * many), and `Gazette-Warnings` when the format had to change something.
   */
  readonly headers: Headers;
  /** The page as a complete file. */
  readonly body: Uint8Array<ArrayBuffer>;
  /** The URL of the next page; null if this is the last one. */
  readonly nextUrl: URL | null;
  /** What the format had to change, with counts. */
  readonly warnings: readonly Warning[];
}

/**
 * Reads one page and writes it.
 *
 * @throws GazetteError `invalid_parameter` (limit, offset, as_of), `authority_required` (RSS, Atom), and any error of
 *   the source.
 * @example
 * const { body, headers, nextUrl } = await exportPage(permits, csv, {
 *   url: new URL('https://example.org/api/v1/feeds/permits/records/export.csv'),
 *   query: { limit: 100, offset: 0 },
 * });
 */
export async function exportPage<Options extends FormatOptions>(
  source: RegisterSource,
  format: Format<Options>,
  request: ExportRequest<Options>,
): Promise<ExportPage> {
  return writePage(source, format, request, await requestTag(source, format, request));
}

/**
 * The entity tag of a page, computed without reading the page: a digest of the register's revision, the request and
 * everything else that affects the bytes. Null when the source has no revision, when the format's options contain a
 * function, or when the format does not give the version of its writer.
 */
export async function requestTag<Options extends FormatOptions>(
  source: RegisterSource,
  format: Format<Options>,
  request: ExportRequest<Options>,
): Promise<string | null> {
  const { encoderVersion = null } = format;
  const revision = encoderVersion === null ? undefined : await source.revision?.();
  if (revision === undefined) return null;
  const { alternate, list, schema, formatOptions, query } = request;
  const options = optionsText(formatOptions);
  if (options === null) return null;
  const shape = {
    revision,
    definition: source.definition,
    gazette: VERSION,
    format: format.name,
    encoder: encoderVersion,
    options,
    // The bytes contain links, so the same page at another URL is a different representation.
    url: selfUrl(request.url, query).href,
    limit: query.limit,
    alternate: alternate ?? null,
    list: list ?? null,
    schema: schema ?? null,
    recordUrl: request.recordUrl ?? null,
    fields: query.fields ?? request.fields ?? null,
  };
  return entityTag(canonicalJson(shape as unknown as JsonValue));
}

/**
 * Options as text, without the report, which does not affect the bytes; null when a text cannot tell two options apart.
 */
function optionsText(options: FormatOptions | undefined): string | null {
  try {
    return canonicalJson({ ...options, report: undefined } as unknown as JsonValue);
  } catch (error) {
    // The effect of a function or class instance is visible only in the bytes.
    if (isGazetteError(error, 'invalid_record')) return null;
    throw error;
  }
}

/** Like {@link exportPage}, with a known entity tag; null: the body is hashed. */
export async function writePage<Options extends FormatOptions>(
  source: RegisterSource,
  format: Format<Options>,
  request: ExportRequest<Options>,
  etag: string | null,
): Promise<ExportPage> {
  const { url, query, formatOptions } = request;
  checkLimit(query.limit);
  checkOffset(query.offset);
  const read = await readPage(source, query);
  const matched = await matchedBy(source, query, read);
  const page = endedBy(matched, query, read);
  const next = nextUrl(url, query, page);
  const self = selfUrl(url, query);
  const { fields = request.fields } = query;
  const head = await documentHead(
    source,
    { ...request, ...(fields === undefined ? {} : { fields }) },
    {
      asOf: page.asOf,
      ...(query.filter === undefined ? {} : { filter: query.filter }),
      links: { self: self.href, first: firstUrl(url, query).href, ...(next === null ? {} : { next: next.href }) },
    },
  );
  const report = new Report();
  const chunks: Uint8Array[] = [];
  const options = {
    ...formatOptions,
    report,
    ...(query.signal === undefined ? {} : { signal: query.signal }),
  } as Options & EncodeOptions;
  for await (const chunk of encode([page], format, headFor(format, head, page.records), options)) chunks.push(chunk);
  const body = concat(chunks);

  const headers = new Headers({
    'Content-Type': format.mediaType,
    'Content-Length': String(body.length),
    'Content-Disposition': contentDisposition(source.definition.id, format, query),
    ETag: etag ?? entityTag(format.mediaType, body),
  });
  if (next !== null) headers.set('Link', linkHeader(next, 'next'));
  if (matched !== null) headers.set('Gazette-Matched', matchedText(matched));
  const { warnings } = report;
  if (warnings.length > 0) headers.set('Gazette-Warnings', warningsHeader(warnings));
  return { url: self, headers, body, nextUrl: next, warnings };
}

/** A page as a body with the header fields that describe it. */
export function bodyOf({ headers, body }: ExportPage): WrittenBody {
  return { headers: Object.fromEntries(headers), body };
}

/**
 * A plain ASCII name (RFC 6266 4.3), since feed ids need no quoting. Pages of a walk from the newest are numbered; a
 * page that begins at another offset is named by that offset, so every offset has its own name.
 */
function contentDisposition(feedId: string, format: Format, query: PageQuery): string {
  const { offset, limit } = query;
  const pages = offset / limit;
  const number = Number.isInteger(pages) ? String(pages + 1).padStart(4, '0') : `offset-${offset}`;
  // Browsers save spreadsheets and tables, and show documents that they can display.
  const type = format.mediaType.includes('xml;') ? 'inline' : 'attachment';
  return `${type}; filename="${nameWith(feedId, query)}-${number}.${format.extension}"`;
}

/** The name of a register's file, without the extension: which records it has, and of which moment. */
export function nameWith(feedId: string, { filter, asOf }: Pick<PageQuery, 'filter' | 'asOf'>): string {
  // Windows has no colon in names.
  return feedId + filterPart(filter) + (isMoment(asOf) ? `-at-${asOf.replaceAll(':', '')}` : '');
}

/** The most characters of a filter in the name of a file. */
const MAX_FILTER_PART = 60;

/** A filter in the name of a file: its text as far as names allow, and a digest where that may be another filter's too. */
function filterPart(filter: Filter | undefined): string {
  const entries = filterEntries(filter);
  if (entries.length === 0) return '';
  const text = entries.map((entry) => entry.join('-')).join('-');
  const plain = text.replace(/[^A-Za-z0-9._-]+/g, '-').slice(0, MAX_FILTER_PART);
  if (plain === text && entries.length === 1) return `-${plain}`;
  return `-${plain}-${entityTag(filterText(filter!)).slice(1, 9)}`;
}

/** A list of tokens with a count each (RFC 9651 3.1). */
function warningsHeader(warnings: readonly Warning[]): string {
  return warnings.map(({ code, count }) => `${code};count=${count}`).join(', ');
}

function concat(chunks: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const body = new Uint8Array(chunks.reduce((length, chunk) => length + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    body.set(chunk, at);
    at += chunk.length;
  }
  return body;
}
