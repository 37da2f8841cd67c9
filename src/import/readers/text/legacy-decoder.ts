// Encodings other than UTF-8. Bytes that the encoding does not define are marked: a record that has one is refused.
import { BROKEN, type TextDecoding, type TextPiece } from './text-piece.ts';

/** Decodes an encoding that the platform's TextDecoder knows. */
export class LegacyDecoder implements TextDecoding {
  readonly #decoder: StreamDecoder;
  readonly #undefined: RegExp;
  #end: number;

  /**
   * @param encoding the standard's name
   * @param isGuess whether controls beyond ASCII, which hardly any text has, are bytes that the encoding does not define
   * @param end how many bytes were decoded before
   */
  constructor(encoding: string, isGuess: boolean, end = 0) {
    this.#decoder = legacyDecoder(encoding);
    this.#undefined = isGuess ? /[\x80-\x84\x86-\x9f\ufffd]/g : /\ufffd/g;
    this.#end = end;
  }

  push(bytes: Uint8Array): TextPiece | null {
    this.#end += bytes.length;
    return this.#piece(bytes);
  }

  end(): TextPiece | null {
    return this.#piece();
  }

  #piece(bytes?: Uint8Array): TextPiece | null {
    const text = this.#decoder.decode(bytes, { stream: bytes !== undefined }).replace(this.#undefined, BROKEN);
    return text === '' ? null : { text, start: null, end: this.#end };
  }
}

/** The part of TextDecoder that is used. */
export interface StreamDecoder {
  decode(bytes?: Uint8Array, options?: { readonly stream?: boolean }): string;
}

/** Decodes an encoding; U+FFFD for what it does not define. @param encoding the standard's name */
export function legacyDecoder(encoding: string): StreamDecoder {
  return encoding === 'windows-1252' ? new Windows1252Decoder() : new TextDecoder(encoding);
}

/** What the bytes 80 to 9F mean (WHATWG Encoding 9, index windows-1252); the five that mean nothing are controls. */
const C1 = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';

/** Some versions of Node 24 decode these bytes as controls, all of them: so there is a decoder of our own. */
class Windows1252Decoder implements StreamDecoder {
  decode(bytes: Uint8Array = new Uint8Array()): string {
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
    return text.replace(/[\x80-\x9f]/g, (unit) => C1.charAt(unit.charCodeAt(0) - 0x80));
  }
}
