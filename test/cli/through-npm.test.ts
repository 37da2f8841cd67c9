// The command line started through npm, as a clone of the repository is used: npm changes to the folder of package.json,
// and the paths that people give are still relative to the folder they are in.
import { execFile } from 'node:child_process';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { folder } from './run.ts';

const run = promisify(execFile);
const CHECKOUT = join(import.meta.dirname, '../..');
const RECORD = { id: '1', title: 'Ford', source_url: 'https://exampleton.example/1', observed_at: '2026-01-01' };

/** What npm would tell a test that it started itself is not for the npm that the test starts. */
function withoutNpm(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_|^INIT_CWD$/i.test(name)));
}

describe('npm run gazette', () => {
  it('takes paths as relative to the folder it is started in', async () => {
    const at = await folder();
    await writeFile(join(at, 'notices.ndjson'), `${JSON.stringify(RECORD)}\n`);
    const gazette = (...args: string[]): Promise<{ stdout: string }> =>
      run('npm', ['--prefix', CHECKOUT, 'run', '--silent', 'gazette', '--', ...args], { cwd: at, env: withoutNpm() });
    // `export` starts the process a second time, with flags for memory.
    await gazette('export', '-', '--format', 'csv', '--input', 'notices.ndjson', '--output', 'notices.csv');
    await gazette('register', 'add', 'notices', '--title', 'Notices');
    const { stdout } = await gazette('import', 'notices', 'notices.ndjson');
    expect(stdout).toContain('notices: added 1,');
    expect((await readdir(at)).filter((name) => !/-(wal|shm)$/.test(name)).sort()).toEqual([
      'gazette.db',
      'notices.csv',
      'notices.ndjson',
    ]);
  });
});
