// Whole registers, or all records of a search, in one answer: the bytes that `gazette export` writes, made while they are sent. A few
// are sent at once, a chunk in each turn of the event loop, so that other requests are answered meanwhile. A part of them is made as the
// whole is, without what is before it: no file has to be kept, bounded, shared, or erased.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { callerOfAddress } from '../../access/rate-limits.ts';
import { refuseTier } from '../../access/scopes.ts';
import { GazetteError } from '../../errors.ts';
import { type ExportRequest, nameWith } from '../../export/page.ts';
import { exportRegister } from '../../export/register.ts';
import type { Format, FormatOptions } from '../../formats/format.ts';
import { geojson } from '../../formats/geojson/index.ts';
import { checkFormatFor, findFormat } from '../../formats/index.ts';
import { ndjson } from '../../formats/ndjson.ts';
import { canWriteParquet, parquet } from '../../formats/parquet/index.ts';
import { matchedText } from '../../register/sources/matched.ts';
import { Shared } from '../../shared.ts';
import { type ContentCoding, encodeChunks, isTextType } from '../../web/coding.ts';
import { askedRange, type BodyParts, type BodyStream, type HttpResponse } from '../../web/representation.ts';
import { entityTag } from '../../web/validators.ts';
import { readFeedId, wholeQuery } from '../description/parameters.ts';
import type { RequestContext } from '../request-context.ts';
import type { ServiceContext } from '../service-context.ts';
import {
  addressOf,
  changed,
  checkCurrent,
  matchedOf,
  partOf,
  tagOf,
  watched,
  type WholeDocument,
} from './documents.ts';

/** How many are sent at once by a process: each asks the store all the time, whose connections others need too. */
const AT_ONCE = 4;

/** How many of them to one account, or without one to one address. */
const TO_ONE_CALLER = 2;

/** A reader that has taken nothing for so long gives its place to the next one: it is gone, or goes on later with a range. */
const PATIENCE_MS = 60_000;

/** Of how many documents the length is remembered. */
const KNOWN_LENGTHS = 1000;

/** The part of a request that decides the answer. */
export type DownloadContext = Pick<
  RequestContext,
  'access' | 'admitAgain' | 'api' | 'headers' | 'isPage' | 'remoteAddress' | 'request' | 'stamp'
>;

/** The formats of whole registers: those that are served, without feeds, NDJSON, Parquet where its package is installed, and GeoJSON. */
export function wholeFormats(served: readonly Format[]): readonly Format[] {
  const formats = served.filter(({ isDated }) => isDated !== true);
  const more = [ndjson, ...(canWriteParquet() ? [parquet] : []), geojson];
  return [...formats, ...more.filter(({ name }) => !formats.some((format) => format.name === name))];
}

/** Somebody who is sent a whole register. */
interface Reader {
  /** The account or, without one, the address; null where it is not known. */
  readonly caller: string | null;
  /** Since when it has not come for more, by `performance.now()`; null while something is made for it. */
  idleSince: number | null;
  /** Breaks the answer off. */
  readonly end: (reason: unknown) => void;
}

/** Answers with whole registers. */
export class WholeRegisters {
  readonly formats: readonly Format[];
  /** What may be asked for. */
  readonly query: ReturnType<typeof wholeQuery>;
  readonly #service: ServiceContext;
  readonly #formatOptions: Readonly<Record<string, FormatOptions>>;
  /** Those that are sent one at the moment. */
  readonly #readers: Reader[] = [];
  /** How many bytes documents have, by their tags. */
  readonly #lengths = new Shared<string, number, null>({ capacity: KNOWN_LENGTHS });
  #lastTurn: Promise<void> = Promise.resolve();

  /** @param served the formats of exports, already checked */
  constructor(
    service: ServiceContext,
    served: readonly Format[],
    formatOptions: Readonly<Record<string, FormatOptions>> = {},
  ) {
    this.#service = service;
    this.formats = wholeFormats(served);
    this.query = wholeQuery(service.filters);
    this.#formatOptions = formatOptions;
  }

