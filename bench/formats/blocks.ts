// Bytes for the bare loops: text encoded into blocks of 128 KiB, as large as those of the driver, each given away.
import type { Destination } from '../harness.ts';

const BLOCK_SIZE = 131_072;

/** From here on a text is encoded by itself, and so is a wide one: it makes no other text wide, as in the native writers. */
const LONG_TEXT = 64;
const TWO_BYTE = /[\u0100-\uffff]/;

/** Encodes text into blocks and gives each to the destination. */
export class Blocks {
  readonly #out: Destination;
  #block: Buffer = Buffer.allocUnsafeSlow(BLOCK_SIZE);
  #length = 0;

  constructor(out: Destination) {
    this.#out = out;
  }

  text(text: string): void {
    if (text.length * 3 > BLOCK_SIZE - this.#length) {
      this.end();
      if (text.length * 3 > BLOCK_SIZE) {
        this.#out.text(text);
        return;
      }
    }
    this.#length += this.#block.write(text, this.#length, 'utf8');
  }

  /** What is to be built on: `before` and the escaped text, or nothing when both are encoded already. */
  append(before: string, escaped: string): string {
    if (escaped.length < LONG_TEXT && !TWO_BYTE.test(escaped)) return before + escaped;
    this.text(before);
    this.text(escaped);
    return '';
  }

  /** Gives away what is left. */
  end(): void {
    if (this.#length === 0) return;
    this.#out.write(this.#block.subarray(0, this.#length));
    this.#block = Buffer.allocUnsafeSlow(BLOCK_SIZE);
    this.#length = 0;
  }
}
