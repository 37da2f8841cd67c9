// The positions of a downward walk that no page contained. They are stored as ranges, because withdrawn records are
// often neighbours.

/** From the higher position down to the lower one, both included. */
export type GapRange = readonly [high: number, low: number];

/** The gaps above a position. */
export class Gaps {
  #last: number;
  readonly #ranges: GapRange[];

  /** @param last the position of the last record, or one above the first */
  constructor(last: number, ranges: readonly GapRange[]) {
    this.#last = last;
    this.#ranges = [...ranges];
  }

  get last(): number {
    return this.#last;
  }

  /** From the highest down. */
  get ranges(): readonly GapRange[] {
    return this.#ranges;
  }

  /** Adds the next record of the walk, which is below the last one. */
  add(position: number): void {
    if (position < this.#last - 1) this.#ranges.push([this.#last - 1, position + 1]);
    this.#last = position;
  }

  /** Ends the walk: the positions below its last record are a gap too. */
  close(): void {
    if (this.#last > 1) this.#ranges.push([this.#last - 1, 1]);
    this.#last = 1;
  }

  /** Removes a position. @returns whether it was in a gap */
  remove(position: number): boolean {
    // Bisection finds the range that may contain it.
    let from = 0;
    let to = this.#ranges.length;
    while (from < to) {
      const middle = (from + to) >> 1;
      if (this.#ranges[middle]![1] > position) from = middle + 1;
      else to = middle;
    }
    const range = this.#ranges[from];
    if (range === undefined || range[0] < position) return false;
    const [high, low] = range;
    const left: GapRange[] = [];
    if (high > position) left.push([high, position + 1]);
    if (low < position) left.push([position - 1, low]);
    this.#ranges.splice(from, 1, ...left);
    return true;
  }
}
