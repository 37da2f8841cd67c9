// The text of a file, piece by piece.

/** Stands for bytes that are no character of the file's encoding: half of a surrogate pair, which no text has. */
export const BROKEN = '\udfff';

/** Why a record with {@link BROKEN} in it is refused, as it follows its place. */
export const BROKEN_REASON = 'has bytes that are no text; if the file has another encoding, say which with --encoding';

/** A part of a file as text. */
export interface TextPiece {
  /** Well-formed, but for {@link BROKEN}. */
  readonly text: string;
  /** The byte offset of the text's first character in the file; null where the file is not UTF-8. */
  readonly start: number | null;
  /** The byte offset after its last character, as far as it is known: for progress. */
  readonly end: number;
}

/** Turns bytes into text. */
export interface TextDecoding {
  /** The text that these bytes complete, if any. */
  push(bytes: Uint8Array): TextPiece | null;
  /** Ends the file; the rest of its text, if any. */
  end(): TextPiece | null;
}
