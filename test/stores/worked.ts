// What a store has after working-process.ts worked on it.
import { expect } from 'vitest';
import type { InspectedStore } from '../../src/stores/contract/inspection.ts';
import { keyOf } from '../contracts/store-register.ts';

/** Expects every round's record, changed by the next one, and that an inspection finds nothing wrong. */
export async function expectWorked(store: InspectedStore, rounds: number): Promise<void> {
  const source = await store.source('permits');
  const titles = new Map<string, string>();
  for (let offset: number | null = 0; offset !== null;) {
    const page = await source.page({ offset, limit: 100 });
    for (const record of page.records) titles.set(keyOf(record), record.title);
    offset = page.nextOffset;
  }
  const expected = Array.from({ length: rounds }, (_, n) => [`round-${n + 1}`, n + 1 === rounds ? 'new' : 'changed']);
  expect(Object.fromEntries(titles)).toEqual(Object.fromEntries(expected));
  for await (const { findings } of store.inspection.rows()) expect(findings).toEqual([]);
}
