// `gazette account` and `gazette key`: what they say where, and what they refuse.
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isApiKey } from '../../src/access/api-key.ts';
import { createAuthenticator } from '../../src/access/authenticate.ts';
import { readUntil } from '../../src/cli/commands/account.ts';
import { SqliteStore } from '../../src/stores/sqlite/store.ts';
import { folder, gazette } from './run.ts';

describe('gazette account and gazette key', () => {
  it('say what a key is for, where an owner gets mail, and remove an account with all that is its own', async () => {
    const path = join(await folder(), 'store.db');
    const run = async (...args: string[]): Promise<{ readonly out: string; readonly said: string }> => {
      const { code, stdout, stderr } = await gazette([...args, '--store', path]);
      expect(code, stderr).toBe(0);
      return { out: stdout.toString(), said: stderr };
    };
    await run('account', 'add', 'acme', '--until', '2999-12-31', '--email', 'Anna@example.org');
    await run('register', 'add', 'permits', '--title', 'Permits', '--authority', 'example.org,2026');
    const grants = [
      '--name',
      'Website',
      '--scope',
      'read',
      '--scope',
      'account',
      '--feed',
      'permits',
      '--limit',
      '60/60',
    ];
    const made = await run('key', 'create', 'acme', ...grants, '--until', '2998-01-01', '--json');
    expect(JSON.parse(made.out)).toMatchObject({
      ...{ name: 'Website', scopes: ['read', 'account'], feeds: ['permits'], limit: '60/60' },
      expires_at: '2998-01-01T23:59:59.999Z',
    });
    const moved = await run('account', 'update', 'acme', '--email', 'bo@example.org', '--limit', '9/1');
    expect(moved.said).toContain(
      'may request 9/1, all of its keys together; it gets links to sign in at bo@example.org',
    );
    expect((await run('account', 'list')).out).toBe('acme  active     2999-12-31T23:59:59.999Z  9/1  bo@example.org\n');
    expect((await run('account', 'update', 'acme', '--email', 'none')).said).toContain('gets no mail');
    const { id } = JSON.parse(made.out) as { readonly id: string };
    const changed = await run('key', 'update', 'acme', '--name', 'Shop', '--all-feeds', '--scope', 'read');
    expect(changed).toEqual({ out: '', said: `gazette: changed ${id} of account acme; the key itself stays\n` });
    const again = await run('key', 'update', 'acme', id, '--no-name', '--limit', 'none', '--json');
    expect(JSON.parse(again.out)).toMatchObject({
      ...{ id, name: null, limit: null, scopes: ['read'], feeds: null, expires_at: '2998-01-01T23:59:59.999Z' },
    });
    for (const [args, said] of [
      [['key', 'create', 'acme', '--scope', 'write'], 'scopes must be some of read, webhooks, account'],
      [['key', 'create', 'acme', '--feed', 'x'], 'there is no register "x"'],
      [['account', 'update', 'acme'], 'give what to change: --limit or --email'],
      [
        ['key', 'update', 'acme'],
        'give what to change: --name, --scope, --feed, --all-feeds, --limit, --budget, --per-day or --max-price',
      ],
      [['key', 'update', 'acme', '--feed', 'permits', '--all-feeds'], 'give --feed or --all-feeds, not both'],
      [['account', 'update', 'acme', '--email', 'anna'], 'email must be one address'],
      [['account', 'remove', 'acme'], 'There is no terminal to ask on: pass --yes'],
    ] as const) {
      const { code, stderr } = await gazette([...args, '--store', path]);
      expect([code !== 0, stderr]).toEqual([true, expect.stringContaining(said)]);
    }
    expect((await run('account', 'remove', 'acme', '--yes')).said).toContain('removed the account acme');
    expect((await run('account', 'list')).out).toBe('');
  });

  it('give access, and take it away, in a store that a running service has open', async () => {
    const path = join(await folder(), 'store.db');
    const run = async (...args: string[]): Promise<{ readonly out: string; readonly said: string }> => {
      const { code, stdout, stderr } = await gazette([...args, '--store', path]);
      expect(code, stderr).toBe(0);
      return { out: stdout.toString(), said: stderr };
    };
    // The first account makes the store.
    const made = await run('account', 'add', 'acme', '--until', '2999-12-31');
    expect(made).toEqual({
      out: '',
      said: 'gazette: account acme is made; it has access until 2999-12-31T23:59:59.999Z\n',
    });
    const store = SqliteStore.open(path);
    const authenticate = createAuthenticator({ accounts: store.accounts, product: 'gazette' });
    const ask = async (key: string): Promise<string> => {
      const request = new Request('https://example.org/', { headers: { authorization: `Bearer ${key}` } });
      return authenticate(request).then(
        ({ tier }) => tier,
        (error: unknown) => (error as { readonly code: string }).code,
      );
    };

    const created = await run('key', 'create', 'acme');
    const first = created.out.trimEnd();
    expect(created.out).toBe(`${first}\n`);
    expect(isApiKey(first)).toBe(true);
    expect(created.said).toMatch(
      /^gazette: created key_\w{12} for account acme and product gazette; the key is shown only this once\n$/,
    );
    expect(await ask(first)).toBe('pro');

    const rotated = await run('key', 'rotate', 'acme', '--grace', '0');
    const second = rotated.out.trimEnd();
    expect(rotated.said).toMatch(/^gazette: key_\w+ replaces key_\w+, which ended 20\S+Z\n/);
    expect([await ask(first), await ask(second)]).toEqual(['rotated_key', 'pro']);

    expect((await run('account', 'suspend', 'acme')).said).toContain('account acme is suspended');
    expect(await ask(second)).toBe('account_suspended');
    expect((await run('account', 'resume', 'acme')).said).toContain('it has access until 2999-12-31T23:59:59.999Z');
    expect(await ask(second)).toBe('pro');
    const extended = await run('account', 'extend', 'acme', '--until', '2020-02-29T12:00:00+01:00');
    expect(extended.said).toBe('gazette: account acme had access until 2020-02-29T11:00:00.000Z\n');
    expect(await ask(second)).toBe('access_lapsed');

    const revoked = await run('key', 'revoke', 'acme');
    expect(revoked.said).toMatch(
      new RegExp(`^gazette: revoked key_\\w+ of account acme, which ended in ${second.slice(-4)}\n$`),
    );
    expect(await ask(second)).toBe('revoked_key');
    expect((await run('account', 'update', 'acme', '--limit', '1200/60')).said).toContain('may request 1200/60');
    expect((await store.accounts.account('acme'))!.limit).toEqual({ limit: 1200, windowSeconds: 60 });
    expect((await run('account', 'list')).out).toContain('1200/60');
    expect((await run('account', 'update', 'acme', '--limit', 'none')).said).toContain('has no limit of its own');
    await run('account', 'add', 'slow', '--limit', '5/1');
    expect((await store.accounts.account('slow'))!.limit).toEqual({ limit: 5, windowSeconds: 1 });
    await store.close();

    const listed = await run('key', 'list', 'acme');
    const lines = listed.out.trimEnd().split('\n');
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatch(/^key_\w{12} {2}…\w{4} {2}revoked {2}gazette {2}created 20\S+Z {2}never used$/);
    expect(lines[1]).toMatch(/ {2}ended {4}gazette {2}/);
    expect((await run('account', 'list')).out).toBe(
      'acme  lapsed     2020-02-29T11:00:00.000Z\nslow  lapsed       5/1\n',
    );
    for (const { out, said } of [created, rotated, revoked, listed]) {
      for (const key of [first, second])
        expect(said + (out.startsWith('gz_') ? '' : out)).not.toContain(key.slice(3, 35));
    }
  });

  it('refuse what cannot be, and name it', async () => {
    const store = join(await folder(), 'store.db');
    expect((await gazette(['account', 'add', 'acme', '--store', store])).stderr).toBe(
      'gazette: account acme is made, and has no access yet: gazette account extend\n',
    );
    const refusals: readonly (readonly [exit: number, message: string, ...args: string[]])[] = [
      [1, 'account "acme" exists already (account_exists)', 'account', 'add', 'acme'],
      [
        2,
        'account must be 1..64 of a-z 0-9 - and not starting with -, got "Acme" (invalid_option)',
        'account',
        'add',
        'Acme',
      ],
      [2, '--until must be a day', 'account', 'extend', 'acme', '--until', '2027-02-29'],
      [2, "required option '--until <date>' not specified (usage)", 'account', 'extend', 'acme'],
      [
        2,
        "option '--limit <requests/seconds>' argument '600' is invalid",
        'account',
        'update',
        'acme',
        '--limit',
        '600',
      ],
      [1, 'there is no account "other" (unknown_account)', 'account', 'update', 'other', '--limit', 'none'],
      [1, 'there is no account "other" (unknown_account)', 'key', 'create', 'other'],
      [1, 'account "acme" has no key "key_x" (unknown_key)', 'key', 'revoke', 'acme', 'key_x'],
      [
        2,
        '--grace must be a number of hours such as 24, 0.5 or 0, got "-1" (usage)',
        'key',
        'rotate',
        'acme',
        '--grace',
        '-1',
      ],
      [2, 'product must be 1..64', 'key', 'create', 'acme', '--product', 'a b'],
      [1, 'there is no store', 'key', 'create', 'acme', '--store', `${store}.missing`],
    ];
    await Promise.all(
      refusals.map(async ([exit, message, ...args]) => {
        const { code, stdout, stderr } = await gazette(args.includes('--store') ? args : [...args, '--store', store]);
        expect(stderr).toContain(`gazette: ${message}`);
        expect([code, stdout.toString()], message).toEqual([exit, '']);
      }),
    );
  });
});

describe('--until', () => {
  it.each([
    ['2027-01-01', '2027-01-01T23:59:59.999Z'],
    ['2028-02-29', '2028-02-29T23:59:59.999Z'],
    ['2027-01-01T12:00:00+02:00', '2027-01-01T12:00:00+02:00'],
  ])('%s is access until %s: a day counts as a whole', (text, until) => {
    expect(readUntil(text)).toBe(until);
  });

  it.each(['', 'tomorrow', '2027-1-1', '2027-02-29', '2027-01-01T12:00', '+1d'])('%j is refused', (text) => {
    expect(() => readUntil(text)).toThrow(expect.objectContaining({ code: 'usage' }) as Error);
  });
});
