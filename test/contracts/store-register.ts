// The register that the stores' published suites are written on, under the name the tests know it by.
export {
  at,
  HOSTILE_TEXTS,
  keyOf,
  keys,
  type OpenStore,
  permits,
  say,
  sayOdd,
  walk,
} from '../../src/testing/stores/said.ts';

/** A field by which a whole register can be written in every format: where its records are. */
export const PLACE = { name: 'geometry', label: 'Place', type: 'json' } as const;
