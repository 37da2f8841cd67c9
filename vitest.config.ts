import { join } from 'node:path';
import { defineConfig, type ViteUserConfig } from 'vitest/config';

// CI counts what ran from a report file; people read the terminal.
const report = process.env.GAZETTE_TEST_REPORT;

/** What all suites share. */
export const SETTINGS: NonNullable<ViteUserConfig['test']> = {
  // All cores: half of the time the tests wait, for disks and for processes they have started.
  maxWorkers: '100%',
  testTimeout: 30_000,
  hookTimeout: 60_000,
  // Hundreds of tests start the command line or a server as a process of its own: what Node made of the sources is kept
  // from one to the next, which is three quarters of such a start.
  env: { NODE_COMPILE_CACHE: join(import.meta.dirname, 'node_modules/.cache/gazette-compiled') },
  reporters: report === undefined ? ['default'] : ['default', ['json', { outputFile: report }]],
};

const EXCLUDED = ['test/conformance/**', '**/node_modules/**'];
const POSTGRES_TESTS = ['test/**/postgres*.test.ts', 'test/stores/postgres/**/*.test.ts'];

const config: ViteUserConfig = defineConfig({
  test: {
    ...SETTINGS,
    projects: [
      {
        extends: true,
        test: { name: 'all', include: ['test/**/*.test.ts'], exclude: [...EXCLUDED, ...POSTGRES_TESTS] },
      },
      {
        // The files that need a PostgreSQL server: it is started once, and only when one of them is asked for.
        extends: true,
        test: {
          name: 'postgres',
          include: POSTGRES_TESTS,
          exclude: EXCLUDED,
          globalSetup: ['test/stores/postgres/global.ts'],
        },
      },
    ],
  },
});

export default config;
