// The code of the schema before: the last commit that knew fewer migrations, found in the history, in a folder of its own.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import type { Migration } from '../../src/stores/logic/migration.ts';
import { EFFORT } from '../effort.ts';
import { PRESENT_TREE } from './started-process.ts';

/** A database with a folder in `src/stores/` and in `test/stores/`. */
export type Engine = 'sqlite' | 'postgres';

/** Which code it is. */
export interface CodeBefore {
  readonly commit: string;
  /** How many migrations it knows. */
  readonly known: number;
  /** Whether it may open the present schema. */
  readonly isCompatible: boolean;
}

/** Why there is nothing to compare with, as a test's title says it; null where there is. In CI the history has to be there. */
export function missingHistory(): string | null {
  const { status, stdout } = spawnSync('git', ['rev-parse', '--is-shallow-repository'], {
    cwd: PRESENT_TREE,
    encoding: 'utf8',
  });
  if ((status === 0 && stdout.trim() === 'false') || process.env.CI === 'true') return null;
  return status === 0 ? 'the clone is shallow' : 'these sources are no clone';
}

/** Finds it; null where the first commit knew all migrations. */
export function codeBefore(engine: Engine, migrations: readonly Migration[]): CodeBefore | null {
  const present = migrations.length;
  // One that is the same on both engines may stand with its rules.
  const files = [`:(glob)src/stores/${engine}/**/*migrations.ts`, ':(glob)src/stores/logic/**'];
  if (knownTo(null, files) !== present) throw new Error(`${files.join(' ')} are not counted as they are written`);
  const commits = git('log', '--format=%H', '--', ...files)
    .trim()
    .split('\n');
  const index = commits.findIndex((commit) => knownTo(commit, files) < present);
  if (index === -1) return null;
  // What was committed between the last two changes of migrations belongs to it. The newest migration may not be committed.
  const parent = index === 0 ? 'HEAD' : `${commits[index - 1]!}^`;
  const commit = knownTo(parent, files) < present ? parent : commits[index]!;
  const known = knownTo(commit, files);
  const isCompatible = Math.max(...migrations.map(({ compatibleFrom }) => compatibleFrom)) <= known;
  return { commit, known, isCompatible };
}

/** How many migrations are written in the files of a commit, or in those that lie there now. */
function knownTo(commit: string | null, files: readonly string[]): number {
  const lines = git('grep', '-hcE', 'compatibleFrom: [0-9]', ...(commit === null ? [] : [commit]), '--', ...files);
  return lines
    .trim()
    .split('\n')
    .reduce((sum, count) => sum + Number(count), 0);
}

/** Puts its sources into a folder of their own, which goes with the test. */
export async function unpack({ commit }: CodeBefore): Promise<string> {
  const tree = await mkdtemp(join(tmpdir(), 'gazette-'));
  onTestFinished(() => rm(tree, { recursive: true }));
  const archive = join(tree, 'sources.tar');
  git('archive', '-o', archive, commit, 'src', 'test', 'fixtures', 'package.json', 'tsconfig.json');
  run('tar', '-xf', archive, '-C', tree);
  await symlink(join(PRESENT_TREE, 'node_modules'), join(tree, 'node_modules'));
  return tree;
}

/**
 * Runs a suite of tests with the code of a tree: a file of this folder, which the tree is given a copy of.
 *
 * @param suite its path in `test/stores/`
 * @param env where its stores are
 */
export async function expectPassed(tree: string, suite: string, env: Readonly<Record<string, string>>): Promise<void> {
  const copy = join(tree, 'test/stores', suite);
  await mkdir(dirname(copy), { recursive: true });
  await copyFile(join(PRESENT_TREE, 'test/stores', suite), copy);
  const settings = { include: [`test/stores/${suite}`], testTimeout: 300_000, hookTimeout: 300_000 };
  await writeFile(join(tree, 'after.config.mjs'), `export default { test: ${JSON.stringify(settings)} };\n`);
  const report = join(tree, 'report.json');
  // What this process has of its own runner is nothing of theirs.
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('VITEST'));
  const effort = EFFORT === 'whole' ? EFFORT : 'further';
  const child = spawn(
    process.execPath,
    [
      'node_modules/vitest/vitest.mjs',
      'run',
      '--config',
      'after.config.mjs',
      '--reporter=json',
      '--outputFile',
      report,
    ],
    { cwd: tree, env: { ...Object.fromEntries(own), GAZETTE_TEST_EFFORT: effort, ...env } },
  );
  onTestFinished(() => void child.kill('SIGKILL'));
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (said += chunk.toString()));
  await once(child, 'close');
  const told = await readFile(report, 'utf8').catch(() => null);
  if (told === null) throw new Error(`the suite did not run: ${said}`);
  const { testResults } = JSON.parse(told) as { readonly testResults: readonly FileReport[] };
  const results = testResults.flatMap(({ assertionResults }) => assertionResults);
  const failed = results.filter(({ status }) => status === 'failed');
  // The first of them are enough to see why.
  const why = failed.slice(0, 3).map(({ fullName, failureMessages }) => [fullName, failureMessages[0]]);
  expect([failed.length, why]).toEqual([0, []]);
  expect(testResults.map(({ status, message }) => [status, message])).toEqual([['passed', '']]);
  expect(results.length).toBeGreaterThan(100);
}

interface FileReport {
  readonly status: string;
  readonly message: string;
  readonly assertionResults: readonly {
    readonly status: string;
    readonly fullName: string;
    readonly failureMessages: readonly string[];
  }[];
}

const git = (...args: readonly string[]): string => run('git', ...args);

function run(program: string, ...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd: PRESENT_TREE, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${status}: ${stderr}`);
  return stdout;
}