  /**
   * Answers a GET or HEAD of somebody who was let in.
   *
   * @throws GazetteError `unknown_feed`, `unknown_format`, `invalid_parameter`, `unknown_parameter`, `precondition_failed`,
   *   `register_changed`, `too_many_downloads`, and what reading the first page throws
   */
  async answer(
    context: DownloadContext,
    pathParameters: Readonly<Record<string, string>>,
    parameters: URLSearchParams,
  ): Promise<HttpResponse> {
    const service = this.#service;
    const format = findFormat(pathParameters.format!, this.formats);
    const { hasBom, etag: named, ...given } = this.query.read(parameters);
    if (hasBom && format.name !== 'csv') {
      throw new GazetteError('invalid_parameter', `bom is for CSV, not for ${format.name}`, {
        details: { parameter: 'bom' },
      });
    }
    const feedId = readFeedId(pathParameters);
    const view = await service.registers.view(feedId, context.stamp);
    checkFormatFor(format, view.entry.definition);
    // The register may have been closed to the public since the caller was let in.
    if (service.tierOf(context, view) === 'public') refuseTier(context.access);
    const feed = `${context.api}/feeds/${feedId}`;
    const request: ExportRequest = {
      url: new URL(`${feed}/register.${format.name}`),
      query: service.asked(view, given),
      schema: `${feed}/register.xsd`,
      formatOptions: { ...this.#formatOptions[format.name], ...(hasBom ? { bom: true } : {}) },
    };
    const known = await tagOf(view, format, request);
    const etag = known ?? entityTag(crypto.randomUUID());
    const document = { view, format, request, etag };
    const isNamed = named !== undefined;
    if (isNamed && etag !== `"${named}"`) throw changed(feedId);
    const location = addressOf(request);
    if (hasBom) location.searchParams.set('bom', '1');
    location.searchParams.set('etag', etag.slice(1, -1));
    const isPart = askedRange(context.request, etag, { isNamed }) !== null;
    return service.answer(context, {
      view,
      etag,
      // Who signed in to the pages has no key for that address, and a tag that is made for one answer names no bytes.
      ...(isNamed || context.isPage || known === null ? {} : { location: location.href }),
      // Parts are of the bytes as they are: who unpacks what comes counts these, too.
      isText: isTextType(format.mediaType) && !isPart,
      stream: async (coding) => {
        const length = isNamed && coding === null ? this.#lengths.get(etag, null) : undefined;
        const parts = this.#partsOf(context, document, isNamed);
        const matched = isPart ? null : await matchedOf(document, context.request);
        return {
          headers: {
            'content-type': format.mediaType,
            'content-disposition': `attachment; filename="${nameWith(feedId, request.query)}.${format.extension}"`,
            ...(coding === null ? {} : { 'content-encoding': coding }),
            ...(length === undefined ? {} : { 'content-length': String(length) }),
            ...(matched === null ? {} : { 'gazette-matched': matchedText(matched) }),
          },
          open: () => {
            // A document of no bytes has no part.
            if (length !== undefined && length > 0) return parts.open(0, length - 1);
            return isNamed ? this.#named(context, document, coding) : this.#open(context, document, coding);
          },
          ...(coding === null && known !== null ? { parts } : {}),
        };
      },
    });
  }

  #partsOf(context: DownloadContext, document: WholeDocument, isNamed: boolean): BodyParts {
    const { etag, view } = document;
    return {
      isNamed,
      length: async () => {
        const known = this.#lengths.get(etag, null);
        if (known !== undefined) return known;
        await (await this.#named(context, document, null)).pipeTo(new WritableStream());
        return this.#lengths.get(etag, null)!;
      },
      open: async (first, last) =>
        partOf(await this.#open(context, document, null), { first, last }, () => checkCurrent(view)),
    };
  }

  /** Begins to write what has to be of the state that the tag names, or breaks off; its length is remembered. */
  async #named(context: DownloadContext, document: WholeDocument, coding: ContentCoding | null): Promise<BodyStream> {
    let length = 0;
    const counted = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform(bytes, controller) {
        length += bytes.length;
        controller.enqueue(bytes);
      },
      flush: async () => {
        await checkCurrent(document.view);
        if (coding === null) this.#lengths.keep(document.etag, null, length);
      },
    });
    return (await this.#open(context, document, coding)).pipeThrough(counted);
  }

