// A publisher's catalogue as publishers ship them: one JSON document, the newest entry first, names of their own.
import { jsonReader } from '../../src/import/readers/json.ts';
import { parseMapping, type MappingRule } from '../../src/import/mapping/mapping.ts';
import type { RecordReader } from '../../src/import/readers/raw-record.ts';
import { defineRegister } from '../../src/register/definition.ts';
import type { RegisterRecord } from '../../src/register/record.ts';
import type { Order } from '../../src/register/sources/order.ts';
import { pages } from '../../src/register/sources/source.ts';
import { SqliteStore } from '../../src/stores/sqlite/store.ts';
import type { RegisterStore } from '../../src/stores/contract/registers.ts';
import { source } from './sources.ts';

/** One entry of the catalogue. */
export interface Entry {
  readonly entryID: string;
  readonly entryName: string;
  readonly dateAdded: string;
  readonly dueDate?: string;
  readonly tags?: readonly string[];
}

/** How its entries become records. */
export const MAPPING: readonly MappingRule[] = parseMapping([
  'id=entryID,title=entryName,published_at=dateAdded,source_url=https://example.org/entry/{entryID}',
]);

/** When the imports of the tests run, by their number. */
export const at = (run: number): string => `2026-05-01T${String(run).padStart(2, '0')}:00:00.000Z`;

/** A clock that shows {@link at}. */
export const clockAt = (run: number) => (): number => Date.parse(at(run));

/** Entries `count` … 1, the newest first. */
export function entries(count: number): Entry[] {
  return Array.from({ length: count }, (_, index) => {
    const n = count - index;
    const day = new Date(Date.UTC(2025, 0, n)).toISOString().slice(0, 10);
    return { entryID: `E-${n}`, entryName: `Entry ${n}`, dateAdded: day, dueDate: day, tags: [`t${n % 3}`] };
  });
}

/** The document with these entries. */
export function catalogue(list: readonly unknown[]): RecordReader {
  return jsonReader(source(JSON.stringify({ title: 'Catalogue', entries: list }), 1000, 'catalogue.json'), {
    pick: 'entries',
  });
}

/** A store with the empty register `cat`. */
export async function openCatalogue(order?: Order): Promise<SqliteStore> {
  const store = SqliteStore.open(':memory:');
  const definition = defineRegister({ id: 'cat', title: 'Catalogue', created_at: '2026-01-01T00:00:00Z' });
  await store.createRegister(definition, order === undefined ? {} : { order });
  return store;
}

/** All live records, newest first. */
export async function recordsOf(store: RegisterStore): Promise<RegisterRecord[]> {
  const all: RegisterRecord[] = [];
  for await (const page of pages(await store.source('cat'))) all.push(...page.records);
  return all;
}
