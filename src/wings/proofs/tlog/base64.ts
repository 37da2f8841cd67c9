// Base 64 (RFC 4648 section 4) as signed notes have it: one spelling for each value, and no other is read.

/** The text of bytes. */
export function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}

/** The bytes of a text; null when it is not exactly what {@link toBase64} writes. */
export function fromBase64(text: string): Uint8Array | null {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : null;
}