  /** Begins to write: what prevents the first page is the answer, what fails later breaks the connection off. */
  async #open(
    context: DownloadContext,
    { view, format, request }: WholeDocument,
    coding: ContentCoding | null,
  ): Promise<BodyStream> {
    const reader = this.#enter(context, (reason) => {
      end(reason);
    });
    const { signal: hangUp } = context.request;
    const ending = new AbortController();
    const bytes = exportRegister(watched(view, context.admitAgain), format, {
      ...request,
      ...request.query,
      self: addressOf(request).href,
      signal: ending.signal,
      // What the compressor has read is not needed any more; a socket may still have to send it.
      reusesChunks: coding !== null,
    });
    const chunks = coding === null ? bytes : encodeChunks(bytes, coding);
    const end = (reason: unknown): void => {
      if (ending.signal.aborted) return;
      hangUp.removeEventListener('abort', leave);
      this.#readers.splice(this.#readers.indexOf(reader), 1);
      // First: a read that is under way has to end before the document can.
      ending.abort(reason);
      chunks.return().catch(() => undefined);
    };
    const leave = (): void => {
      end(hangUp.reason);
    };
    const next = async (): Promise<IteratorResult<Uint8Array<ArrayBuffer>, void>> => {
      reader.idleSince = null;
      try {
        await this.#turn();
        const step = await chunks.next();
        if (step.done !== true) return step;
        // It also ends where its reader went away, and is not whole then.
        ending.signal.throwIfAborted();
        end('it was sent');
        return step;
      } catch (error) {
        end(error);
        throw error;
      }
    };
    hangUp.addEventListener('abort', leave);
    if (hangUp.aborted) leave();
    let first: IteratorResult<Uint8Array<ArrayBuffer>, void> | null = await next();
    reader.idleSince = performance.now();
    return new ReadableStream(
      {
        async pull(controller) {
          const step = first ?? (await next());
          first = null;
          reader.idleSince = performance.now();
          if (step.done === true) controller.close();
          else controller.enqueue(step.value);
        },
        cancel: end,
      },
      { highWaterMark: 0 },
    );
  }

  /** @returns who takes a place @throws GazetteError `too_many_downloads` */
  #enter({ access, remoteAddress }: DownloadContext, end: Reader['end']): Reader {
    const account = access.account ?? null;
    const caller = account?.id ?? (remoteAddress === null ? null : callerOfAddress(remoteAddress));
    const own = this.#readers.filter((other) => caller !== null && other.caller === caller);
    this.#makePlace(own, TO_ONE_CALLER);
    this.#makePlace(this.#readers, AT_ONCE);
    const reader: Reader = { caller, idleSince: null, end };
    this.#readers.push(reader);
    return reader;
  }

  /** Breaks off what is idle longest, if there are as many readers as there may be. @throws GazetteError `too_many_downloads` */
  #makePlace(readers: readonly Reader[], most: number): void {
    if (readers.length < most) return;
    const tooMany = `at most ${AT_ONCE} whole registers are sent at once, and ${TO_ONE_CALLER} to one caller`;
    const refusal = new GazetteError('too_many_downloads', tooMany);
    const [first] = readers.toSorted((a, b) => (a.idleSince ?? Infinity) - (b.idleSince ?? Infinity));
    if (performance.now() - (first!.idleSince ?? Infinity) < PATIENCE_MS) throw refusal;
    first!.end(refusal);
  }

  /** Waits for a turn of the event loop that no other document has. */
  #turn(): Promise<void> {
    this.#lastTurn = this.#lastTurn.then(() => nextTurn());
    return this.#lastTurn;
  }
}
