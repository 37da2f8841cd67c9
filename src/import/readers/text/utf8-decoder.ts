// UTF-8 checked to the last byte (RFC 3629), every piece with its position, so that every error has its place.
import { isUtf8 } from 'node:buffer';
import { GazetteError } from '../../../errors.ts';
import type { TextDecoding, TextPiece } from './text-piece.ts';

/** Decodes consecutive pieces; a character cut by a boundary is completed by the next one. */
export class Utf8Decoder implements TextDecoding {
  readonly #name: string;
  #rest: Buffer = Buffer.alloc(0);
  /** The byte offset of `#rest` in the file. */
  #offset = 0;
  /** The line of `#rest`, from 1. */
  #line = 1;

  constructor(name: string) {
    this.#name = name;
  }

  /** @throws GazetteError `invalid_input` naming the line and the byte where UTF-8 breaks. */
  push(bytes: Uint8Array): TextPiece | null {
    const all = this.#rest.length === 0 ? asBuffer(bytes) : Buffer.concat([this.#rest, bytes]);
    const complete = all.subarray(0, all.length - unfinishedTail(all));
    if (!isUtf8(complete)) throw this.#invalid(complete);
    // The source may reuse its memory.
    this.#rest = Buffer.from(all.subarray(complete.length));
    let start = this.#offset;
    this.#offset += complete.length;
    let text = complete.toString('utf8');
    this.#line += lineEnds(text);
    if (start === 0 && text.startsWith('\uFEFF')) {
      text = text.slice(1);
      start = 3;
    }
    return text === '' ? null : { text, start, end: this.#offset };
  }

  end(): null {
    if (this.#rest.length > 0) throw this.#invalid(this.#rest);
    return null;
  }

  #invalid(bytes: Buffer): GazetteError {
    const length = validLength(bytes);
    const byte = this.#offset + length;
    const line = this.#line + lineEnds(bytes.toString('utf8', 0, length));
    return new GazetteError(
      'invalid_input',
      `${this.#name}: line ${line}: not UTF-8 at byte ${byte}; if the file has another encoding, say which with --encoding`,
      { details: { input: this.#name, line, byte } },
    );
  }
}

/** The number of line feeds. */
export function lineEnds(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++;
  return count;
}

/** How many bytes at the end belong to an incomplete character (0 to 3). */
export function unfinishedTail(bytes: Uint8Array): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back]!;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) {
      const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
      return needed > back ? back : 0;
    }
  }
  return 0;
}

/** How many bytes are well-formed UTF-8 before the first error. */
function validLength(bytes: Buffer): number {
  let valid = 0;
  let tried = bytes.length;
  // A streaming decoder treats a cut character as unfinished. Failure is monotonic in the length, so bisection finds
  // it.
  while (valid < tried) {
    const middle = Math.ceil((valid + tried) / 2);
    try {
      new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(0, middle), { stream: true });
      valid = middle;
    } catch {
      tried = middle - 1;
    }
  }
  // The bytes of a character that is never completed are malformed too.
  return valid - unfinishedTail(bytes.subarray(0, valid));
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
