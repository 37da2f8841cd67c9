// Set-up of every test file at the whole effort: each property says how many runs it has made.
import fc from 'fast-check';
import { tried } from './effort.ts';

fc.installGlobalPlugin(() => ({
  onAllRunsComplete: ({ numRuns }) => {
    tried(numRuns);
  },
}));
