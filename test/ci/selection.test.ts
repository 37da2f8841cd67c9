// Which tests a change selects: by what files import and name, by the rows for what neither shows, and everything where
// that cannot be known. `npm run check:selection` holds the real tests against it.
import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { choose } from '../../.ci/select.ts';
import { namedBy, type Needs, needsBesides, readTests, select, SUITES, TOUCHES_NODE } from '../../.ci/selection.ts';

/** A small house: a file, and what it imports and names. */
const NEEDS: Needs = new Map(
  Object.entries({
    'src/formats/csv.ts': [],
    'src/formats/index.ts': ['src/formats/csv.ts'],
    'src/cli/main.ts': ['src/formats/index.ts'],
    'src/cli/from-npm.ts': ['src/cli/main.ts'],
    'src/proofs/tree.ts': [],
    'test/cli/run.ts': ['src/cli/main.ts'],
    'test/cli/killed.heavy.test.ts': ['test/cli/run.ts'],
    'test/cli/through-npm.test.ts': [],
    'examples/tsv.ts': ['src/proofs/tree.ts'],
    'test/examples.heavy.test.ts': ['examples'],
    'test/docs/blocks.ts': [],
    'test/docs/commands.heavy.test.ts': ['test/docs/blocks.ts', 'docs'],
    'test/formats/csv.test.ts': ['src/formats/csv.ts', 'fixtures/expected/csv'],
    'test/proofs/kill.heavy.test.ts': ['test/proofs/process.ts'],
    'test/proofs/process.ts': ['src/proofs/tree.ts'],
    'test/conformance/install.ts': [],
    'test/conformance/proofs.test.ts': ['src/proofs/tree.ts'],
    'test/conformance/tables.test.ts': ['src/formats/csv.ts'],
  }).map(([file, paths]) => [file, new Set([...paths, ...needsBesides(file)])]),
);

/** The tests that changes of these paths select, or why that is everything. */
function selected(...changed: readonly string[]): readonly string[] | string {
  const selection = select(changed, NEEDS);
  if ('everything' in selection) return selection.everything;
  return [...NEEDS.keys()].filter((file) => file.endsWith('.test.ts') && selection.files.has(file)).toSorted();
}

const [CSV, TABLES] = ['test/formats/csv.test.ts', 'test/conformance/tables.test.ts'];
const [KILLED, KILL, PROOFS] = [
  'test/cli/killed.heavy.test.ts',
  'test/proofs/kill.heavy.test.ts',
  'test/conformance/proofs.test.ts',
];
const EXAMPLES = 'test/examples.heavy.test.ts';
const [COMMANDS, NPM] = ['test/docs/commands.heavy.test.ts', 'test/cli/through-npm.test.ts'];

describe('what a change selects', () => {
  it.each<[title: string, changed: readonly string[], tests: readonly string[]]>([
    ['nothing has changed', [], []],
    ['imports, directly or not', ['src/formats/csv.ts'], [KILLED, NPM, TABLES, COMMANDS, CSV]],
    [
      'a program that is started, and a folder that is read',
      ['src/proofs/tree.ts'],
      [PROOFS, COMMANDS, KILL, EXAMPLES],
    ],
    ['a program that a helper names', ['test/proofs/process.ts'], [KILL]],
    ['a program that npm starts', ['src/cli/from-npm.ts'], [NPM, COMMANDS]],
    ['a test itself', [KILL], [KILL]],
    ['a file of a folder that a test reads', ['fixtures/expected/csv/tab.csv'], [CSV]],
    ['a page whose blocks are run', ['docs/import.md'], [COMMANDS]],
    ['prose that nobody reads', ['CONTRIBUTING.md', 'bench/README.md'], []],
    ['what a suite installs', ['test/conformance/package.json'], [PROOFS, TABLES]],
    ['what is called before a suite', ['test/conformance/install.ts'], [PROOFS, TABLES]],
    ['a test that is gone', ['test/cli/gone.heavy.test.ts'], []],
    ['the last commit that was tried whole', ['.ci/whole-run'], []],
    ['several at once', ['docs/import.md', 'test/proofs/process.ts'], [COMMANDS, KILL]],
  ])('%s', (_, changed, tests) => {
    expect(selected(...changed)).toEqual(tests.toSorted());
  });

  it.each([
    'src/errors.ts',
    'src/register/page.ts',
    'src/web/etag.ts',
    'src/files/lock.ts',
    'src/stores/logic/batch.ts',
    '.ci/run',
    '.ci/selection.ts',
    'package.json',
    'package-lock.json',
    'tsconfig.json',
    'vitest.heavy.config.ts',
    '.nvmrc',
    'test/effort.ts',
    'test/contracts/store-contract.ts',
    'test/stores/postgres/global.ts',
  ])('everything for %s', (path) => {
    expect(selected('src/formats/csv.ts', path)).toBe(`all tests need ${path}`);
  });

  it('everything for a path that nothing names', () => {
    expect(selected('deploy/unheard-of.conf')).toBe('nothing says what needs deploy/unheard-of.conf');
  });
});

it('a string names a file beside its own, or from the root; neither the folders it is in, nor src, test and bench', () => {
  const text = `start('./sender-process.ts', join(ROOT, 'docs')); read('../../fixtures/permits/', 'a b', '..', 'src', '.ci')`;
  expect(new Set(namedBy('test/webhooks/killed.ts', text))).toEqual(
    new Set([
      'test/webhooks/sender-process.ts',
      'sender-process.ts',
      'test/webhooks/docs',
      'docs',
      'fixtures/permits',
      'test/webhooks/src',
      'test/webhooks/.ci',
    ]),
  );
});

