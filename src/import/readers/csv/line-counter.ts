// Counts the lines of what csv-parse has read. It holds back a few bytes, and a record may span many pieces.
const LF = 10;
const CR = 13;

/** Follows a text, so that every record has its line. */
export class LineCounter {
  /** The line that begins, or continues, after the counted bytes; from 1. */
  line: number;
  readonly #pieces: Buffer[] = [];
  /** The bytes counted so far, and those of them in released pieces. */
  #counted = 0;
  #dropped = 0;
  #lastWasCr = false;

  /** @param line the line in which the text begins */
  constructor(line: number) {
    this.line = line;
  }

  push(bytes: Buffer): void {
    this.#pieces.push(bytes);
  }

  /** What is not counted yet, to its end or to this many bytes from the start. */
  rest(end?: number): Buffer {
    const parts: Buffer[] = [];
    let start = this.#dropped;
    for (const piece of this.#pieces) {
      parts.push(piece.subarray(Math.max(0, this.#counted - start), end === undefined ? end : end - start));
      start += piece.length;
      if (end !== undefined && start >= end) break;
    }
    return Buffer.concat(parts);
  }

  /** Counts up to this many bytes from the start. */
  advance(end: number): void {
    for (let piece = this.#pieces[0]; piece !== undefined; piece = this.#pieces[0]) {
      const stop = Math.min(end - this.#dropped, piece.length);
      this.#count(piece.subarray(this.#counted - this.#dropped, stop));
      this.#counted = this.#dropped + stop;
      if (stop < piece.length) return;
      this.#dropped += piece.length;
      this.#pieces.shift();
    }
  }

  #count(bytes: Buffer): void {
    for (const byte of bytes) {
      if (byte === CR || (byte === LF && !this.#lastWasCr)) this.line++;
      this.#lastWasCr = byte === CR;
    }
  }
}
