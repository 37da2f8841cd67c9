// Registers that are copies of those of other services: their versions are taken in as the logs there have them, never imported anew.
// Until a mirror is promoted, nobody else writes it.
import type { RegisterDefinition, VersionCause } from '../../register/record.ts';
import type { UnderLease } from './leases.ts';
import type { PublishedRecord } from './prepared-record.ts';

/** A version, as the log of its register has it. */
export interface TakenVersion {
  /** Its change number. */
  readonly change: number;
  readonly position: number;
  /** The id of its record. */
  readonly id: string;
  readonly version: number;
  readonly cause: VersionCause;
  /** RFC 3339. */
  readonly recordedAt: string;
  readonly changed: readonly string[];
  /** The number of the import that it takes back; null: it takes none back. */
  readonly undoes: number | null;
  /** The UUID of the log that it was first written to. */
  readonly log: string;
  /** Null once a redaction has erased what it said. */
  readonly salt: Uint8Array | null;
  readonly commitment: Uint8Array;
  /** What the publisher stated; null in a withdrawal or a redaction, and once it was erased. */
  readonly statement: PublishedRecord | null;
  /**
   * When it was observed by its record, where that is not stated, RFC 3339: after an undo it is that of the version that came back.
   * It is the importer's, and not signed. Null: unknown.
   */
  readonly observedAt: string | null;
  /** What stands for its record in the log; null where it is made of a salt. */
  readonly recordHmac: Uint8Array | null;
}

/** What a register has besides its versions. */
export interface RegisterState {
  readonly definition: RegisterDefinition;
  readonly definitionVersion: number;
  /** RFC 3339; null: it never changed. */
  readonly lastChange: string | null;
  /** The UUID of its log. */
  readonly log: string;
}

/** What a mirror takes in at once. */
export interface Taking {
  /** The last change that it has. */
  readonly since: number;
  /** The changes after it, as its source has them. */
  readonly versions: readonly TakenVersion[];
  /** The state of the source with exactly these changes. Null: it has more. */
  readonly state: RegisterState | null;
  /** How many changes the source has. */
  readonly change: number;
  /** What to keep of what was proved. Null: nothing was. */
  readonly kept: string | null;
  /** The time by the caller's clock, RFC 3339. */
  readonly at: string;
}

/** A mirror. */
export interface Mirror {
  readonly feedId: string;
  /** The address of the register that it is a copy of. */
  readonly source: string;
  /** As in {@link Taking.kept}. */
  readonly kept: string | null;
  /** The name of the log in which its source counts the changes. */
  readonly log: string;
  /** How many changes it has. */
  readonly change: number;
  /** The commitment of the last one, which no redaction erases. Null: it has none. */
  readonly last: Uint8Array | null;
  /** How many changes it lacked when its source was asked last. */
  readonly behind: number;
  /** When that was, RFC 3339. */
  readonly askedAt: string;
}

/** The mirrors of a store. */
export interface MirrorStore {
  /** Creates a register without records that is a mirror. @throws GazetteError `register_exists`, `invalid_definition` */
  begin(source: string, state: RegisterState, at: string): Promise<void>;
  /** Null: the register is none, or there is no such register. */
  find(feedId: string): Promise<Mirror | null>;
  /** All of them, by the ids of their registers. */
  all(): Promise<readonly Mirror[]>;
  /**
   * Takes in the versions of a batch in one transaction, and checks each against its commitment. What a redaction among them
   * erases, or has erased since, is erased.
   *
   * @throws GazetteError `unknown_feed`; `not_found` for a register that is no mirror; `import_superseded` when another process has
   *   taken in something meanwhile; `invalid_answer` for versions that no log would have so. Nothing is taken in then.
   */
  takeIn(feedId: string, taking: Taking, under?: UnderLease): Promise<void>;
  /** Makes a mirror a register of its own, with a new log. @throws GazetteError `unknown_feed`, `not_found` for one that is no mirror */
  promote(feedId: string, options: { readonly at: string }): Promise<void>;
}
