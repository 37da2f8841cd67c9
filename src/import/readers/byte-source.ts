// Decodes bytes to text: checks UTF-8 to the last byte (RFC 3629), accepts a byte-order mark, and gives every piece its
// position, so that every error can be located in the file.
import { isUtf8 } from 'node:buffer';
import { GazetteError } from '../../errors.ts';
import { throwIfAborted } from '../../register/sources/source.ts';

/** A publisher's file, not yet read. */
export interface ByteSource {
  /** The name of the file in messages: a path, `standard input`. */
  readonly name: string;
  /** Opens the file; called once. Ending the iteration early closes it. */
  open(signal?: AbortSignal): AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

/** A part of a file as text. */
export interface TextPiece {
  readonly text: string;
  /** The byte offset of the text's first character in the file. */
  readonly start: number;
  /** The byte offset after its last character. */
  readonly end: number;
}

/** The number of bytes decoded at once. Small enough that the results stay in the cache, and memory stays constant. */
const PIECE_SIZE = 65_536;

/**
 * The text of a file in pieces of at most 64 KiB, whatever pieces the source delivers. Aborting ends a pending read.
 *
 * @throws GazetteError `invalid_input` naming the line and the byte where UTF-8 breaks, or why the file cannot be read;
 *   `aborted`.
 */
export async function* readText(source: ByteSource, signal?: AbortSignal): AsyncGenerator<TextPiece, void, undefined> {
  throwIfAborted(signal);
  const decoder = new Decoder(source.name);
  const iterator = iterate(source.open(signal));
  let open = true;
  try {
    for (;;) {
      const result = await nextOrAbort(iterator, signal);
      if (result.done === true) break;
      for (let at = 0; at < result.value.length; at += PIECE_SIZE) {
        const piece = decoder.decode(result.value.subarray(at, at + PIECE_SIZE));
        if (piece !== null) yield piece;
      }
    }
    open = false;
    decoder.end();
  } catch (error) {
    throw asInputError(error, source.name, signal);
  } finally {
    // After an abort the source may still be inside a read that never ends: it is told to stop, without waiting for it.
    if (open && signal?.aborted !== true) await iterator.return?.();
    else if (open) void iterator.return?.().catch(() => undefined);
  }
}

/** Decodes consecutive pieces; a character cut by a boundary is completed by the next one. */
class Decoder {
  readonly #name: string;
  #rest: Buffer = Buffer.alloc(0);
  /** The byte offset of `#rest` in the file. */
  #offset = 0;
  /** The line of `#rest`, from 1. */
  #line = 1;

  constructor(name: string) {
    this.#name = name;
  }

  decode(bytes: Uint8Array): TextPiece | null {
    const all = this.#rest.length === 0 ? asBuffer(bytes) : Buffer.concat([this.#rest, bytes]);
    const complete = all.subarray(0, all.length - unfinishedTail(all));
    if (!isUtf8(complete)) throw this.#invalid(complete);
    // The source may reuse its memory.
    this.#rest = Buffer.from(all.subarray(complete.length));
    let start = this.#offset;
    this.#offset += complete.length;
    let text = complete.toString('utf8');
    this.#line += lineEnds(text);
    if (start === 0 && text.startsWith('\uFEFF')) {
      text = text.slice(1);
      start = 3;
    }
    return text === '' ? null : { text, start, end: this.#offset };
  }

  end(): void {
    if (this.#rest.length > 0) throw this.#invalid(this.#rest);
  }

  #invalid(bytes: Buffer): GazetteError {
    const length = validLength(bytes);
    const byte = this.#offset + length;
    const line = this.#line + lineEnds(bytes.toString('utf8', 0, length));
    return new GazetteError(
      'invalid_input',
      `${this.#name}: line ${line}: not UTF-8 at byte ${byte}; the file must be UTF-8`,
      { details: { input: this.#name, line, byte } },
    );
  }
}

function lineEnds(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++;
  return count;
}

/** How many bytes at the end belong to an incomplete character (0 to 3). */
function unfinishedTail(bytes: Buffer): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back]!;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) {
      const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
      return needed > back ? back : 0;
    }
  }
  return 0;
}

/** How many bytes are well-formed UTF-8 before the first error. */
function validLength(bytes: Buffer): number {
  let valid = 0;
  let tried = bytes.length;
  // A streaming decoder treats a cut character as unfinished. Failure is monotonic in the length, so bisection finds
  // it.
  while (valid < tried) {
    const middle = Math.ceil((valid + tried) / 2);
    try {
      new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(0, middle), { stream: true });
      valid = middle;
    } catch {
      tried = middle - 1;
    }
  }
  // The bytes of a character that is never completed are malformed too.
  return valid - unfinishedTail(bytes.subarray(0, valid));
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
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
