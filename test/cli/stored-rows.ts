// What a store's file says of its registers, accounts and endpoints, to compare before and after a command.
import { DatabaseSync } from 'node:sqlite';

/** Tables that say who works on a register or did: an import that is refused is logged, too. */
const OF_COMMANDS: ReadonlySet<string> = new Set(['leases', 'imports', 'store_keys', 'sqlite_sequence']);

/** All rows of a store's file by their tables, but those of commands. */
export function storedRows(path: string): Readonly<Record<string, unknown>> {
  const db = new DatabaseSync(path, { readOnly: true });
  try {
    const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").all();
    const names = tables.map(({ name }) => String(name)).filter((name) => !OF_COMMANDS.has(name));
    return Object.fromEntries(names.map((name) => [name, db.prepare(`SELECT * FROM ${name}`).all()]));
  } finally {
    db.close();
  }
}
