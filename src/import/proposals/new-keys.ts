// New keys of records, checked as a whole: within one change records may swap their keys, or pass them on; what keeps its key does not
// give it to another.
import { recordId, recordKey } from '../../register/identity.ts';
import type { PublishedRecord } from '../../stores/contract/prepared-record.ts';
import type { FoundRecord } from '../../stores/contract/record-keys.ts';
import { BATCH_SIZE, type RegisterStore } from '../../stores/contract/registers.ts';
import type { HeldRegister } from '../../stores/lease/held-register.ts';
import { feedIdOf } from '../../stores/rows/register.ts';

/** A register whose records get new keys. */
interface Rekeyed {
  readonly store: RegisterStore;
  readonly feedId: string;
  readonly hold: HeldRegister;
}

/** A key that a record gets. */
export interface NewKeyOf {
  /** The key that it has. */
  readonly from: string;
  readonly to: string;
  /** Its place among all. */
  readonly at: number;
}

/** The key of a record. */
export function keyOf({ id, key }: Pick<PublishedRecord, 'id' | 'key'>): string {
  return key ?? recordKey(id);
}

/** A statement with another key, which is said only where it is not that of the id. */
export function withKey(statement: PublishedRecord, key: string): PublishedRecord {
  const isOwn = recordId(feedIdOf(statement.id), key) === statement.id;
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

/**
 * The moves in batches between which readers find no key twice: who has a key loses it in the batch in which another gets it, or
 * before. Only a circle of more records than a batch has is in several.
 */
export function movesInBatches<Move extends NewKeyOf>(moves: readonly Move[]): readonly (readonly Move[])[] {
  const holders = new Map(moves.map((move) => [move.from, move]));
  const placed = new Set<Move>();
  let batch: Move[] = [];
  const batches = [batch];
  for (const first of moves) {
    const group: Move[] = [];
    for (let move: Move | undefined = first; move !== undefined && !placed.has(move); move = holders.get(move.to)) {
      group.push(move);
      placed.add(move);
    }
    let room = BATCH_SIZE - batch.length;
    if (group.at(-1)?.to === first.from && group.length > room) room = 0;
    for (const move of group.reverse()) {
      if (room-- === 0) {
        batches.push((batch = []));
        room = BATCH_SIZE - 1;
      }
      batch.push(move);
    }
  }
  return batches.filter(({ length }) => length > 0).map((each) => each.sort((one, other) => one.at - other.at));
}
