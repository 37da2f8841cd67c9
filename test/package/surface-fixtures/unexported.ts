// An entry that exports nothing of the types it names.
import type { Argument, Constraint, Given, Held, Inherited, Named, Taken } from './shapes.ts';

/** Takes, gives, and is constrained. */
export function convert<T extends Constraint>(taken: Taken, constrained: T): T | Given {
  return constrained.value === '' ? { value: taken.value } : constrained;
}

/** Inherits, and holds. */
export interface Holder extends Inherited {
  /** A member. */
  readonly held: Held;
  /** Types of the language and of Node are nobody's to export. */
  readonly bytes: Promise<Uint8Array | NodeJS.Timeout>;
}

/** Names. */
export type Alias = Named | null;

/** Names inside another. */
export const ALL: ReadonlyMap<string, readonly Argument[]> = new Map();
