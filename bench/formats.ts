// The tables of `npm run bench -- formats`, in the order they are shown. A new table is one file and one line here; it
// is loaded only when it runs.
import type { Table } from './formats/table.ts';

const TABLES: Readonly<Record<string, () => Promise<Table>>> = {
  csv: async () => (await import('./formats/csv.ts')).csvTable,
  'csv-page': async () => (await import('./formats/csv.ts')).csvPageTable,
  xlsx: async () => (await import('./formats/xlsx.ts')).xlsxTable,
  'xlsx-page': async () => (await import('./formats/xlsx.ts')).xlsxPageTable,
  xml: async () => (await import('./formats/xml.ts')).xmlTable,
  'xml-page': async () => (await import('./formats/xml.ts')).xmlPageTable,
  rss: async () => (await import('./formats/feeds.ts')).rssTable,
  atom: async () => (await import('./formats/feeds.ts')).atomTable,
};

/** The ids of all tables. */
export const TABLE_IDS: readonly string[] = Object.keys(TABLES);

/** @throws RangeError when there is no table of this id. */
export async function loadTable(id: string): Promise<Table> {
  const load = Object.hasOwn(TABLES, id) ? TABLES[id] : undefined;
  if (load === undefined) throw new RangeError(`table must be one of ${TABLE_IDS.join(', ')}, got ${id}`);
  return load();
}
