// Set-up of every test file: what its properties (fast-check) ask.
//
//   GAZETTE_TEST_SEED       the same questions in each run, as CI asks them for a change: none that it did not cause stops it
//   at the whole effort     each property says how many runs it has made and, where it fails, what the test said of the
//                           counterexample: the report of `npm run prove` keeps one message of each failure
import fc from 'fast-check';
import { EFFORT, SEED, tried } from './effort.ts';

if (SEED !== null) fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: SEED });
if (EFFORT === 'whole') {
  fc.installGlobalPlugin(() => ({
    onAllRunsComplete: ({ numRuns }) => {
      tried(numRuns);
    },
  }));
  fc.configureGlobal({ ...fc.readConfigureGlobal(), includeErrorInReport: true });
}
