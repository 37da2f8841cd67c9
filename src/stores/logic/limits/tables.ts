// How the counters of limits lie in tables. A window is a row; `granted` is what the last draw was given.
import { index, Table, TEXT, whole } from '../../rows/table.ts';

/** The table of a caller's windows, by whether it outlives a crash of the database. */
export function limitTable(isKept: boolean): string {
  return isKept ? 'failure_counts' : 'limit_counts';
}

function counts(isKept: boolean): Table {
  const name = limitTable(isKept);
  return new Table(
    name,
    { caller: TEXT, used: whole(0), granted: whole(0), ends_at: whole(0) },
    { key: ['caller'], isFleeting: !isKept, indexes: [index(`${name}_ends_at`, '(ends_at)')] },
  );
}

/** The tables. SQLite has them too, and does not use them: its processes share one machine. */
export const LIMIT_TABLES: readonly Table[] = [
  counts(false),
  counts(true),
  new Table('limit_nodes', { node: TEXT, seen_at: whole(0) }, { key: ['node'], isFleeting: true }),
];
