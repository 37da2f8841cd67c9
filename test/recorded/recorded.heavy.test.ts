// Everything that is recorded is answered as it was. What is meant to differ is recorded again (`npm run recorded -- --write`).
import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');

/** Other release lines word some errors of the system otherwise. */
const isPinned = process.version.startsWith('v24.');

it.skipIf(!isPinned)('answers some 3,700 requests and commands as recorded', async () => {
  const program = ['--import', './test/recorded/still.ts', 'test/recorded/record.ts'];
  const { stdout } = await promisify(execFile)(process.execPath, program, { cwd: ROOT, maxBuffer: 2 ** 26 }).catch(
    (error: unknown) => error as { readonly stdout: string },
  );
  const lines = stdout.trimEnd().split('\n');
  const differing = lines.filter((line) => !/^[\w/-]+: \d+ answers$/.test(line));
  expect(differing).toEqual([expect.stringMatching(/^\d+ answers, 0 differ$/)]);
});
