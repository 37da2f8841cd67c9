// What is asked for, as it is given and in its one form. filter.ts checks it.

/**
 * The values that records must have, by the names of the filters: `{ document_type: 'adopted' }`. All filters must match;
 * of several values of one filter, any. Lists have no more meaning than their values: neither order nor repetition counts.
 */
export type Filter = Readonly<Record<string, string | readonly string[]>>;

/** A filter in its one form: known names in the order of the table, values in order and each once. */
export type AskedFilter = Readonly<Record<string, readonly string[]>>;
