// Determines which end of a publisher's list is the newest. Positions follow arrival and are permanent, so an order is
// taken from dates only where nearly all of them agree; a list whose dates run both ways shows none.
import { GazetteError } from '../../errors.ts';
import { toEpochMs } from '../time.ts';

/**
 * How a list of records is read: from one of its ends, or sorted by publication date. A sorted list keeps its order
 * where dates are equal, and records without a date are the oldest.
 */
export type Order = 'newest-first' | 'oldest-first' | 'by-date';

/** The end of a list that is the newest. */
export type Direction = Exclude<Order, 'by-date'>;

/** Every {@link Order}. */
export const ORDERS: readonly Order[] = ['newest-first', 'oldest-first', 'by-date'];

/** What the dates of a list show: its direction, no two different dates, or no direction. */
export type DatesShow = Direction | 'nothing' | 'both-ways';

/** How many percent of the neighbouring pairs that differ must agree: in chance they hardly ever do. */
const AGREEING_PERCENT = 95;

/** The fields of a record that determine the order. */
interface Dated {
  readonly published_at?: string | null | undefined;
  readonly observed_at?: string | null | undefined;
}

/**
 * Determines the direction of successive records from their publication dates; from their observation dates where
 * publication dates show none, because a register may find records late, but observes them as they arrive.
 */
export class OrderFinder {
  readonly #published = new Steps();
  readonly #observed = new Steps();

  /** Takes the next record of the list. */
  add(record: Dated): void {
    // toRecord refuses malformed records; here they only have no date.
    const dated = record as Dated | null | undefined;
    this.#published.add(dated?.published_at);
    this.#observed.add(dated?.observed_at);
  }

  /** What the dates so far show. */
  get found(): DatesShow {
    const published = this.#published.found;
    if (published === 'newest-first' || published === 'oldest-first') return published;
    const observed = this.#observed.found;
    return observed === 'nothing' ? published : observed;
  }

  /** The direction that the dates so far show; null if they show none. */
  get direction(): Direction | null {
    const { found } = this;
    return found === 'nothing' || found === 'both-ways' ? null : found;
  }

  /**
   * The error for a list whose dates run both ways.
   *
   * @param list its name, for the message
   * @param ways the three ways out, as its reader writes them
   */
  refusal(list: string, ways: string): GazetteError {
    const { rising, falling } = this.#published.found === 'both-ways' ? this.#published : this.#observed;
    return new GazetteError(
      'invalid_option',
      `${list}: the dates run both ways (from one record to the next they rise ${rising} and fall ${falling} times), so they do not show which end is the newest, and records keep their positions permanently; ${ways}`,
      { details: { option: 'order' } },
    );
  }
}

/** The steps from one date to the next. */
class Steps {
  rising = 0;
  falling = 0;
  #before: DateKey | null = null;
  #text = '';

  add(date: unknown): void {
    // Whole imports have one observation date, which need not be read a million times.
    if (typeof date !== 'string' || date === this.#text) return;
    this.#text = date;
    const key = dateKey(date);
    if (key === null) return;
    if (this.#before !== null) {
      const step = compare(key, this.#before);
      if (step > 0) this.rising++;
      else if (step < 0) this.falling++;
    }
    this.#before = key;
  }

  get found(): DatesShow {
    const all = this.rising + this.falling;
    if (all === 0) return 'nothing';
    if (this.rising * 100 >= all * AGREEING_PERCENT) return 'oldest-first';
    return this.falling * 100 >= all * AGREEING_PERCENT ? 'newest-first' : 'both-ways';
  }
}

/** A moment by which lists are sorted. */
export interface DateKey {
  /** Milliseconds since 1970-01-01T00:00:00Z, rounded down. */
  readonly ms: number;
  /** The nanoseconds that remain. */
  readonly rest: number;
}

/** The moment of a date, whose moment is its midnight UTC, or of a date-time; null if `text` is neither. */
export function dateKey(text: string): DateKey | null {
  const ms = toEpochMs(text);
  if (Number.isNaN(ms)) return null;
  // Dates in JavaScript stop at milliseconds; date-times in registers have up to nine digits of a fraction.
  const finer = text.length > 24 ? /\.\d{3}(\d{1,6})/.exec(text)?.[1] : undefined;
  return { ms, rest: finer === undefined ? 0 : Number(finer.padEnd(6, '0')) };
}

/**
 * The indexes of records from the oldest to the newest: `records[indexes[0]]` is the oldest. Records that are not valid
 * have no date.
 */
export function indexesByDate(records: readonly Dated[]): readonly number[] {
  const keys = Array.from(records, (record) => {
    const date: unknown = (record as Dated | null | undefined)?.published_at;
    return typeof date === 'string' ? dateKey(date) : null;
  });
  // Array.prototype.sort is stable.
  return [...keys.keys()].sort((a, b) => {
    const [first, second] = [keys[a] ?? null, keys[b] ?? null];
    if (first === null || second === null) return Number(first !== null) - Number(second !== null);
    return compare(first, second);
  });
}

function compare(a: DateKey, b: DateKey): number {
  return a.ms - b.ms || a.rest - b.rest;
}
