// What is signed of the states of registers. A wing says it, where a service has one that signs.

/** A signed state, as figures cite it. */
export interface CitedCheckpoint {
  readonly origin: string;
  readonly size: number;
  readonly root_hash: string;
}

/** The state of a register that was signed last. */
export interface SignedState {
  /** The last part of the name of its log, under which that is served. */
  readonly name: string;
  /** The log, as the API says it. @param url where its files are */
  readonly described: (url: string) => object;
  readonly cited: () => CitedCheckpoint;
}

/** The signed states of registers. */
export interface SignedStates {
  /** Null: nothing of the register was signed yet. @throws GazetteError `unknown_feed` */
  of(feedId: string): Promise<SignedState | null>;
  /** The name of the log that lists the signed states of all registers; null while it is not signed. */
  list(): Promise<string | null>;
  /**
   * What proves the versions of successive changes, for those who may read them.
   *
   * @param since the change before the first one
   */
  proofs(feedId: string, since: number, count: number): Promise<readonly object[]>;
}
