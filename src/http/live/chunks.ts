// The stream of a register's versions in chunks, as its readers get them: each is written once for all who read from the same place.
import { GazetteError } from '../../errors.ts';
import type { Filtered } from '../../register/schemas/parameters.ts';
import { filterText } from '../../register/finding/filter.ts';
import { type ChangeToken, streamOffset } from '../../register/parameters.ts';
import type { RecordVersion, StreamMessage } from '../../register/record.ts';
import { VERSIONS_PAGE_SIZE } from '../../stores/contract/registers.ts';
import type { RegisterView } from '../../views/registers.ts';
import { utf8 } from '../../web/utf8.ts';
import type { RequestContext } from '../request-context.ts';
import type { ServiceContext } from '../service-context.ts';

/** A chunk ends after the message that passes so many bytes. */
const CHUNK_BYTES = 1024 * 1024;

/** Some messages. */
export interface Chunk {
  /** A JSON array, on one line. */
  readonly body: Uint8Array<ArrayBuffer>;
  readonly isEmpty: boolean;
  /** From where to go on. */
  readonly next: Required<ChangeToken>;
  /** Whether there was nothing more. */
  readonly isLast: boolean;
}

/** The header fields in which a chunk is kept between those who read it. */
const [NEXT, LAST, EMPTY] = ['stream-next-offset', 'stream-up-to-date', 'is-empty'];

/**
 * The messages after a change.
 *
 * @throws GazetteError `log_restarted`, `invalid_parameter`, `index_building`; errors of the store
 */
export async function chunkOf(
  service: ServiceContext,
  context: Pick<RequestContext, 'access' | 'api' | 'headers' | 'isPage' | 'request'>,
  view: RegisterView,
  { since, log, filter }: ChangeToken & Filtered,
): Promise<Chunk> {
  const feedId = view.entry.definition.id;
  const key = JSON.stringify(['stream', feedId, view.revision, log, since, filterText(filter ?? {})]);
  const written = await service.written(context, view, key, async () => {
    const range = {
      since,
      limit: VERSIONS_PAGE_SIZE,
      ...(log === undefined ? {} : { log }),
      ...(filter && { filter }),
    };
    const {
      versions,
      log: own,
      nextSince,
      more,
    } = await service.store.changes(feedId, range).catch((error: unknown) => {
      throw ofStream(error);
    });
    const texts: string[] = [];
    let next = nextSince;
    let bytes = 0;
    for (const version of versions) {
      const text = JSON.stringify(messageOf(version));
      texts.push(text);
      bytes += Buffer.byteLength(text);
      if (bytes <= CHUNK_BYTES || version === versions.at(-1)) continue;
      next = version.change;
      break;
    }
    const isLast = !more && next === nextSince;
    const headers = { [NEXT]: streamOffset({ log: own, since: next }), ...(isLast ? { [LAST]: 'true' } : {}) };
    return {
      headers: { ...headers, ...(texts.length === 0 ? { [EMPTY]: 'true' } : {}) },
      body: utf8(`[${texts.join(',')}]`),
    };
  });
  const [own, change] = written.headers[NEXT]!.split('_') as [string, string];
  return {
    body: written.body,
    isEmpty: written.headers[EMPTY] !== undefined,
    next: { log: own, since: Number(change) },
    isLast: written.headers[LAST] !== undefined,
  };
}

/** The same error, in the words of a stream. */
function ofStream(error: unknown): unknown {
  if (!(error instanceof GazetteError) || error.details.parameter !== 'since') return error;
  const message =
    error.code === 'log_restarted'
      ? error.message.replace('since=0', 'offset=-1')
      : 'offset must be one that the stream gave: it has no such change';
  return new GazetteError(error.code, message, { cause: error, details: { ...error.details, parameter: 'offset' } });
}

function messageOf(version: RecordVersion): StreamMessage {
  const { change, record_id, version: number, cause, changed, recorded_at, record, matches } = version;
  const isGone = cause === 'withdrawn' || cause === 'redacted';
  return {
    ...{ change, record_id, version: number, cause, changed, recorded_at },
    record: isGone ? null : record,
    log_index: change - 1,
    ...(matches === undefined ? {} : { matches }),
  };
}
