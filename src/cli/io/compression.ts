// Compressed output: a file whose name ends in `.gz` or `.zst` is compressed as its name says (RFC 1952, RFC 8878).
// The bytes depend only on the input and the version of the library, as gzip's header has neither name nor time.
import type { Transform } from 'node:stream';
import { GazetteError } from '../../errors.ts';
import { COMPRESSORS } from '../../web/coding.ts';

/**
 * The compressor that a file's name asks for; null for one that is not compressed.
 *
 * @throws GazetteError `invalid_option` for `.zst` where Node has no Zstandard
 * @example compressorOf('permits.csv.gz')
 */
export function compressorOf(path: string | undefined): (() => Transform) | null {
  const ending = /\.(?:gz|zst)$/i.exec(path ?? '')?.[0].toLowerCase();
  if (ending === undefined) return null;
  const { gzip, zstd } = COMPRESSORS;
  if (ending === '.gz') return () => gzip();
  if (zstd !== undefined) return () => zstd();
  throw new GazetteError('invalid_option', `--output ${path!}: this Node has no Zstandard; use .gz`, {
    details: { option: 'output' },
  });
}
