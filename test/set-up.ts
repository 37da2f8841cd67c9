// Set-up of every test file at the whole effort: each property says how many runs it has made and, where it fails, what the
// test said of the counterexample: the report of `npm run prove` keeps one message of each failure.
import fc from 'fast-check';
import { tried } from './effort.ts';

fc.installGlobalPlugin(() => ({
  onAllRunsComplete: ({ numRuns }) => {
    tried(numRuns);
  },
}));

fc.configureGlobal({ ...fc.readConfigureGlobal(), includeErrorInReport: true });
