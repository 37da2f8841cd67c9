// Which content coding a request gets (RFC 9110 12.5.3).
import * as zlib from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { chooseCoding, encodeBody } from '../../src/web/coding.ts';

const hasZstd = 'zstdCompress' in zlib;
const first = hasZstd ? 'zstd' : 'br';

describe('chooseCoding', () => {
  it.each([
    [null, null],
    ['', null],
    ['identity', null],
    ['gzip', 'gzip'],
    ['x-gzip', 'gzip'],
    ['GZIP', 'gzip'],
    ['br', 'br'],
    ['deflate', null],
    ['gzip, br', 'br'],
    ['gzip;q=1.0, br;q=0.5', 'gzip'],
    ['gzip ; q=0.5 , br ; q=0.9', 'br'],
    ['gzip;q=0', null],
    ['gzip;q=0.000, br;q=0.001', 'br'],
    ['*', first],
    ['*;q=0', null],
    ['*;q=0, gzip', 'gzip'],
    ['br;q=0, zstd;q=0, *', 'gzip'],
    ['identity, gzip;q=0.5', null],
    ['identity;q=0.5, gzip;q=0.5', 'gzip'],
    ['identity;q=0, *;q=0', null],
    ['gzip;q=2, br;q=0.1', 'br'],
    ['gzip, deflate, br, zstd', first],
  ])('takes from %j %j', (header, coding) => {
    expect(chooseCoding(header)).toBe(coding);
  });
});

describe('encodeBody', () => {
  it.skipIf(!hasZstd)('writes zstd that zstd reads (Node 22.15 and later)', async () => {
    const { zstdDecompressSync } = zlib as unknown as { readonly zstdDecompressSync: (body: Uint8Array) => Buffer };
    const text = 'register '.repeat(1000);
    const body = await encodeBody(new TextEncoder().encode(text), 'zstd');
    expect(body.length).toBeLessThan(200);
    expect(zstdDecompressSync(body).toString()).toBe(text);
  });
});
