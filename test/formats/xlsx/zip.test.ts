import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { unzipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { deflatePart } from '../../../src/formats/xlsx/deflate.ts';
import {
  centralHeader,
  dataDescriptor,
  endOfDirectory,
  localHeader,
  type ZipEntry,
} from '../../../src/formats/xlsx/zip-headers.ts';
import { ZipWriter } from '../../../src/formats/xlsx/zip.ts';

const run = promisify(execFile);
const GIB_4 = 0x1_0000_0000;

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

function archive(): Buffer {
  const written: Uint8Array[] = [];
  const zip = new ZipWriter({ bytes: (bytes) => written.push(bytes) });
  zip.add('a.xml', deflatePart('<a/>'));
  const streamed = deflatePart('<b>'.repeat(10_000));
  const [bytes] = streamed.pieces;
  zip.append('dir/b.xml', new Uint8Array(bytes!.subarray(0, 40)));
  zip.append('dir/b.xml', new Uint8Array(bytes!.subarray(40)));
  zip.end(streamed);
  zip.add('empty', deflatePart(''));
  zip.close();
  return Buffer.concat(written);
}

describe('a zip archive', () => {
  it('is read by fflate', () => {
    const parts = unzipSync(archive());
    expect(Object.keys(parts)).toEqual(['a.xml', 'dir/b.xml', 'empty']);
    expect(Buffer.from(parts['a.xml']!).toString()).toBe('<a/>');
    expect(Buffer.from(parts['dir/b.xml']!).toString()).toBe('<b>'.repeat(10_000));
    expect(parts.empty).toHaveLength(0);
  });

  it.each([
    ['unzip', ['-t'], 'No errors detected'],
    ['python3', ['-m', 'zipfile', '-t'], 'Done testing'],
  ])('passes the test of %s, where there is one', async (command, options, verdict) => {
    const folder = await mkdtemp(join(tmpdir(), 'gazette-zip-'));
    try {
      const file = join(folder, 'a.zip');
      await writeFile(file, archive());
      const { stdout } = await run(command, [...options, file]).catch((error: unknown) => {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { stdout: verdict };
        throw error;
      });
      expect(stdout).toContain(verdict);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('has sizes in the header of a whole entry and after the data of a streamed one', () => {
    const totals = { crc: 0x01020304, size: 0x0a0b, compressedSize: 0x0c };
    expect(hex(localHeader('ab', totals))).toBe(
      '504b0304 1400 0000 0800 0000 2100 04030201 0c000000 0b0a0000 0200 0000 6162'.replaceAll(' ', ''),
    );
    expect(hex(localHeader('ab', null))).toBe(
      '504b0304 1400 0800 0800 0000 2100 00000000 00000000 00000000 0200 0000 6162'.replaceAll(' ', ''),
    );
    expect(hex(dataDescriptor(totals))).toBe('504b0708 04030201 0c000000 0b0a0000'.replaceAll(' ', ''));
  });
});

describe('zip64', () => {
  const entry: ZipEntry = { name: 'a', crc: 1, size: 5, compressedSize: 3, offset: 7, hasDescriptor: true };
  const extraOf = (bytes: Uint8Array): string => hex(bytes.subarray(47));

  it('is used nowhere while every number fits in 32 bits', () => {
    const most = { ...entry, size: GIB_4 - 2, compressedSize: GIB_4 - 2, offset: GIB_4 - 2 };
    expect(centralHeader(most)).toHaveLength(47);
    expect(dataDescriptor(most)).toHaveLength(16);
    expect(endOfDirectory({ entries: 65_534, offset: GIB_4 - 2, size: GIB_4 - 2 })).toHaveLength(22);
  });

  it.each<[string, Partial<ZipEntry>, string]>([
    ['size', { size: GIB_4 }, '01000800 0000000001000000'],
    ['compressed size', { compressedSize: GIB_4 + 1 }, '01000800 0100000001000000'],
    ['offset', { offset: GIB_4 - 1 }, '01000800 ffffffff00000000'],
    ['size and offset', { size: GIB_4, offset: 2 * GIB_4 }, '01001000 0000000001000000 0000000002000000'],
    [
      'all three',
      { size: GIB_4, compressedSize: GIB_4 + 1, offset: 2 * GIB_4 },
      '01001800 0000000001000000 0100000001000000 0000000002000000',
    ],
  ])('says the %s in an extra field when it does not fit', (_, changes, extra) => {
    const bytes = centralHeader({ ...entry, ...changes });
    const view = new DataView(bytes.buffer);
    expect(extraOf(bytes)).toBe(extra.replaceAll(' ', ''));
    expect(view.getUint16(6, true)).toBe(45);
    expect(view.getUint16(30, true)).toBe(extra.replaceAll(' ', '').length / 2);
    const large = (value: number): number => Math.min(value, 0xffffffff);
    expect(view.getUint32(20, true)).toBe(large(changes.compressedSize ?? 3));
    expect(view.getUint32(24, true)).toBe(large(changes.size ?? 5));
    expect(view.getUint32(42, true)).toBe(large(changes.offset ?? 7));
  });

  it('gives a descriptor eight bytes for each size when one needs them', () => {
    expect(hex(dataDescriptor({ crc: 1, size: GIB_4, compressedSize: 3 }))).toBe(
      '504b0708 01000000 0300000000000000 0000000001000000'.replaceAll(' ', ''),
    );
  });

  it.each<[string, Partial<ZipEntry>, string]>([
    ['size', { size: GIB_4 - 1 }, '504b0708 01000000 0300000000000000 ffffffff00000000'],
    ['compressed size', { compressedSize: GIB_4 - 1 }, '504b0708 01000000 ffffffff00000000 0500000000000000'],
  ])('begins at the %s that stands for it: 0xFFFFFFFF', (_, changes, expected) => {
    expect(hex(dataDescriptor({ ...entry, ...changes }))).toBe(expected.replaceAll(' ', ''));
  });

  it('puts its own end and a locator before the end of a directory that is too far or too long', () => {
    expect(hex(endOfDirectory({ entries: 3, offset: GIB_4 + 16, size: 100 }))).toBe(
      [
        '504b0606 2c00000000000000 2d00 2d00 00000000 00000000',
        '0300000000000000 0300000000000000 6400000000000000 1000000001000000',
        '504b0607 00000000 7400000001000000 01000000',
        '504b0506 0000 0000 0300 0300 64000000 ffffffff 0000',
      ]
        .join('')
        .replaceAll(' ', ''),
    );
    expect(endOfDirectory({ entries: 65_535, offset: 1, size: 1 })).toHaveLength(98);
  });
});