it('every suite has tests, and each heavy one is in exactly one of them', () => {
  const tests = readTests();
  for (const [suite, has] of Object.entries(SUITES))
    expect([suite, tests.filter(has).length > 0]).toEqual([suite, true]);
  const heavy = tests.filter((test) => test.endsWith('.heavy.test.ts'));
  const suitesOf = (test: string): number => Object.values(SUITES).filter((has) => has(test)).length;
  expect(heavy.filter((test) => suitesOf(test) !== 1)).toEqual([]);
  const onNode = tests.filter(SUITES.node);
  expect(TOUCHES_NODE.filter((start) => !onNode.some((test) => test.startsWith(`test/${start}`)))).toEqual([]);
});

describe('what has changed', () => {
  let root: string;

  /** Runs git in the checkout of this test, and returns what it says. */
  function git(...args: readonly string[]): string {
    const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@example.org', '-c', 'commit.gpgsign=false'];
    const { status, stdout, stderr } = spawnSync('git', [...identity, ...args], { cwd: root, encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, expect.anything()]);
    return stdout.trim();
  }

  async function write(...paths: readonly string[]): Promise<void> {
    for (const path of paths) {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), path);
    }
  }

  /** Commits everything. */
  function commit(): string {
    git('add', '--all');
    git('commit', '--quiet', '--message', 'One');
    return git('rev-parse', 'HEAD');
  }

  /** The tests that run, or why all do. */
  async function chosen(base?: string, at: string = root): Promise<readonly string[] | string> {
    const { why, selection } = await choose(at, base, () => Promise.resolve(NEEDS));
    if ('everything' in selection) return why;
    return [...selection.files].filter((file) => file.endsWith('.test.ts')).toSorted();
  }

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'gazette-selection-'));
    // What people have set for all their repositories is not for this one.
    vi.stubEnv('GIT_CONFIG_GLOBAL', join(root, 'none'));
    vi.stubEnv('GIT_CONFIG_SYSTEM', join(root, 'none'));
    git('init', '--quiet');
    await write('src/proofs/tree.ts', 'docs/import.md', 'README.md');
  });

  afterEach(async () => {
    vi.unstubAllEnvs();
    await rm(root, { recursive: true });
  });

  it('is what differs from the commit that .ci/whole-run names, committed or not', async () => {
    const whole = commit();
    await mkdir(join(root, '.ci'));
    await writeFile(join(root, '.ci/whole-run'), `${whole}\n`);
    commit();
    expect(await chosen()).toEqual([]);
    await write('docs/find.md');
    expect(await chosen()).toEqual([COMMANDS]);
    commit();
    await write('CHANGELOG.md');
    commit();
    expect(await chosen()).toEqual([COMMANDS]);
    expect(await chosen('HEAD~1')).toEqual([]);
  });

  it('counts what was deleted, and what was renamed under both of its names', async () => {
    const base = commit();
    await rename(join(root, 'docs/import.md'), join(root, 'IMPORT.md'));
    commit();
    expect(await chosen(base)).toEqual([COMMANDS]);
    await rename(join(root, 'IMPORT.md'), join(root, 'docs/import.md'));
    await rm(join(root, 'src/proofs/tree.ts'));
    expect(await chosen(base)).toEqual([PROOFS, COMMANDS, KILL, EXAMPLES].toSorted());
  });

  it('is everything where the commit is not named, does not exist or is no ancestor', async () => {
    const base = commit();
    expect(await chosen()).toMatch(/^everything: ENOENT.*whole-run/);
    expect(await chosen('--all')).toMatch(/^everything: git rev-parse: fatal: /);
    expect(await chosen('0'.repeat(40))).toMatch(/^everything: git rev-parse: fatal: /);
    git('checkout', '--quiet', '-b', 'other');
    await write('docs/find.md');
    const other = commit();
    git('checkout', '--quiet', base);
    expect(await chosen(other)).toBe(`everything: ${other} is no ancestor of HEAD`);
    expect(await chosen(base)).toEqual([]);
  });

  it('is everything in a clone without the history', async () => {
    const base = commit();
    await write('docs/find.md');
    commit();
    const clone = await mkdtemp(join(tmpdir(), 'gazette-selection-clone-'));
    onTestFinished(() => rm(clone, { recursive: true }));
    git('clone', '--quiet', '--depth', '1', `file://${root}`, clone);
    expect(await chosen(base, clone)).toMatch(/^everything: git rev-parse: fatal: /);
  });

  it('is everything where git will not work: another user’s folder, no repository', async () => {
    const base = commit();
    vi.stubEnv('GIT_TEST_ASSUME_DIFFERENT_OWNER', '1');
    expect(await chosen(base)).toMatch(/^everything: git rev-parse: fatal: detected dubious ownership/);
    vi.stubEnv('GIT_TEST_ASSUME_DIFFERENT_OWNER', '0');
    expect(await chosen(base)).toEqual([]);
    vi.stubEnv('GIT_CEILING_DIRECTORIES', dirname(root));
    await rm(join(root, '.git'), { recursive: true });
    expect(await chosen(base)).toMatch(/^everything: git rev-parse: fatal: not a git repository/);
  });
});
