// The positions of a downward walk that no page contained. They are stored as ranges, because withdrawn records are
// often neighbours.

/** From the higher position down to the lower one, both included. */
export type GapRange = readonly [high: number, low: number];

/** The lowest gap of a walk, and those above it, which the walk adds to without a copy of them. */
export interface GapChain {
  readonly range: GapRange;
  readonly above: GapChain | null;
}

/** From the highest down. */
export function rangesOf(gaps: GapChain | null): GapRange[] {
  const ranges: GapRange[] = [];
  for (let gap = gaps; gap !== null; gap = gap.above) ranges.push(gap.range);
  return ranges.reverse();
}

/** @param ranges from the highest down */
export function chainOf(ranges: readonly GapRange[]): GapChain | null {
  return ranges.reduce<GapChain | null>((above, range) => ({ range, above }), null);
}

/** The gaps of a walk that is at its end. */
export class Gaps {
  readonly #ranges: GapRange[];

  /** @param last the position of the last record, or one above the first: those below it are a gap too */
  constructor(last: number, gaps: GapChain | null) {
    this.#ranges = rangesOf(gaps);
    if (last > 1) this.#ranges.push([last - 1, 1]);
  }

  /** From the highest down. */
  get ranges(): readonly GapRange[] {
    return this.#ranges;
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
