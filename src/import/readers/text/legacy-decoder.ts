// Encodings other than UTF-8, strictly: bytes that the encoding does not define are refused with their place.
import { GazetteError } from '../../../errors.ts';
import type { TextDecoding, TextPiece } from './text-piece.ts';
import { lineEnds } from './utf8-decoder.ts';

/** Decodes an encoding that the platform's TextDecoder knows. */
export class LegacyDecoder implements TextDecoding {
  readonly #name: string;
  readonly #encoding: string;
  readonly #decoder: StreamDecoder;
  #end = 0;
  #line = 1;

  /** @param encoding the standard's name */
  constructor(name: string, encoding: string) {
    this.#name = name;
    this.#encoding = encoding;
    this.#decoder = legacyDecoder(encoding);
  }

  /** @throws GazetteError `invalid_input` naming the line from which on the text is not in this encoding. */
  push(bytes: Uint8Array): TextPiece | null {
    this.#end += bytes.length;
    return this.#piece(bytes);
  }

  /** @throws GazetteError `invalid_input` for a character that is cut. */
  end(): TextPiece | null {
    return this.#piece();
  }

  #piece(bytes?: Uint8Array): TextPiece | null {
    let text: string;
    try {
      text = this.#decoder.decode(bytes, { stream: bytes !== undefined });
    } catch (cause) {
      const line = this.#line + linesBeforeFault(this.#encoding, bytes);
      throw new GazetteError(
        'invalid_input',
        `${this.#name}: line ${line}: not ${this.#encoding}; if the file has another encoding, say which with --encoding`,
        { cause, details: { input: this.#name, line } },
      );
    }
    this.#line += lineEnds(text);
    return text === '' ? null : { text, start: null, end: this.#end };
  }
}

/** The part of TextDecoder that is used. */
export interface StreamDecoder {
  decode(bytes?: Uint8Array, options?: { readonly stream?: boolean }): string;
}

/** Decodes an encoding, strictly. @param encoding the standard's name */
export function legacyDecoder(encoding: string): StreamDecoder {
  return encoding === 'windows-1252' ? new Windows1252Decoder() : new TextDecoder(encoding, { fatal: true });
}

/** How many lines end in these bytes before the first that cannot be decoded. */
function linesBeforeFault(encoding: string, bytes: Uint8Array | undefined): number {
  const text = new TextDecoder(encoding).decode(bytes);
  const fault = text.indexOf('\ufffd');
  return lineEnds(fault < 0 ? text : text.slice(0, fault));
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
