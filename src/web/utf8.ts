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

/**
 * Texts, and bytes that are UTF-8 already, one after another. Texts put together first would all take the time that one letter beyond
 * Latin-1 costs.
 */
export function utf8Of(parts: readonly (string | Uint8Array)[]): Uint8Array<ArrayBuffer> {
  const sizes = parts.map((part) => (typeof part === 'string' ? part.length * MAX_BYTES : part.length));
  const room = roomFor(sizes.reduce((sum, size) => sum + size, 0));
  let length = 0;
  for (const part of parts) {
    if (typeof part === 'string') length += room.write(part, length);
    else {
      room.set(part, length);
      length += part.length;
    }
  }
  return new Uint8Array(room.subarray(0, length));
}

/** Texts of so many bytes are written into the same memory, which takes less time than to get new memory for each. */
const MAX_SHARED_BYTES = 262_144;

let shared: Buffer | null = null;

function roomFor(bytes: number): Buffer {
  if (bytes > MAX_SHARED_BYTES) return Buffer.allocUnsafeSlow(bytes);
  shared ??= Buffer.allocUnsafeSlow(MAX_SHARED_BYTES);
  return shared;
}
