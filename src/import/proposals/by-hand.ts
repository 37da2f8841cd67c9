// Records that somebody corrected, withdrew or restored by hand, or by taking an import back: a file changes none of them until its
// caller says whether the hand or the source is right.
import type { HandFate } from '../../stores/contract/imports/by-hand.ts';
import type { ImportOptions } from '../import-options.ts';
import { NAMED } from './report.ts';

/** What an import finds of them. */
export class HandReport {
  /** The imports that made their versions. */
  readonly numbers: ReadonlySet<number>;
  /** Those about which somebody has to decide: their ids, up to a thousand. */
  readonly named: string[] = [];
  /** How many these are. */
  asked = 0;
  /** How many stay as they are although the source says something else. */
  kept = 0;
  readonly #keeps: boolean;

  /** @param options.accept says what is decided */
  constructor(numbers: ReadonlySet<number>, { accept = [] }: Pick<ImportOptions, 'accept'>) {
    this.numbers = numbers;
    this.#keeps = accept.includes('kept-by-hand');
  }

  /** Counts a record. @returns whether it stays, which is to be remembered */
  keeps(id: string, fate: HandFate | null): boolean {
    if (fate === 'kept' || (fate === 'asked' && this.#keeps)) this.kept++;
    if (fate !== 'asked' || this.#keeps) return fate === 'asked';
    this.asked++;
    if (this.named.length < NAMED) this.named.push(id);
    return false;
  }
}
