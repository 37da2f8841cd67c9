// Chooses the tests that .ci/run runs besides `npm test`: `node .ci/select.ts FOLDER [--all]` writes the files of each suite
// into a file of that folder, and prints what is left out. What has changed is what differs from CI_BASE, else from the
// commit that .ci/whole-run names, the last at which everything passed. Everything runs where that cannot be known.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Needs, readNeeds, readTests, select, type Selection, SUITES } from './selection.ts';

/** Runs git. What it refuses or cannot find (no git, no such commit, a folder of another user) is an error with its words. */
function git(root: string, ...args: readonly string[]): string {
  const { status, stdout, stderr, error } = spawnSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 1 << 28 });
  if (status === 0) return stdout;
  throw new Error(`git ${args[0]!}: ${error?.message ?? stderr.trim().split('\n')[0]!}`);
}

/** The paths that differ from a commit, by both names where one was renamed, with what is not committed yet. */
function changedSince(base: string, root: string): string[] {
  const commit = git(root, 'rev-parse', '--verify', '--end-of-options', `${base}^{commit}`).trim();
  if (git(root, 'rev-list', '--max-count=1', commit, '--not', 'HEAD') !== '')
    throw new Error(`${base} is no ancestor of HEAD`);
  const changed = git(root, 'diff', '--name-only', '--no-renames', '-z', commit);
  const added = git(root, 'ls-files', '--others', '--exclude-standard', '-z');
  return `${changed}${added}`.split('\0').filter((path) => path !== '');
}

/**
 * Which tests run, and what that follows from.
 *
 * @param root the folder of the checkout
 * @param base the commit to compare with. Default: the one that .ci/whole-run names
 * @param needs reads what each module needs
 */
export async function choose(
  root: string,
  base: string | undefined,
  needs: () => Promise<Needs>,
): Promise<{ readonly why: string; readonly selection: Selection }> {
  try {
    const since = base === undefined || base === '' ? readFileSync(join(root, '.ci/whole-run'), 'utf8').trim() : base;
    const changed = changedSince(since, root);
    const selection = select(changed, await needs());
    const why = `${changed.length} files differ from ${since}`;
    return { why: 'everything' in selection ? `everything: ${selection.everything}; ${why}` : why, selection };
  } catch (error) {
    const { message } = error as Error;
    return { why: `everything: ${message}`, selection: { everything: message } };
  }
}

if (import.meta.main) {
  const [folder, flag] = process.argv.slice(2);
  if (folder === undefined) throw new Error('usage: node .ci/select.ts FOLDER [--all]');
  const { why, selection } =
    flag === '--all'
      ? { why: 'everything: --all', selection: { everything: flag } }
      : await choose('.', process.env.CI_BASE, readNeeds);
  console.log(why);
  const tests = readTests();
  for (const [suite, has] of Object.entries(SUITES)) {
    const own = tests.filter(has);
    const chosen = own.filter((test) => 'everything' in selection || selection.files.has(test));
    writeFileSync(join(folder, suite), chosen.map((test) => `${test}\n`).join(''));
    console.log(`${suite}: ${chosen.length} of ${own.length} files`);
    for (const test of own) if (!chosen.includes(test)) console.log(`  left out: ${test}`);
  }
}
