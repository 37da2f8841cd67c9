// Why imports change records.

/** Why a file, or a person, may change what records say. */
export const CHANGE_CAUSES = ['source_change', 'extraction_correction'] as const;

/** Why an import may change records: `renumbered` gives them other keys alone. */
export const IMPORT_CAUSES = ['source_change', 'extraction_correction', 'renumbered'] as const;

/** One of them. */
export type ImportCause = (typeof IMPORT_CAUSES)[number];
