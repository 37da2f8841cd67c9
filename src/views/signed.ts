// What is signed of the states of registers. A wing says it, where a service has one that signs.

/** The state of a register that was signed last. */
export interface SignedState {
  /** The name of the log that it is of, and the last part of that name, under which it is served. */
  readonly origin: string;
  readonly name: string;
  /** How many changes it has. */
  readonly size: number;
  /** The root of its tree, in base64. */
  readonly rootHash: string;
  /** The keys that check its signatures, the one that stays first. */
  readonly vkeys: readonly string[];
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
