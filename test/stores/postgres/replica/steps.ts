// The steps of random histories with a replica.
import fc, { type WeightedArbitrary } from 'fast-check';
import type { Change } from './history.ts';

/** The replica shows nothing more, or again all that it receives, after so many milliseconds; or time passes. */
export type Lag =
  | { readonly do: 'pause' }
  | { readonly do: 'resume'; readonly after: number }
  | { readonly do: 'wait'; readonly for: number };

/** A node is asked. */
export type Read = { readonly do: 'read'; readonly node: number } | { readonly do: 'walk'; readonly node: number };

/** The number of nodes that read. */
export const NODES = 2;

export const recordName: fc.Arbitrary<string> = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g');

export const changes: readonly WeightedArbitrary<Change>[] = [
  { weight: 4, arbitrary: fc.record({ do: fc.constant('apply' as const), name: recordName }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constantFrom('withdraw' as const, 'redact' as const), name: recordName }),
  },
];

export const lags: readonly WeightedArbitrary<Lag>[] = [
  { weight: 3, arbitrary: fc.constant({ do: 'pause' as const }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('resume' as const), after: fc.constantFrom(0, 0, 5, 40, 1100) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('wait' as const), for: fc.constantFrom(1, 50, 400, 1100) }) },
];

const node = fc.nat({ max: NODES - 1 });

export const reads: readonly WeightedArbitrary<Read>[] = [
  { weight: 4, arbitrary: fc.record({ do: fc.constant('read' as const), node }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('walk' as const), node }) },
];
