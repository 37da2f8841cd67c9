// New keys of records, checked as a whole: within one change records may swap their keys, or pass them on; what keeps its key does not
// give it to another.
import { recordId, recordKey } from '../../register/identity.ts';
import type { PublishedRecord } from '../../stores/contract/prepared-record.ts';
import type { FoundRecord } from '../../stores/contract/record-keys.ts';
import { BATCH_SIZE, type RegisterStore } from '../../stores/contract/registers.ts';
import type { HeldRegister } from '../../stores/lease/held-register.ts';

/** A register whose records get new keys. */
interface Rekeyed {
  readonly store: RegisterStore;
  readonly feedId: string;
  readonly hold: HeldRegister;
}

/** The key of a record. */
export function keyOf({ id, key }: Pick<PublishedRecord, 'id' | 'key'>): string {
  return key ?? recordKey(id);
}

/** A statement with another key, which is said only where it is not that of the id. */
export function withKey(statement: PublishedRecord, key: string): PublishedRecord {
  const isOwn = recordId(statement.feed_id, key) === statement.id;
  return { ...statement, key: isOwn ? null : key };
}

/**
 * The new keys that others hold, who keep them, by the ids of the records that cannot have them. Where a record cannot have its
 * new key, it keeps its own, and nobody else can have that.
 *
 * @param keys the new keys, by the ids of the records
 */
export async function takenKeys(
  { store, feedId, hold }: Rekeyed,
  keys: ReadonlyMap<string, string>,
): Promise<ReadonlyMap<string, FoundRecord>> {
  const wanted = [...keys];
  const waiting = new Map<string, string>();
  const taken = new Map<string, FoundRecord>();
  const holders = new Map<string, FoundRecord>();
  for (let from = 0; from < wanted.length; from += BATCH_SIZE) {
    const batch = wanted.slice(from, from + BATCH_SIZE);
    const names = batch.map(([, key]) => ({ id: recordId(feedId, key) }));
    const found = await hold.ask(() => store.recordKeys.find(feedId, names));
    for (const [at, [id]] of batch.entries()) {
      const holder = found[at]!;
      if (holder.state === null || holder.id === id) continue;
      holders.set(id, holder);
      if (keys.has(holder.id)) waiting.set(holder.id, id);
      else taken.set(id, holder);
    }
  }
  // A record that keeps its key is in the way of who waits for that.
  for (const id of taken.keys()) {
    const next = waiting.get(id);
    if (next !== undefined && !taken.has(next)) taken.set(next, holders.get(next)!);
  }
  return taken;
}
