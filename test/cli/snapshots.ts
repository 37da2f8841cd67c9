// What the tests of `gazette snapshot` share.
import { toPublishedRecord } from '../../src/stores/rows/published-record.ts';
import { SqliteStore } from '../../src/stores/sqlite/store.ts';
import { sampleRecord } from '../contracts/sample-register.ts';

/** Where the world finds the snapshots. */
export const SITE = 'https://static.example.org';

/** The arguments of `gazette snapshot` from a store into a folder. */
export const argumentsOf = (store: string, out: string): readonly string[] => [
  'snapshot',
  ...['--store', store, '--out', out, '--base-url', SITE],
];

/** Changes records of these numbers, whose titles then say when. */
export async function change(path: string, numbers: readonly number[], recordedAt: string): Promise<void> {
  const store = SqliteStore.open(path);
  const batch = numbers.map((number) =>
    toPublishedRecord(sampleRecord(number, { title: `Title of ${recordedAt}` }), true),
  );
  await store.apply('permits', batch, { recordedAt });
  await store.close();
}
