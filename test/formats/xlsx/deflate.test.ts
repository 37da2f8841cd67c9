import { constants, crc32, deflateRawSync, inflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  BlockDeflater,
  DEFLATE_BLOCK_SIZE,
  deflatePart,
  type DeflateTotals,
} from '../../../src/formats/xlsx/deflate.ts';
import { xlsx } from '../../../src/formats/xlsx/index.ts';
import { encodeAll, pagesOfSize } from '../../contracts/readers.ts';
import { SAMPLE_HEAD, sampleRecords } from '../../contracts/sample-register.ts';
import { unzip } from '../../contracts/xlsx-reader.ts';
import { tries } from '../../effort.ts';
import { letPass } from '../../until.ts';

/** Compresses texts as the sheets do, waiting where they must. */
async function deflate(pieces: Iterable<string>): Promise<{ bytes: Buffer; totals: DeflateTotals }> {
  const emitted: Uint8Array[] = [];
  const deflater = new BlockDeflater((bytes) => emitted.push(bytes));
  for (const text of pieces) {
    deflater.text(text);
    if (deflater.isFull) await deflater.relieve();
  }
  const totals = await deflater.finish();
  return { bytes: Buffer.concat(emitted), totals };
}

/** Text of about `length` bytes that compresses as sheets do. */
function rows(length: number): string {
  let text = '';
  for (let i = 0; text.length < length; i++) text += `<c r="A${i}"><v>${(i * 7919) % 10_007}</v></c>`;
  return text.slice(0, length);
}

/** Printable text that repeats nothing. */
function noise(length: number): string {
  let state = 1;
  return Array.from({ length }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return String.fromCharCode(33 + ((state >>> 16) % 94));
  }).join('');
}

