// Where all chunking lives: text is encoded at once into blocks of 128 KiB, each handed over whole, and escaped where it
// stands. No string is put together only to be taken apart again.
import type { XmlOutput } from './xml/output.ts';
import { type ByteEscape, type Escape, hasForbidden, LEAD, STAYS } from './xml/text.ts';

/** Bytes in a block: large enough to amortise a hand-over, small enough to stay in the second-level cache. */
const BLOCK_SIZE = 131_072;

/** Bytes in the first block, each later one being twice as large up to the full size: most documents are small pages. */
const FIRST_BLOCK_SIZE = 16_384;

const NO_BLOCK: Buffer<ArrayBuffer> = Buffer.alloc(0);

/** The most bytes of UTF-8 one UTF-16 unit can need. */
const MAX_BYTES_PER_UNIT = 3;

/** From this many UTF-16 units on, looking through a text with SIMD is faster than through its bytes. */
const LONG_TEXT = 64;

/** So many bytes are moved sooner one by one than by a call. */
const FEW_BYTES = 16;

/** How U+FFFD goes on in UTF-8 behind {@link LEAD}'s byte; U+FFFE and U+FFFF, which XML cannot carry, end higher. */
const REPLACEMENT_2 = 0xbf;
const REPLACEMENT_3 = 0xbd;

/** The control characters of XML: others are replaced. */
const TAB = 0x09;
const LF = 0x0a;
const CR = 0x0d;

/** An {@link XmlOutput} that fills blocks and hands them over. A block is allocated when something is to be put into it. */
export class Blocks implements XmlOutput {
  #full: Uint8Array<ArrayBuffer>[] = [];
  #block: Buffer<ArrayBuffer> = NO_BLOCK;
  #length = 0;
  #nextSize = FIRST_BLOCK_SIZE;
  /** Memory of blocks, to tell it from what sinks bring; and what of it was given back. */
  readonly #own = new WeakSet<ArrayBuffer>();
  readonly #free: Buffer<ArrayBuffer>[] = [];
  /** Where {@link #expand} has found something. */
  readonly #specials: number[] = [];

  text(text: string): void {
    const most = text.length * MAX_BYTES_PER_UNIT;
    if (most > this.#block.length - this.#length) {
      this.#finishBlock();
      if (most > BLOCK_SIZE) {
        // Buffer.from may hand out a slice of Node's shared pool for small texts; this one is too long for it.
        this.#full.push(Buffer.from(text, 'utf8'));
        return;
      }
      this.#startBlock(most);
    }
    // A lone surrogate comes out as U+FFFD by itself.
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

  /** The blocks that are full, and the begun one too when `all`. */
  take(all: boolean): Uint8Array<ArrayBuffer>[] {
    if (all) this.#finishBlock();
    const full = this.#full;
    if (full.length > 0) this.#full = [];
    return full;
  }

  /** Takes back what {@link take} gave and nobody reads any more: its memory is written to again. */
  giveBack(taken: Uint8Array<ArrayBuffer>): void {
    if (this.#own.has(taken.buffer)) this.#free.push(Buffer.from(taken.buffer));
  }

  /**
   * Escapes what is written from `start` on, `text` in UTF-8 that has nothing to escape before `first`. Answers whether
   * something was replaced.
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
      // Four at once take half the time.
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
    // From the last one on, so that nothing is written over before it was moved.
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
