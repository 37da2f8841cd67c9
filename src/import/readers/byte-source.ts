// Where a reader's bytes come from: a file, standard input, anything that gives pieces of bytes.
import { GazetteError } from '../../errors.ts';
import { throwIfAborted } from '../../register/sources/source.ts';

/** A publisher's file, not yet read. */
export interface ByteSource {
  /** The name of the file in messages: a path, `standard input`. */
  readonly name: string;
  /** Opens the file; called once. Ending the iteration early closes it. */
  open(signal?: AbortSignal): AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

/** The number of bytes in one piece. Small enough that results stay in the cache, and memory stays constant. */
const PIECE_SIZE = 65_536;

/**
 * The bytes of a file in pieces of at most 64 KiB, whatever pieces the source delivers. Aborting ends a pending read. A
 * source may reuse the memory of a piece.
 *
 * @throws GazetteError `invalid_input` why the file cannot be read; `aborted`.
 */
export async function* readBytes(
  source: ByteSource,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  throwIfAborted(signal);
  const iterator = iterate(source.open(signal));
  let open = true;
  try {
    for (;;) {
      const result = await nextOrAbort(iterator, signal);
      if (result.done === true) break;
      for (let at = 0; at < result.value.length; at += PIECE_SIZE) yield result.value.subarray(at, at + PIECE_SIZE);
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
function asInputError(error: unknown, name: string, signal: AbortSignal | undefined): unknown {
  if (error instanceof GazetteError) return error;
  if (signal?.aborted === true) {
    return new GazetteError('aborted', 'the operation was cancelled', { cause: signal.reason });
  }
  if (error instanceof Error && 'syscall' in error && 'code' in error) {
    return new GazetteError('invalid_input', `${name} cannot be read: ${error.message}`, {
      cause: error,
      details: { input: name },
    });
  }
  return error;
}
