import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { Blocks } from '../../src/formats/blocks.ts';
import {
  type Escape,
  escapeAttribute,
  escapeCdata,
  escapeHtml,
  escapeHtmlLines,
  escapeRssText,
  escapeText,
} from '../../src/formats/xml/text.ts';
import { encode } from '../../src/formats/encode.ts';
import { xml } from '../../src/formats/xml/xml.ts';
import { pagesOfSize } from '../contracts/readers.ts';
import { SAMPLE_HEAD, sampleRecords } from '../contracts/sample-register.ts';
import { RUNS, texts } from '../properties/arbitraries.ts';

const BLOCK = 131_072;

const ESCAPES: readonly (readonly [name: string, escape: Escape])[] = [
  ['text', escapeText],
  ['an attribute', escapeAttribute],
  ['text of RSS', escapeRssText],
  ['HTML', escapeHtml],
  ['a CDATA section', escapeCdata],
  ['lines of HTML', escapeHtmlLines],
];

/** What a block that holds `filled` bytes becomes when the text is escaped into it. */
function escapedInto(filled: number, text: string, escape: Escape): { readonly text: string; isReplaced: boolean } {
  const blocks = new Blocks();
  blocks.bytes(Buffer.alloc(filled, '.'));
  const isReplaced = blocks.escaped(text, escape);
  blocks.text('#');
  const written = Buffer.concat(blocks.take(true)).toString();
  expect(written.slice(0, filled)).toBe('.'.repeat(filled));
  expect(written.at(-1)).toBe('#');
  return { text: written.slice(filled, -1), isReplaced };
}

/** The same by way of strings. */
function escaped(text: string, escape: Escape): { readonly text: string; isReplaced: boolean } {
  const noted = { isReplaced: false };
  return { text: escape(text, noted).toWellFormed(), isReplaced: noted.isReplaced };
}

describe.each(ESCAPES)('escaping %s among bytes', (_name, escape) => {
  it('gives what escaping strings gives, whatever the text and wherever the block ends', () => {
    // Sizes of the first three blocks are 16, 32 and 64 KiB: most texts cross the end of one, escaped or not.
    const ends = fc
      .tuple(fc.constantFrom(16_384, 49_152), fc.integer({ min: 0, max: 700 }))
      .map(([end, back]) => end - back);
    fc.assert(
      fc.property(fc.oneof(fc.constant(0), ends), texts(40), (filled, text) => {
        expect(escapedInto(filled, text, escape)).toEqual(escaped(text, escape));
      }),
      { numRuns: RUNS },
    );
  });

  it.each(['&', '<', '"', '\r\n', '\n', '\u0000', '\uffff', '\ud800', '\u{1f600}', 'é', '漢', 'x&yz'])(
    'gives it for %j, once and very often',
    (piece) => {
      for (const times of [1, 2, 31, 32, 33, 63, 64, 65, 1000, 14_000, 43_691, 60_000]) {
        const text = piece.repeat(times);
        expect(escapedInto(7, text, escape), `${times} times`).toEqual(escaped(text, escape));
      }
    },
  );

  it('moves the text to another block where there is room for it, but not for its references', () => {
    const text = 'x&"<\r\n'.repeat(15);
    for (let filled = 16_384 - 1000; filled <= 16_384 - text.length; filled++) {
      expect(escapedInto(filled, text, escape)).toEqual(escaped(text, escape));
    }
  });

  it('finds what stands between long runs of other characters', () => {
    for (let length = 0; length < 80; length++) {
      const text = ['&', '\u0007', 'é', '\r\n', '\ufffe'].map((piece) => 'x'.repeat(length) + piece).join('');
      expect(escapedInto(0, text, escape)).toEqual(escaped(text, escape));
    }
  });
});

describe('blocks', () => {
  it('are handed over once they are full, the begun one when it is asked for', () => {
    const blocks = new Blocks();
    for (let i = 0; i < 300; i++) blocks.escaped('x'.repeat(1000), escapeText);
    const full = blocks.take(false);
    expect(full.length).toBeGreaterThan(2);
    expect(Math.max(...full.map(({ length }) => length))).toBeLessThanOrEqual(BLOCK);
    const rest = blocks.take(true);
    expect(Buffer.concat([...full, ...rest])).toHaveLength(300_000);
    expect(blocks.take(true)).toEqual([]);
  });

  it('do not grow for good because of one long text', () => {
    const blocks = new Blocks();
    blocks.escaped('&'.repeat(1_000_000), escapeText);
    blocks.escaped('"'.repeat(40_000), escapeHtml);
    blocks.take(true);
    for (let i = 0; i < 1000; i++) blocks.text('x'.repeat(1000));
    expect(Math.max(...blocks.take(true).map(({ buffer }) => buffer.byteLength))).toBe(BLOCK);
  });

  it('share no memory, so that whoever gets one may keep or change it', () => {
    const blocks = new Blocks();
    const written = 'a&b'.repeat(1000);
    for (let i = 0; i < 200; i++) blocks.escaped(written, escapeText);
    const all = blocks.take(true);
    expect(new Set(all.map(({ buffer }) => buffer)).size).toBe(all.length);
  });
});

describe('a document whose chunks are used again', () => {
  /** The memory behind a long document's chunks, each looked at when it comes. */
  async function buffersOf(options: { readonly reusesChunks?: boolean }): Promise<ArrayBuffer[]> {
    const buffers: ArrayBuffer[] = [];
    for await (const { buffer } of encode(pagesOfSize(sampleRecords(4000)), xml, SAMPLE_HEAD, options))
      buffers.push(buffer);
    expect(buffers.length).toBeGreaterThan(8);
    return buffers;
  }

  it('stands in the memory of a few blocks', async () => {
    // Of the first three, which are smaller, and those that one page fills.
    expect(new Set(await buffersOf({ reusesChunks: true })).size).toBeLessThanOrEqual(5);
  });

  it('stands in as many as it has chunks where nothing is said', async () => {
    const buffers = await buffersOf({});
    expect(new Set(buffers).size).toBe(buffers.length);
  });

  it('never writes to memory that a sink brought', () => {
    const blocks = new Blocks();
    const brought = new Uint8Array(BLOCK).fill(0x2e);
    blocks.bytes(brought);
    for (const block of blocks.take(true)) blocks.giveBack(block);
    for (let i = 0; i < 1000; i++) blocks.text('x'.repeat(1000));
    expect(brought.every((byte) => byte === 0x2e)).toBe(true);
  });
});
