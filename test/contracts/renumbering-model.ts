// A plain model of a register whose records get new keys, and what happens to it at random.
import fc from 'fast-check';

/** A record of the model. */
interface Modelled {
  readonly id: string;
  key: string;
  readonly had: Set<string>;
  title: string;
  state: 'live' | 'withdrawn' | 'redacted';
}

/** Few keys, so that they come again. */
const KEYS = ['a', 'b', 'c', 'd', 'e'] as const;
const anyKey = fc.constantFrom(...KEYS);

type Pairs = [string, string][];

/** What happens next. */
type Step =
  | { readonly kind: 'file'; readonly rows: Pairs; readonly isWhole: boolean }
  | { readonly kind: 'map'; readonly rows: Pairs }
  | { readonly kind: 'redact'; readonly key: string }
  | { readonly kind: 'undo'; readonly pick: number };

/** Any of them. */
export const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('file' as const),
      rows: fc.uniqueArray(fc.tuple(anyKey, fc.constantFrom('One', 'Two')), {
        ...{ minLength: 1, maxLength: 5, selector: ([key]) => key },
      }),
      isWhole: fc.boolean(),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('map' as const),
      rows: fc.uniqueArray(fc.tuple(anyKey, anyKey), { minLength: 1, maxLength: 4, selector: ([key]) => key }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('redact' as const), key: anyKey }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('undo' as const), pick: fc.nat(9) }) },
);

/** What a register must be after files, maps, redactions and undos of maps: records in a list, the oldest first. */
export class Model {
  readonly records: Modelled[] = [];
  readonly #feedId: string;
  readonly #maps: {
    readonly number: number;
    readonly before: ReadonlyMap<string, string>;
    readonly after: ReadonlyMap<string, string>;
  }[] = [];

  constructor(feedId: string) {
    this.#feedId = feedId;
  }

  /** The record that a key means. */
  find(key: string): Modelled | undefined {
    const holder = this.records.find((one) => one.state !== 'redacted' && one.key === key);
    return holder ?? this.records.find((one) => one.state === 'redacted' && one.had.has(key));
  }

  file(rows: readonly (readonly [string, string])[], isWhole: boolean): void {
    // The store is asked for all keys before anything is written.
    const meant = rows.map(([key, title]) => [this.find(key), key, title] as const);
    const seen = new Set(meant.map(([record]) => record));
    const missing = this.records.filter((one) => one.state === 'live' && !seen.has(one));
    for (const [record, key, title] of meant) {
      if (record === undefined) {
        this.records.push({ id: this.#idOf(key), key, had: new Set([key]), title, state: 'live' });
      } else if (record.state !== 'redacted') Object.assign(record, { title, state: 'live' });
    }
    if (isWhole) for (const one of missing) one.state = 'withdrawn';
  }

  #idOf(key: string): string {
    const isTaken = (id: string): boolean => this.records.some((one) => one.id === id);
    const id = `${this.#feedId}:${key}`;
    if (!isTaken(id)) return id;
    for (let number = 2; ; number++) if (!isTaken(`${id}~~${number}`)) return `${id}~~${number}`;
  }

  /** The new keys by the ids of the records; null where the map is refused, or says nothing new. */
  map(rows: readonly (readonly [string, string])[]): ReadonlyMap<string, string> | null {
    const found = rows.map(([from, to]) => [this.find(from), to] as const);
    if (found.some(([record]) => record === undefined)) return null;
    const [ids, keys] = [found.map(([record]) => record!.id), found.map(([, to]) => to)];
    if (new Set(ids).size < ids.length || new Set(keys).size < keys.length) return null;
    const moves = new Map(found.filter(([one]) => one!.state === 'live').map(([one, to]) => [one!.id, to]));
    for (const [id, to] of moves) {
      const holder = this.find(to);
      if (holder !== undefined && holder.id !== id && !moves.has(holder.id)) return null;
    }
    return [...moves].some(([id, to]) => this.#of(id).key !== to) ? moves : null;
  }

  #of(id: string): Modelled {
    return this.records.find((one) => one.id === id)!;
  }

  give(number: number, moves: ReadonlyMap<string, string>): void {
    const changed = [...moves].filter(([id, to]) => this.#of(id).key !== to);
    this.#maps.push({
      number,
      before: new Map(changed.map(([id]) => [id, this.#of(id).key])),
      after: new Map(changed),
    });
    this.#give(changed);
  }

  #give(changed: readonly (readonly [string, string])[]): void {
    for (const [id, to] of changed) {
      this.#of(id).key = to;
      this.#of(id).had.add(to);
    }
  }

  redact(record: Modelled): void {
    record.state = 'redacted';
  }

  /** The number of a map to take back. */
  pick(at: number): number | null {
    return this.#maps.length === 0 ? null : this.#maps[at % this.#maps.length]!.number;
  }

  undo(number: number): void {
    const { before, after } = this.#maps.find((one) => one.number === number)!;
    const wanted = new Map(
      [...before].filter(([id]) => this.#of(id).state === 'live' && this.#of(id).key === after.get(id)),
    );
    for (let isSettled = false; !isSettled;) {
      const inTheWay = [...wanted].find(([id, key]) => {
        const holder = this.find(key);
        return holder !== undefined && holder.id !== id && !wanted.has(holder.id);
      });
      if (inTheWay !== undefined) wanted.delete(inTheWay[0]);
      isSettled = inTheWay === undefined;
    }
    this.#give([...wanted]);
  }

  shown(): readonly string[] {
    return this.records
      .filter(({ state }) => state === 'live')
      .map(({ id, key, title }) => `${id.slice(this.#feedId.length + 1)}=${key}: ${title}`);
  }
}
