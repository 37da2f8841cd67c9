// Compressed files: gzip (RFC 1952) and Zstandard (RFC 8878), known by their first bytes, unpacked as they are read.
import { pipeline } from 'node:stream/promises';
import * as zlib from 'node:zlib';
import { GazetteError } from '../../../errors.ts';

/** The factor by which a file may grow. Tables grow 3 to 50 times; bombs a thousand times. */
export const MAX_RATIO = 250;

/** A file may become so large by any factor, in bytes. */
export const RATIO_FREE_BYTES = 1_048_576;

/** Why a file is refused that would unpack to more than is taken. */
export function unpacksTooLarge(input: string, maxBytes: number): GazetteError {
  return new GazetteError('body_too_large', `${input} would unpack to more than ${maxBytes} bytes`, {
    details: { input },
  });
}

type Unpacker = zlib.Gunzip | zlib.ZstdDecompress;

const createZstd = (zlib as { readonly createZstdDecompress?: typeof zlib.createZstdDecompress }).createZstdDecompress;

/** Unpacks a compressed file. */
export type Unpack = (pieces: AsyncIterable<Uint8Array>) => AsyncGenerator<Uint8Array, void, undefined>;

/** A file, as far as unpacking it goes. */
interface Packed {
  readonly name: string;
  /** The most bytes to which it may unpack. Default: what its own size allows. */
  readonly maxUnpacked?: number | undefined;
}

/**
 * How a file is unpacked; null for one that is not compressed.
 *
 * @param head the file's first bytes
 * @throws GazetteError `invalid_input` for Zstandard where Node cannot read it; from what is returned, for a file that is
 *   damaged or cut, or would grow by more than {@link MAX_RATIO}; `body_too_large`.
 */
export function unpackerOf(source: Packed, head: Uint8Array): Unpack | null {
  if (head[0] === 0x1f && head[1] === 0x8b) return (pieces) => unpack(source, 'gzip', zlib.createGunzip(), pieces);
  const isZstd = head[0] === 0x28 && head[1] === 0xb5 && head[2] === 0x2f && head[3] === 0xfd;
  if (!isZstd) return null;
  if (createZstd === undefined)
    throw refuse(source.name, 'is compressed by Zstandard, which this Node cannot read; unpack it');
  return (pieces) => unpack(source, 'Zstandard', createZstd(), pieces);
}

async function* unpack(
  { name: input, maxUnpacked = Infinity }: Packed,
  method: string,
  unpacker: Unpacker,
  pieces: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  // A failure of either side ends the other; the iteration below throws it.
  const flowing = pipeline(copies(pieces), unpacker).catch(() => undefined);
  let size = 0;
  try {
    for await (const bytes of unpacker as AsyncIterable<Uint8Array>) {
      size += bytes.length;
      if (size > maxUnpacked) throw unpacksTooLarge(input, maxUnpacked);
      if (size > RATIO_FREE_BYTES + MAX_RATIO * unpacker.bytesWritten) {
        throw refuse(
          input,
          `would unpack to more than ${MAX_RATIO} times its size; unpack it, and import the file inside`,
        );
      }
      yield bytes;
    }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (code === 'Z_BUF_ERROR') throw refuse(input, `is cut: its ${method} data has no end`, error);
    if (/^(?:Z_|ZSTD_)/.test(code)) throw refuse(input, `is damaged: its ${method} data cannot be unpacked`, error);
    throw error;
  } finally {
    unpacker.destroy();
    await flowing;
  }
}

/** A source may use a piece's memory again, and the unpacker keeps pieces until it comes to them. */
async function* copies(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer, void, undefined> {
  for await (const piece of pieces) yield Buffer.from(piece);
}

function refuse(input: string, reason: string, cause?: unknown): GazetteError {
  return new GazetteError('invalid_input', `${input} ${reason}`, {
    ...(cause === undefined ? {} : { cause }),
    details: { input },
  });
}
