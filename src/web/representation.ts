// What every representation over HTTP is answered with once it can name its validators: the body, 304 or 412 (RFC 9110
// section 13). Written once, for the exports of an embedder and for every route of the service.
import { GazetteError } from '../errors.ts';
import type { IncomingRequest } from './incoming-request.ts';
import { evaluatePreconditions } from './validators.ts';

/**
 * Header fields by name, in lower case so that no two name one field: plain data, which costs less than `Headers` and
 * serves as their initialiser.
 */
export type HeaderFields = Readonly<Record<string, string>>;

/** A finished body and the header fields that describe it, `content-type` and `content-length` among them. */
export interface WrittenBody {
  readonly headers: HeaderFields;
  readonly body: Uint8Array<ArrayBuffer>;
}

/** Something that can be asked for conditionally. */
export interface Representation {
  /**
   * The strong entity tag, where it is known without the bytes. Null: `write()` names it in its headers, and that goes
   * before this one.
   */
  readonly etag: string | null;
  /** Seconds since 1970; null while no honest value is known. */
  readonly lastModified: number | null;
  /**
   * Whether only `write()` tells that there is such a thing at all. A date alone then decides nothing before it; an
   * entity tag does, because nobody has one of a thing that never was.
   */
  readonly mayNotExist?: boolean;
  /** Makes the body whole. @throws whatever keeps it from being made: the answer is then an error, never half a body */
  write(): WrittenBody | Promise<WrittenBody>;
}

/** An answer without a server. A null body is that of HEAD, 304 and 204. */
export interface HttpResponse {
  /** The HTTP status. */
  readonly status: number;
  /** The header fields, by lower-case name. */
  readonly headers: HeaderFields;
  /** The body; null: none. */
  readonly body: Uint8Array<ArrayBuffer> | null;
}

/**
 * Answers a GET or HEAD. With an entity tag known beforehand a 304 makes no body and reads no record.
 *
 * @param common header fields of the 200 and the 304 alike (RFC 9110 15.4.5)
 * @throws GazetteError `precondition_failed`; whatever `write()` throws, which goes before a failed precondition
 *   (RFC 9110 13.2.1: preconditions are about requests that would succeed).
 * @example
 * const { status, headers, body } = await answerConditionally(request, common, { etag, lastModified, write });
 * return new Response(body, { status, headers });
 */
export async function answerConditionally(
  request: Pick<IncomingRequest, 'method' | 'headers'>,
  common: HeaderFields,
  representation: Representation,
): Promise<HttpResponse> {
  const { etag, lastModified } = representation;
  const headers: HeaderFields =
    lastModified === null ? common : { ...common, 'last-modified': new Date(lastModified * 1000).toUTCString() };
  if (etag !== null && decidesEarly(request.headers, representation)) {
    const early = evaluatePreconditions(request.headers, { etag, lastModified });
    if (early === 'not_modified') return { status: 304, headers: { ...headers, etag }, body: null };
  }
  const written = await representation.write();
  const tag = written.headers.etag ?? etag!;
  const outcome = evaluatePreconditions(request.headers, { etag: tag, lastModified });
  if (outcome === 'failed') {
    throw new GazetteError('precondition_failed', 'the page is not the one that If-Match or If-Unmodified-Since names');
  }
  if (outcome === 'not_modified') return { status: 304, headers: { ...headers, etag: tag }, body: null };
  return {
    status: 200,
    headers: { ...headers, ...written.headers, etag: tag },
    body: request.method === 'HEAD' ? null : written.body,
  };
}

/** Whether the preconditions can be decided before anything was read. */
function decidesEarly(headers: IncomingRequest['headers'], { mayNotExist }: Representation): boolean {
  const ifNoneMatch = headers.get('if-none-match');
  // `*` asks whether there is anything at all (RFC 9110 13.1.2), which only reading it tells.
  if (ifNoneMatch !== null) return ifNoneMatch.trim() !== '*';
  return mayNotExist !== true;
}
