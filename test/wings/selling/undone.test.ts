// An import of a register that sells is taken back: how many purchases there are of what goes is said, and nobody pays twice for a
// content that returns.
import { expect, it } from 'vitest';
import { importRecords } from '../../../src/import/importer.ts';
import { jsonReader } from '../../../src/import/readers/json.ts';
import { Imports } from '../../../src/operate/registers/imports.ts';
import { at } from '../../contracts/store-register.ts';
import { source } from '../../import/sources.ts';
import { BUYER, openShop, type Shop } from './shop.ts';
import { ledgerOf } from './ledger-of.ts';

/** More than the public sees whole, of which the first is the oldest. */
const FIRST = ['a', 'b', 'c', 'd', 'e', 'f'].map((id) => ({
  ...{ id, title: `Permit ${id}`, content: 'What is sold.', source_url: 'https://example.org/' },
}));

async function take({ store }: Shop, rows: readonly object[], minute: number): Promise<number> {
  const { number } = await importRecords(store, 'permits', jsonReader(source(JSON.stringify(rows))), {
    now: () => Date.parse(at(minute)),
    order: 'oldest-first',
  });
  return number!;
}

it('names the purchases of what it withdraws, and asks nobody twice for one content', async () => {
  const shop = await openShop({ records: 0 });
  const imports = new Imports(shop.store, { now: () => Date.parse(at(9)) });
  const left = async (): Promise<number> => (await shop.store.accounts.account(BUYER))!.balance!.left;
  /** Reads a record with a key that pays. @returns what it says, and what that cost */
  const read = async (key: string): Promise<readonly [content: string, paid: number]> => {
    const before = await left();
    const record = (await (await shop.get(`/records/permits:${key}/full`, { key: shop.spender })).json()) as {
      readonly content: string;
    };
    return [record.content, before - (await left())];
  };
  await take(shop, FIRST, 1);
  expect(await read('a')).toEqual(['What is sold.', 200]);

  const wrong = [
    { ...FIRST[0]!, content: 'Misread.' },
    { ...FIRST[1]!, content: 'Misread.' },
    { ...FIRST[0]!, id: 'new' },
  ];
  const number = await take(shop, [...wrong, ...FIRST.slice(2)], 2);
  await take(
    shop,
    ['x', 'y', 'z'].map((id) => ({ ...FIRST[0]!, id })),
    3,
  );
  expect([await read('a'), await read('b')]).toEqual([['Misread.', 200], ['Misread.', 200]]); // prettier-ignore
  expect(await read('new')).toEqual(['What is sold.', 200]);

  const proposed = await imports.undo('permits', number, { who: 'ada', propose: true });
  const message = 'records that it withdraws were bought: 1 purchase';
  const findings = [{ code: 'purchased', stops: false, message, facts: { counts: { count: 1 } } }];
  expect(proposed.report.findings).toEqual(findings);
  expect((await imports.proposal('permits', proposed.number)).report.findings).toEqual(findings);
  await imports.approve('permits', proposed.number, { who: 'bea' });

  expect([await read('a'), await read('b')]).toEqual([['What is sold.', 0], ['What is sold.', 0]]); // prettier-ignore
  expect(await read('c')).toEqual(['What is sold.', 200]);
  expect((await shop.get('/records/permits:new/full', { key: shop.spender })).status).toBe(410);

  const charges = await ledgerOf(shop.store).chargesOfWithdrawn(number, { limit: 9 });
  expect(charges.map(({ item }) => item?.recordId)).toEqual(['permits:new']);
  expect(await ledgerOf(shop.store).chargesOfWithdrawn(proposed.number, { limit: 9 })).toEqual(charges);

  const { report } = await imports.undo('permits', proposed.number, { who: 'ada' });
  expect(report.findings).toEqual([]);
  expect([await read('a'), await read('b'), await read('new')]).toEqual([
    ['Misread.', 0],
    ['Misread.', 0],
    ['What is sold.', 0],
  ]);
  expect(await ledgerOf(shop.store).chargesOfWithdrawn(number, { limit: 9 })).toEqual([]);
});
