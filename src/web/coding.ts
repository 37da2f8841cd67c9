// Content codings (RFC 9110 8.4, 12.5.3): which one a request asks for, and a body in it.
import { promisify } from 'node:util';
import * as zlib from 'node:zlib';

/** The codings the service speaks; null is none of them: the bytes as they are. */
export type ContentCoding = 'zstd' | 'br' | 'gzip';

type Compress = (body: Uint8Array) => Promise<Uint8Array<ArrayBuffer>>;

/** Brotli's levels above are for files that are compressed once and read for years. */
const BROTLI_QUALITY = 5;

const gzip: Compress = promisify<Uint8Array, Uint8Array<ArrayBuffer>>(zlib.gzip);
const brotli = promisify<Uint8Array, zlib.BrotliOptions, Uint8Array<ArrayBuffer>>(zlib.brotliCompress);
const compressZstd = (zlib as { readonly zstdCompress?: typeof zlib.gzip }).zstdCompress;

/** In the order of preference where a request has none. zstd is there from Node 22.15 on. */
const CODERS: readonly (readonly [ContentCoding, Compress])[] = [
  ...(compressZstd === undefined
    ? []
    : [['zstd', promisify<Uint8Array, Uint8Array<ArrayBuffer>>(compressZstd)] as const]),
  ['br', (body) => brotli(body, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } })],
  ['gzip', gzip],
];

/**
 * The coding a request likes best: the one of the highest quality, at equal quality the smallest. Without the header, and
 * where it accepts none of ours, null (RFC 9110 12.5.3 allows an answer as it is rather than a 406).
 *
 * @example chooseCoding('gzip;q=0.5, br') // 'br'
 */
export function chooseCoding(acceptEncoding: string | null): ContentCoding | null {
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
  // As it is only where the request prefers that outright.
  let bestQuality = identity;
  for (const [coding] of CODERS) {
    const quality = qualities.get(coding) ?? rest ?? 0;
    if (quality > 0 && (quality > bestQuality || (best === null && quality >= bestQuality))) {
      best = coding;
      bestQuality = quality;
    }
  }
  return best;
}

/** A body in a coding. */
export function encodeBody(body: Uint8Array<ArrayBuffer>, coding: ContentCoding): Promise<Uint8Array<ArrayBuffer>> {
  return CODERS.find(([name]) => name === coding)![1](body);
}

/** RFC 9110 12.4.2; what is no weight counts as none. */
function qualityOf(parameters: readonly string[]): number {
  const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
  if (weight === undefined) return 1;
  return /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(weight) ? Number(weight) : 0;
}
