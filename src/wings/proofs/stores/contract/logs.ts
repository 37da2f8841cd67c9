// The logs of registers: trees over all versions, in the formats of transparency logs (proofs/), and their signed checkpoints. And
// the log of logs, over these checkpoints: it shows everybody the same list of them.
import type { HashTile } from '../../tlog/tree.ts';

/** A log: of a register, or of the logs. */
export interface StoredLog {
  /** The register's id; null: this is the log of logs. */
  readonly feedId: string | null;
  /**
   * The UUID of the log, made with the register, which commitments and change tokens contain. A register removed and created
   * again, or restored from a backup, has another one.
   */
  readonly uuid: string;
  /** How many entries its tree has. */
  readonly size: number;
  /** Its name; null until it is signed for the first time, and never another one from then on. */
  readonly origin: string | null;
  /** The last part of its name, a UUID drawn for the first signature, under which it is served; null as the name. */
  readonly name: string | null;
  /** The keys that check its signatures, as text, one a line, the one that stays first; null until it is signed. */
  readonly vkey: string | null;
  /** The last signed checkpoint; null until there is one. */
  readonly checkpoint: string | null;
}

/** The log of a register. Its tree has all versions. */
export interface RegisterLog extends StoredLog {
  readonly feedId: string;
  /** Its last checkpoint in the log of logs; null until {@link LogStore.gather} has added one. */
  readonly listed: ListedCheckpoint | null;
}

/** A checkpoint of a register in the log of logs. */
export interface ListedCheckpoint {
  /** Where it stands there, from 0. */
  readonly place: number;
  /** The signed note, of which the log of logs has the text. */
  readonly checkpoint: string;
}

/** A checkpoint to be stored. */
export interface NewCheckpoint {
  /** The log that it is of. */
  readonly uuid: string;
  /** Its name, as in the checkpoint. */
  readonly origin: string;
  /** The keys that check its signatures, as {@link StoredLog.vkey}. */
  readonly vkey: string;
  /** The signed note. */
  readonly checkpoint: string;
  /** The checkpoint that it takes the place of. */
  readonly before: string | null;
}

/** What proves a version of a record, and what only those may get who may read it. */
export interface ProvedVersion {
  /** The version's change number: one more than its place in the log. */
  readonly change: number;
  /** The number of the version. */
  readonly version: number;
  /** The bytes of its entry. */
  readonly entry: Uint8Array;
  /** The UUID of the log that the version was first written to, which its commitment contains. */
  readonly log: string;
  /** The salt of its commitment; null once it was erased. */
  readonly salt: Uint8Array | null;
  /** The key of the entry's `record`; null once it was erased. */
  readonly recordSalt: Uint8Array | null;
}

/**
 * The logs of a store. Entry n − 1 of a log is change n of its register. The tree grows in the transaction that commits the
 * versions; entries are made of the versions and stored nowhere else.
 */
export interface LogStore {
  /** The logs of all registers, in the order of their ids. */
  all(): Promise<readonly RegisterLog[]>;
  /** Those whose checkpoint has not all versions. The log of a mirror is its source's to sign. */
  unsigned(): Promise<readonly RegisterLog[]>;
  /** The log of a register. @throws GazetteError `unknown_feed` */
  of(feedId: string): Promise<RegisterLog>;
  /** The log of logs. */
  ofLogs(): Promise<StoredLog>;
  /** Begins the log of logs again, under another UUID. */
  beginOfLogs(): Promise<void>;
  /**
   * Adds checkpoints of registers that the log of logs lacks, the first lines of each up to its root, in one short transaction.
   * Several processes may do so at once.
   *
   * @param feedIds of these registers. Default: of all
   * @returns how many were added; 0: it lacks none
   */
  gather(feedIds?: readonly string[]): Promise<number>;
  /**
   * The hashes of tiles, each as many as its width says; null where the tree has not so many.
   *
   * @param feedId null: the log of logs
   * @throws GazetteError `unknown_feed`
   */
  tiles(feedId: string | null, tiles: readonly HashTile[]): Promise<readonly (Uint8Array | null)[]>;
  /**
   * The bytes of entries.
   *
   * @param feedId null: the log of logs
   * @param from the index of the first one
   * @param count at most 256
   * @returns fewer where the register has no more
   * @throws GazetteError `unknown_feed`
   */
  entries(feedId: string | null, from: number, count: number): Promise<readonly Uint8Array[]>;
  /**
   * Stores a signed checkpoint, unless another one was stored meanwhile, or the register has another log or no such size.
   *
   * @param feedId null: the log of logs
   * @returns whether it was stored
   */
  publish(feedId: string | null, checkpoint: NewCheckpoint): Promise<boolean>;
  /**
   * What proves the versions of successive changes.
   *
   * @param since the change before the first one
   * @param count at most 256
   * @returns fewer where the register has no more
   * @throws GazetteError `unknown_feed`
   */
  provedChanges(feedId: string, since: number, count: number): Promise<readonly ProvedVersion[]>;
  /**
   * What proves the newest versions of the live records at some positions, in the order of their changes.
   *
   * @param from the lowest position
   * @param to the highest one
   * @throws GazetteError `unknown_feed`
   */
  provedRecords(feedId: string, from: number, to: number): Promise<readonly ProvedVersion[]>;
  /**
   * What proves a version of a record.
   *
   * @param version its number; null: the current one
   * @returns null when there is no such record or version
   */
  proved(recordId: string, version: number | null): Promise<ProvedVersion | null>;
}
