// An entry with all that is asked for: `Held` is exported under this name by itself.
import type { Held } from './shapes.ts';

export type { Held } from './shapes.ts';

/** Holds. */
export class Whole {
  /** What is held. */
  readonly held: Held;
  readonly #secret: number = 1;

  constructor(held: Held) {
    this.held = held;
  }

  /** @internal */
  count(): number {
    return this.#secret;
  }
}
