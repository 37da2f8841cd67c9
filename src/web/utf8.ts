// Texts as bytes.

/** The most bytes that a UTF-16 unit takes in UTF-8. */
const MAX_BYTES = 3;

/**
 * A text in UTF-8, in memory of its own; half of a surrogate pair becomes U+FFFD. For a page with letters beyond Latin-1
 * `TextEncoder` takes twice as long, because it goes through the text once more to count.
 */
export function utf8(text: string): Uint8Array<ArrayBuffer> {
  const room = Buffer.allocUnsafeSlow(text.length * MAX_BYTES);
  return new Uint8Array(room.subarray(0, room.write(text, 0)));
}
