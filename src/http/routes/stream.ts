// A register's versions as a Durable Stream (the protocol's reading half): what there is, and then what comes, for as long as a reader
// wants to wait.
import { refuseTier } from '../../access/scopes.ts';
import { GazetteError } from '../../errors.ts';
import type { Filtered } from '../../register/schemas/parameters.ts';
import { type ChangeToken, readStreamOffset, streamOffset } from '../../register/parameters.ts';
import type { StreamQuery } from '../../register/schemas/parameters.ts';
import type { RegisterView } from '../../views/registers.ts';
import type { BodyStream, HeaderFields, HttpResponse } from '../../web/representation.ts';
import { utf8 } from '../../web/utf8.ts';
import { entityTag } from '../../web/validators.ts';
import { exposing } from '../cross-origin.ts';
import { feedParams, readFeedId, streamQuery } from '../description/parameters.ts';
import { streamSchema } from '../description/schemas.ts';
import { type Chunk, chunkOf } from '../live/chunks.ts';
import { cursorAfter, cursorAt } from '../live/cursors.ts';
import type { LiveReaders, Woken } from '../live/readers.ts';
import { PUBLIC_CACHING, type RequestContext } from '../request-context.ts';
import type { Route } from '../route.ts';
import type { ServiceContext } from '../service-context.ts';

/** How long a long-poll waits, in milliseconds. */
const POLL_MS = 25_000;

/** How long events are sent on one connection, so that caches can give them to several (10.2 of the protocol), in milliseconds. */
const EVENTS_MS = 60_000;

/** How often something is sent where nothing happens: proxies close connections that are silent, in milliseconds. */
const COMMENT_MS = 15_000;

/** How often the offset of a reader whose filter lets nothing through moves on, in milliseconds. */
const MOVE_ON_MS = 1000;

/** The fields of its answers, as openapi.json names them. */
const FIELDS = ['Stream-Next-Offset', 'Stream-Up-To-Date', 'Stream-Cursor', 'Cross-Origin-Resource-Policy'];

const JSON_TYPE = 'application/json';

/** Somebody who reads a stream. */
interface Reading {
  readonly context: RequestContext;
  readonly feedId: string;
  readonly query: StreamQuery;
}

/** A place in a stream, and what of it is read. */
type Place = ChangeToken & Filtered;

/** `/feeds/{feed_id}/stream`. */
export function streamRoute(service: ServiceContext, readers: LiveReaders, now: () => number): Route {
  const query = streamQuery(service.filters);
  const stream = new RegisterStream(service, readers, now);
  return {
    path: '/feeds/{feed_id}/stream',
    access: 'pro',
    isOpenable: true,
    documentation: {
      operationId: 'streamChanges',
      tag: 'Registers',
      summary: 'What has changed, and what changes',
      description:
        'The versions of a register, oldest first, as a [Durable Stream](https://github.com/durable-streams/durable-streams): one message a version, with the record by it. Ask for `Stream-Next-Offset` next. Filters, and 410 `log_restarted`, are as in `/changes`. What was erased is left nowhere.',
      params: feedParams,
      query: query.schema,
      codes: ['unknown_feed', 'log_restarted', 'not_ready'],
      headers: ['Cache-Control: stream', ...FIELDS],
      response: {
        description: 'Versions; with `live=sse`, events `data` with such a list, each followed by `control`.',
        content: { [JSON_TYPE]: { schema: streamSchema }, 'text/event-stream': { schema: { type: 'string' } } },
      },
      otherResponses: {
        204: {
          description: 'With `live=long-poll`: nothing came in time.',
          headers: FIELDS,
        },
      },
    },
    async answer(context, pathParameters) {
      context.headers = withStreamFields(context.headers);
      const asked = query.read(context.parameters);
      if (asked.live !== undefined && asked.offset === undefined)
        throw new GazetteError('invalid_parameter', `offset must come with live: -1 from the beginning, or now`, {
          details: { parameter: 'offset' },
        });
      return stream.answer({ context, feedId: readFeedId(pathParameters), query: asked });
    },
  };
}

class RegisterStream {
  readonly #service: ServiceContext;
  readonly #readers: LiveReaders;
  readonly #now: () => number;

