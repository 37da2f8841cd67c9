// Determines which end of a publisher's file is the newest: positions follow arrival, so a file that runs backwards in
// time is read from its end.
import { toEpochMs } from '../time.ts';

/** The direction of a list of records. */
export type Order = 'newest-first' | 'oldest-first';

/** Every {@link Order}. */
export const ORDERS: readonly Order[] = ['newest-first', 'oldest-first'];

/** The fields of a record that determine the order: `published_at`, else `observed_at`. */
interface Dated {
  readonly published_at?: string | null | undefined;
  readonly observed_at?: string | null | undefined;
}

/** Determines the order of successive records: the direction of most pairs of neighbouring dates. */
export class OrderFinder {
  #rising = 0;
  #before = NaN;

  add(record: Dated): void {
    // toRecord refuses malformed records; here they only have no date.
    const date = (record as Dated | null)?.published_at ?? (record as Dated | null)?.observed_at;
    const time = typeof date === 'string' ? toEpochMs(date) : NaN;
    if (Number.isNaN(time)) return;
    if (time > this.#before) this.#rising++;
    else if (time < this.#before) this.#rising--;
    this.#before = time;
  }

  /** The order so far; null while neither direction prevails. */
  get order(): Order | null {
    return this.#rising === 0 ? null : this.#rising < 0 ? 'newest-first' : 'oldest-first';
  }
}

/** The order that a list's dates show; `oldest-first` when they show none. */
export function findOrder(records: Iterable<Dated>): Order {
  const finder = new OrderFinder();
  for (const record of records) finder.add(record);
  return finder.order ?? 'oldest-first';
}
