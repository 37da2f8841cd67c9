// The progress of an import on standard error.
import type { Input } from '../../../import/from-file/open-file.ts';
import type { ImportProgress } from '../../../import/import-options.ts';
import type { Io } from '../../io/io.ts';
import { Progress } from '../../io/progress.ts';

/** A line of progress for each phase of an import. */
export class ImportLine {
  readonly #input: Input;
  readonly #io: Io;
  #phase: ImportProgress['phase'] | null = null;
  #line: Progress | null = null;

  constructor(input: Input, io: Io) {
    this.#input = input;
    this.#io = io;
  }

  update({ phase, records, of }: ImportProgress): void {
    if (phase !== this.#phase) {
      this.clear();
      this.#phase = phase;
      this.#line = new Progress(this.#io.stderr, phase === 'reading' ? this.#input.size : null, undefined, phase);
    }
    this.#line!.update({ records, bytesRead: phase === 'reading' ? this.#input.bytesRead : 0, of });
  }

  clear(): void {
    this.#line?.clear();
  }
}
