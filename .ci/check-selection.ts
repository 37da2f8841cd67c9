// `npm run check:selection`: holds the selection against mistakes that tests are known to catch (test/mutations). Each
// changes one file; it fails where a test that catches the mistake would not have run for that change.
import { MUTATIONS } from '../test/mutations/mutations.ts';
import { readNeeds, readTests, select, SUITES } from './selection.ts';

const needs = await readNeeds();
const tests = readTests();
const heavy = tests.filter((test) => SUITES.heavy(test) || SUITES.conformance(test));
const faults = MUTATIONS.flatMap(({ name, file, caughtBy }) => {
  const selection = select([file], needs);
  const runs = heavy.filter((test) => 'everything' in selection || selection.files.has(test));
  console.log(`${name.padEnd(28)}${file.padEnd(44)}${runs.length} of ${heavy.length} files besides npm test`);
  // What is in neither suite is part of `npm test`, which always runs.
  const leftOut = caughtBy.filter((test) => !tests.includes(test) || (heavy.includes(test) && !runs.includes(test)));
  return leftOut.map((test) => `a change of ${file} leaves out ${test}, which catches the mistake ${name}`);
});
for (const fault of faults) console.error(fault);
console.log(`${MUTATIONS.length} mistakes, ${faults.length} times a test that catches one is left out`);
process.exitCode = faults.length === 0 ? 0 : 1;
