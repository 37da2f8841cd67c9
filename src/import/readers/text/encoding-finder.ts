// Finds the encoding of a text: a byte-order mark, the zero bytes of UTF-16, UTF-8 where most of it is, else what its
// letters show. Where only ASCII has come so far the question is still open, and nothing has to wait: all would read it
// alike.
import { isAscii } from 'node:buffer';
import { quote } from '../../../errors.ts';
import type { OnNote } from '../reader-note.ts';
import { byteOrderMark, utf16ByZeros } from './encoding.ts';
import { LegacyDecoder } from './legacy-decoder.ts';
import { encodingTitle, likelyEncoding } from './likely-encoding.ts';
import type { TextDecoding, TextPiece } from './text-piece.ts';
import { characterLength, unfinishedTail, Utf8Decoder } from './utf8-decoder.ts';

/** How many bytes must be there before a byte-order mark or zero bytes are looked for. */
const HEAD_BYTES = 4;

/** How much is looked at from the first byte that is not ASCII, in bytes: 1 MiB. */
const SAMPLE_BYTES = 1_048_576;

/** By how many more characters of UTF-8 than of others the question is settled before. */
const CLEAR_LEAD = 8;

/** Decodes text whose encoding is not known beforehand. */
export class EncodingFinder {
  readonly #onNote: OnNote;
  #held: Buffer = Buffer.alloc(0);
  #state: 'head' | 'ascii' | 'sample' | 'found' = 'head';
  #decoding: TextDecoding = new Utf8Decoder();
  /** The number of lines of ASCII text before the sample. */
  #lines = 0;
  #asciiBytes = 0;
  /** The encoding that was found by letters, until a note has shown a word of it. */
  #legacy: string | null = null;
  /** The end of the ASCII text so far: a word may begin there. */
  #lastText = '';

  constructor(onNote: OnNote) {
    this.#onNote = onNote;
  }

  /** The text that these bytes complete, if any. */
  async push(bytes: Uint8Array): Promise<TextPiece | null> {
    if (this.#state === 'found') return this.#decode(bytes);
    if (this.#state === 'ascii' && isAscii(bytes)) return this.#decodeAscii(bytes);
    this.#held = Buffer.concat([this.#held, bytes]);
    return this.#settle(false);
  }

  /** Ends the file; the rest of its text. */
  async end(): Promise<readonly TextPiece[]> {
    const pieces = [await this.#settle(true), this.#decoding.end()];
    return pieces.filter((piece) => piece !== null);
  }

  async #settle(ended: boolean): Promise<TextPiece | null> {
    if (this.#state === 'head') {
      if (this.#held.length < HEAD_BYTES && !ended) return null;
      const encoding = byteOrderMark(this.#held)?.encoding ?? utf16ByZeros(this.#held);
      if (encoding !== null) return this.#found(encoding);
      this.#state = 'ascii';
    }
    if (this.#state === 'ascii') {
      if (isAscii(this.#held)) return this.#decodeAscii(this.#release());
      this.#state = 'sample';
    }
    if (this.#state !== 'sample') return null;
    const { utf8, other } = census(this.#held, ended);
    const canWait = !ended && this.#held.length < SAMPLE_BYTES;
    if (utf8 >= other + (canWait ? CLEAR_LEAD : 0)) return this.#found('utf-8');
    return canWait ? null : this.#foundLegacy(await likelyEncoding(this.#held));
  }

  #foundLegacy(encoding: string): TextPiece | null {
    this.#state = 'found';
    this.#legacy = encoding;
    this.#decoding = new LegacyDecoder(encoding, true, this.#asciiBytes);
    return this.#decode(this.#release());
  }

  #found(encoding: string): TextPiece | null {
    this.#state = 'found';
    if (encoding !== 'utf-8') {
      this.#decoding = new LegacyDecoder(encoding, true);
      this.#onNote({
        code: 'encoding',
        message: `the text is ${encoding.toUpperCase()}, and is read as such`,
        encoding,
      });
    }
    return this.#decode(this.#release());
  }

  #decode(bytes: Uint8Array): TextPiece | null {
    const piece = this.#decoding.push(bytes);
    const encoding = this.#legacy;
    const word = encoding !== null && piece !== null ? WORD.exec(this.#lastText + piece.text) : null;
    if (encoding !== null && word !== null) {
      this.#legacy = null;
      const line = this.#lines + lineEnds(word.input.slice(this.#lastText.length, word.index)) + 1;
      this.#onNote({
        code: 'encoding',
        message: `the text is not UTF-8 and is read as ${encodingTitle(encoding)}: ${quote(word[0])} in line ${line}; if that looks wrong, say the encoding with --encoding`,
        encoding,
      });
    }
    return piece;
  }

  #decodeAscii(bytes: Uint8Array): TextPiece | null {
    const piece = this.#decoding.push(bytes);
    if (piece !== null) {
      this.#lines += lineEnds(piece.text);
      this.#asciiBytes = piece.end;
      this.#lastText = (this.#lastText + piece.text.slice(-WORD_LENGTH)).slice(-WORD_LENGTH).replace(/^[^]*[\r\n]/, '');
    }
    return piece;
  }

  #release(): Buffer {
    const held = this.#held;
    this.#held = Buffer.alloc(0);
    return held;
  }
}

/** How much of a word is shown before its first character beyond ASCII. */
const WORD_LENGTH = 30;

/** A word with a character beyond ASCII, for a person to judge. */
const WORD = /[\p{L}\d]{0,30}[^\p{ASCII}][^\s,;"|<>]{0,30}/u;

/** How many characters beyond ASCII are UTF-8, and how many bytes are not. A character cut at the end is neither. */
function census(bytes: Buffer, ended: boolean): { readonly utf8: number; readonly other: number } {
  const tail = unfinishedTail(bytes);
  // A first byte alone at the end of the file is more likely a letter of Windows-1252; two or three are cut UTF-8.
  const length = ended && tail === 1 ? bytes.length : bytes.length - tail;
  let utf8 = 0;
  let other = 0;
  for (let at = 0; at < length;) {
    if (bytes[at]! < 0x80) {
      at++;
      continue;
    }
    const found = characterLength(bytes, at);
    if (found > 0) utf8++;
    else other++;
    at += Math.max(found, 1);
  }
  return { utf8, other };
}

/** The number of line ends; CR ends lines where no LF does. */
function lineEnds(text: string): number {
  const mark = text.includes('\n') ? '\n' : '\r';
  let count = 0;
  for (let at = text.indexOf(mark); at >= 0; at = text.indexOf(mark, at + 1)) count++;
  return count;
}
