// The text of a publisher's file, in whatever encoding it is, in pieces and in constant memory.
import { GazetteError } from '../../../errors.ts';
import { type ByteSource, readBytes } from '../byte-source.ts';
import type { FileFormat } from '../file/file-kind.ts';
import type { RecordReaderOptions } from '../raw-record.ts';
import type { OnNote } from '../reader-note.ts';
import { byteOrderMark, encodingNamed } from './encoding.ts';
import { EncodingFinder } from './encoding-finder.ts';
import { LegacyDecoder } from './legacy-decoder.ts';
import type { TextDecoding, TextPiece } from './text-piece.ts';
import { Utf8Decoder } from './utf8-decoder.ts';

/** Options of readers of text. */
export interface TextReaderOptions extends RecordReaderOptions {
  /**
   * The name of the encoding, as in the WHATWG Encoding Standard: `utf-8`, `windows-1252`, `iso-8859-2`, `utf-16le` …
   * Default: found. A byte-order mark or zero bytes show UTF-16; where most is UTF-8 it is UTF-8; anything else is what
   * its letters show, and Windows-1252 where they show nothing.
   */
  readonly encoding?: string;
}

/** @throws GazetteError `invalid_option` for an unknown encoding. */
export function checkTextOptions({ encoding }: TextReaderOptions): void {
  if (encoding !== undefined) encodingNamed(encoding);
}

/**
 * The text of a file in pieces, whatever pieces the source delivers: of at most 64 KiB of bytes, and once, while the
 * encoding is being found, of 1 MiB. Bytes that are not in the encoding are `BROKEN`. Aborting ends a pending read.
 *
 * @throws GazetteError `invalid_option` for an unknown encoding; `invalid_input` saying why the file cannot be read;
 *   `aborted`.
 */
export async function* readText(
  source: ByteSource,
  format: FileFormat,
  { encoding }: TextReaderOptions,
  onNote: OnNote,
  signal?: AbortSignal,
): AsyncGenerator<TextPiece, void, undefined> {
  const decoding =
    encoding === undefined ? new EncodingFinder(onNote) : new NamedEncoding(source.name, encodingNamed(encoding));
  for await (const bytes of readBytes(source, format, signal)) {
    const piece = await decoding.push(bytes);
    if (piece !== null) yield piece;
  }
  yield* await decoding.end();
}

/** An encoding that the caller named. A byte-order mark of another one shows that the name is wrong. */
class NamedEncoding {
  readonly #name: string;
  readonly #encoding: string;
  #decoding: TextDecoding | null = null;
  #head: Buffer = Buffer.alloc(0);

  constructor(name: string, encoding: string) {
    this.#name = name;
    this.#encoding = encoding;
  }

  push(bytes: Uint8Array): TextPiece | null {
    if (this.#decoding !== null) return this.#decoding.push(bytes);
    this.#head = Buffer.concat([this.#head, bytes]);
    return this.#head.length < 3 ? null : this.#start();
  }

  end(): readonly TextPiece[] {
    const head = this.#decoding === null ? this.#start() : null;
    return [head, this.#decoding?.end() ?? null].filter((piece) => piece !== null);
  }

  #start(): TextPiece | null {
    const marked = byteOrderMark(this.#head)?.encoding ?? this.#encoding;
    // `utf-16` does not say which byte comes first; the mark does.
    const isUtf16 = marked.startsWith('utf-16') && this.#encoding.startsWith('utf-16');
    if (marked !== this.#encoding && !isUtf16) {
      throw new GazetteError(
        'invalid_input',
        `${this.#name}: begins with the byte-order mark of ${marked.toUpperCase()}, but is to be read as ${this.#encoding}; leave out --encoding`,
        { details: { input: this.#name } },
      );
    }
    this.#decoding = marked === 'utf-8' ? new Utf8Decoder() : new LegacyDecoder(marked, false);
    return this.#decoding.push(this.#head);
  }
}
