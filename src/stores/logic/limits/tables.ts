// How the counters of limits lie in tables. A window is a row; `granted` is what the last draw was given.

/** The table of a caller's windows, by whether it outlives a crash of the database. */
export function limitTable(isKept: boolean): string {
  return isKept ? 'failure_counts' : 'limit_counts';
}

/**
 * The tables, with this prefix. SQLite has them too, and does not use them: its processes share one machine.
 *
 * @param types of texts and of numbers, and how a table that a crash may empty begins
 */
export function limitTablesSql(
  prefix: string,
  types: { readonly text: string; readonly number: string; readonly fleeting: string },
  options = '',
): string {
  const { text, number, fleeting } = types;
  const counts = (begin: string, name: string): string => `
${begin} ${prefix}${name} (
  caller ${text} PRIMARY KEY,
  used ${number} NOT NULL,
  granted ${number} NOT NULL,
  ends_at ${number} NOT NULL
)${options};
CREATE INDEX ${name}_ends_at ON ${prefix}${name} (ends_at);`;
  return `${counts(fleeting, limitTable(false))}${counts('CREATE TABLE', limitTable(true))}
${fleeting} ${prefix}limit_nodes (node ${text} PRIMARY KEY, seen_at ${number} NOT NULL)${options};`;
}
