// What became of the records of an import, in numbers.

/** How many records an import treated in which way. */
export interface ImportCounts {
  /** Records that are new. */
  readonly added: number;
  /** Records that got a new version. */
  readonly changed: number;
  /** Records that did not change. */
  readonly unchanged: number;
  /** Records that had been withdrawn and are live again. */
  readonly restored: number;
  /** Records that were skipped because their content was permanently erased. */
  readonly redacted: number;
  /** Records that were withdrawn because they are no longer in the file. */
  readonly withdrawn: number;
  /** Invalid records. */
  readonly refused: number;
}

/** The counts of an import that has done nothing yet. */
export const NO_COUNTS: ImportCounts = {
  ...{ added: 0, changed: 0, unchanged: 0, restored: 0, redacted: 0 },
  ...{ withdrawn: 0, refused: 0 },
};
