// Pairs of rules of purchases, in every order in which their statements can come, end as one after the other would.
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { PostgresStore } from '../../../src/stores/postgres/store.ts';
import { accountNamed, keyOfAccount } from '../../contracts/accounts.ts';
import { accountWithCredit, buy, holdWith, itemOf } from '../../contracts/ledger-contract.ts';
import { at, permits, say } from '../../contracts/store-register.ts';
import { everyInterleaving, GatedPool } from './interleavings.ts';

const SCHEMA = 'ledger_pairs';

const observer = new pg.Pool({ connectionString: inject('postgresUrl') });
// Two that wait for each other are found out at once.
const connections = new pg.Pool({ connectionString: inject('postgresUrl'), options: '-c deadlock_timeout=10ms' });
const pools = [new GatedPool(connections, observer), new GatedPool(connections, observer)] as const;
let store: PostgresStore;
let stores: readonly [PostgresStore, PostgresStore];

beforeAll(async () => {
  store = await PostgresStore.open(observer, { schema: SCHEMA });
  const [one, other] = pools;
  stores = [await PostgresStore.open(one, { schema: SCHEMA }), await PostgresStore.open(other, { schema: SCHEMA })];
});
afterAll(() => Promise.all([observer.end(), connections.end()]));

/** How many orders of one pair are tried. All others have fewer than a payment that begins while another one is settled. */
const MOST_RUNS = 390;

/** Something that a store is asked to do. */
type Act = (store: PostgresStore) => Promise<unknown>;

const bought =
  (key: string, idempotencyKey?: string): Act =>
  async (store) =>
    (await buy(store, itemOf(key), idempotencyKey === undefined ? {} : { idempotencyKey })).isNew;
const credit =
  (reference: string, amount = 5): Act =>
  async ({ ledger }) => {
    const price = { amount, currency: 'EUR' };
    return (await ledger.grantCredit({ accountId: 'acme', price, reference, reason: null })).price.amount;
  };
const refundFirst: Act = async ({ ledger }) => {
  const [entry] = (await store.ledger.entries({ limit: 10 })).filter(({ kind }) => kind === 'charge');
  return (await ledger.refund(entry!.number, { reason: 'x' })).kind;
};
const open =
  (nonce: string, key = 'a'): Act =>
  async ({ ledger }) =>
    (await ledger.openHold(holdWith(nonce, itemOf(key)))).kind;
const settle =
  (nonce: string, reference = nonce): Act =>
  async ({ ledger }) =>
    (await ledger.settleHold(holdWith(nonce), { reference })).isNew;
const release =
  (nonce: string): Act =>
  async ({ ledger }) =>
    (await ledger.releaseHold(holdWith(nonce), { reason: 'x' })).state;
const revoke: Act = ({ accounts }) => accounts.revokeKey('key_a', { revokedAt: at(1) });
const rotate: Act = async ({ accounts }) => {
  return (await accounts.rotateKey('key_a', keyOfAccount('acme', 'b'), { endsAt: at(9) })).budget;
};
const removeAccount: Act = ({ accounts }) => accounts.removeAccount('acme', { at: at(8) });
const createAccount: Act = async ({ accounts }) => (await accounts.createAccount(accountNamed('acme'))).id;

/** A register of three records, and an account with credit for two of them and a key with a budget for two. */
const TOWN: readonly Act[] = [
  (store) => store.createRegister(permits()),
  (store) => store.apply('permits', [say('a'), say('b'), say('c')], { recordedAt: at(0) }),
  (store) => accountWithCredit(store, 5, { budget: 4, perDay: null }),
];

