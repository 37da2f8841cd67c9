// `gazette editor`: who works on registers at the desk.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { editorSignIns } from '../../src/operate/sign-in.ts';
import { SqliteStore } from '../../src/stores/sqlite/store.ts';
import { folder, gazette } from './run.ts';
import { serve } from './served.ts';

/** Runs commands on one store with two registers, and gives what they print. */
async function desk(): Promise<{
  readonly store: string;
  readonly run: (...args: readonly string[]) => Promise<{ readonly code: number | null; readonly text: string }>;
}> {
  const store = join(await folder(), 'store.db');
  const run = async (...args: readonly string[]) => {
    const { code, stdout, stderr } = await gazette([...args, '--store', store]);
    return { code, text: stdout.toString() + stderr };
  };
  for (const id of ['permits', 'notices']) await run('register', 'add', id, '--title', id);
  return { store, run };
}

it('is added where there is no store yet, and a desk is served where there is none', async () => {
  const [first, second] = [join(await folder(), 'gazette.db'), join(await folder(), 'gazette.db')];
  const { code } = await gazette(['editor', 'add', 'anna', '--email', 'anna@example.org', '--store', first]);
  expect([code, existsSync(first)]).toEqual([0, true]);
  const { api, said } = await serve(second, '--desk');
  expect(said).toContain(`made the store ${second}; add who works on registers with gazette editor add`);
  expect((await fetch(new URL('/desk/sign-in', api))).status).toBe(200);
});

it('adds editors, changes, lists and removes them, and logs who did it', async () => {
  const { run } = await desk();
  const said = async (...args: readonly string[]): Promise<string> => {
    const { code, text } = await run('editor', ...args);
    expect(code, text).toBe(0);
    return text;
  };
  expect(await said('add', 'anna', '--email', 'Anna@example.org')).toBe(
    'gazette: editor anna is added: works on all registers\n',
  );
  const ben = ['add', 'ben', '--email', 'ben@example.org', '--feed', 'permits', '--feed', 'notices'];
  expect(await said(...ben, '--role', 'review')).toBe(
    'gazette: editor ben is added: only approves changes of permits, notices\n',
  );
  expect(await said('list')).toBe(
    'anna  edit  all registers  anna@example.org\nben  review  permits,notices  ben@example.org\n',
  );
  expect(await said('change', 'ben', '--role', 'edit', '--all-feeds', '--email', 'b@example.org')).toBe(
    'gazette: editor ben works on all registers; links go to b@example.org\n',
  );
  expect(await said('remove', 'anna')).toBe('gazette: removed the editor anna\n');
  expect(await said('list')).toMatch(/^anna {2}removed 20\S+Z\nben {2}edit {2}all registers {2}b@example\.org\n$/);
  const lines = (await said('log')).trimEnd().split('\n');
  const who = String.raw`^20\S+Z {2}\S+( \d+)? \(operator\) {2}`;
  expect(lines).toEqual([
    expect.stringMatching(new RegExp(`${who}editor_removed  anna$`)),
    expect.stringMatching(new RegExp(`${who}editor_changed  ben$`)),
    expect.stringMatching(new RegExp(`${who}editor_added  ben$`)),
    expect.stringMatching(new RegExp(`${who}editor_added  anna$`)),
  ]);
  expect((await said('log', '--limit', '1')).trimEnd()).toBe(lines[0]);
});

it('prints a link to the desk, which signs the editor in', async () => {
  const { run, store } = await desk();
  await run('editor', 'add', 'anna', '--email', 'anna@example.org');
  const { text } = await run('editor', 'sign-in', 'anna', '--base-url', 'https://x.example.org/registers');
  const [, secret] = /^https:\/\/x\.example\.org\/registers\/desk\/sign-in\/([0-9a-f]{40})\n/.exec(text)!;
  expect(text).toContain('hand this link to the editor anna: it works for 15 minutes, and once');
  const opened = SqliteStore.open(store);
  expect((await editorSignIns(opened).begin(secret!))?.owner.name).toBe('anna');
  await opened.close();
});

it.each([
  [['add', 'anna'], 2, /--email <address>/],
  [['add', 'Anna', '--email', 'a@example.org'], 2, /editor must be 1\.\.64 of a-z 0-9 -/],
  [['add', 'anna', '--email', 'anna'], 2, /one address such as/],
  [['add', 'anna', '--email', 'a@example.org', '--feed', 'x'], 1, /there is no register "x" \(unknown_feed\)/],
  [['add', 'anna', '--email', 'a@example.org', '--role', 'admin'], 2, /edit, review/],
  [['add', 'ben', '--email', 'a@example.org'], 1, /editor "ben" exists already \(editor_exists\)/],
  [['change', 'ben'], 2, /give what to change: --email, --feed, --all-feeds or --role/],
  [['change', 'ben', '--feed', 'permits', '--all-feeds'], 2, /either --feed or --all-feeds/],
  [['change', 'anna', '--role', 'edit'], 1, /there is no editor "anna" \(unknown_editor\)/],
  [['remove', 'anna'], 1, /there is no editor "anna"/],
  [['sign-in', 'anna', '--base-url', 'https://x.example.org'], 1, /there is no editor "anna"/],
  [['log', '--limit', '0'], 2, /from 1 to 1000/],
] as const)('refuses %j', async (args, expected, message) => {
  const { run } = await desk();
  await run('editor', 'add', 'ben', '--email', 'ben@example.org');
  const { code, text } = await run('editor', ...args);
  expect([code, message.test(text)], text).toEqual([expected, true]);
});
