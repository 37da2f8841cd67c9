// Compressed output: a file whose name ends in `.gz` or `.zst` is compressed as its name says (RFC 1952, RFC 8878).
// The bytes depend only on the input and the version of the library, as gzip's header has neither name nor time.
import type { Transform, TransformOptions } from 'node:stream';
import * as zlib from 'node:zlib';
import { GazetteError } from '../../errors.ts';

/** All output of a written chunk waits to be read, so that a stream never waits for its reader. */
const OPTIONS: Pick<TransformOptions, 'readableHighWaterMark'> & zlib.ZlibOptions & zlib.ZstdOptions = {
  readableHighWaterMark: Number.MAX_SAFE_INTEGER,
};

const createZstd = (zlib as { readonly createZstdCompress?: typeof zlib.createZstdCompress }).createZstdCompress;

/** Creates the compressor for an output file; null for one that is not compressed. */
export type Compressor = (() => Transform) | null;

/**
 * The compressor that a file's name asks for.
 *
 * @throws GazetteError `invalid_option` for `.zst` where Node has no Zstandard
 * @example compressorOf('permits.csv.gz')
 */
export function compressorOf(path: string | undefined): Compressor {
  const ending = /\.(?:gz|zst)$/i.exec(path ?? '')?.[0].toLowerCase();
  if (ending === undefined) return null;
  if (ending === '.gz') return () => zlib.createGzip(OPTIONS);
  if (createZstd !== undefined) return () => createZstd(OPTIONS);
  throw new GazetteError('invalid_option', `--output ${path!}: this Node has no Zstandard; use .gz`, {
    details: { option: 'output' },
  });
}

/**
 * The chunks, compressed. Each chunk has been read when the next one is requested, so its memory may be reused.
 */
export async function* compressed(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  compressor: () => Transform,
): AsyncGenerator<Uint8Array, void, undefined> {
  const stream = compressor();
  // The failed write reports the same error.
  stream.on('error', () => undefined);
  try {
    for await (const chunk of chunks) {
      await written(stream, chunk);
      for (let piece; (piece = stream.read() as Buffer | null) !== null;) yield piece;
    }
    stream.end();
    yield* stream as AsyncIterable<Buffer>;
  } finally {
    stream.destroy();
  }
}

/** Resolves when the stream has read the chunk. */
function written(stream: Transform, chunk: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(chunk, (error) => {
      if (error === null || error === undefined) resolve();
      else reject(error);
    });
  });
}
