// Keccak-256 as Ethereum uses it: the submission of 2011 with its own padding, which SHA3-256 (FIPS 202) changed. Node's
// crypto has only the latter on some of the supported versions. Only short messages of one signature each come here.

const MASK = (1n << 64n) - 1n;

/** The rate of Keccak-256 in bytes: 1600 bits less twice 256. */
const RATE = 136;

/** How far each lane is rotated (rho), in the order in which pi visits the lanes. */
const ROTATIONS = [1, 3, 6, 10, 15, 21, 28, 36, 45, 55, 2, 14, 27, 41, 56, 8, 25, 43, 62, 18, 39, 61, 20, 44];
const VISITED = [10, 7, 11, 17, 18, 3, 5, 16, 8, 21, 24, 4, 15, 23, 19, 13, 12, 2, 20, 14, 22, 9, 6, 1];

const ROUND_CONSTANTS = roundConstants();

/** The hash of some bytes, 32 bytes long. */
export function keccak256(message: Uint8Array): Uint8Array {
  const padded = new Uint8Array(Math.ceil((message.length + 1) / RATE) * RATE);
  padded.set(message);
  padded[message.length] = 0x01;
  padded[padded.length - 1] = (padded.at(-1) ?? 0) | 0x80;

  const state = new BigUint64Array(25);
  const view = new DataView(padded.buffer);
  for (let offset = 0; offset < padded.length; offset += RATE) {
    for (let lane = 0; lane < RATE / 8; lane += 1) {
      state[lane] = at(state, lane) ^ view.getBigUint64(offset + lane * 8, true);
    }
    permute(state);
  }
  const digest = new DataView(new ArrayBuffer(32));
  for (let lane = 0; lane < 4; lane += 1) digest.setBigUint64(lane * 8, at(state, lane), true);
  return new Uint8Array(digest.buffer);
}

/** Keccak-f[1600]. */
function permute(state: BigUint64Array): void {
  for (const constant of ROUND_CONSTANTS) {
    // Theta
    const parity = [0, 1, 2, 3, 4].map(
      (x) => at(state, x) ^ at(state, x + 5) ^ at(state, x + 10) ^ at(state, x + 15) ^ at(state, x + 20),
    );
    for (let lane = 0; lane < 25; lane += 1) {
      const left = parity[(lane + 4) % 5] ?? 0n;
      state[lane] = at(state, lane) ^ left ^ rotate(parity[(lane + 1) % 5] ?? 0n, 1);
    }
    // Rho and pi
    let carried = at(state, 1);
    VISITED.forEach((lane, step) => {
      const next = at(state, lane);
      state[lane] = rotate(carried, ROTATIONS[step] ?? 0);
      carried = next;
    });
    // Chi
    for (let row = 0; row < 25; row += 5) {
      const lanes = state.slice(row, row + 5);
      for (let x = 0; x < 5; x += 1) {
        state[row + x] = at(lanes, x) ^ (~at(lanes, (x + 1) % 5) & MASK & at(lanes, (x + 2) % 5));
      }
    }
    // Iota
    state[0] = at(state, 0) ^ constant;
  }
}

function rotate(value: bigint, by: number): bigint {
  return ((value << BigInt(by)) | (value >> BigInt(64 - by))) & MASK;
}

function at(lanes: BigUint64Array, index: number): bigint {
  return lanes[index] ?? 0n;
}

/** FIPS 202 3.2.5: bits of a linear feedback shift register at the places 2^j - 1. */
function roundConstants(): readonly bigint[] {
  let register = 1;
  return Array.from({ length: 24 }, () => {
    let constant = 0n;
    for (let j = 0; j < 7; j += 1) {
      if ((register & 1) === 1) constant |= 1n << (2n ** BigInt(j) - 1n);
      register = (register << 1) ^ ((register >> 7) * 0x171);
    }
    return constant;
  });
}
