// The registers of a store as a list. A register whose definition is damaged is left out, and said so: it must not stop the
// others. Who asks for it by its id is refused with `invalid_store`.
import { isGazetteError } from '../../../errors.ts';
import type { RegisterEntry } from '../../contract/registers.ts';
import { entryOf, type RegisterRow } from '../../rows/register.ts';

/** Makes the list, and tells of each damaged register once. */
export class Entries {
  readonly #told = new Set<number>();

  /** The public states in heads. */
  of(heads: readonly RegisterRow[]): RegisterEntry[] {
    return heads.flatMap((head) => {
      try {
        return [entryOf(head)];
      } catch (error) {
        if (!isGazetteError(error, 'invalid_store')) throw error;
        if (!this.#told.has(head.number)) {
          console.error(
            `gazette: the definition of register number ${head.number} is damaged, and it is left out of lists; gazette doctor names its row`,
          );
        }
        this.#told.add(head.number);
        return [];
      }
    });
  }
}
