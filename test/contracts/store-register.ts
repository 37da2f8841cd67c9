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