  constructor(service: ServiceContext, readers: LiveReaders, now: () => number) {
    this.#service = service;
    this.#readers = readers;
    this.#now = now;
  }

  async answer(reading: Reading): Promise<HttpResponse> {
    const { context, feedId, query } = reading;
    const view = await this.#viewOf(context, feedId);
    const { offset = '-1', live } = query;
    const { filter } = this.#service.asked(view, query);
    const tail = tailOf(view);
    if (context.request.method === 'HEAD') {
      return unkept(200, context, { 'content-type': JSON_TYPE, [NEXT]: streamOffset(tail) });
    }
    const place: Place = {
      ...(offset === 'now' ? tail : offset === '-1' ? { since: 0, log: tail.log } : readStreamOffset(offset)),
      ...(filter && { filter }),
    };
    if (live !== undefined) this.#readers.refuseWhereStopped();
    if (live === 'sse') return this.#events(reading, view, place);
    if (live === 'long-poll') return this.#poll(reading, view, place);
    const isNow = offset === 'now';
    const chunk = isNow ? { ...NOTHING, next: tail } : await chunkOf(this.#service, context, view, place);
    return this.#answerWith(reading, view, chunk, {});
  }

  /** The register, of which the caller may read everything. @throws GazetteError `credentials_required` */
  async #viewOf(context: RequestContext, feedId: string): Promise<RegisterView> {
    const view = await this.#service.registers.view(feedId, context.stamp);
    if (this.#service.tierOf(context, view) === 'public') refuseTier(context.access);
    return view;
  }

  /** Waits for a chunk that has something, or that a filter let nothing through of what one request examines. */
  async #poll(reading: Reading, first: RegisterView, from: Place): Promise<HttpResponse> {
    const { context } = reading;
    const untilMs = performance.now() + POLL_MS;
    const cursor = { [CURSOR]: String(cursorAfter(reading.query.cursor, this.#now())) };
    let [view, place] = [first, from];
    for (;;) {
      const chunk = await chunkOf(this.#service, context, view, place);
      if (!chunk.isEmpty || !chunk.isLast) return this.#answerWith(reading, view, chunk, cursor);
      place = { ...place, ...chunk.next };
      const isOver = performance.now() >= untilMs;
      const woken = isOver ? 'time' : await this.#wait(reading, place, untilMs, context.request.signal);
      // Its key may have been revoked.
      context.hasWaited = true;
      if (typeof woken === 'string') return unkept(204, context, { ...fieldsOf(chunk), ...cursor });
      view = woken;
    }
  }

  /**
   * A chunk as an answer of its own. Its tag is that of its bytes, which is another one when one of its versions is erased, and of its
   * fields, which a copy that is kept would not have either. What there is from now on is kept by nobody (8 of the protocol).
   */
  async #answerWith(
    { context, query }: Reading,
    view: RegisterView,
    chunk: Chunk,
    cursor: HeaderFields,
  ): Promise<HttpResponse> {
    const { body } = chunk;
    const fields = { ...fieldsOf(chunk), ...cursor };
    const described = { 'content-type': JSON_TYPE, 'content-length': String(body.length) };
    if (query.offset === 'now') return { ...unkept(200, context, { ...described, ...fields }), body };
    const isOpen = this.#service.tierOf(context, view) === 'pro' && context.access.tier === 'public';
    // HEAD of the address without an offset names the end: no cache may answer it by the fields of a chunk (RFC 9111 4).
    const isShared = isOpen && query.offset !== undefined;
    const own = query.live === undefined ? 'private, no-cache' : 'private, no-store';
    const answer = await this.#service.answer(context, {
      view,
      etag: entityTag(JSON.stringify(fieldsOf(chunk)), body),
      isText: true,
      isOfBytes: true,
      caching: isShared ? PUBLIC_CACHING : own,
      write: () => ({ headers: described, body }),
    });
    return { ...answer, headers: { ...answer.headers, ...fields } };
  }

  /** Events (HTML Standard 9.2), for a minute. */
  async #events(reading: Reading, view: RegisterView, from: Place): Promise<HttpResponse> {
    const ending = new AbortController();
    // What is wrong with the place is the answer.
    const first = await chunkOf(this.#service, reading.context, view, from);
    const events = this.#eventsOf(reading, view, first, from, ending.signal);
    const body: BodyStream = new ReadableStream(
      {
        async pull(controller) {
          const { done, value } = await events.next();
          if (done === true) controller.close();
          else controller.enqueue(utf8(value));
        },
        cancel() {
          ending.abort();
        },
      },
      { highWaterMark: 0 },
    );
    const { headers } = reading.context;
    return {
      status: 200,
      headers: {
        ...headers,
        'content-type': 'text/event-stream',
        'cache-control': 'no-store',
        'x-accel-buffering': 'no',
      },
      body,
    };
  }

  async *#eventsOf(
    reading: Reading,
    seen: RegisterView,
    first: Chunk,
    from: Place,
    signal: AbortSignal,
  ): AsyncGenerator<string, void, undefined> {
    const { context } = reading;
    const endMs = performance.now() + EVENTS_MS;
    const firstCursor = cursorAfter(reading.query.cursor, this.#now());
    let [chunk, place, view] = [first, from, seen];
    let [told, sentAtMs] = [-1, -Infinity];
    const control = ({ next, isLast }: Chunk): string => {
      [told, sentAtMs] = [next.since, performance.now()];
      const streamCursor = String(Math.max(firstCursor, cursorAt(this.#now())));
      const said = { streamNextOffset: streamOffset(next), streamCursor };
      return `event: control\ndata: ${JSON.stringify(isLast ? { ...said, upToDate: true } : said)}\n\n`;
    };
    const isSilent = (ms: number): boolean => performance.now() - sentAtMs >= ms;
    try {
      for (;;) {
        await context.admitAgain();
        place = { ...place, ...chunk.next };
        if (!chunk.isEmpty) yield `event: data\ndata: ${Buffer.from(chunk.body).toString()}\n\n${control(chunk)}`;
        else if (told !== place.since && isSilent(MOVE_ON_MS)) yield control(chunk);
        while (chunk.isLast && performance.now() < endMs) {
          const untilMs = sentAtMs + (told === place.since ? COMMENT_MS : MOVE_ON_MS);
          const woken = await this.#wait(reading, place, Math.min(endMs, untilMs), signal);
          if (woken === 'stopped') return;
          if (woken !== 'time') {
            view = woken;
            break;
          }
          if (told !== place.since) yield control(chunk);
          else if (isSilent(COMMENT_MS)) {
            sentAtMs = performance.now();
            yield ':\n\n';
          }
        }
        if (performance.now() >= endMs) return;
        chunk = await chunkOf(this.#service, context, view, place);
      }
    } catch (error) {
      // What ended it is the answer to the next request: its reader comes again with what it has.
      if (error instanceof GazetteError && error.code !== 'internal_error') return;
      throw error;
    }
  }

  #wait({ context, feedId }: Reading, place: Place, untilMs: number, signal: AbortSignal): Promise<Woken> {
    return this.#readers.wait({
      ...{ feedId, log: place.log!, since: place.since, untilMs, signal },
      caller: context.request.headers.get('authorization') ?? '',
      admit: context.admitAgain,
    });
  }
}

const [NEXT, LAST, CURSOR] = ['stream-next-offset', 'stream-up-to-date', 'stream-cursor'];

/** A chunk at the end. */
const NOTHING = { body: utf8('[]'), isEmpty: true, isLast: true };

function tailOf({ entry }: RegisterView): Required<ChangeToken> {
  return { log: entry.log, since: entry.change };
}

/** Where a chunk ends. */
function fieldsOf({ next, isLast }: Chunk): HeaderFields {
  return { [NEXT]: streamOffset(next), ...(isLast ? { [LAST]: 'true' } : {}) };
}

/** An answer that nobody keeps. */
function unkept(status: number, { headers }: RequestContext, fields: HeaderFields): HttpResponse {
  return { status, headers: { ...headers, 'cache-control': 'no-store', ...fields }, body: null };
}

/** What browsers need to read a stream on another site (12.7 of the protocol). */
function withStreamFields(headers: HeaderFields): HeaderFields {
  return {
    ...exposing(headers, 'Stream-Next-Offset, Stream-Up-To-Date, Stream-Cursor'),
    'cross-origin-resource-policy': 'cross-origin',
  };
}
