// UUIDs by name (RFC 9562 5.5, version 5), which are permanent ids without a domain name. SHA-1 is written out here:
// WebCrypto is asynchronous, a writer of documents is not, and nothing in register/ needs Node. It protects no secret.

const BLOCK_BYTES = 64;
const NAMESPACE_BYTES = 16;
/** SHA-1 ends a message with a byte 0x80 and eight bytes of its length (RFC 3174 4). */
const END_BYTES = 9;

const BYTES_AS_HEX: readonly string[] = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));
const encoder = new TextEncoder();

/**
 * Returns the function that gives each name its UUID of version 5 in a namespace. Equal names always get equal UUIDs.
 *
 * @param namespace a UUID in lower case
 * @example uuidsIn('6ba7b810-9dad-11d1-80b4-00c04fd430c8')('www.example.com') // '2ed6657d-e927-568b-95e1-2665a8aea6a2'
 */
export function uuidsIn(namespace: string): (name: string) => string {
  const prefix = namespace.replaceAll('-', '');
  // All names share this memory: a feed needs one UUID for each of its records.
  const words = new Int32Array(80);
  const state = new Int32Array(5);
  let message = messageFor(prefix, BLOCK_BYTES);
  return (name) => {
    const longest = NAMESPACE_BYTES + name.length * 3 + END_BYTES;
    if (longest > message.length) message = messageFor(prefix, longest + BLOCK_BYTES);
    const length = NAMESPACE_BYTES + encoder.encodeInto(name, message.subarray(NAMESPACE_BYTES)).written;
    sha1(message, length, words, state);
    return textOf(state);
  };
}

/** Room for messages of at least `size` bytes, in whole blocks, with the namespace at its beginning. */
function messageFor(prefix: string, size: number): Uint8Array {
  const message = new Uint8Array(Math.ceil(size / BLOCK_BYTES) * BLOCK_BYTES);
  for (let at = 0; at < NAMESPACE_BYTES; at++) message[at] = Number.parseInt(prefix.slice(at * 2, at * 2 + 2), 16);
  return message;
}

/**
 * Computes SHA-1 (RFC 3174).
 *
 * @param message its first `length` bytes are hashed; the padding is written behind them
 * @param words memory for one block
 * @param state takes the result
 */
function sha1(message: Uint8Array, length: number, words: Int32Array, state: Int32Array): void {
  const padded = Math.ceil((length + END_BYTES) / BLOCK_BYTES) * BLOCK_BYTES;
  message.fill(0, length, padded);
  message[length] = 0x80;
  for (let at = padded - 1, bits = length * 8; bits > 0; at--, bits = Math.floor(bits / 256)) message[at] = bits & 255;
  state[0] = 0x67452301;
  state[1] = 0xefcdab89;
  state[2] = 0x98badcfe;
  state[3] = 0x10325476;
  state[4] = 0xc3d2e1f0;
  for (let at = 0; at < padded; at += BLOCK_BYTES) addBlock(message, at, words, state);
}

function addBlock(message: Uint8Array, at: number, words: Int32Array, state: Int32Array): void {
  for (let t = 0; t < 16; t++) {
    const from = at + t * 4;
    words[t] = (message[from]! << 24) | (message[from + 1]! << 16) | (message[from + 2]! << 8) | message[from + 3]!;
  }
  for (let t = 16; t < 80; t++) {
    const word = words[t - 3]! ^ words[t - 8]! ^ words[t - 14]! ^ words[t - 16]!;
    words[t] = (word << 1) | (word >>> 31);
  }
  let a = state[0]!;
  let b = state[1]!;
  let c = state[2]!;
  let d = state[3]!;
  let e = state[4]!;
  for (let t = 0; t < 80; t++) {
    const next = (((a << 5) | (a >>> 27)) + mix(t, b, c, d) + e + words[t]!) | 0;
    e = d;
    d = c;
    c = (b << 30) | (b >>> 2);
    b = a;
    a = next;
  }
  state[0]! += a;
  state[1]! += b;
  state[2]! += c;
  state[3]! += d;
  state[4]! += e;
}

/** The function and the constant of a step (RFC 3174 5). */
function mix(t: number, b: number, c: number, d: number): number {
  if (t < 20) return ((b & c) | (~b & d)) + 0x5a827999;
  if (t < 40) return (b ^ c ^ d) + 0x6ed9eba1;
  if (t < 60) return ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdc;
  return (b ^ c ^ d) + 0xca62c1d6;
}

/** The first 16 bytes of a digest as a UUID: version 5, and the variant of RFC 9562. */
function textOf(state: Int32Array): string {
  const second = (state[1]! & 0xffff0fff) | 0x5000;
  const third = (state[2]! & 0x3fffffff) | 0x80000000;
  return `${half(state[0]! >>> 16)}${half(state[0]!)}-${half(second >>> 16)}-${half(second)}-${half(third >>> 16)}-${half(third)}${half(state[3]! >>> 16)}${half(state[3]!)}`;
}

/** The lower 16 bits in hexadecimal. */
function half(bits: number): string {
  return BYTES_AS_HEX[(bits >>> 8) & 255]! + BYTES_AS_HEX[bits & 255]!;
}
