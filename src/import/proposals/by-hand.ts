// Records that somebody corrected, withdrew or restored by hand, or by taking an import back: a file changes none of them until its
// caller says whether the hand or the source is right.
import type { HandFate } from '../../stores/contract/imports/by-hand.ts';
import type { ImportOptions } from '../import-options.ts';
import { NAMED, type ReportedFinding } from './report.ts';
import { counted } from '../../register/counted.ts';

/** What an import finds of them. */
export class HandReport {
  /** The imports that made their versions. */
  readonly numbers: ReadonlySet<number>;
  /** Those about which somebody has to decide: their ids, up to a thousand. */
  readonly named: string[] = [];
  /** How many these are. */
  asked = 0;
  /** How many stay as they are although the source says something else, and the ids of the first. */
  kept = 0;
  readonly #stay: string[] = [];
  readonly #keeps: boolean;

  /** @param options.accept says what is decided */
  constructor(numbers: ReadonlySet<number>, { accept = [] }: Pick<ImportOptions, 'accept'>) {
    this.numbers = numbers;
    this.#keeps = accept.includes('kept-by-hand');
  }

  /** Counts a record. @returns whether it stays, which is to be remembered */
  keeps(id: string, fate: HandFate | null): boolean {
    if (fate === 'kept' || (fate === 'asked' && this.#keeps)) {
      this.kept++;
      if (this.#stay.length < NAMED) this.#stay.push(id);
    }
    if (fate !== 'asked' || this.#keeps) return fate === 'asked';
    this.asked++;
    if (this.named.length < NAMED) this.named.push(id);
    return false;
  }

  /** What is said of those that stay. */
  findings(): readonly ReportedFinding[] {
    const { kept } = this;
    if (kept === 0) return [];
    const message = `${counted(kept, 'record')} ${kept === 1 ? 'keeps' : 'keep'} what was set by hand`;
    return [{ code: 'hand-kept', stops: false, message, records: this.#stay, facts: { counts: { kept } } }];
  }
}
