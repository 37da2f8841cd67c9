// Records that somebody corrected, withdrew or restored by hand, or by taking an import back: a file changes none of them until its
// caller says whether the hand or the source is right.
import type { HandFate } from '../../stores/contract/imports/by-hand.ts';
import type { ImportOptions } from '../import-options.ts';
import { type HandDifference, NAMED, type ReportedFinding } from './report.ts';
import { counted } from '../../register/counted.ts';

/** Of how many records a proposal says what was set by hand, and what its file says. */
const SHOWN = 20;

/** What an import finds of them. */
export class HandReport {
  /** The imports that made their versions. */
  readonly numbers: ReadonlySet<number>;
  /** Those about which somebody has to decide: their ids, up to a thousand. */
  readonly named: string[] = [];
  /** What would become of these. */
  readonly becomes = { changed: 0, restored: 0, withdrawn: 0 };
  /** The first of them, and what the file says. */
  readonly differences: HandDifference[] = [];
  /** How many stay as they are although the source says something else, and the ids of the first. */
  kept = 0;
  readonly #stay: string[] = [];
  readonly #keeps: boolean;

  /** @param options.accept says what is decided */
  constructor(numbers: ReadonlySet<number>, { accept = [] }: Pick<ImportOptions, 'accept'>) {
    this.numbers = numbers;
    this.#keeps = accept.includes('kept-by-hand');
  }

  /** How many these are. */
  get asked(): number {
    const { changed, restored, withdrawn } = this.becomes;
    return changed + restored + withdrawn;
  }

  /** Counts a record that stays. @returns `kept`: it stays, which is to be remembered; `asked`: somebody has to decide */
  decide(id: string, fate: HandFate | null): HandFate | null {
    const isDecided = fate === 'asked' && this.#keeps;
    if (fate === 'kept' || isDecided) {
      this.kept++;
      if (this.#stay.length < NAMED) this.#stay.push(id);
    }
    if (isDecided) return 'kept';
    return fate === 'asked' ? fate : null;
  }

  /** Counts one about which somebody has to decide. */
  ask(id: string, becomes: HandDifference['becomes'], fields: HandDifference['fields'] = []): void {
    this.becomes[becomes]++;
    if (this.named.length < NAMED) this.named.push(id);
    if (this.differences.length < SHOWN) this.differences.push({ record_id: id, becomes, fields });
  }

  /** What is said of those that stay. */
  findings(): readonly ReportedFinding[] {
    const { kept } = this;
    if (kept === 0) return [];
    const message = `${counted(kept, 'record')} ${kept === 1 ? 'keeps' : 'keep'} what was set by hand`;
    return [{ code: 'hand-kept', stops: false, message, records: this.#stay, facts: { counts: { kept } } }];
  }
}
