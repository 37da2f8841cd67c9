// Content codings (RFC 9110 8.4, 12.5.3): chooses the coding for a request, and encodes a body.
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

/**
 * Chooses the coding for a request: the one with the highest quality, and among equals the one with the smallest
 * output. Null without the header, and if the request accepts none of ours (RFC 9110 12.5.3 allows an unencoded answer
 * instead of a 406).
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
  // Unencoded only if the request prefers that explicitly.
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
const TEXT_TYPE = /^(?:text\/|[^;]*[/+](?:xml|json)(?:;|$))/;

/** Whether what has this media type compresses well. */
export function isTextType(mediaType: string): boolean {
  return TEXT_TYPE.test(mediaType);
}
