// What the entries of a log say of each record: its last entry, and since when it is known. Some 40 bytes for each.
import { HASH_LENGTH, sameHash } from '../tlog/hashes.ts';
import { hashAt } from '../mirror/head.ts';
import type { BundledEntry } from '../mirror/log.ts';

/** The records of a log, whose entries have to come in their order. */
export class LoggedRecords {
  /** 1: there is one at the position. */
  #isRecord = new Uint8Array(1024);
  /** The hash of the last entry of each position. */
  #leaves = new Uint8Array(this.#isRecord.length * HASH_LENGTH);
  readonly #since: (string | undefined)[] = [];
  #time = '';

  /** Takes the next entry. */
  add({ position, cause, recorded_at: recordedAt, leaf }: BundledEntry): void {
    while (position >= this.#isRecord.length) this.#grow();
    const isRecord = cause !== 'withdrawn' && cause !== 'redacted';
    this.#isRecord[position] = isRecord ? 1 : 0;
    this.#leaves.set(leaf, position * HASH_LENGTH);
    if (cause === 'redacted') this.#since[position] = undefined;
    else if (isRecord) this.#since[position] ??= this.#shared(recordedAt);
  }

  /** Whether there is a record at a position after the last entry. */
  has(position: number): boolean {
    return this.#isRecord[position] === 1;
  }

  /** Whether the last entry of a position has this hash. */
  isLast(position: number, leaf: Uint8Array): boolean {
    return sameHash(hashAt(this.#leaves, position), leaf);
  }

  /** When the first version of the record was recorded, since it was last redacted. */
  since(position: number): string | undefined {
    return this.#since[position];
  }

  /** The same text for the many records of one import. */
  #shared(time: string): string {
    if (time !== this.#time) this.#time = time;
    return this.#time;
  }

  #grow(): void {
    const [isRecord, leaves] = [this.#isRecord, this.#leaves];
    this.#isRecord = new Uint8Array(isRecord.length * 2);
    this.#isRecord.set(isRecord);
    this.#leaves = new Uint8Array(leaves.length * 2);
    this.#leaves.set(leaves);
  }
}
