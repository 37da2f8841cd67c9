// Remembers ids by fingerprint: 16 bytes each in one flat table. A Set of strings would need about 100 bytes each and
// cannot exceed 16.7 million. With 96 bits, a false alarm among a thousand million ids is less likely than one in
// 10^11.

/** Four 32-bit words per slot: three of fingerprint, one of place (0 is an empty slot). */
const SLOT_WORDS = 4;

const FIRST_SLOTS = 1024;

/** The ids seen so far and where each was. */
export class IdSet {
  #table: Uint32Array<ArrayBuffer> = new Uint32Array(FIRST_SLOTS * SLOT_WORDS);
  #slots = FIRST_SLOTS;
  #size = 0;
  readonly #print: Uint32Array<ArrayBuffer> = new Uint32Array(3);

  /** How many different ids there are. */
  get size(): number {
    return this.#size;
  }

  /**
   * Adds an id at a place (a line, an index; below 2^32 − 1).
   *
   * @returns the place of the same id before it, or null when it is new.
   */
  add(id: string, at: number): number | null {
    // At most half full, so that linear probing ends after a step or two.
    if (this.#size * 2 >= this.#slots) this.#grow();
    fingerprint(id, this.#print);
    const [a, b, c] = this.#print as unknown as readonly [number, number, number];
    const slot = this.#find(a, b, c);
    const place = this.#table[slot + 3]!;
    if (place !== 0) return place - 1;
    this.#put(slot, a, b, c, at + 1);
    this.#size++;
    return null;
  }

  #find(a: number, b: number, c: number): number {
    const table = this.#table;
    for (let slot = a & (this.#slots - 1); ; slot = (slot + 1) & (this.#slots - 1)) {
      const at = slot * SLOT_WORDS;
      if (table[at + 3] === 0 || (table[at] === a && table[at + 1] === b && table[at + 2] === c)) return at;
    }
  }

  #put(slot: number, a: number, b: number, c: number, place: number): void {
    const table = this.#table;
    table[slot] = a;
    table[slot + 1] = b;
    table[slot + 2] = c;
    table[slot + 3] = place;
  }

  #grow(): void {
    const old = this.#table;
    this.#slots *= 2;
    this.#table = new Uint32Array(this.#slots * SLOT_WORDS);
    for (let at = 0; at < old.length; at += SLOT_WORDS) {
      if (old[at + 3] === 0) continue;
      const [a, b, c] = [old[at]!, old[at + 1]!, old[at + 2]!];
      this.#put(this.#find(a, b, c), a, b, c, old[at + 3]!);
    }
  }
}

/**
 * Three words from the text's UTF-16 units. Each lane is mixed as MurmurHash3 mixes its blocks (multiply, rotate,
 * multiply) with its own constants, and all three are mixed together at the end.
 */
function fingerprint(text: string, print: Uint32Array): void {
  let a = 0x9747b28c;
  let b = 0x3c6ef372;
  let c = 0x1b873593;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index) + 1;
    a = Math.imul(rotate(a ^ mix(unit, 0x239b961b, 0xab0e9789), 19), 5) + 0x561ccd1b;
    b = Math.imul(rotate(b ^ mix(unit, 0x38b34ae5, 0xa1e38b93), 17), 5) + 0x0bcaa747;
    c = Math.imul(rotate(c ^ mix(unit, 0xcc9e2d51, 0x85ebca6b), 13), 5) + 0x96cd1c35;
  }
  a ^= text.length;
  b = finish(b + a);
  c = finish(c + b);
  a = finish(a + c);
  print[0] = a;
  print[1] = b + a;
  print[2] = c + b;
}

function mix(unit: number, first: number, second: number): number {
  return Math.imul(rotate(Math.imul(unit, first), 15), second);
}

function rotate(word: number, bits: number): number {
  return (word << bits) | (word >>> (32 - bits));
}

function finish(word: number): number {
  let mixed = Math.imul(word ^ (word >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}
