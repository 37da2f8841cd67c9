// `npm run check:mutations [NAME…]`: makes each mistake of mutations.ts in a copy of the working tree, and runs the tests
// that must fail. The tree itself is never changed, so nothing is left of a run that is killed but its temporary folder.
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Mutation, MUTATIONS } from './mutations.ts';
import { HEAVY } from '../../vitest.config.ts';
import { copyOfTree } from '../tour/copy.ts';
import { mutated } from './mutated.ts';

const ROOT = resolve(import.meta.dirname, '../..');

/** What the runner says of its files in the form of a report. */
interface Report {
  readonly testResults: readonly { readonly name: string; readonly status: string }[];
}

const names = process.argv.slice(2);
const unknown = names.filter((name) => !MUTATIONS.some((mutation) => mutation.name === name));
if (unknown.length > 0) throw new Error(`there is no mutation ${unknown.join(', ')}`);
const chosen = names.length === 0 ? MUTATIONS : MUTATIONS.filter(({ name }) => names.includes(name));
// Before anything runs: a mistake that cannot be made any more has to be written again.
for (const mutation of chosen) mutated(ROOT, mutation);

const tree = copyOfTree();
let survived = 0;
try {
  const all = [...new Set(chosen.flatMap(({ caughtBy }) => caughtBy))];
  const green = passing(all);
  const red = all.filter((file) => !green.includes(file));
  if (red.length > 0) throw new Error(`without any mistake these fail: ${red.join(', ')}`);
  for (const mutation of chosen) {
    const passed = survivorsOf(mutation);
    if (passed.length > 0) survived++;
    const how = passed.length === 0 ? 'caught' : `SURVIVED ${passed.join(', ')}`;
    console.log(`${mutation.name.padEnd(28)}${mutation.file.padEnd(44)}${how}`);
  }
} finally {
  rmSync(tree, { recursive: true });
}
console.log(`${chosen.length - survived} of ${chosen.length} mutations are caught`);
process.exitCode = survived === 0 ? 0 : 1;

/** The test files that do not see the mistake. */
function survivorsOf(mutation: Mutation): readonly string[] {
  const path = join(tree, mutation.file);
  const source = readFileSync(path);
  writeFileSync(path, mutated(tree, mutation));
  try {
    return passing(mutation.caughtBy);
  } finally {
    writeFileSync(path, source);
  }
}

/** Which of these test files pass in the copy. */
function passing(files: readonly string[]): readonly string[] {
  const report = join(tree, 'report.json');
  return ['vitest.config.ts', 'vitest.heavy.config.ts'].flatMap((config) => {
    const own = files.filter((file) => file.endsWith(HEAVY) === config.includes('heavy'));
    if (own.length === 0) return [];
    spawnSync(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', '--config', config, ...own], {
      cwd: tree,
      env: { ...process.env, GAZETTE_TEST_REPORT: report },
    });
    const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as Report;
    rmSync(report);
    return own.filter((file) =>
      testResults.some(({ name, status }) => name === join(tree, file) && status === 'passed'),
    );
  });
}
