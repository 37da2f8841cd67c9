// UTF-8 checked to the last byte (RFC 3629). Bytes that are not UTF-8 are marked: a record that has one is refused.
import { isUtf8 } from 'node:buffer';
import { BROKEN, type TextDecoding, type TextPiece } from './text-piece.ts';

/** Decodes consecutive pieces; a character cut by a boundary is completed by the next one. */
export class Utf8Decoder implements TextDecoding {
  #rest: Buffer = Buffer.alloc(0);
  /** The byte offset of `#rest` in the file. */
  #offset = 0;

  push(bytes: Uint8Array): TextPiece | null {
    const all = this.#rest.length === 0 ? asBuffer(bytes) : Buffer.concat([this.#rest, bytes]);
    const complete = all.subarray(0, all.length - unfinishedTail(all));
    // The source may reuse its memory.
    this.#rest = Buffer.from(all.subarray(complete.length));
    return this.#piece(complete);
  }

  end(): TextPiece | null {
    return this.#piece(this.#rest);
  }

  #piece(bytes: Buffer): TextPiece | null {
    let start = this.#offset;
    this.#offset += bytes.length;
    let text = isUtf8(bytes) ? bytes.toString('utf8') : decodeBroken(bytes);
    if (start === 0 && text.startsWith('\uFEFF')) {
      text = text.slice(1);
      start = 3;
    }
    return text === '' ? null : { text, start, end: this.#offset };
  }
}

/** A character that a byte of UTF-8 begins, as RFC 3629 4 allows it. */
interface Utf8Sequence {
  readonly length: number;
  /** What the second byte may be; those after it are 80 to BF. */
  readonly low: number;
  readonly high: number;
}

function sequenceOf(first: number): Utf8Sequence | null {
  if (first < 0xc2 || first > 0xf4) return null;
  const low = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
  const high = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
  return { length: first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4, low, high };
}

/** The length of the character beyond ASCII that stands at this place; 0 for bytes that are none. */
export function characterLength(bytes: Uint8Array, at: number): number {
  const sequence = sequenceOf(bytes[at]!);
  const second = bytes[at + 1];
  if (sequence === null || second === undefined || second < sequence.low || second > sequence.high) return 0;
  for (let next = 2; next < sequence.length; next++) if ((bytes[at + next]! & 0xc0) !== 0x80) return 0;
  return sequence.length;
}

function decodeBroken(bytes: Buffer): string {
  let text = '';
  let from = 0;
  for (let at = 0; at < bytes.length;) {
    const length = bytes[at]! < 0x80 ? 1 : characterLength(bytes, at);
    if (length === 0) {
      text += bytes.toString('utf8', from, at) + BROKEN;
      from = at + 1;
    }
    at += Math.max(length, 1);
  }
  return text + bytes.toString('utf8', from);
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

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
