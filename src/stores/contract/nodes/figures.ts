// What a node tells its operator of the store it shares with others.

/** How a node that answers from memory keeps what it knows current. The counts begin when the store is opened. */
export interface KnowledgeFigures {
  /** Milliseconds since the last question was sent that told what can be seen; null before the first. */
  readonly ageMs: number | null;
  /** Questions that were answered. */
  readonly answered: number;
  /** Questions that failed, or were not answered in time. */
  readonly failed: number;
  /** How often what was read was known to be current, and the database was not asked. */
  readonly known: number;
  /** How often it was not known. */
  readonly unknown: number;
}

/** How a store reads from a replica. The counts begin when the store is opened. */
export interface ReplicaFigures {
  /** Reads that the replica answered. */
  readonly answered: number;
  /** Waits for a replica that was behind. */
  readonly waited: number;
  /** Reads that the primary answered because the replica was behind, or is not asked for a second after it was. */
  readonly behind: number;
  /** Reads that the primary answered because the replica failed. */
  readonly failed: number;
}
