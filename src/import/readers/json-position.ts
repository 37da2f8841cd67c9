// Where JSON text breaks. stream-json's tokenizer is fast because it counts nothing; its verifier knows every position
// and costs three times as much. So positions are found only once something is wrong: text is kept since the last point
// whose state is known exactly, the end of an object, and the verifier runs from there.
import { jsonVerifier } from 'stream-json/core/utils/verifier.js';
import { END_OF_TEXT } from './json-end.ts';
import { MAX_VALUE_LENGTH } from './raw-record.ts';

/** Where a text breaks and what the grammar wanted there. */
export interface JsonFault {
  /** UTF-16 units from the start of the text given. */
  readonly index: number;
  readonly expected: string;
}

/** A container that is open at the start of a stretch of text. */
export type OpenContainer = 'object' | 'array';

/** A position for people and one for programs. */
export interface Position {
  /** From 1. */
  readonly line: number;
  /** From 1, in UTF-16 units. */
  readonly column: number;
  /** From 0. */
  readonly byte: number;
}

/** A fault as {@link PositionLog.locate} tells it. */
export interface JsonFaultPosition {
  readonly position: Position;
  /** What the grammar wanted; null where the fault cannot be told exactly and the position is that of the last known state. */
  readonly expected: string | null;
  /** Whether all of the document is right as far as it goes, and more should follow. */
  readonly isAtEnd: boolean;
}

/**
 * The first fault in a stretch of JSON; null when there is none in it.
 *
 * @param open the containers open where the text starts, just behind a value inside the innermost of them; null when
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

/** Follows the text of a document, so that the position of a fault can be told. */
export class PositionLog {
  readonly #kept: string[] = [];
  #keptLength = 0;
  #open: readonly OpenContainer[] | null = null;
  /** False while too much text lies behind the last known state to be kept: then only the piece is known. */
  #known = true;
  #line = 1;
  #column = 1;
  #byte: number;

  /** @param byte the byte offset of the document's first character */
  constructor(byte: number) {
    this.#byte = byte;
  }

  /** Takes the text that is about to be read. */
  keep(text: string): void {
    if (this.#keptLength + text.length > 2 * MAX_VALUE_LENGTH) {
      this.#drop();
      this.#known = false;
    }
    this.#kept.push(text);
    this.#keptLength += text.length;
  }

  /** Says that all text so far ends just behind a value inside these containers. */
  mark(open: readonly OpenContainer[]): void {
    this.#drop();
    this.#known = true;
    this.#open = open;
  }

  /** The first fault in the text since the last mark, or the start of that text where none can be told. */
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
    this.#byte += Buffer.byteLength(text);
    let lineStart = 0;
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', lineStart)) {
      this.#line++;
      this.#column = 1;
      lineStart = at + 1;
    }
    this.#column += text.length - lineStart;
  }
}

/** A position in words. */
export function formatPosition({ line, column, byte }: Position): string {
  return `line ${line}, column ${column} (byte ${byte})`;
}

/** The verifier's `ERROR at 12 (1, 13): Verifier cannot parse input: expected a value` in our words: `expected a value`. */
function expectation(message: string): string {
  const words = message.replace(/^ERROR at [^:]*: Verifier (?:cannot parse input: |has )/, '');
  if (words === "expected ','") return 'expected a comma or a closing bracket';
  return words === 'escaped characters' ? 'expected a valid escape, and no raw control character, in a string' : words;
}
