// The records of a page of an archive, read from a register.
import type { RegisterRecord } from '../register/record.ts';
import { PAGE_SIZE } from '../register/page.ts';
import { pages, type RegisterSource } from '../register/sources/source.ts';
import type { PagePlace } from './layout.ts';

/** The live records of a page, newest first: the store goes straight to them, however deep they are. */
export async function readRecords(
  source: RegisterSource,
  { from, to }: PagePlace,
  signal: AbortSignal | undefined,
): Promise<readonly RegisterRecord[]> {
  const records: RegisterRecord[] = [];
  const limit = Math.min(PAGE_SIZE, Math.max(to - from + 1, 1));
  const bare: RegisterSource = { definition: source.definition, page: (query) => source.page(query) };
  const walk = pages(bare, { asOf: to, limit, ...(signal === undefined ? {} : { signal }) });
  for await (const page of walk) {
    const inside = page.records.filter(({ position }) => position! >= from);
    records.push(...inside);
    // Withdrawn records leave room for records further down, which belong to another page.
    if (inside.length < page.records.length || records.length > to - from) break;
  }
  return records;
}
