// `gazette account credit`, `refund` and `ledger`, and keys that spend.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { SqliteStore } from '../../../../src/stores/sqlite/store.ts';
import { at } from '../../../contracts/store-register.ts';
import { gazette } from '../../../cli/run.ts';
import { makeStore } from '../../../cli/served.ts';
import { ledgerOf } from '../ledger-of.ts';

let path: string;
let store: SqliteStore;

beforeEach(async () => {
  ({ path } = await makeStore(1));
  store = SqliteStore.open(path);
  await run('account', 'add', 'other');
  const { definition } = (await store.register('permits'))!;
  await store.updateRegister({ ...definition, prices: { currency: 'EUR', per_record: 2 } }, { recordedAt: at(0) });
});
afterEach(() => store.close());

async function run(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await gazette([...args, '--store', path]);
  return `${code === 0 ? '' : `${code}: `}${stdout.toString()}${stderr}`;
}

async function json<T>(...args: readonly string[]): Promise<T> {
  return JSON.parse((await gazette([...args, '--json', '--store', path])).stdout.toString()) as T;
}

/** Buys the record of the register from the account's credit. */
async function buyOne(keyId: string | null): Promise<number> {
  const [record] = (await (await store.source('permits')).page({ offset: 0, limit: 1 })).records;
  const [item] = (await ledgerOf(store).items([record!.id])).values();
  const bought = { accountId: 'acme', keyId, expected: null, idempotencyKey: null, item: item! };
  return (await ledgerOf(store).buy(bought)).charge.number;
}

it('gives credit once per reference, and says what is left', async () => {
  const credit = ['account', 'credit', 'acme', '500', '--currency', 'EUR', '--reference', 'INV-1'];
  expect(await run(...credit)).toContain('entry 1: credit of 5.00 EUR for acme; 5.00 EUR are left');
  expect(await json(...credit)).toMatchObject({ number: 1, kind: 'credit', amount: 500, currency: 'EUR' });
  expect(await run(...credit)).toContain('nothing was done: entry 1 is the credit of 5.00 EUR for acme');
  expect(await json(...credit)).toMatchObject({ number: 1, entered: false });
  const [acme] = (await json<readonly object[]>('account', 'list')).filter((one) => Object.values(one)[0] === 'acme');
  expect(acme).toMatchObject({ balance: { currency: 'EUR', credit: 500, charged: 0, left: 500 } });
});

it('refuses amounts that are no whole numbers, before it opens the store', async () => {
  for (const amount of ['0', '-5', '1.5', '5e2', '5 EUR', '9007199254740992']) {
    const { stderr } = await gazette(['account', 'credit', '--currency', 'EUR', '--store', path, 'acme', '--', amount]);
    expect(stderr).toContain('the amount must be a whole number from 1 on');
  }
  const create = ['key', 'create', 'acme'];
  expect(await run(...create, '--budget', '5.00')).toContain('--budget must be a whole number');
  expect(await run(...create, '--per-day', '5')).toContain('--per-day needs --budget');
  expect(await run(...create, '--until', '2027-01-01', '--expires', '2027-01-01')).toContain('cannot be used with');
  expect(await store.accounts.keys('acme')).toHaveLength(1);
});

it('makes a key that spends, shows what it has spent, and takes a charge back', async () => {
  await run('account', 'credit', 'acme', '500', '--currency', 'EUR', '--reason', '=1+1, "quoted"');
  const options = ['--budget', '100', '--per-day', '50', '--expires', '2999-01-01', '--feed', 'permits'];
  const made = await json<{ id: string }>('key', 'create', 'acme', ...options);
  expect(made).toMatchObject({
    ...{ expires_at: '2999-01-01T23:59:59.999Z', feeds: ['permits'] },
    budget: { amount: 100, per_day: 50, spent: 0, spent_day: null, spent_on_day: 0 },
  });
  const charge = await buyOne(made.id);
  const [key] = await json<readonly object[]>('key', 'list', 'acme');
  expect(key).toMatchObject({ budget: { amount: 100, spent: 2, spent_on_day: 2 } });
  const entries = await json<readonly object[]>('account', 'ledger', 'acme');
  expect(entries).toMatchObject([
    { number: charge, kind: 'charge', amount: 2, provider: 'prepaid', key: made.id, content_version: 1 },
    { kind: 'credit', record_id: null },
  ]);
  const csv = (await run('account', 'ledger', '--csv')).split('\r\n');
  expect(csv[0]).toMatch(/^number,kind,at,payer,amount,currency,record_id/);
  expect(csv[1]).toContain(`,acme,2,EUR,permits:`);
  expect(csv[2]).toContain(`,"'=1+1, ""quoted""",`);
  expect(await run('account', 'ledger', 'acme')).toContain('charge    acme  0.02 EUR  permits:');
  const refund = ['account', 'refund', 'acme', String(charge), '--reason', 'by mistake'];
  expect(await run('account', 'refund', 'other', String(charge), '--reason', 'x')).toContain('other has no charge');
  expect(await run(...refund)).toContain('refund of 0.02 EUR for acme; 5.00 EUR are left');
  expect(await run(...refund)).toContain('nothing was done: entry 3 is the refund of 0.02 EUR for acme');
  expect(await json(...refund)).toMatchObject({ number: 3, kind: 'refund', entered: false });
  expect(await json('account', 'ledger', 'other')).toEqual([]);
  expect(await run('account', 'ledger', 'nobody')).toContain('there is no account "nobody"');
  expect(await run('doctor')).toMatch(/^(?!.*must be the sum)/s);
});

it('has the doctor find sums that the ledger does not give', async () => {
  await run('account', 'credit', 'acme', '500', '--currency', 'EUR');
  const { DatabaseSync } = await import('node:sqlite');
  const database = new DatabaseSync(path);
  database.exec("UPDATE accounts SET credit = 501 WHERE id = 'acme'");
  database.close();
  expect(await run('doctor')).toContain('credit must be the sum of the credits in the ledger, got 501');
});

it('gives back what was bought of records that an import withdrew', async () => {
  await run('account', 'credit', 'acme', '500', '--currency', 'EUR');
  const charge = await buyOne(null);
  const [{ id }] = (await store.ids('permits', { limit: 1 })) as unknown as [{ readonly id: string }];
  const begun = { file: 'next.csv', cause: 'source_change', who: null, begunAt: at(1) } as const;
  const { number } = await store.imports.begin('permits', begun, { key: new Uint8Array(32) });
  const refund = ['account', 'refund', '--reason', 'taken back', '--import', 'permits', `${number}`];
  expect(await run(...refund)).toContain('nothing was refunded');
  await store.withdraw('permits', [id], { recordedAt: at(2), import: number });
  expect(await run(...refund)).toBe(`gazette: entry ${charge + 1}: refund of 0.02 EUR for acme, ${id}\n`);
  expect(await run(...refund)).toContain('nothing was refunded');
  expect((await store.accounts.account('acme'))?.balance?.left).toBe(500);
  expect(await run(...refund.with(5, 'others'))).toContain('(unknown_feed)');
  expect(await run(...refund, '7')).toContain('(usage)');
  expect(await run(...refund.slice(0, 4), 'acme')).toContain('missing <entry>');
});
