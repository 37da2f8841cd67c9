// What is remembered from one request to the next counts only while nothing was committed to the store: here by the
// service's own connection, and by another one, as another process has it.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { Accounts } from '../../src/operate/accounts.ts';
import { createGazette } from '../../src/service/create-gazette.ts';
import { SqliteStore } from '../../src/stores/sqlite/store.ts';
import { toPublishedRecord } from '../../src/stores/rows/published-record.ts';
import { closedAfter } from '../closed-after.ts';
import { SAMPLE_DEFINITION, sampleRecord } from '../contracts/sample-register.ts';

const CASES = ['the same connection', 'another connection'] as const;
const RECORDED_AT = '2026-10-01T10:00:00Z';

/** A service that has answered twice, and the store through which something is about to change. */
async function warmService(by: (typeof CASES)[number]) {
  const folder = await mkdtemp(join(tmpdir(), 'gazette-'));
  const path = join(folder, 'store.db');
  const own = SqliteStore.open(path);
  const writer = by === 'another connection' ? SqliteStore.open(path) : own;
  onTestFinished(async () => {
    await own.close();
    if (writer !== own) await writer.close();
    await rm(folder, { recursive: true });
  });
  await own.createRegister(SAMPLE_DEFINITION);
  await own.apply('permits', [toPublishedRecord(sampleRecord(1), true)], { recordedAt: RECORDED_AT });
  const accounts = new Accounts(writer, { product: 'gazette' });
  await accounts.add('demo', '2100-01-01T00:00:00Z');
  const { key, entry } = await accounts.createKey('demo');
  const gazette = closedAfter(createGazette({ store: own, limits: null }));
  const ask = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
    gazette.fetch(
      new Request(`https://example.org/api/v1/feeds/permits${path}`, {
        headers: { authorization: `Bearer ${key}`, ...headers },
      }),
    );
  const etag = (await ask('/records/export.csv')).headers.get('etag')!;
  const unchanged = { 'if-none-match': etag };
  expect((await ask('/records/export.csv', unchanged)).status).toBe(304);
  return { writer, accounts, id: entry.id, ask, unchanged };
}

it.each(CASES)('a key that %s revokes opens nothing from the next request on', async (by) => {
  const { accounts, id, ask, unchanged } = await warmService(by);
  await accounts.revokeKey('demo', id);
  expect((await ask('/records/export.csv', unchanged)).status).toBe(401);
});

it.each(CASES)('an account that %s suspends has no access from the next request on', async (by) => {
  const { writer, ask, unchanged } = await warmService(by);
  await writer.accounts.updateAccount('demo', { isSuspended: true });
  expect((await ask('/records/export.csv', unchanged)).status).toBe(401);
});

it.each(CASES)('a record that %s takes in stands in the next answer', async (by) => {
  const { writer, ask, unchanged } = await warmService(by);
  await writer.apply('permits', [toPublishedRecord(sampleRecord(2), true)], { recordedAt: RECORDED_AT });
  const answer = await ask('/records/export.csv', unchanged);
  expect([answer.status, (await answer.text()).includes(sampleRecord(2).id)]).toEqual([200, true]);
});

it.each(CASES)('a register that %s removes is gone at the next request', async (by) => {
  const { writer, ask, unchanged } = await warmService(by);
  await writer.removeRegister('permits');
  expect((await ask('/records/export.csv', unchanged)).status).toBe(404);
});
