// Locates errors in JSON text. stream-json's tokenizer is fast because it counts nothing; its verifier knows every
// position and takes three times as long. So positions are computed only after an error: text is kept from the last
// point where the parser's state is known exactly (the end of an object), and the verifier starts there.
import { jsonVerifier } from 'stream-json/core/utils/verifier.js';
import { END_OF_TEXT } from './json-end.ts';
import { MAX_VALUE_LENGTH } from './raw-record.ts';

/** The position of an error in a text, and what the grammar expected there. */
export interface JsonFault {
  /** UTF-16 units from the start of the given text. */
  readonly index: number;
  readonly expected: string;
}

/** A container that is open at the start of a part of the text. */
export type OpenContainer = 'object' | 'array';

/** A position for people and one for programs. */
export interface Position {
  /** From 1. */
  readonly line: number;
  /** From 1, in UTF-16 units. */
  readonly column: number;
  /** From 0; null where the file is not UTF-8. */
  readonly byte: number | null;
}

/** A fault as {@link PositionLog.locate} reports it. */
export interface JsonFaultPosition {
  readonly position: Position;
  /**
   * What the grammar expected; null if the fault cannot be located exactly and the position is that of the last known
   * state.
   */
  readonly expected: string | null;
  /** Whether the document is valid so far but incomplete. */
  readonly isAtEnd: boolean;
}

/**
 * The first fault in a part of JSON text, or null.
 *
 * @param open the containers open where the text starts, directly after a value inside the innermost of them; null when
 *   the text starts the document.
 * @param ended whether the document ends with the text.
 */
export function findFault(text: string, open: readonly OpenContainer[] | null, ended: boolean): JsonFault | null {
  const prefix = open === null ? '' : `${open.map((kind) => (kind === 'array' ? '[' : '{"":')).join('')}""`;
  const verify = jsonVerifier();
  try {
    verify(prefix);
    verify(text);
    if (ended) verify(END_OF_TEXT);
    return null;
  } catch (error) {
    if (!(error instanceof Error && 'offset' in error && typeof error.offset === 'number')) throw error;
    return { index: Math.max(0, error.offset - prefix.length), expected: expectation(error.message) };
  }
}

/** Follows the text of a document, so that a fault can be located. */
export class PositionLog {
  readonly #kept: string[] = [];
  #keptLength = 0;
  #open: readonly OpenContainer[] | null = null;
  /** False if the text since the last known state is too long to keep: then only the current piece is available. */
  #known = true;
  #line = 1;
  #column = 1;
  #byte: number | null;

  /** @param byte the byte offset of the document's first character; null where the file is not UTF-8 */
  constructor(byte: number | null) {
    this.#byte = byte;
  }

  /** Adds the text that is about to be read. */
  keep(text: string): void {
    if (this.#keptLength + text.length > 2 * MAX_VALUE_LENGTH) {
      this.#drop();
      this.#known = false;
    }
    this.#kept.push(text);
    this.#keptLength += text.length;
  }

  /** Marks that all text so far ends directly after a value inside these containers. */
  mark(open: readonly OpenContainer[]): void {
    this.#drop();
    this.#known = true;
    this.#open = open;
  }

  /** The first fault in the text since the last mark, or the start of that text if none can be located. */
  locate(ended: boolean): JsonFaultPosition {
    const text = this.#kept.join('');
    const fault = this.#known ? findFault(text, this.#open, ended) : null;
    this.#advance(text.slice(0, fault?.index ?? 0));
    return {
      position: { line: this.#line, column: this.#column, byte: this.#byte },
      expected: fault?.expected ?? null,
      isAtEnd: ended && fault?.index === text.length,
    };
  }

  #drop(): void {
    for (const text of this.#kept) this.#advance(text);
    this.#kept.length = 0;
    this.#keptLength = 0;
  }

  #advance(text: string): void {
    this.#byte = after(this.#byte, text);
    let lineStart = 0;
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', lineStart)) {
      this.#line++;
      this.#column = 1;
      lineStart = at + 1;
    }
    this.#column += text.length - lineStart;
  }
}

/** Describes a position. */
export function formatPosition({ line, column, byte }: Position): string {
  return `line ${line}, column ${column}${byte === null ? '' : ` (byte ${byte})`}`;
}

/** The byte offset behind a text that begins at this one. */
export function after(byte: number | null, text: string): number | null {
  return byte === null ? null : byte + Buffer.byteLength(text);
}

/**
 * Converts the verifier's `ERROR at 12 (1, 13): Verifier cannot parse input: expected a value` to `expected a value`.
 */
function expectation(message: string): string {
  const words = message.replace(/^ERROR at [^:]*: Verifier (?:cannot parse input: |has )/, '');
  if (words === "expected ','") return 'expected a comma or a closing bracket';
  return words === 'escaped characters' ? 'expected a valid escape, and no raw control character, in a string' : words;
}
