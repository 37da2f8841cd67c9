// The records of a copy while they are compared with a log: of each one where it is, which version it is, and a hash.
import { hash } from 'node:crypto';
import { isObject, isWhole } from '../../../checks.ts';
import { GazetteError } from '../../../errors.ts';
import { HASH_LENGTH, sameHash } from '../tlog/hashes.ts';
import { canonicalJson, type JsonValue } from '../../../register/canonical-json.ts';

/** What is known of a record of a copy. */
const [UNPROVED, PROVED, ERASED] = [0, 1, 2];

/** The records of a copy, from the highest position down, as the file has them. */
export class CopiedRecords {
  readonly #positions: Float64Array;
  readonly #versions: Float64Array;
  readonly #hashes: Uint8Array;
  readonly #states: Uint8Array;
  #count = 0;
  #proved = 0;
  #erased = 0;

  /** @param count how many there will be */
  constructor(count: number) {
    this.#positions = new Float64Array(count);
    this.#versions = new Float64Array(count);
    this.#hashes = new Uint8Array(count * HASH_LENGTH);
    this.#states = new Uint8Array(count);
  }

  /** Adds the next line of the file. @throws GazetteError `invalid_proof` for a line that is no record */
  add(line: string): void {
    const record = recordIn(line);
    const at = this.#count;
    if (record === null || at === this.#positions.length || (at > 0 && record.position >= this.#positions[at - 1]!))
      throw new GazetteError('invalid_proof', `line ${at + 1} of the copy must be its next record`);
    this.#count++;
    this.#positions[at] = record.position;
    this.#versions[at] = record.version;
    this.#hashes.set(record.hash, at * HASH_LENGTH);
  }

  /** Where the record of a position is, from 0; -1 when there is none. */
  find(position: number): number {
    let [from, to] = [0, this.#count];
    while (from < to) {
      const middle = (from + to) >> 1;
      if (this.#positions[middle]! > position) from = middle + 1;
      else to = middle;
    }
    return this.#positions[from] === position && from < this.#count ? from : -1;
  }

  /** The version of a record. */
  versionAt(at: number): number {
    return this.#versions[at]!;
  }

  /** Whether a record says this, which is proved; then it is taken as proved. */
  prove(at: number, record: object | null): boolean {
    const isSame = record !== null && sameHash(hashOf(record), this.#hashAt(at));
    if (isSame && this.#states[at] === UNPROVED) {
      this.#states[at] = PROVED;
      this.#proved++;
    }
    return isSame;
  }

  /** Takes a record as erased. */
  erase(at: number): void {
    if (this.#states[at] === ERASED) return;
    if (this.#states[at] === PROVED) this.#proved--;
    this.#states[at] = ERASED;
    this.#erased++;
  }

  /** Whether a record is to be erased. */
  isErased(at: number): boolean {
    return this.#states[at] === ERASED;
  }

  /** How many are to be erased. */
  get erased(): number {
    return this.#erased;
  }

  /** The position of a record that is neither proved nor erased; null when there is none. */
  get unproved(): number | null {
    if (this.#proved + this.#erased === this.#count) return null;
    return this.#positions[this.#states.indexOf(UNPROVED)]!;
  }

  #hashAt(at: number): Uint8Array {
    return this.#hashes.subarray(at * HASH_LENGTH, (at + 1) * HASH_LENGTH);
  }
}

function recordIn(line: string): { position: number; version: number; hash: Uint8Array } | null {
  try {
    const record: unknown = JSON.parse(line);
    if (!isObject(record)) return null;
    const { position, version } = record;
    return isWhole(position, 1) && isWhole(version, 1) ? { position, version, hash: hashOf(record) } : null;
  } catch {
    // JSON that is cut off, or texts that have no canonical form: no service of ours writes either.
    return null;
  }
}

function hashOf(record: object): Uint8Array {
  return hash('sha256', canonicalJson(record as JsonValue), 'buffer');
}
