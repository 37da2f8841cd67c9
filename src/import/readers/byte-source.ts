// Where a reader's bytes come from: a file, standard input, anything that gives pieces of bytes.
import { GazetteError } from '../../errors.ts';
import { systemReason } from '../../files/output-failed.ts';
import { throwIfAborted } from '../../register/sources/source.ts';
import { checkKind, type FileFormat, needsMore } from './file/file-kind.ts';
import { unpackerOf } from './file/unpack.ts';

/** A publisher's file, not yet read. */
export interface ByteSource {
  /** The name of the file in messages: a path, `standard input`. */
  readonly name: string;
  /** The most bytes to which it may unpack, and what is read of a workbook. Default: what its own size allows. */
  readonly maxUnpacked?: number | undefined;
  /** Opens the file; called once. Ending the iteration early closes it. */
  open(signal?: AbortSignal): AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

/** The number of bytes in one piece. Small enough that results stay in the cache, and memory stays constant. */
const PIECE_SIZE = 65_536;

/**
 * The bytes of a file, unpacked if it is compressed, in pieces of at most 64 KiB, whatever pieces the source delivers.
 * Aborting ends a pending read. A source may reuse the memory of a piece.
 *
 * @param format what the file is to be read as; null to take any
 * @throws GazetteError `invalid_input` why the file cannot be read, or what it is instead; `aborted`.
 */
export async function* readBytes(
  source: ByteSource,
  format: FileFormat | null,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  throwIfAborted(signal);
  let iterator = iterate(source.open(signal));
  let open = true;
  try {
    let head = await readHead(iterator, format, signal);
    const unpack = unpackerOf(source, head);
    if (unpack !== null) {
      iterator = unpack(resume(head, iterator));
      head = await readHead(iterator, format, signal);
    }
    if (format !== null) checkKind(source.name, head, format);
    for (let piece = head; ;) {
      for (let at = 0; at < piece.length; at += PIECE_SIZE) yield piece.subarray(at, at + PIECE_SIZE);
      const result = await nextOrAbort(iterator, signal);
      if (result.done === true) break;
      piece = result.value;
    }
    open = false;
  } catch (error) {
    throw asInputError(error, source.name, signal);
  } finally {
    // After an abort the source may still be inside a read that never ends: it is told to stop, without waiting for it.
    if (open && signal?.aborted !== true) await iterator.return?.();
    else if (open) void iterator.return?.().catch(() => undefined);
  }
}

/** The first bytes: enough to see what a file is, or all of it. */
async function readHead(
  iterator: AsyncIterator<Uint8Array>,
  format: FileFormat | null,
  signal: AbortSignal | undefined,
): Promise<Uint8Array> {
  let head: Uint8Array = new Uint8Array(0);
  while (needsMore(head, format)) {
    const result = await nextOrAbort(iterator, signal);
    if (result.done === true) break;
    head = head.length === 0 ? result.value : Buffer.concat([head, result.value]);
    // The source may use the piece's memory again when it is asked for the next.
    if (head === result.value && needsMore(head, format)) head = Buffer.from(head);
  }
  return head;
}

/** The pieces of a source whose first bytes have been read. */
async function* resume(
  head: Uint8Array,
  iterator: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  let open = true;
  try {
    yield head;
    for (;;) {
      const result = await iterator.next();
      if (result.done === true) break;
      yield result.value;
    }
    open = false;
  } finally {
    if (open) await iterator.return?.();
  }
}

function iterate(bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): AsyncIterator<Uint8Array> {
  if (Symbol.asyncIterator in bytes) return bytes[Symbol.asyncIterator]();
  const iterator = bytes[Symbol.iterator]();
  return {
    next: async () => iterator.next(),
    return: async () => iterator.return?.() ?? { done: true, value: undefined },
  };
}

async function nextOrAbort(
  iterator: AsyncIterator<Uint8Array>,
  signal: AbortSignal | undefined,
): Promise<IteratorResult<Uint8Array>> {
  throwIfAborted(signal);
  if (signal === undefined) return iterator.next();
  let onAbort: (() => void) | undefined;
  try {
    return await Promise.race([
      iterator.next(),
      new Promise<never>((_resolve, reject) => {
        onAbort = () => {
          reject(new GazetteError('aborted', 'the operation was cancelled', { cause: signal.reason }));
        };
        signal.addEventListener('abort', onAbort, { once: true });
      }),
    ]);
  } finally {
    if (onAbort !== undefined) signal.removeEventListener('abort', onAbort);
  }
}

/** An error of the system as an error that names the file; other errors unchanged. */
export function asInputError(error: unknown, name: string, signal?: AbortSignal): unknown {
  if (error instanceof GazetteError) return error;
  if (signal?.aborted === true) {
    return new GazetteError('aborted', 'the operation was cancelled', { cause: signal.reason });
  }
  if (error instanceof Error && 'syscall' in error && 'code' in error) {
    return new GazetteError('invalid_input', `${name} cannot be read: ${systemReason(error)}`, {
      cause: error,
      details: { input: name },
    });
  }
  return error;
}
