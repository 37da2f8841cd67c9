// The registers on disk that the servers answer from: gazette's own store, and the plain table that a developer would
// otherwise make. Both hold the records of data.ts.
import { DatabaseSync } from 'node:sqlite';
import { benchRecord, DEFINITION } from '../data.ts';
import { allFields, CORE_FIELDS } from '../../src/register/fields.ts';
import type { RegisterRecord } from '../../src/register/record.ts';
import { SqliteStore } from '../../src/stores/sqlite/store.ts';
import { BATCH_SIZE, type RegisterStore } from '../../src/stores/contract/registers.ts';
import { toPublishedRecord } from '../../src/stores/rows/published-record.ts';

/** The columns of the plain table: every field of a record, as every format writes them. */
export const COLUMNS: readonly string[] = allFields(DEFINITION).map(({ name }) => name);

const RECORDED_AT = '2026-01-01T00:00:00Z';

/** Fills a store with the records 1 to `size`. */
export async function fillStore(path: string, size: number): Promise<void> {
  const store = SqliteStore.open(path, { bulk: true });
  try {
    await fillRegister(store, size);
  } finally {
    await store.close();
  }
}

/** Makes the register in a store, with the records 1 to `size`. */
export async function fillRegister(store: RegisterStore, size: number): Promise<void> {
  await store.createRegister(DEFINITION);
  for (let from = 1; from <= size; from += BATCH_SIZE) {
    const length = Math.min(BATCH_SIZE, size - from + 1);
    const batch = Array.from({ length }, (_, index) => toPublishedRecord(benchRecord(from + index), true));
    await store.apply(DEFINITION.id, batch, { recordedAt: RECORDED_AT });
  }
}

/** Fills a table with the same records, its position the primary key, its filters indexed. */
export function fillTable(path: string, size: number): void {
  const database = new DatabaseSync(path);
  try {
    database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF;
CREATE TABLE records (${COLUMNS.map((name) => (name === 'position' ? 'position INTEGER PRIMARY KEY' : `"${name}"`)).join(', ')});
CREATE INDEX records_type ON records (document_type);
CREATE INDEX records_facility ON records (facility_id);
BEGIN`);
    const insert = database.prepare(`INSERT INTO records VALUES (${COLUMNS.map(() => '?').join(', ')})`);
    for (let position = 1; position <= size; position++) insert.run(...valuesOf(benchRecord(position)));
    database.exec('COMMIT');
  } finally {
    database.close();
  }
}

function valuesOf(record: RegisterRecord): (string | number | null)[] {
  const core = CORE_FIELDS.map(({ name }) => record[name]);
  const own = DEFINITION.fields.map(({ name }) => record.data[name] ?? null);
  return [...core, ...own].map((value) =>
    typeof value === 'boolean' ? Number(value) : (value as string | number | null),
  );
}
