// A copy by the whole register, which is one answer. After a break it goes on where it was, at the address of exactly these bytes; once
// the register has changed, it is begun anew. Where there is no whole register, or it changes again and again, the pages are read.
import { type Came, goingOn, placeOf, tailOf } from '../client/going-on.ts';
import type { OpenedResponse, Requester } from '../client/requester.ts';
import { GazetteError, isGazetteError } from '../errors.ts';
import { ComingDocument } from './documents.ts';
import type { JoinedFormat, Joiner } from './joiners.ts';
import type { PulledFile } from './partial-file.ts';
import { advanced, type PullState } from './state.ts';

/** A copy that is begun. */
export interface WholeCopy {
  /** The register's address. */
  readonly feed: URL;
  readonly format: JoinedFormat;
  readonly joiner: Joiner;
  readonly file: PulledFile;
  readonly requester: Requester;
  /** The state of an empty copy of the register as it is now, of which the first page is next. */
  readonly begin: () => Promise<PullState>;
  /** Called with the progress of the copy. */
  readonly onPage: (state: PullState) => void;
  /** Called when the copy begins anew, with the reason. */
  readonly onRestart?: ((reason: GazetteError) => void) | undefined;
}

/** How often the whole is asked for: a register that changes faster than it is sent has to be read by pages. */
const ATTEMPTS = 3;

/** The statuses that say that there are no such bytes any more. Others pass, or are of the key. */
const GONE: readonly unknown[] = [404, 409, 410, 412, 416];

/**
 * Reads the whole register into the file.
 *
 * @returns where the copy is afterwards: at its end, or at the first page
 * @throws GazetteError what ends a copy that can be continued
 */
export async function copyWhole(copy: WholeCopy, begun: PullState): Promise<PullState> {
  let state = begun;
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const opened = state.whole === undefined ? await open(copy) : null;
    if (opened === null && state.whole === undefined) break;
    const place = opened === null ? new URL(state.whole!.place) : placeOf(opened);
    try {
      return await read(copy, state, place, opened);
    } catch (error) {
      if (!isOver(error, place)) throw error;
      copy.onRestart?.(attempt < ATTEMPTS ? error : byPages(error));
      await copy.file.restart();
      state = await copy.begin();
    }
  }
  return state;
}

/** The whole register from its beginning; null: there is none that is one answer. */
async function open({ feed, format, joiner, requester }: WholeCopy): Promise<OpenedResponse | null> {
  try {
    const opened = await requester.open(new URL(`${feed.href}/register.${format}`), joiner.wholeType);
    const [type] = (opened.headers.get('content-type') ?? '').split(';');
    if (type!.trim().toLowerCase() === joiner.wholeType) return opened;
    await opened.body.cancel();
    return null;
  } catch (error) {
    // Whatever stands there: the pages show whether the service can be asked.
    if (!isGazetteError(error) || error.code === 'aborted' || error.code === 'request_failed') throw error;
    return null;
  }
}

/** Reads what did not come yet. @param opened its beginning; null: it came earlier */
async function read(
  { feed, joiner, file, requester, onPage }: WholeCopy,
  { whole, ...begun }: PullState,
  place: URL | null,
  opened: OpenedResponse | null,
): Promise<PullState> {
  const url = place ?? feed;
  let came: Came = { bytes: whole?.bytes ?? 0, tail: Buffer.from(whole?.tail ?? '', 'base64') };
  let state: PullState = { ...begun, next: null };
  for (let rest = opened?.body; ; rest = undefined) {
    const before = came.bytes;
    const body = place === null ? rest! : goingOn(requester, place, rest ?? came);
    const reader = joiner.reader(url, before === 0 ? undefined : state);
    const document = new ComingDocument(url, reader);
    for await (const piece of body) {
      const { bytes, head, text, positions } = document.take(piece);
      if (bytes.length === 0) continue;
      const [highest] = positions;
      // What was added since the copy was begun is part of it.
      if (state.records === 0 && highest !== undefined && highest > state.asOf)
        state = { ...state, asOf: highest, lastPosition: highest + 1 };
      state = { ...advanced(state, positions, url), columns: reader.columns };
      came = { bytes: came.bytes + bytes.length, tail: tailOf(came.tail, bytes) };
      const tail = Buffer.from(came.tail).toString('base64');
      const kept = place === null ? null : { ...state, whole: { ...came, place: place.href, tail } };
      await file.append(head.length === 0 ? text : Buffer.concat([head, text]), kept);
      onPage(state);
    }
    // A proxy may end it early, as if that were its end.
    if (document.isWhole || place === null || came.bytes === before) {
      document.end();
      return state;
    }
  }
}

/** The same reason, where pages are read from now on. */
export function byPages(reason: GazetteError): GazetteError {
  const { code, message, details } = reason;
  return new GazetteError(code, `${message}; pages are read now`, { cause: reason, details });
}

/** Whether the document cannot be gone on with, but can be begun anew. */
function isOver(error: unknown, place: URL | null): error is GazetteError {
  if (!isGazetteError(error)) return false;
  const { code, details } = isGazetteError(error.cause) ? error.cause : error;
  if (code === 'request_failed') return place === null;
  return code === 'invalid_answer' || (code === 'request_refused' && GONE.includes(details.status));
}
