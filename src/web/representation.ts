// Answers a request for any representation with known validators: the body, a part of it (RFC 9110 section 14), 304 or 412 (section 13).
// The export handler and every route of the service share it. Only one range of bytes is honoured, and only where the request names the
// very bytes that it is of: parts of two states must never be joined.
import { GazetteError } from '../errors.ts';
import type { IncomingRequest } from './incoming-request.ts';
import { evaluatePreconditions, type Validators } from './validators.ts';

/**
 * Header fields by name, in lower case so that no field appears twice. Plain objects cost less than `Headers` and can
 * initialise them.
 */
export type HeaderFields = Readonly<Record<string, string>>;

/** A finished body and the header fields that describe it, including `content-type` and `content-length`. */
export interface WrittenBody {
  readonly headers: HeaderFields;
  readonly body: Uint8Array<ArrayBuffer>;
}

/** Bytes that are made while they are sent. If they fail, the connection is broken off: there is no other sign. */
export type BodyStream = ReadableStream<Uint8Array<ArrayBuffer>>;

/** A body that is opened only for an answer that has one, and the header fields that describe it. */
export interface OpenedBody {
  readonly headers: HeaderFields;
  /** @throws any error that prevents it: the answer is then an error */
  open(): Promise<BodyStream>;
  /** Absent: it is answered whole, whichever part is asked for. */
  readonly parts?: BodyParts;
}

/** How parts of a body are read. */
export interface BodyParts {
  /** Whether the address names these bytes. Otherwise `If-Range` has to. */
  readonly isNamed: boolean;
  /** How many bytes the whole has. */
  length(): Promise<number>;
  /** The bytes from `first` up to and with `last`, counted from 0. */
  open(first: number, last: number): Promise<BodyStream>;
}

/** What became of an answer. */
export interface SentAnswer {
  /** The HTTP status. */
  readonly status: number;
  /** The bytes of its body; of one that was not sent to its end, as many as were taken. */
  readonly bytes: number;
  /** Whether its body ended before its end: its reader went away, or it failed. */
  readonly isBroken: boolean;
}

/**
 * A stream whose end is told, once: with the error that it failed with, and with nothing else where it came to its end or its reader
 * went away.
 */
