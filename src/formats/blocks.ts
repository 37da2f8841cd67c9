// All chunking happens here. Text is encoded directly into blocks of 128 KiB and escaped in place; each full block is
// handed over as a whole. This avoids building strings that would be split again.
import type { XmlOutput } from './xml/output.ts';
import { type ByteEscape, type Escape, hasForbidden, LEAD, STAYS } from './xml/text.ts';

/** Bytes in a block: large enough to amortise a hand-over, small enough to stay in the second-level cache. */
const BLOCK_SIZE = 131_072;

/**
 * Bytes in the first block. Each later block is twice as large, up to the full size, because most documents are small
 * pages.
 */
const FIRST_BLOCK_SIZE = 16_384;

const NO_BLOCK: Buffer<ArrayBuffer> = Buffer.alloc(0);

/** The most bytes of UTF-8 that one UTF-16 unit can need. */
const MAX_BYTES_PER_UNIT = 3;

/** From this length on (UTF-16 units), searching the string with SIMD is faster than searching its bytes. */
const LONG_TEXT = 64;

/** Up to this many bytes, copying one by one is faster than a call. */
const FEW_BYTES = 16;

/**
 * The bytes of U+FFFD in UTF-8 after {@link LEAD}. U+FFFE and U+FFFF, which XML cannot carry, have a higher last byte.
 */
const REPLACEMENT_2 = 0xbf;
const REPLACEMENT_3 = 0xbd;

/** The control characters that XML allows; all others are replaced. */
const TAB = 0x09;
const LF = 0x0a;
const CR = 0x0d;

/**
 * An {@link XmlOutput} that fills blocks and hands them over. A block is allocated when there is something to write.
 */
export class Blocks implements XmlOutput {
  #full: Uint8Array<ArrayBuffer>[] = [];
  #block: Buffer<ArrayBuffer> = NO_BLOCK;
  #length = 0;
  #nextSize = FIRST_BLOCK_SIZE;
  /** The memory of our own blocks, to distinguish it from chunks of sinks, and the blocks that were given back. */
  readonly #own = new WeakSet<ArrayBuffer>();
  readonly #free: Buffer<ArrayBuffer>[] = [];
  /** Where {@link #expand} found characters to escape. */
  readonly #specials: number[] = [];

  text(text: string): void {
    const most = text.length * MAX_BYTES_PER_UNIT;
    if (most > this.#block.length - this.#length) {
      this.#finishBlock();
      if (most > BLOCK_SIZE) {
        // Buffer.from may use Node's shared pool for small texts; this text is too long for the pool.
        this.#full.push(Buffer.from(text, 'utf8'));
        return;
      }
      this.#startBlock(most);
    }
    // The encoder writes a lone surrogate as U+FFFD.
    this.#length += this.#block.write(text, this.#length);
  }

  escaped(text: string, escape: Escape): boolean {
    const most = text.length * MAX_BYTES_PER_UNIT;
    if (most > this.#block.length - this.#length) {
      if (most > BLOCK_SIZE) {
        const replacements = { isReplaced: false };
        this.text(escape(text, replacements));
        return replacements.isReplaced;
      }
      this.#finishBlock();
      this.#startBlock(most);
    }
    const { special, growth } = escape.bytes;
    const block = this.#block;
    const start = this.#length;
    const end = start + block.write(text, start);
    this.#length = end;
    if (text.length >= LONG_TEXT) {
      return (special.test(text) || hasForbidden(text)) && this.#expand(text, start, start, escape.bytes);
    }
    for (let at = start; at < end; at++) {
      if (growth[block[at]!] !== STAYS) return this.#expand(text, start, at, escape.bytes);
    }
    return false;
  }

  bytes(bytes: Uint8Array<ArrayBuffer>): void {
    if (bytes.length > this.#block.length - this.#length) {
      this.#finishBlock();
      if (bytes.length > BLOCK_SIZE / 2) {
        this.#full.push(bytes);
        return;
      }
      this.#startBlock(bytes.length);
    }
    this.#block.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  /** The full blocks, and with `all` also the one in progress. */
  take(all: boolean): Uint8Array<ArrayBuffer>[] {
    if (all) this.#finishBlock();
    const full = this.#full;
    if (full.length > 0) this.#full = [];
    return full;
  }

  /** Takes back a chunk from {@link take} that is no longer read: its memory is reused. */
  giveBack(taken: Uint8Array<ArrayBuffer>): void {
    if (this.#own.has(taken.buffer)) this.#free.push(Buffer.from(taken.buffer));
  }

  /**
   * Escapes the bytes written from `start` on: `text` in UTF-8, with nothing to escape before `first`. Returns whether
   * a character was replaced.
   */
  #expand(text: string, start: number, first: number, { growth, references, joinsCrLf }: ByteEscape): boolean {
    const specials = this.#specials;
    let block = this.#block;
    let end = this.#length;
    let count = 0;
    let longer = 0;
    let isReplaced = false;
    let mayBeSurrogate = false;
    for (let at = first; at < end; at++) {
      // Four bytes per step take half the time.
      while (
        at + 4 <= end &&
        (growth[block[at]!]! | growth[block[at + 1]!]! | growth[block[at + 2]!]! | growth[block[at + 3]!]!) === STAYS
      ) {
        at += 4;
      }
      if (at === end) break;
      const byte = block[at]!;
      const more = growth[byte]!;
      if (more === STAYS) continue;
      if (more === LEAD) {
        if (block[at + 1] !== REPLACEMENT_2 || block[at + 2]! < REPLACEMENT_3) continue;
        if (block[at + 2] === REPLACEMENT_3) mayBeSurrogate = true;
        else isReplaced = true;
        block[at + 2] = REPLACEMENT_3;
      } else if (!joinsCrLf || byte !== LF || block[at - 1] !== CR) {
        specials[count++] = at;
        longer += more;
        if (byte < 0x20 && byte !== TAB && byte !== LF && byte !== CR) isReplaced = true;
      }
    }
    if (mayBeSurrogate && !text.isWellFormed()) isReplaced = true;
    let moved = 0;
    if (longer > block.length - end) {
      const encoded = block.subarray(start, end);
      this.#length = start;
      this.#finishBlock();
      this.#startBlock(encoded.length + longer);
      block = this.#block;
      block.set(encoded);
      moved = start;
      end = encoded.length;
    }
    this.#length = end + longer;
    // From the last one to the first, so that no byte is overwritten before it was moved.
    while (count > 0) {
      const at = specials[--count]! - moved;
      if (end - at > FEW_BYTES) block.copyWithin(at + 1 + longer, at + 1, end);
      else for (let from = end - 1; from > at; from--) block[from + longer] = block[from]!;
      const reference = references[block[at]!]!;
      longer -= reference.length - 1;
      for (let i = 0; i < reference.length; i++) block[at + longer + i] = reference[i]!;
      end = at;
    }
    return isReplaced;
  }

  #startBlock(least: number): void {
    const size = Math.max(this.#nextSize, least);
    if (this.#nextSize < BLOCK_SIZE) this.#nextSize *= 2;
    const free = size === BLOCK_SIZE ? this.#free.pop() : undefined;
    this.#block = free ?? Buffer.allocUnsafeSlow(size);
    if (size === BLOCK_SIZE) this.#own.add(this.#block.buffer);
  }

  #finishBlock(): void {
    if (this.#length > 0) this.#full.push(this.#block.subarray(0, this.#length));
    this.#block = NO_BLOCK;
    this.#length = 0;
  }
}
