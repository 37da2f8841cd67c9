// Pairs of rules of purchases, in every order in which their statements can come, end as one after the other would.
import { accountNamed, keyOfAccount } from '../../../contracts/accounts.ts';
import { accountWithCredit, buy, holdWith, itemOf, sold } from '../contracts/ledger-contract.ts';
import { at, say } from '../../../contracts/store-register.ts';
import { type Act, describePairs, type Pair, pairStores } from '../../../stores/postgres/pairs.ts';
import { ledgerOf } from '../ledger-of.ts';

const SCHEMA = 'ledger_pairs';

const stores = pairStores(SCHEMA);

/** How many orders of one pair are tried. All others have fewer than a payment that begins while another one is settled. */
const MOST_RUNS = 390;

const bought =
  (key: string, idempotencyKey?: string): Act =>
  async (store) =>
    (await buy(store, itemOf(key), idempotencyKey === undefined ? {} : { idempotencyKey })).isNew;
const credit =
  (reference: string, amount = 5): Act =>
  async (store) => {
    const price = { amount, currency: 'EUR' };
    return (await ledgerOf(store).grantCredit({ accountId: 'acme', price, reference, reason: null })).entry.price
      .amount;
  };
const refundFirst: Act = async (store) => {
  const [entry] = (await ledgerOf(stores.store()).entries({ limit: 10 })).filter(({ kind }) => kind === 'charge');
  return (await ledgerOf(store).refund(entry!.number, { reason: 'x' })).entry.kind;
};
const open =
  (nonce: string, key = 'a'): Act =>
  async (store) =>
    (await ledgerOf(store).openHold(holdWith(nonce, itemOf(key)))).kind;
const settle =
  (nonce: string, reference = nonce): Act =>
  async (store) =>
    (await ledgerOf(store).settleHold(holdWith(nonce), { reference })).isNew;
const charge =
  (nonce: string): Act =>
  async (store) =>
    (await ledgerOf(store).settleHold(holdWith(nonce), { reference: nonce, mayVanish: true })).isNew;
const release =
  (nonce: string): Act =>
  async (store) =>
    (await ledgerOf(store).releaseHold(holdWith(nonce), { reason: 'x' })).state;
const revoke: Act = ({ accounts }) => accounts.revokeKey('key_a', { revokedAt: at(1) });
const rotate: Act = async ({ accounts }) => {
  return (await accounts.rotateKey('key_a', keyOfAccount('acme', 'b'), { endsAt: at(9) })).budget;
};
const give =
  (key: string, budget: number): Act =>
  async ({ accounts }) =>
    (await accounts.createKey({ ...keyOfAccount('acme', key), budget: { budget } }, { by: 'key_a' })).budget;
const lower =
  (budget: number): Act =>
  async ({ accounts }) =>
    (await accounts.updateKey({ ...keyOfAccount('acme', 'a'), id: 'key_a' }, { budget: { budget } })).budget;
const removeAccount: Act = ({ accounts }) => accounts.removeAccount('acme', { at: at(8) });
const createAccount: Act = async ({ accounts }) => (await accounts.createAccount(accountNamed('acme'))).id;

/** A register of three records, and an account with credit for two of them and a key with a budget for two. */
const TOWN: readonly Act[] = [
  (store) => store.createRegister(sold()),
  (store) => store.apply('permits', [say('a'), say('b'), say('c')], { recordedAt: at(0) }),
  (store) => accountWithCredit(store, 5, { budget: 4, perDay: null }),
];

const PAIRS: readonly Pair[] = [
  ['an item bought twice', TOWN, bought('a'), bought('a')],
  ['an item bought twice by one request', TOWN, bought('a', 'k'), bought('a', 'k')],
  ['two items bought by one idempotency key', TOWN, bought('a', 'k'), bought('b', 'k')],
  ['two items where there is credit for one', [...TOWN, bought('a')], bought('b'), bought('c')],
  ['an item bought while its key is revoked', TOWN, bought('a'), revoke],
  ['an item bought while its key is rotated', TOWN, bought('a'), rotate],
  ['an item bought while its key gives of its budget', TOWN, bought('a'), give('b', 3)],
  ['a budget given away twice', TOWN, give('b', 3), give('c', 3)],
  ['a budget given away while its key is rotated', TOWN, give('c', 3), rotate],
  ['an item bought while the budget of its key is lowered', TOWN, bought('a'), lower(1)],
  ['a budget lowered while it is given away', TOWN, lower(2), give('b', 3)],
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
  ['a payment charged and settled', [...TOWN, open('0x1')], charge('0x1'), settle('0x1')],
  ['a charge settled and reversed', [...TOWN, open('0x1'), charge('0x1')], settle('0x1'), release('0x1')],
  ['a charge reversed twice', [...TOWN, open('0x1'), charge('0x1')], release('0x1'), release('0x1')],
  ['a charge reversed and refunded', [...TOWN, open('0x1'), charge('0x1')], release('0x1'), refundFirst],
  [
    'a charge reversed while another payment begins',
    [...TOWN, open('0x1'), charge('0x1')],
    release('0x1'),
    open('0x2'),
  ],
  ['two payments settled under one reference', [...TOWN, open('0x1'), open('0x2', 'b')], settle('0x1', 't'), settle('0x2', 't')], // prettier-ignore
];

/** All that is kept of purchases, without the numbers that databases and transactions have, and without times. */
async function kept(): Promise<unknown> {
  const rows = (table: string, but: string, order: string): string => {
    const plain = `SELECT to_jsonb(x) - '{${but}}'::text[] - 'written' AS t FROM ${SCHEMA}.${table} x ORDER BY ${order}`;
    return `(SELECT coalesce(jsonb_agg(t), '[]') FROM (${plain}) AS t)`;
  };
  // The order of two entries is that of their commits: what matters is which there are.
  const { rows: found } = await stores.observer.query<Record<string, unknown>>(`SELECT
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

describePairs('two purchases at once end as one after the other', stores, {
  ...{ pairs: PAIRS, tables: TABLES, kept, mostRuns: MOST_RUNS },
});
