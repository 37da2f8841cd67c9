// Starts one PostgreSQL server for all test files that need one, and only when one of them runs.
import type { TestProject } from 'vitest/node';
import { startPostgres } from './server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** URL of the server, as its superuser. */
    readonly postgresUrl: string;
    /** The folder of its data. */
    readonly postgresData: string;
  }
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  // Nothing here outlives the run: no crash has to be survived, and no query is worth being compiled. Its hundreds of tables
  // are made where the tests put their own files.
  const settings = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', jit: 'off' };
  const server = await startPostgres(settings, project.config.env.TMPDIR);
  project.provide('postgresUrl', server.url);
  project.provide('postgresData', server.data);
  return () => server.stop();
}
