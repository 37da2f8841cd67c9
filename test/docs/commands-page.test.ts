// The reference of the commands is what the commands say, and the other pages tell of no option that there is not.
import { readdir, readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { loadCommands } from '../../src/cli/main.ts';
import { commandsPage } from '../package/commands-page.ts';

const DOCS = new URL('../../docs/', import.meta.url);
const PAGE = commandsPage(await loadCommands());

it('docs/reference/commands.md is what the commands say: npm run docs:reference', async () => {
  expect(await readFile(new URL('reference/commands.md', DOCS), 'utf8')).toBe(PAGE);
});

it('every option in a table of a page is one of a command', async () => {
  const known = new Set(Array.from(PAGE.matchAll(/`(--[\w-]+)/g), ([, flag]) => flag!));
  const told: string[] = [];
  for (const name of (await readdir(DOCS)).filter((one) => one.endsWith('.md'))) {
    const rows = (await readFile(new URL(name, DOCS), 'utf8')).split('\n').filter((line) => line.startsWith('| `--'));
    told.push(...rows.flatMap((row) => Array.from(row.split(' | ')[0]!.matchAll(/`(--[\w-]+)/g), ([, flag]) => flag!)));
  }
  expect(told.length).toBeGreaterThan(50);
  expect(told.filter((flag) => !known.has(flag))).toEqual([]);
});
