// `gazette account sign-in` prints a link once, and `serve --smtp` refuses what could not send any.
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { accountSignIns } from '../../src/operate/sign-in.ts';
import { SqliteStore } from '../../src/stores/sqlite/store.ts';
import { folder, gazette } from './run.ts';

let store: string;

beforeEach(async () => {
  store = join(await folder(), 'gazette.db');
  await gazette(['account', 'add', 'acme', '--until', '2099-12-31', '--store', store]);
});

describe('gazette account sign-in', () => {
  it('prints a link that signs the owner in, and says how long it works', async () => {
    const args = ['account', 'sign-in', 'acme', '--base-url', 'https://example.org/registers/', '--store', store];
    const { code, stdout, stderr } = await gazette(args);
    expect(code).toBe(0);
    const [, secret] = /^https:\/\/example\.org\/registers\/sign-in\/([0-9a-f]{40})\n$/.exec(stdout.toString())!;
    expect(stderr).toContain('15 minutes, and once');
    const opened = SqliteStore.open(store);
    expect((await accountSignIns(opened).begin(secret!))?.owner.id).toBe('acme');
    await opened.close();
    const { stdout: json } = await gazette([...args, '--json']);
    expect(JSON.parse(json.toString())).toMatchObject({ account: 'acme', minutes: 15 });
  });

  it('needs an account, and the public address', async () => {
    const unknown = await gazette(['account', 'sign-in', 'x', '--base-url', 'https://example.org', '--store', store]);
    expect([unknown.code, unknown.stderr.includes('there is no account "x"')]).toEqual([1, true]);
    const nowhere = await gazette(['account', 'sign-in', 'acme', '--store', store]);
    expect([nowhere.code, nowhere.stderr.includes('--base-url')]).toEqual([2, true]);
  });
});

describe('gazette serve --smtp', () => {
  it.each([
    [['--smtp', 'mail.example.org'], '--smtp must be a URL'],
    [['--smtp', 'https://user:secret@mail.example.org'], '--smtp must be a URL'],
    [['--smtp', 'smtp://mail.example.org'], '--smtp needs --base-url'],
    [
      ['--smtp', 'smtp://mail.example.org', '--base-url', 'https://example.org', '--mail-from', 'a@b.org, c@d.org'],
      '--mail-from must be one address',
    ],
  ])('refuses %j', async (args, message) => {
    const { code, stderr } = await gazette(['serve', '--port', '0', '--store', store, ...args]);
    expect([code, stderr.includes(message), stderr.includes('secret')]).toEqual([2, true, false]);
  });
});
