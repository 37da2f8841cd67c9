// A whole register as a document: its entity tag, its bytes as long as its reader may have them, and any part of these.
import { GazetteError, quote } from '../../errors.ts';
import { type ExportRequest, requestTag } from '../../export/page.ts';
import { selfUrl } from '../../export/page-links.ts';
import type { Format } from '../../formats/format.ts';
import { LIMIT, OFFSET } from '../../register/parameters.ts';
import type { Matched } from '../../register/page.ts';
import { readWithin, type RegisterSource } from '../../register/sources/source.ts';
import { isStillSo, type RegisterView, sourceAt } from '../../views/registers.ts';
import type { IncomingRequest } from '../../web/incoming-request.ts';
import type { BodyStream } from '../../web/representation.ts';

/** A register as one document: what is written, and its name. */
export interface WholeDocument {
  readonly view: RegisterView;
  readonly format: Format;
  readonly request: ExportRequest;
  /** Its entity tag without a coding. */
  readonly etag: string;
}

/** The address of a document: without what only a page of it would have. */
export function addressOf({ url, query }: ExportRequest): URL {
  const address = selfUrl(url, query);
  for (const { name } of [LIMIT, OFFSET]) address.searchParams.delete(name);
  return address;
}

/** The entity tag without a coding; null: the writer does not say its version, and no two answers are known to be the same. */
export async function tagOf(view: RegisterView, format: Format, request: ExportRequest): Promise<string | null> {
  const { url, query, formatOptions } = request;
  const key = JSON.stringify(['whole', url.href, query, formatOptions]);
  const known = view.tags.get(key, null);
  if (known !== undefined) return known;
  const tag = await requestTag(sourceAt(view), format, request);
  if (tag !== null) view.tags.keep(key, null, tag);
  return tag;
}

/** How many records match the filter of a document that is to be sent, counted as for a page of it; null: there is none. */
export async function matchedOf(
  { view, request }: WholeDocument,
  { method, signal }: Pick<IncomingRequest, 'method' | 'signal'>,
): Promise<Matched | null> {
  const { filter, asOf } = request.query;
  if (filter === undefined || method !== 'GET') return null;
  const asked = { filter, ...(asOf === undefined ? {} : { asOf }), signal };
  return readWithin(signal, async () => (await sourceAt(view).matched?.(asked)) ?? null);
}

/**
 * The bytes from `first` to `last` of a document. They are handed out as they come, but for the end, for which all that was read has to
 * be of the state that the tag names: whoever joins it to what came before has this state or nothing whole.
 */
export async function partOf(
  document: BodyStream,
  { first, last }: { readonly first: number; readonly last: number },
  check: () => Promise<void>,
): Promise<BodyStream> {
  const reader = document.getReader();
  let at = 0;
  /** The next bytes of the part. */
  const next = async (): Promise<Uint8Array<ArrayBuffer>> => {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) throw new GazetteError('aborted', `the document ended before byte ${last}`);
      const from = at;
      at += value.length;
      if (at <= first) continue;
      if (at > last) {
        await reader.cancel();
        await check();
      }
      return value.subarray(Math.max(0, first - from), last + 1 - from);
    }
  };
  // What prevents its beginning is the answer.
  let begun: Uint8Array<ArrayBuffer> | null = await next();
  return new ReadableStream(
    {
      async pull(controller) {
        const bytes = begun ?? (await next());
        begun = null;
        controller.enqueue(bytes);
        if (at > last) controller.close();
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

/** @throws GazetteError `register_changed` */
export async function checkCurrent(view: RegisterView): Promise<void> {
  if (!(await isStillSo(view))) throw changed(view.entry.definition.id);
}

export function changed(feedId: string): GazetteError {
  return new GazetteError(
    'register_changed',
    `register ${quote(feedId)} has another state than the one that etag names: download it anew, without etag`,
    { details: { parameter: 'etag' } },
  );
}

/** The same, whose pages are handed on while the reader may have them. */
export function watched(view: RegisterView, admitAgain: () => Promise<void>): RegisterSource {
  const { source } = view;
  const admitted = async function* <Step>(steps: AsyncIterable<Step>): AsyncGenerator<Step, void, undefined> {
    for await (const step of steps) {
      await admitAgain();
      yield step;
    }
  };
  return {
    ...sourceAt(view),
    async page(query) {
      const page = await source.page(query);
      await admitAgain();
      return page;
    },
    ...(source.pagesAhead === undefined ? {} : { pagesAhead: (query) => admitted(source.pagesAhead!(query)) }),
    ...(source.rowsAhead === undefined ? {} : { rowsAhead: (query) => admitted(source.rowsAhead!(query)) }),
  };
}
