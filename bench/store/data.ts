// The register of the store's benchmarks: that of data.ts with one rare type, as a publisher's file, newest record first,
// and as the table that sqlite3 imports.
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { benchRecord, DEFINITION } from '../data.ts';
import { RECORD_COLUMNS } from '../../src/stores/rows/columns.ts';
import type { RegisterDefinition } from '../../src/register/record.ts';
import type { PublishedRecord } from '../../src/stores/contract/prepared-record.ts';
import { toPublishedRecord } from '../../src/stores/rows/published-record.ts';

/** The register. */
export const STORE_DEFINITION: RegisterDefinition = DEFINITION;

/** The type that one record in {@link RARE_EVERY} has, the oldest first. */
export const RARE_TYPE = 'revocation by court order';

/** How many records there are to one of the rare type. */
export const RARE_EVERY = 10_000;

/** When the register was filled: the time that the import is given. */
export const FILLED_AT = '2026-01-01T00:00:00Z';

/** The record at `position`, as its publisher says it. */
function statedRecord(position: number): PublishedRecord {
  const record = benchRecord(position, STORE_DEFINITION);
  return toPublishedRecord(position % RARE_EVERY === 1 ? { ...record, document_type: RARE_TYPE } : record, true);
}

/** Writes `count` records as NDJSON, from new to old. */
export async function writeNdjson(path: string, count: number): Promise<void> {
  await writeLines(path, count, (position) => `${JSON.stringify(statedRecord(position))}\n`);
}

/** Columns of a row of {@link writeRows}: those of the store's table of records. */
export const ROW_COLUMNS: readonly string[] = [
  ...RECORD_COLUMNS.slice(0, 3),
  'content_version',
  ...RECORD_COLUMNS.slice(3),
];

/** Writes the rows a store of `count` records has in its table of records, as CSV without a header, oldest first. */
export async function writeRows(path: string, count: number): Promise<void> {
  await writeLines(path, count, (at) => {
    // sqlite3 takes the rows as they come: those of rising keys are the easiest for it.
    const position = count + 1 - at;
    const { id, data, ...record } = statedRecord(position);
    const values: Readonly<Record<string, string | number | null>> = {
      ...record,
      slot: position,
      id,
      version: 1,
      content_version: 1,
      updated_at: FILLED_AT,
      data: JSON.stringify(data),
      observed_is_stated: 1,
    };
    return `${ROW_COLUMNS.map((name) => cell(values[name] ?? null)).join(',')}\n`;
  });
}

function cell(value: string | number | null): string {
  if (value === null) return '';
  return typeof value === 'number' ? String(value) : `"${value.replaceAll('"', '""')}"`;
}

/** One line per record, the newest first. */
export async function writeLines(path: string, count: number, line: (position: number) => string): Promise<void> {
  const out = createWriteStream(path, { highWaterMark: 2 ** 20 });
  for (let position = count; position >= 1; position--) {
    if (!out.write(line(position))) await once(out, 'drain');
  }
  out.end();
  await once(out, 'close');
}