export function watchedStream(
  stream: BodyStream,
  onEnd: (sent: Omit<SentAnswer, 'status'>, error?: unknown) => void,
): BodyStream {
  const reader = stream.getReader();
  let bytes = 0;
  let isOver = false;
  const end = (isBroken: boolean, error?: unknown): void => {
    if (isOver) return;
    isOver = true;
    onEnd({ bytes, isBroken }, error);
  };
  return new ReadableStream(
    {
      async pull(controller) {
        let read: Awaited<ReturnType<typeof reader.read>>;
        try {
          read = await reader.read();
        } catch (error) {
          end(true, error);
          // Who sends it only has to break off.
          throw new GazetteError('aborted', 'the answer was broken off', { cause: error });
        }
        // A reader that goes away ends a read that is under way.
        if (isOver) return;
        if (read.done) {
          end(false);
          controller.close();
          return;
        }
        bytes += read.value.length;
        controller.enqueue(read.value);
      },
      async cancel(reason) {
        end(true);
        await reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}

/** A resource that can be requested conditionally. */
export interface Representation extends Pick<Validators, 'lastModified' | 'isDateDecisive'> {
  /**
   * The strong entity tag, if it is known without the bytes. Null: the headers from `write()` contain it. A tag in
   * those headers takes precedence over this one.
   */
  readonly etag: string | null;
  /**
   * Whether only `write()` shows that the resource exists. If so, a date alone decides nothing before `write()`. An
   * entity tag does, because no client has a tag of something that never existed.
   */
  readonly mayNotExist?: boolean;
  /** Creates the whole body. @throws any error that prevents it: the answer is then an error, never half a body */
  write(): WrittenBody | OpenedBody | Promise<WrittenBody | OpenedBody>;
}

/** An answer without a server. The body is null for HEAD, 304 and 204. */
export interface HttpResponse {
  /** The HTTP status. */
  readonly status: number;
  /** The header fields, by lower-case name. */
  readonly headers: HeaderFields;
  /** The body; null if there is none. */
  readonly body: Uint8Array<ArrayBuffer> | BodyStream | null;
}

/**
 * Answers a GET or HEAD. If the entity tag is known in advance, a 304 creates no body and reads no record.
 *
 * @param common header fields of both the 200 and the 304 (RFC 9110 15.4.5)
 * @throws GazetteError `precondition_failed`; any error of `write()`, which takes precedence over a failed precondition
 *   (RFC 9110 13.2.1: preconditions apply to requests that would succeed).
 * @example
 * const { status, headers, body } = await answerConditionally(request, common, { etag, lastModified, write });
 * return new Response(body, { status, headers });
 */
export async function answerConditionally(
  request: Pick<IncomingRequest, 'method' | 'headers'>,
  common: HeaderFields,
  representation: Representation,
): Promise<HttpResponse> {
  const { etag, lastModified, isDateDecisive = true } = representation;
  const headers: HeaderFields =
    lastModified === null ? common : { ...common, 'last-modified': new Date(lastModified * 1000).toUTCString() };
  if (etag !== null && decidesEarly(request.headers, representation)) {
    const early = evaluatePreconditions(request.headers, { etag, lastModified, isDateDecisive });
    if (early === 'not_modified') return { status: 304, headers: { ...headers, etag }, body: null };
  }
  const written = await representation.write();
  const tag = written.headers.etag ?? etag!;
  const outcome = evaluatePreconditions(request.headers, { etag: tag, lastModified, isDateDecisive });
  if (outcome === 'failed') {
    throw new GazetteError('precondition_failed', 'the page is not the one that If-Match or If-Unmodified-Since names');
  }
  if (outcome === 'not_modified') return { status: 304, headers: { ...headers, etag: tag }, body: null };
  const described = { ...headers, ...written.headers, etag: tag };
  const parts = 'open' in written ? written.parts : undefined;
  const range = parts === undefined ? null : askedRange(request, tag, parts);
  if (range !== null) return answerPart(parts!, range, { headers: { ...headers, etag: tag }, described });
  return {
    status: 200,
    headers: parts === undefined ? described : { ...described, 'accept-ranges': 'bytes' },
    body: request.method === 'HEAD' ? null : 'open' in written ? await written.open() : written.body,
  };
}

/** Whether the preconditions can be evaluated before anything is read. */
function decidesEarly(headers: IncomingRequest['headers'], { mayNotExist }: Representation): boolean {
  const ifNoneMatch = headers.get('if-none-match');
  // `*` asks whether the resource exists at all (RFC 9110 13.1.2), which only reading shows.
  if (ifNoneMatch !== null) return ifNoneMatch.trim() !== '*';
  return mayNotExist !== true;
}

/** A range of bytes: from `first` on, to `last` if there is one; or the last so many. */
type Range = { readonly first: number; readonly last: number } | { readonly suffix: number };

/** RFC 9110 14.1.2, one range. */
const RANGE = /^bytes=[ \t]*(?:(\d{1,15})-(\d{1,15})?|-(\d{1,15}))[ \t]*$/i;

/**
 * The part that a request asks for; null: all of it, as for every range that is not understood (RFC 9110 14.2).
 *
 * @param etag the strong tag of the bytes
 */
export function askedRange(
  { method, headers }: Pick<IncomingRequest, 'method' | 'headers'>,
  etag: string,
  { isNamed }: Pick<BodyParts, 'isNamed'>,
): Range | null {
  const range = headers.get('range');
  if (range === null || method !== 'GET') return null;
  // RFC 9110 13.1.5: strong comparison. A date never names these bytes.
  const ifRange = headers.get('if-range');
  if (ifRange === null ? !isNamed : ifRange.trim() !== etag) return null;
  const [, first, last, suffix] = RANGE.exec(range) ?? [];
  if (suffix !== undefined) return { suffix: Number(suffix) };
  if (first === undefined || Number(last ?? first) < Number(first)) return null;
  return { first: Number(first), last: last === undefined ? Infinity : Number(last) };
}

/**
 * Answers with a part: 206, or 416 where there are no such bytes (RFC 9110 15.3.7, 15.5.17).
 *
 * @param fields the header fields of any answer, and those that describe the bytes, too
 */
async function answerPart(
  parts: BodyParts,
  range: Range,
  { headers, described }: { readonly headers: HeaderFields; readonly described: HeaderFields },
): Promise<HttpResponse> {
  const length = await parts.length();
  const first = 'suffix' in range ? Math.max(0, length - range.suffix) : range.first;
  const last = Math.min('suffix' in range ? Infinity : range.last, length - 1);
  if (first > last) {
    const none = { 'content-range': `bytes */${length}`, 'content-length': '0', 'cache-control': 'no-store' };
    return { status: 416, headers: { ...headers, ...none }, body: null };
  }
  const body = await parts.open(first, last);
  const fields = { 'content-range': `bytes ${first}-${last}/${length}`, 'content-length': String(last - first + 1) };
  return { status: 206, headers: { ...described, ...fields }, body };
}
