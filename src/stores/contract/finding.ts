// The index by which the records of a register are found: whether it is complete, and how it is completed.

/** How far the index of a register is. */
export interface IndexProgress {
  /** How many of the register's positions it covers. */
  readonly done: number;
  /** How many positions the register has. */
  readonly all: number;
}

/**
 * The indexes of a store. Those of new registers are complete. After an upgrade, and after a definition by which other
 * records would be found, {@link FindingStore.build} completes them; words are refused with `index_building` until then, and
 * other filters are answered by reading the records.
 */
export interface FindingStore {
  /** The ids of the registers whose index is not complete. */
  incomplete(): Promise<readonly string[]>;
  /**
   * Indexes the next records of a register that its index lacks, in one short transaction. Several processes may do so at
   * once, and any may be killed.
   *
   * @throws GazetteError `unknown_feed`, `store_busy`
   */
  build(feedId: string): Promise<IndexProgress>;
}
