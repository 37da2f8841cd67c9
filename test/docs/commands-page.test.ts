// The reference of the commands is what the commands say.
import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { loadCommands } from '../../src/cli/main.ts';
import { commandsPage } from '../package/commands-page.ts';

it('docs/reference/commands.md is what the commands say: npm run docs:reference', async () => {
  const page = await readFile(new URL('../../docs/reference/commands.md', import.meta.url), 'utf8');
  expect(page).toBe(commandsPage(await loadCommands()));
});
