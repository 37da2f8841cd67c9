// A publisher's file while somebody writes it.
import { appendFile, mkdtemp, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openFile } from '../../src/import/from-file/open-file.ts';

/** Longer than what is read at once. */
const TEXT = 'id,title\n'.repeat(40_000);

it.each([
  ['shortened', (path: string) => truncate(path, TEXT.length - 9)],
  ['continued', (path: string) => appendFile(path, 'id,title\n')],
  ['written anew', (path: string) => writeFile(path, TEXT.replaceAll('title', 'other'))],
])('refuses a file that is %s while it is read', async (_, write) => {
  const path = await file();
  await expect(readWhile(path, () => write(path))).rejects.toMatchObject({
    code: 'invalid_input',
    message: `${path} was written to while it was read: import it again once it is whole`,
  });
  expect((await readWhile(path, async () => undefined)).length).toBeGreaterThan(0);
});

it.each([
  [
    'replaced by another',
    async (path: string) => {
      await writeFile(`${path}.new`, 'id,title\n');
      await rename(`${path}.new`, path);
    },
  ],
  ['removed', (path: string) => rm(path)],
])('reads a file whole that is %s meanwhile', async (_, change) => {
  const path = await file();
  expect(await readWhile(path, () => change(path))).toBe(TEXT);
});

async function file(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'gazette-open-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, 'permits.csv');
  await writeFile(path, TEXT);
  return path;
}

/** @param change what happens once the beginning was read */
async function readWhile(path: string, change: () => Promise<unknown>): Promise<string> {
  let text = '';
  for await (const chunk of openFile(path).open()) {
    if (text === '') await change();
    text += Buffer.from(chunk).toString();
  }
  return text;
}
