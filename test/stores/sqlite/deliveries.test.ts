// Deliveries in a SQLite file, beside the contract: upgrades, look-ups, writes that wait.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DIALECT } from '../../../src/stores/sqlite/dialect.ts';
import { SqliteConnection } from '../../../src/stores/sqlite/connection.ts';
import { SqliteDeliveries } from '../../../src/stores/sqlite/deliveries.ts';
import { SqliteEngine } from '../../../src/stores/sqlite/engine.ts';
import { SqliteStore } from '../../../src/stores/sqlite/store.ts';
import { accountNamed } from '../../contracts/accounts.ts';
import { at, permits, say } from '../../contracts/store-register.ts';
import { backlog } from '../../../src/stores/logic/webhooks/backlog.ts';
import { claimants, endpointsDue } from '../../../src/stores/logic/webhooks/claims.ts';
import { type Rule, type Sql, yieldedSql } from '../../../src/stores/logic/rule.ts';
import { until } from '../../until.ts';

const endpoint = {
  ...{
    id: 'ep_a',
    accountId: 'acme',
    url: 'https://a.example.org/',
    feeds: null,
    types: null,
    filter: null,
    createdAt: at(0),
  },
  secret: Uint8Array.from([1]),
};
const options = {
  ...{ at: at(1), baseUrl: 'https://example.org' },
  toEvent: ({ recordId }: { readonly recordId: string }) => ({ id: recordId, type: 'record.published' }),
};

/** The texts of a rule's statements, when none finds anything. */
function queriesOf<Given extends readonly unknown[]>(
  rule: (sql: Sql, ...given: Given) => Rule<unknown>,
  ...given: Given
): readonly string[] {
  const sql = yieldedSql(DIALECT);
  const asked = rule(sql, ...given);
  const texts: string[] = [];
  for (let step = asked.next(); step.done !== true; step = asked.next({ rows: [], count: 0 })) {
    texts.push(step.value.text);
  }
  return texts;
}

