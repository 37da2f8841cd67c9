// Accounts in a SQLite file, beside the contract: upgrades, several processes, look-ups, writes that wait.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SqliteConnection } from '../../../src/stores/sqlite/connection.ts';
import { SqliteStore } from '../../../src/stores/sqlite/store.ts';
import { accountNamed, digestOf, keyOfAccount } from '../../contracts/accounts.ts';
import { at } from '../../contracts/store-register.ts';
import { until } from '../../until.ts';

describe('accounts in a SQLite file', () => {
  let folder: string;
  let path: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gazette-'));
    path = join(folder, 'store.db');
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('are seen by every connection as they now stand', async () => {
    const [first, second] = [SqliteStore.open(path), SqliteStore.open(path)];
    await first.accounts.createAccount(accountNamed('acme'));
    await first.accounts.createKey(keyOfAccount('acme', 'a'));
    expect((await second.accounts.findKey(digestOf('a')))?.key.revokedAt).toBeNull();
    await first.accounts.revokeKey('key_a', { revokedAt: at(1) });
    expect((await second.accounts.findKey(digestOf('a')))?.key.revokedAt).toBe(at(1));
    await second.accounts.updateAccount('acme', { isSuspended: true });
    expect((await first.accounts.findKey(digestOf('a')))?.account.isSuspended).toBe(true);
    await first.close();
    await second.close();
  });

  it('are seen as another process left them, without anything being opened anew', async () => {
    const store = SqliteStore.open(path);
    await store.accounts.createAccount(accountNamed('acme'));
    await store.accounts.createKey(keyOfAccount('acme', 'a'));
    expect((await store.accounts.findKey(digestOf('a')))?.key.revokedAt).toBeNull();
    const script = `
      import { SqliteStore } from ${JSON.stringify(new URL('../../../src/stores/sqlite/store.ts', import.meta.url).href)};
      const store = SqliteStore.open(${JSON.stringify(path)});
      await store.accounts.revokeKey('key_a', { revokedAt: ${JSON.stringify(at(1))} });
      await store.close();`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'ignore' });
    expect((await once(child, 'close'))[0]).toBe(0);
    expect((await store.accounts.findKey(digestOf('a')))?.key.revokedAt).toBe(at(1));
    await store.close();
  });

  it('are written without stopping the process while another one writes', async () => {
    const store = SqliteStore.open(path, { busyTimeoutMs: 5000 });
    await store.accounts.createAccount(accountNamed('acme'));
    await store.accounts.createKey(keyOfAccount('acme', 'a'));
    const other = new DatabaseSync(path);
    other.exec('BEGIN IMMEDIATE');
    let turns = 0;
    const ticking = setInterval(() => turns++, 5);
    const writes = Promise.all([
      store.accounts.createAccount(accountNamed('other')),
      store.accounts.updateAccount('acme', { isSuspended: true }),
      store.accounts.createKey(keyOfAccount('acme', 'b')),
      store.accounts.rotateKey('key_a', keyOfAccount('acme', 'c'), { endsAt: at(1) }),
      store.accounts.recordKeyUses(new Map([['key_a', { at: at(1), requests: 1 }]])),
    ]);
    // Meanwhile keys are looked up as before.
    expect((await store.accounts.findKey(digestOf('a')))?.key.endsAt).toBeNull();
    // A write that kept the process waiting would never see the lock go, and fail.
    await until('the process to go on', () => turns > 5);
    other.exec('ROLLBACK');
    other.close();
    await writes;
    clearInterval(ticking);
    expect((await store.accounts.findKey(digestOf('a')))?.key).toMatchObject({ endsAt: at(1), lastUsedAt: at(1) });
    await store.close();
  });

  it('are found by one look-up in an index each', () => {
    const connection = SqliteConnection.open(path);
    const plan = connection
      .prepare('EXPLAIN QUERY PLAN SELECT * FROM api_keys k JOIN accounts a ON a.id = k.account_id WHERE k.digest = ?')
      .all(new Uint8Array(32));
    const steps = plan.map((row) => String(row[3]));
    expect(steps).toHaveLength(2);
    for (const step of steps) expect(step).toMatch(/^SEARCH .* USING .*(INDEX|PRIMARY KEY)/);
    connection.close();
  });
});
