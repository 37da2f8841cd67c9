// Content codings (RFC 9110 8.4, 12.5.3): chooses the coding for a request, and encodes a body, or a stream of chunks.
import type { Transform, TransformOptions } from 'node:stream';
import { promisify } from 'node:util';
import * as zlib from 'node:zlib';

/** The content codings of the service; null means the unencoded bytes. */
export type ContentCoding = 'zstd' | 'br' | 'gzip';

type Compress = (body: Uint8Array) => Promise<Uint8Array<ArrayBuffer>>;

/** Higher levels of Brotli are meant for files that are compressed once and read for years. */
const BROTLI_QUALITY = 5;

const gzip: Compress = promisify<Uint8Array, Uint8Array<ArrayBuffer>>(zlib.gzip);
const brotli = promisify<Uint8Array, zlib.BrotliOptions, Uint8Array<ArrayBuffer>>(zlib.brotliCompress);
const compressZstd = (zlib as { readonly zstdCompress?: typeof zlib.gzip }).zstdCompress;

/** In the order of preference if a request has none. zstd is available from Node 22.15 on. */
const CODERS: readonly (readonly [ContentCoding, Compress])[] = [
  ...(compressZstd === undefined
    ? []
    : [['zstd', promisify<Uint8Array, Uint8Array<ArrayBuffer>>(compressZstd)] as const]),
  ['br', (body) => brotli(body, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } })],
  ['gzip', gzip],
];

const ALL: readonly ContentCoding[] = CODERS.map(([coding]) => coding);

const createZstd = (zlib as { readonly createZstdCompress?: typeof zlib.createZstdCompress }).createZstdCompress;

/** All output of a written chunk waits to be read, so that a stream never waits for its reader. */
const WAITING: Pick<TransformOptions, 'readableHighWaterMark'> = { readableHighWaterMark: Number.MAX_SAFE_INTEGER };

/** Begins a stream that compresses. @param flush the constant of zlib: what is done after each chunk. Default: nothing */
export type Compressor = (flush?: number) => Transform;

/** Compressors of streams. */
export const COMPRESSORS: Readonly<Record<'gzip', Compressor> & Partial<Record<'zstd', Compressor>>> = {
  gzip: (flush) => zlib.createGzip({ ...WAITING, ...(flush === undefined ? {} : { flush }) }),
  ...(createZstd === undefined
    ? {}
    : { zstd: (flush) => createZstd({ ...WAITING, ...(flush === undefined ? {} : { flush }) }) }),
};

/** The codings in which bodies are compressed while they are sent. */
export const STREAMED_CODINGS: readonly ContentCoding[] = ALL.filter((coding) => coding in COMPRESSORS);

/** The chunks, compressed, so that what was sent can be read as far as it came. */
export function encodeChunks(
  chunks: AsyncIterable<Uint8Array>,
  coding: ContentCoding,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined> {
  return coding === 'zstd'
    ? compressed(chunks, () => COMPRESSORS.zstd!(zlib.constants.ZSTD_e_flush))
    : compressed(chunks, () => COMPRESSORS.gzip(zlib.constants.Z_SYNC_FLUSH));
}

/** The chunks, compressed. Each chunk has been read when the next one is requested, so its memory may be reused. */
export async function* compressed(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  compressor: () => Transform,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined> {
  const stream = compressor();
  // The failed write reports the same error.
  stream.on('error', () => undefined);
  try {
    for await (const chunk of chunks) {
      await written(stream, chunk);
      for (let piece; (piece = stream.read() as Buffer<ArrayBuffer> | null) !== null;) yield piece;
    }
    stream.end();
    yield* stream as AsyncIterable<Buffer<ArrayBuffer>>;
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

/**
 * Chooses the coding for a request: the one with the highest quality, and among equals the one with the smallest
 * output. Null without the header, and if the request accepts none of ours (RFC 9110 12.5.3 allows an unencoded answer
 * instead of a 406).
 *
 * @param codings those to choose from. Default: all
 * @example chooseCoding('gzip;q=0.5, br') // 'br'
 */
export function chooseCoding(
  acceptEncoding: string | null,
  codings: readonly ContentCoding[] = ALL,
): ContentCoding | null {
  if (acceptEncoding === null || acceptEncoding === '') return null;
  const qualities = new Map<string, number>();
  for (const item of acceptEncoding.toLowerCase().split(',')) {
    const [name = '', ...parameters] = item.split(';').map((part) => part.trim());
    // RFC 9110 8.4.1.3: x-gzip is gzip.
    qualities.set(name === 'x-gzip' ? 'gzip' : name, qualityOf(parameters));
  }
  const rest = qualities.get('*');
  const identity = qualities.get('identity') ?? 0;
  let best: ContentCoding | null = null;
  // Unencoded only if the request prefers that explicitly.
  let bestQuality = identity;
  for (const coding of codings) {
    const quality = qualities.get(coding) ?? rest ?? 0;
    if (quality > 0 && (quality > bestQuality || (best === null && quality >= bestQuality))) {
      best = coding;
      bestQuality = quality;
    }
  }
  return best;
}

/** Encodes a body. */
export function encodeBody(body: Uint8Array<ArrayBuffer>, coding: ContentCoding): Promise<Uint8Array<ArrayBuffer>> {
  return CODERS.find(([name]) => name === coding)![1](body);
}

/** RFC 9110 12.4.2; an invalid weight counts as none. */
function qualityOf(parameters: readonly string[]): number {
  const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
  if (weight === undefined) return 1;
  return /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(weight) ? Number(weight) : 0;
}

/** Media types that compress well: texts, XML and JSON. */
const TEXT_TYPE = /^(?:text\/|[^;]*[/+](?:xml|json|x-ndjson)(?:;|$))/;

/** Whether what has this media type compresses well. */
export function isTextType(mediaType: string): boolean {
  return TEXT_TYPE.test(mediaType);
}