describe('deflate in blocks', () => {
  it.each([
    0,
    1,
    DEFLATE_BLOCK_SIZE - 1,
    DEFLATE_BLOCK_SIZE,
    DEFLATE_BLOCK_SIZE + 1,
    4 * DEFLATE_BLOCK_SIZE,
    9 * DEFLATE_BLOCK_SIZE + 17,
  ])('gives back a text of %i bytes, with its size and CRC-32', async (length) => {
    const text = rows(length);
    const { bytes, totals } = await deflate([text]);
    expect(inflateRawSync(bytes).toString()).toBe(text);
    expect(totals).toEqual({ crc: crc32(text), size: length, compressedSize: bytes.length });
  });

  it('gives the same bytes however the text comes in pieces', async () => {
    const text = rows(3 * DEFLATE_BLOCK_SIZE + 1000);
    const whole = await deflate([text]);
    const sizes = fc.array(fc.integer({ min: 1, max: 200_000 }), { minLength: 1, maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(sizes, async (lengths) => {
        const pieces: string[] = [];
        for (let at = 0, i = 0; at < text.length; i++) {
          const end = at + lengths[i % lengths.length]!;
          pieces.push(text.slice(at, end));
          at = end;
          if (pieces.length > 60) lengths = [text.length];
        }
        expect((await deflate(pieces)).bytes.equals(whole.bytes)).toBe(true);
      }),
      { numRuns: tries(20, 10_000) },
    );
  });

  it('gives back any text, characters on the seams of blocks included', async () => {
    // Each character takes one to four bytes, so that a seam falls anywhere within them.
    const texts = fc.tuple(fc.nat(8), fc.constantFrom('é', '水', '\u{1f600}', '\ud800', 'a'));
    await fc.assert(
      fc.asyncProperty(texts, async ([shift, character]) => {
        const text = 'x'.repeat(shift) + character.repeat(DEFLATE_BLOCK_SIZE / 2);
        const { bytes } = await deflate([text, text, text]);
        expect(inflateRawSync(bytes).toString()).toBe(text.toWellFormed().repeat(3));
      }),
      { numRuns: tries(20, 10_000) },
    );
  });

  it('compresses each block as a zlib stream of its own would, whichever of its streams comes to do it', async () => {
    const text = Buffer.from(rows(8 * DEFLATE_BLOCK_SIZE + 999));
    const expected: Buffer[] = [];
    for (let at = 0; at < text.length; at += DEFLATE_BLOCK_SIZE) {
      const block = text.subarray(at, at + DEFLATE_BLOCK_SIZE);
      expected.push(deflateRawSync(block, { level: 1, finishFlush: constants.Z_FULL_FLUSH }));
    }
    const { bytes } = await deflate([text.toString()]);
    expect(bytes.equals(Buffer.concat([...expected, Buffer.from([3, 0])]))).toBe(true);
  });

  it('loses less than two per cent of a sheet’s ratio at its seams', async () => {
    const document = await encodeAll(xlsx, SAMPLE_HEAD, pagesOfSize(sampleRecords(2000)));
    const sheet = unzip(document).get('xl/worksheets/sheet1.xml')!;
    expect(sheet.length).toBeGreaterThan(2_000_000);
    const { bytes } = await deflate([sheet]);
    expect(bytes.length).toBeLessThan(deflatePart(sheet).compressedSize * 1.02);
  });

  it('gives back blocks that do not compress', async () => {
    const text = noise(3 * DEFLATE_BLOCK_SIZE);
    const { bytes, totals } = await deflate([text]);
    expect(inflateRawSync(bytes).toString()).toBe(text);
    expect(totals.compressedSize).toBeGreaterThan(2 * DEFLATE_BLOCK_SIZE);
  });

  it('takes more blocks at once than it has streams', async () => {
    const text = rows(11 * DEFLATE_BLOCK_SIZE);
    const { bytes } = await deflate([text, text]);
    expect(inflateRawSync(bytes).toString()).toBe(text + text);
  });

  it('is full with three blocks in work, and has room again after waiting', async () => {
    const deflater = new BlockDeflater(() => undefined);
    deflater.text(rows(2 * DEFLATE_BLOCK_SIZE));
    expect([deflater.hasStarted(), deflater.isFull]).toEqual([true, false]);
    deflater.text(rows(DEFLATE_BLOCK_SIZE));
    expect(deflater.isFull).toBe(true);
    await deflater.relieve();
    expect(deflater.isFull).toBe(false);
    await deflater.abort();
  });

  it('hands nothing over but when it is asked, in order', async () => {
    const emitted: Uint8Array[] = [];
    const deflater = new BlockDeflater((bytes) => emitted.push(bytes));
    deflater.text(rows(3 * DEFLATE_BLOCK_SIZE));
    await letPass(50, 'zlib’s threads are done by now, and nobody says so');
    expect(emitted).toHaveLength(0);
    await deflater.relieve();
    expect(emitted).toHaveLength(1);
    await deflater.finish();
    expect(inflateRawSync(Buffer.concat(emitted))).toHaveLength(3 * DEFLATE_BLOCK_SIZE);
  });

  it('waits for its threads when it is aborted, hands nothing over and never rejects', async () => {
    const emitted: Uint8Array[] = [];
    const deflater = new BlockDeflater((bytes) => emitted.push(bytes));
    for (let i = 0; i < 8; i++) deflater.text(rows(DEFLATE_BLOCK_SIZE));
    await expect(deflater.abort()).resolves.toBeUndefined();
    expect(deflater.isFull).toBe(false);
    await expect(deflater.abort()).resolves.toBeUndefined();
    expect(emitted).toHaveLength(0);
  });

  it('finds in a part what stands as far back as deflate can look', () => {
    const once = noise(20_000);
    expect(deflatePart(once + once).compressedSize).toBeLessThan(1.1 * deflatePart(once).compressedSize);
  });

  it('finishes at once what is still within its first block', () => {
    const deflater = new BlockDeflater(() => expect.unreachable('handed over as a part'));
    deflater.text(rows(1000));
    expect(deflater.hasStarted()).toBe(false);
    const part = deflater.finishSync();
    expect(inflateRawSync(Buffer.concat(part.pieces)).toString()).toBe(rows(1000));
    expect(part).toMatchObject({ crc: crc32(rows(1000)), size: 1000 });
  });
});