/** What both start from, and the two. */
const PAIRS: readonly (readonly [title: string, before: readonly Act[], first: Act, second: Act])[] = [
  ['an item bought twice', TOWN, bought('a'), bought('a')],
  ['an item bought twice by one request', TOWN, bought('a', 'k'), bought('a', 'k')],
  ['two items bought by one idempotency key', TOWN, bought('a', 'k'), bought('b', 'k')],
  ['two items where there is credit for one', [...TOWN, bought('a')], bought('b'), bought('c')],
  ['an item bought while its key is revoked', TOWN, bought('a'), revoke],
  ['an item bought while its key is rotated', TOWN, bought('a'), rotate],
  ['an item bought while its account is removed', TOWN, bought('a'), removeAccount],
  ['an item bought and refunded', [...TOWN, bought('a')], bought('a'), refundFirst],
  ['a charge refunded twice', [...TOWN, bought('a')], refundFirst, refundFirst],
  ['an item bought while credit comes', [...TOWN, bought('a'), bought('b')], bought('c'), credit('I')],
  ['credit given twice under one reference', TOWN, credit('I'), credit('I')],
  ['two credits under one reference', TOWN, credit('I'), credit('I', 6)],
  ['credit for an account that is removed', TOWN, credit('I'), removeAccount],
  ['an account made while it is removed', [...TOWN, bought('a')], createAccount, removeAccount],
  ['an authorization begun twice', TOWN, open('0x1'), open('0x1')],
  ['an authorization for two items', TOWN, open('0x1'), open('0x1', 'b')],
  ['two payments for one item', TOWN, open('0x1'), open('0x2')],
  ['a payment begun while another one is settled', [...TOWN, open('0x1')], open('0x2'), settle('0x1')],
  // More orders than are tried: the two halves begin at both ends of them.
  ['a payment settled while another one begins', [...TOWN, open('0x1')], settle('0x1'), open('0x2')],
  ['a payment begun while another one is released', [...TOWN, open('0x1')], open('0x2'), release('0x1')],
  ['a payment settled twice', [...TOWN, open('0x1')], settle('0x1', 't'), settle('0x1', 't')],
  ['a payment settled and released', [...TOWN, open('0x1')], settle('0x1'), release('0x1')],
  ['two payments settled under one reference', [...TOWN, open('0x1'), open('0x2', 'b')], settle('0x1', 't'), settle('0x2', 't')], // prettier-ignore
];

/** All that is kept of purchases, without the numbers that databases give and without times. */
async function kept(): Promise<unknown> {
  const rows = (table: string, but: string, order: string): string => {
    const plain = `SELECT to_jsonb(x) - '{${but}}'::text[] AS t FROM ${SCHEMA}.${table} x ORDER BY ${order}`;
    return `(SELECT coalesce(jsonb_agg(t), '[]') FROM (${plain}) AS t)`;
  };
  // The order of two entries is that of their commits: what matters is which there are.
  const { rows: found } = await observer.query<Record<string, unknown>>(`SELECT
    ${rows('ledger', 'number,at,slot,reverses', 'payer, kind, record_id, reference')} AS ledger,
    ${rows('grants', 'charge,slot', 'payer, record_id, content_version')} AS grants,
    ${rows('holds', 'number,entry,slot,opened_at,ended_at', 'nonce')} AS holds,
    ${rows('accounts', '', 'id')} AS accounts, ${rows('api_keys', 'number', 'id')} AS keys`);
  return found[0];
}

const TABLES = [
  ...['ledger', 'grants', 'holds', 'api_keys', 'accounts'],
  ...['records', 'withdrawn', 'contents', 'versions', 'logs', 'registers', 'removed_registers'],
];

async function prepare(before: readonly Act[]): Promise<void> {
  await observer.query(TABLES.map((table) => `DELETE FROM ${SCHEMA}.${table}`).join('; '));
  for (const act of before) await act(store);
}

async function codeOf(error: unknown): Promise<unknown> {
  return { error: (error as { readonly code?: unknown }).code ?? error };
}

const textOf = (result: unknown): string => JSON.stringify(result ?? null);

describe('two purchases at once end as one after the other', () => {
  it.each(PAIRS)('%s', async (_, before, first, second) => {
    const acts = [first, second] as const;
    const serial: unknown[] = [];
    for (const order of [
      [0, 1],
      [1, 0],
    ]) {
      await prepare(before);
      const results: unknown[] = [];
      for (const number of order) results[number] = await acts[number]!(store).catch(codeOf);
      serial.push({ results: results.map(textOf), kept: await kept() });
    }
    let runs = 0;
    const interleaving = {
      ...{ pools, prepare: () => prepare(before) },
      start: () => [first(stores[0]), second(stores[1])] as const,
      outcome: async (results: readonly unknown[]) => ({ results: results.map(textOf), kept: await kept() }),
    };
    for await (const { outcome, trace } of everyInterleaving(interleaving)) {
      runs++;
      expect(serial, trace.join('\n')).toContainEqual(outcome);
      if (runs === MOST_RUNS) break;
    }
    expect(runs).toBeGreaterThan(1);
  });
});
