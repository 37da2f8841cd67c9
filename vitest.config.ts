import { readFileSync, statfsSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig, type TestProjectConfiguration, type ViteUserConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

// CI counts what ran from a report file; people read the terminal.
const report = process.env.GAZETTE_TEST_REPORT;
const isWhole = process.env.GAZETTE_TEST_EFFORT === 'whole';

/**
 * Where tests put their files: in memory where the system has a gigabyte of it for files, because thousands of stores are
 * written and each waits for its disk.
 */
function temporaryFolder(): string {
  const inMemory = '/dev/shm';
  try {
    const { bavail, bsize } = statfsSync(inMemory);
    return bavail * bsize > 2 ** 30 ? inMemory : tmpdir();
  } catch {
    return tmpdir();
  }
}

/**
 * The order of files: first those that run a contract suite, which are the shortest and take longest. Where nothing is known
 * of an earlier run, vitest begins with the largest files, and one worker would still run a contract at the end.
 */
class ContractsFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const runsContract = ({ moduleId }: TestSpecification): boolean =>
      readFileSync(moduleId, 'utf8').includes("-contract.ts'");
    const byProject = Map.groupBy(await super.sort(files), ({ project }) => project.name);
    return [...byProject.values()].flatMap((own) =>
      own.toSorted((a, b) => Number(runsContract(b)) - Number(runsContract(a))),
    );
  }
}

// Hundreds of tests start the command line or a server as a process of its own, and the runner starts its own: what Node
// made of the sources is kept from one to the next, which is three quarters of such a start.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, 'node_modules/.cache/gazette-compiled');

/** Half an hour; and what takes hours at the whole effort has days. */
const WATCHDOG_MS = isWhole ? 100 * 3_600_000 : 1_800_000;

/** What all suites share. */
export const SETTINGS: NonNullable<ViteUserConfig['test']> = {
  // One more than there are cores: files wait for processes and databases that they have started. With two more, the same tests
  // took a tenth more processor time and no less time. At the whole effort files compute.
  maxWorkers: isWhole ? '100%' : availableParallelism() + 1,
  sequence: { sequencer: ContractsFirst },
  // Test files of a process share the modules they import: loading them again for each file took half of the processor time
  // of files that only compute. What a file changes in its process it therefore has to restore.
  isolate: isWhole,
  // Node reads the sources by itself, as it does for people who start them: that takes a tenth less of processor time than the
  // runner's own way of loading modules, which rewrites each use of what is imported.
  experimental: { viteModuleRunner: false, nodeLoader: false },
  // A watchdog for tests that hang, the only limit of time there is: no test may fail because the machine is slow, which it is
  // where other programs use the cores too.
  testTimeout: WATCHDOG_MS,
  hookTimeout: WATCHDOG_MS,
  env: {
    TMPDIR: temporaryFolder(),
  },
  reporters: report === undefined ? ['default'] : ['default', ['json', { outputFile: report }]],
  setupFiles: ['test/set-up.ts'],
};

/**
 * The tests whose files end in `ending` and in no `except`, in two projects. Those that need a PostgreSQL server are known
 * by their name or folder; it is started once, and only when one of them is asked for. Vitest runs projects in the order of
 * their names, and no worker is without work when the last one of a project ends.
 */
export function projects(ending: string, except: readonly string[] = []): TestProjectConfiguration[] {
  const exclude = ['test/conformance/**', '**/node_modules/**', ...except.map((other) => `test/**/*${other}`)];
  const onPostgres = [`test/**/postgres*${ending}`, `test/stores/postgres/**/*${ending}`];
  return [
    {
      extends: true,
      test: { name: 'without', include: [`test/**/*${ending}`], exclude: [...exclude, ...onPostgres] },
    },
    {
      extends: true,
      test: { name: 'postgres', include: onPostgres, exclude, globalSetup: ['test/stores/postgres/global.ts'] },
    },
  ];
}

/** What a file's name ends in that `npm run test:all` runs, and `npm test` does not. */
export const HEAVY = '.heavy.test.ts';

const config: ViteUserConfig = defineConfig({
  test: { ...SETTINGS, projects: projects('.test.ts', [HEAVY]) },
});

export default config;