describe('deliveries in a SQLite file', () => {
  let folder: string;
  let path: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gazette-'));
    path = join(folder, 'store.db');
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('are written without stopping the process while another one writes, and not at all when nothing is to do', async () => {
    const store = SqliteStore.open(path, { busyTimeoutMs: 5000 });
    await store.createRegister(permits());
    await store.accounts.createAccount(accountNamed('acme'));
    await store.deliveries.createEndpoint(endpoint);
    const claim = () =>
      store.deliveries.claim({
        ...{ now: at(2), lease: 'a', until: at(3), limit: 10, room: new Map<string, number>(), limitPerEndpoint: 10 },
        accountRoom: new Map<string, number>(),
      });
    const other = new DatabaseSync(path);
    other.exec('BEGIN IMMEDIATE');
    // Neither waits for the lock.
    expect([await store.deliveries.fanOut(options), await claim(), await store.deliveries.prune({ before: at(9) })]).toEqual([false, [], 0]); // prettier-ignore
    other.exec('ROLLBACK');
    await store.apply('permits', [say('a')], { recordedAt: at(1) });
    other.exec('BEGIN IMMEDIATE');
    let turns = 0;
    const ticking = setInterval(() => turns++, 5);
    const writing = store.deliveries.fanOut(options).then(claim);
    // A write that kept the process waiting would never see the lock go, and fail.
    await until('the process to go on', () => turns > 5);
    other.exec('ROLLBACK');
    other.close();
    expect(await writing).toHaveLength(1);
    clearInterval(ticking);
    await store.close();
  });

  it('are not claimed of an endpoint that was removed since it was found to have some due', async () => {
    const store = SqliteStore.open(path);
    await store.createRegister(permits());
    await store.accounts.createAccount(accountNamed('acme'));
    for (const id of ['ep_a', 'ep_b']) await store.deliveries.createEndpoint({ ...endpoint, id });
    await store.apply('permits', [say('a')], { recordedAt: at(1) });
    while (await store.deliveries.fanOut(options));
    await store.deliveries.removeEndpoint('ep_a', { at: at(2) });
    const connection = SqliteConnection.open(path);
    const shares = [1, 2].map((number) => ({ endpoint: number, most: 10 }));
    const claimed = await new SqliteDeliveries(connection, new SqliteEngine(connection)).take(shares, { now: at(2), lease: 'a', until: at(3) }); // prettier-ignore
    expect(claimed.map(({ endpoint }) => endpoint.id)).toEqual(['ep_b']);
    connection.close();
    await store.close();
  });

  it('keep no answer that ends their endpoint without its end', async () => {
    const store = SqliteStore.open(path);
    await store.createRegister(permits());
    await store.accounts.createAccount(accountNamed('acme'));
    await store.deliveries.createEndpoint(endpoint);
    const { id } = await store.deliveries.createTest('ep_a', { id: 'evt_t', type: 'endpoint.test' }, { at: at(1) });
    const room = { limit: 9, room: new Map<string, number>(), limitPerEndpoint: 9, accountRoom: new Map() };
    await store.deliveries.claim({ now: at(1), lease: 'a', until: at(9), ...room });
    const other = new DatabaseSync(path);
    other.exec(`CREATE TRIGGER full BEFORE UPDATE OF disabled_at ON webhook_endpoints
      BEGIN SELECT RAISE(ABORT, 'the disk is full'); END`);
    const attempt = { at: at(1), durationMs: 1, status: 410, error: null, response: null };
    const gone = {
      id,
      lease: 'a',
      state: 'failed',
      reason: 'gone',
      attempt,
      nextAttemptAt: null,
      isGone: true,
    } as const;
    const settle = (): Promise<void> => store.deliveries.settle([gone], { at: at(2), failingBefore: at(-9) });
    await expect(settle()).rejects.toThrow('the disk is full');
    expect(await store.deliveries.delivery(id)).toMatchObject({ state: 'pending', attempts: 0 });
    other.exec('DROP TRIGGER full');
    other.close();
    await settle();
    expect(await store.deliveries.endpoint('ep_a')).toMatchObject({ disabledAt: at(2), disabledReason: 'gone' });
    await store.close();
  });

  it('are found by an index: those due, and an endpoint’s newest', () => {
    const connection = SqliteConnection.open(path);
    const planOf = (sql: string): string =>
      connection
        .prepare(`EXPLAIN QUERY PLAN ${sql}`)
        .all()
        .map((row) => String(row[3]))
        .join('\n');
    expect(
      planOf(`SELECT * FROM webhook_deliveries WHERE endpoint = 1 AND state = 'pending' AND due_at <= 'x'
        ORDER BY due_at, number LIMIT 1`),
    ).toBe('SEARCH webhook_deliveries USING INDEX webhook_deliveries_due (endpoint=? AND due_at<?)');
    // One look for each endpoint, however many are due to it.
    expect(planOf(queriesOf(endpointsDue, 'x')[0]!)).toMatch(
      /^SCAN e\nCORRELATED SCALAR SUBQUERY 1\nSEARCH d USING (COVERING )?INDEX webhook_deliveries_due \(endpoint=\? AND due_at<\?\)\nSEARCH a USING PRIMARY KEY \(id=\?\)$/,
    );
    // The claims of a minute are found, however many wait for longer.
    expect(planOf(queriesOf(claimants, { now: 'x', until: 'y' })[0]!)).toContain(
      'SEARCH d USING INDEX webhook_deliveries_due (endpoint=? AND due_at>? AND due_at<?)',
    );
    // What monitoring asks every few seconds: a bounded number of them, and one for each endpoint.
    const [counted, , oldest, ...others] = queriesOf(backlog, 'x').map(planOf);
    expect(counted).toContain('SCAN d USING COVERING INDEX webhook_deliveries_due');
    expect(counted).not.toContain('TEMP B-TREE');
    expect(oldest).toMatch(/SEARCH d USING (COVERING )?INDEX webhook_deliveries_due \(endpoint=\? AND due_at<\?\)/);
    expect(others.join('\n')).not.toContain('deliveries');
    expect(planOf('SELECT * FROM webhook_deliveries WHERE endpoint = 1 AND number < 9 ORDER BY number DESC LIMIT 1')).toBe('SEARCH webhook_deliveries USING INDEX webhook_deliveries_endpoint (endpoint=? AND rowid<?)'); // prettier-ignore
    connection.close();
  });
});
