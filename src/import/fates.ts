// What becomes of each record of a file, in a byte a record.
import type { HandFate } from '../stores/contract/imports/by-hand.ts';
import type { RecordComparison } from '../stores/contract/prepared-record.ts';

/** What becomes of a record; of one that is set by hand, as in {@link ProposedRecord}. */
export type Outcome = RecordComparison['outcome'] | HandFate;

/** The same, or that nothing was decided; or that it has the id of an earlier one. */
export type Fate = Outcome | 'undecided' | 'duplicate';

/** As their bytes say them. */
const FATES: readonly Fate[] = [
  ...(['undecided', 'duplicate', 'added', 'changed', 'restored', 'unchanged', 'redacted', 'kept', 'asked'] as const),
];

/** Those that have to be written: where nothing was decided, all are new. */
export const WRITTEN: ReadonlySet<Fate> = new Set<Fate>(['undecided', 'added', 'changed', 'restored', 'asked']);

/** How many there is room for at first. */
const FIRST = 65_536;

/** Those of all records, by their numbers. */
export class Fates {
  #bytes = new Uint8Array(FIRST);

  set(number: number, fate: Fate): void {
    if (number >= this.#bytes.length) {
      const longer = new Uint8Array(2 * this.#bytes.length);
      longer.set(this.#bytes);
      this.#bytes = longer;
    }
    this.#bytes[number] = FATES.indexOf(fate);
  }

  get(number: number): Fate {
    return FATES[this.#bytes[number]!]!;
  }
}
