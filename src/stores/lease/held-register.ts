// What is done with a register while no other process works on it.
import type { UnderLease } from '../contract/leases.ts';

/**
 * A register that is held. A database that is away for less than a minute does not end the work: it is asked again, and
 * the lease is renewed first, which fails if another holds the register now.
 */
export interface HeldRegister {
  /** Reads something, or does what may be done twice. */
  ask<T>(question: () => Promise<T>): Promise<T>;
  /** Writes something. `send` passes what it is given to the write, and may be called again when its answer was lost. */
  write<T>(send: (under: UnderLease) => Promise<T>): Promise<T>;
}
