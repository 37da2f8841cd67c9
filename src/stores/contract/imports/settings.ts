// What imports, and people at the desk, set of a register besides its records, and what an undo puts back.
import type { RegisterDefinition } from '../../../register/record.ts';
import type { Order } from '../../../register/sources/order.ts';

/** What imports, and people at the desk, set of a register: members of its definition, and what else is kept with it. */
export interface RegisterSettings extends RegisterDefinition {
  /** Which end of the publisher's files is the newest. Null: that is not known. */
  readonly order: Order | null;
  /** The names of the file's columns that are not taken in: a record that differs only in them has not changed. */
  readonly ignored: readonly string[];
  /** What is done with findings, by their codes, where it is not the default. */
  readonly findings: Readonly<Record<string, string>>;
  /** What was chosen of how its files are read: a JSON text. Null: nothing. */
  readonly reading: string | null;
}

/** Settings that an import replaced. */
export interface ReplacedSettings {
  readonly before: Partial<RegisterSettings>;
  /** What it set, of the same names. */
  readonly after: Partial<RegisterSettings>;
  /** What they are by now. */
  readonly now: Partial<RegisterSettings>;
}
