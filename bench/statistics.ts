// What the benchmarks make of repeated timings: medians and their spread, and ratios taken within the same round, so
// that a machine that is busy for a while weighs on both sides of the fraction.

/** A median and how far the values lie from it. */
export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
  /** Median absolute deviation from the median: the spread without its outliers. */
  readonly deviation: number;
  readonly n: number;
}

/**
 * The middle value, or the mean of the two middle ones.
 *
 * @throws RangeError when there is no value.
 */
export function median(values: readonly number[]): number {
  if (values.length === 0) throw new RangeError('median needs at least one value');
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** @throws RangeError when there is no value. */
export function spreadOf(values: readonly number[]): Spread {
  const middle = median(values);
  return {
    median: middle,
    min: Math.min(...values),
    max: Math.max(...values),
    deviation: median(values.map((value) => Math.abs(value - middle))),
    n: values.length,
  };
}

/**
 * How many times as long as `ours` each of `theirs` took, round by round: above 1 means we are faster.
 *
 * @throws RangeError when the two were not measured in the same number of rounds.
 */
export function ratiosOf(theirs: readonly number[], ours: readonly number[]): Spread {
  if (theirs.length !== ours.length) {
    throw new RangeError(`both sides must have the same rounds, got ${theirs.length} and ${ours.length}`);
  }
  return spreadOf(theirs.map((time, round) => time / ours[round]!));
}
