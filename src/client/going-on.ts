// A document that goes on where it breaks off: what is left of it is asked for, and joined by bytes that came already.
import { GazetteError, isGazetteError } from '../errors.ts';
import { type OpenedResponse, type Requester, where } from './requester.ts';

/** The bytes of a document. */
type Body = ReadableStream<Uint8Array<ArrayBuffer>>;

/** What came of a document. */
export interface Came {
  /** How many bytes. */
  readonly bytes: number;
  /** The last of them, at most {@link TAIL_BYTES}: they come once more, and have to be the same. */
  readonly tail: Uint8Array;
}

/** As much as tells two documents apart that are not the same there, and no more. */
const TAIL_BYTES = 64;

/** How often in a row it may break off before anything more has come. */
const BREAKS = 5;

/**
 * Where exactly the bytes of an answer are; null: any address that it names may have other bytes by now, or is of another origin, which
 * gets no key (RFC 9110 8.7).
 */
export function placeOf({ url, headers }: OpenedResponse): URL | null {
  const named = headers.get('content-location');
  const place = named === null ? null : URL.parse(named, url.href);
  return place?.origin === url.origin && place.searchParams.has('etag') ? place : null;
}

/**
 * A body that goes on where it breaks off.
 *
 * @param place where the same bytes are
 * @param begun its beginning, or what came of it earlier
 * @returns what did not come yet; it fails with `request_failed`, or `aborted`. What keeps it from going on is the `cause` of that
 */
export function goingOn(requester: Requester, place: URL, begun: Body | Came): Body {
  let reader = 'tail' in begun ? undefined : begun.getReader();
  let { bytes, tail }: Came = 'tail' in begun ? begun : { bytes: 0, tail: new Uint8Array() };
  /** What has to come once more. */
  let known = new Uint8Array();
  /** How many bytes had come at the last break, and how often it broke there. */
  let [broken, breaks] = [-1, 0];
  let hasLeft = false;
  const otherBytes = async (): Promise<GazetteError> => {
    // One that breaks off now has nothing to end.
    await reader!.cancel().catch(() => undefined);
    const why = `${where(place)} answers other bytes than those that came`;
    return cannotGoOn(place, new GazetteError('invalid_answer', why));
  };
  const goOn = async (): Promise<void> => {
    // From some that came: after the last byte there would be nothing to ask for.
    const again = await requester.open(place, '*/*', bytes - tail.length).catch((cause: unknown) => {
      if (!isGazetteError(cause) || cause.code === 'aborted') throw cause;
      throw cannotGoOn(place, cause);
    });
    reader = again.body.getReader();
    known = new Uint8Array(tail);
    // RFC 9110 15.3.7.3: parts of one strong validator are joined, and no others.
    const etag = again.headers.get('etag');
    if (etag !== null && etag !== `"${place.searchParams.get('etag')}"`) throw await otherBytes();
    if (hasLeft) await reader.cancel();
  };
  const read = async (): Promise<Uint8Array<ArrayBuffer> | undefined> => {
    for (;;) {
      try {
        if (reader === undefined) await goOn();
        return (await reader!.read()).value;
      } catch (error) {
        breaks = bytes === broken ? breaks + 1 : 1;
        if (!isGazetteError(error, 'request_failed') || error.cause instanceof GazetteError || breaks > BREAKS)
          throw error;
        broken = bytes;
        reader = undefined;
      }
    }
  };
  const next = async (): Promise<Uint8Array<ArrayBuffer> | undefined> => {
    for (;;) {
      const value = await read();
      const again = known.subarray(0, value?.length ?? 0);
      if ((value === undefined && known.length > 0) || !again.every((byte, at) => byte === value![at])) {
        throw await otherBytes();
      }
      known = known.subarray(again.length);
      const fresh = value?.subarray(again.length);
      if (fresh?.length === 0) continue;
      if (fresh !== undefined) {
        bytes += fresh.length;
        tail = tailOf(tail, fresh);
      }
      return fresh;
    }
  };
  return new ReadableStream(
    {
      async pull(controller) {
        const value = await next();
        if (value === undefined) controller.close();
        else controller.enqueue(value);
      },
      async cancel(reason) {
        hasLeft = true;
        // One that broke off has nothing to end.
        await reader?.cancel(reason).catch(() => undefined);
      },
    },
    { highWaterMark: 0 },
  );
}

/** The end of what came before and now, which stays as it is whatever becomes of that. */
export function tailOf(before: Uint8Array, now: Uint8Array): Uint8Array {
  if (now.length >= TAIL_BYTES) return now.slice(-TAIL_BYTES);
  const both = new Uint8Array(before.length + now.length);
  both.set(before);
  both.set(now, before.length);
  return both.slice(-TAIL_BYTES);
}

function cannotGoOn(place: URL, cause: GazetteError): GazetteError {
  return new GazetteError('request_failed', `${where(place)} broke off, and cannot go on: ${cause.message}`, { cause });
}
