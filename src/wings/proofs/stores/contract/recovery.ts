// Registers that go on under a log that was signed elsewhere: a store that was restored from an older state, and a mirror.
import type { TakenVersion } from '../../../../stores/contract/mirrors.ts';
import type { RegisterEntry } from '../../../../stores/contract/registers.ts';
import type { TreeHead } from '../../tlog/verification.ts';

/** What a store lacks of a register, as another store has it. */
export interface MissingChanges extends Pick<RegisterEntry, 'definition' | 'definitionVersion' | 'lastModified'> {
  /** The change after which they begin. */
  readonly since: number;
  readonly versions: readonly TakenVersion[];
}

/** A log as it was signed last. */
export interface SignedTree extends TreeHead {
  /** Its UUID. */
  readonly uuid: string;
}

/** Gives registers the logs that were signed. */
export interface LogRecovery {
  /**
   * Puts back changes that another store has, in one transaction, and gives the register the log that was signed.
   *
   * @throws GazetteError `unknown_feed`; `store_busy` when it was written meanwhile; `log_contradicted` when the log is not
   *   the one that was signed afterwards, `invalid_answer` for versions that no log has so: nothing is written then
   */
  putBack(feedId: string, missing: MissingChanges, signed: SignedTree): Promise<void>;
  /**
   * Makes a mirror a register of its own that keeps the log of its source.
   *
   * @throws GazetteError `unknown_feed`, `not_found` for one that is no mirror; `log_contradicted` when its log is not exactly the one
   *   that was signed
   */
  promote(feedId: string, signed: SignedTree): Promise<void>;
}
