// The text of a file, piece by piece.

/** A part of a file as text. */
export interface TextPiece {
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
