// Texts as bytes.

/** The most bytes that a UTF-16 unit takes in UTF-8. */
const MAX_BYTES = 3;

/**
 * A text in UTF-8, in memory of its own; half of a surrogate pair becomes U+FFFD. For a page with letters beyond Latin-1
 * `TextEncoder` takes twice as long, because it goes through the text once more to count.
 */
export function utf8(text: string): Uint8Array<ArrayBuffer> {
  return utf8Of([text]);
}

/** Texts one after another in UTF-8. Put together first, all of them would take the time that one letter beyond Latin-1 costs. */
export function utf8Of(texts: readonly string[]): Uint8Array<ArrayBuffer> {
  const room = Buffer.allocUnsafeSlow(texts.reduce((sum, text) => sum + text.length, 0) * MAX_BYTES);
  const length = texts.reduce((at, text) => at + room.write(text, at), 0);
  return new Uint8Array(room.subarray(0, length));
}
