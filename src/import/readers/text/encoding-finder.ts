// Finds the encoding of a text: a byte-order mark, the zero bytes of UTF-16, valid UTF-8, else Windows-1250, ISO-8859-2 or
// Windows-1252 by its letters. Where only ASCII has come so far the question is still open, and nothing has to wait: all
// would read it alike.
import { isAscii } from 'node:buffer';
import { GazetteError, quote } from '../../../errors.ts';
import type { OnNote } from '../reader-note.ts';
import { byteOrderMark, utf16ByZeros } from './encoding.ts';
import { LegacyDecoder } from './legacy-decoder.ts';
import { countLetters, ENOUGH_LETTERS, type LegacyEncoding, likelyEncoding } from './legacy-letters.ts';
import type { TextDecoding, TextPiece } from './text-piece.ts';
import { lineEnds, unfinishedTail, Utf8Decoder } from './utf8-decoder.ts';

/** How many bytes must be there before a byte-order mark or zero bytes are looked for. */
const HEAD_BYTES = 4;

/** How much is looked at from the first byte that is not ASCII, in bytes: 1 MiB. What follows is then read strictly. */
const SAMPLE_BYTES = 1_048_576;

/** By how many more characters of one encoding than of the other the question is settled before. */
const CLEAR_LEAD = 8;

/** Decodes text whose encoding is not known beforehand. */
export class EncodingFinder {
  readonly #name: string;
  readonly #onNote: OnNote;
  #held: Buffer = Buffer.alloc(0);
  #state: 'head' | 'ascii' | 'sample' | 'found' = 'head';
  #decoding: TextDecoding;
  /** The number of lines of ASCII text before the sample. */
  #lines = 0;
  #asciiBytes = 0;
  /** The encoding that was found by letters, until a note has shown a word of it. */
  #legacy: LegacyEncoding | null = null;
  /** The end of the ASCII text so far: a word may begin there. */
  #lastText = '';

  constructor(name: string, onNote: OnNote) {
    this.#name = name;
    this.#onNote = onNote;
    this.#decoding = new Utf8Decoder(name);
  }

  /** @throws GazetteError `invalid_input` for bytes that are not in the encoding found, with their line. */
  push(bytes: Uint8Array): TextPiece | null {
    if (this.#state === 'found') return this.#decode(bytes);
    if (this.#state === 'ascii' && isAscii(bytes)) return this.#decodeAscii(bytes);
    this.#held = Buffer.concat([this.#held, bytes]);
    return this.#settle(false);
  }

  end(): readonly TextPiece[] {
    const pieces = [this.#settle(true), this.#decoding.end()];
    return pieces.filter((piece) => piece !== null);
  }

  #settle(ended: boolean): TextPiece | null {
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
    if (canWait && Math.abs(utf8 - other) < CLEAR_LEAD) return null;
    if (utf8 >= other) return this.#found('utf-8');
    const letters = countLetters(this.#held);
    return canWait && letters.total < ENOUGH_LETTERS ? null : this.#foundLegacy(likelyEncoding(letters));
  }

  #foundLegacy(encoding: LegacyEncoding): TextPiece | null {
    this.#state = 'found';
    this.#legacy = encoding;
    this.#decoding = new GuessedLegacy(this.#name, encoding, this.#lines, this.#asciiBytes);
    return this.#decode(this.#release());
  }

  #found(encoding: string): TextPiece | null {
    this.#state = 'found';
    if (encoding !== 'utf-8') {
      this.#decoding = new LegacyDecoder(this.#name, encoding);
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
        message: `the text is not UTF-8 and is read as ${NAMES[encoding]}: ${quote(word[0])} in line ${line}; if that looks wrong, say the encoding with --encoding`,
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

/** The encodings in the words of messages. */
const NAMES: Readonly<Record<LegacyEncoding, string>> = {
  'windows-1252': 'Windows-1252',
  'windows-1250': 'Windows-1250',
  'iso-8859-2': 'ISO-8859-2',
};

/** An encoding that nobody named: a byte without a meaning in it shows that it is something else. */
class GuessedLegacy implements TextDecoding {
  readonly #name: string;
  readonly #encoding: LegacyEncoding;
  readonly #decoder: LegacyDecoder;
  readonly #bytesBefore: number;
  #line: number;

  constructor(name: string, encoding: LegacyEncoding, linesBefore: number, bytesBefore: number) {
    this.#name = name;
    this.#encoding = encoding;
    this.#decoder = new LegacyDecoder(name, encoding);
    this.#line = linesBefore + 1;
    this.#bytesBefore = bytesBefore;
  }

  push(bytes: Uint8Array): TextPiece | null {
    const piece = this.#decoder.push(bytes);
    if (piece === null) return null;
    const fault = piece.text.search(/[\x80-\x84\x86-\x9f]/);
    if (fault >= 0) {
      const line = this.#line + lineEnds(piece.text.slice(0, fault));
      throw new GazetteError(
        'invalid_input',
        `${this.#name}: line ${line}: neither UTF-8 nor ${NAMES[this.#encoding]}; say the encoding with --encoding, for example windows-1250, iso-8859-2 or macintosh`,
        { details: { input: this.#name, line } },
      );
    }
    this.#line += lineEnds(piece.text);
    return { ...piece, end: this.#bytesBefore + piece.end };
  }

  end(): null {
    return null;
  }
}

/** How many characters beyond ASCII are UTF-8, and how many bytes are not. A character cut at the end is neither. */
function census(bytes: Buffer, ended: boolean): { readonly utf8: number; readonly other: number } {
  const tail = unfinishedTail(bytes);
  // A first byte alone at the end of the file is more likely a letter of Windows-1252; two or three are cut UTF-8.
  const length = ended && tail === 1 ? bytes.length : bytes.length - tail;
  let utf8 = 0;
  let other = 0;
  for (let at = 0; at < length;) {
    const byte = bytes[at]!;
    const following = byte < 0x80 ? 0 : sequenceLength(byte) - 1;
    if (following === 0) {
      at++;
      continue;
    }
    let fits = following > 0 && at + following < length;
    for (let next = 1; fits && next <= following; next++) fits = (bytes[at + next]! & 0xc0) === 0x80;
    if (fits) utf8++;
    else other++;
    at += fits ? following + 1 : 1;
  }
  return { utf8, other };
}

/** The length of the UTF-8 sequence that a byte begins; 0 for one that begins none. */
function sequenceLength(byte: number): number {
  if (byte < 0xc2 || byte > 0xf4) return 0;
  return byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
}
