// The register of the snapshot's benchmark, in a store, and what happens to it between two runs.
import { BATCH_SIZE, type RegisterStore } from '../../src/stores/contract/registers.ts';
import { SqliteStore } from '../../src/stores/sqlite/store.ts';
import { toPublishedRecord } from '../../src/stores/rows/published-record.ts';
import { benchRecord, DEFINITION } from '../data.ts';

/** Where the world would find the snapshot. */
export const SITE = 'https://permits.example.org';

const FILLED_AT = '2026-01-01T00:00:00Z';
const CHANGED_AT = '2026-02-01T00:00:00Z';

/** Makes a store of so many records. */
export async function fillStore(path: string, count: number): Promise<void> {
  const store = SqliteStore.open(path, { bulk: true });
  await store.createRegister(DEFINITION);
  for (let from = 1; from <= count; from += BATCH_SIZE) await add(store, from, Math.min(from + BATCH_SIZE - 1, count));
  await store.close();
}

/** Adds records, and corrects some that are spread over the whole register: others in each round. */
export async function change(store: RegisterStore, added: number, corrected: number, round: number): Promise<void> {
  const { top } = (await store.register(DEFINITION.id))!;
  const batch = Array.from({ length: corrected }, (_, index) => {
    const position = Math.floor(((index + 0.5) * top) / corrected) + round;
    return toPublishedRecord({ ...benchRecord(position), title: `Corrected in round ${round}` }, true);
  });
  await store.apply(DEFINITION.id, batch, { recordedAt: CHANGED_AT, cause: 'extraction_correction' });
  await add(store, top + 1, top + added);
}

async function add(store: RegisterStore, from: number, to: number): Promise<void> {
  const batch = Array.from({ length: to - from + 1 }, (_, index) => toPublishedRecord(benchRecord(from + index), true));
  await store.apply(DEFINITION.id, batch, { recordedAt: from === 1 ? FILLED_AT : CHANGED_AT });
}
