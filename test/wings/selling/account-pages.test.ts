// What owners see of their credit in a browser: on the first page of the account, and entry by entry.
import { expect, it } from 'vitest';
import { at } from '../../contracts/store-register.ts';
import { ownersService } from '../../pages/account/signed-in.ts';
import { BASE_URL } from '../../world.ts';
import { ledgerOf } from './ledger-of.ts';

it('an owner sees the credit, and what it was spent on, in her language', async () => {
  const service = await ownersService();
  const { store } = service;
  const { definition } = (await store.register('permits'))!;
  const prices = { currency: 'EUR', per_record: 205 };
  await store.updateRegister({ ...definition, prices }, { recordedAt: at(1) });
  const price = { amount: 5000, currency: 'EUR' };
  await ledgerOf(store).grantCredit({ accountId: 'acme', price, reference: 'invoice <17>', reason: null });
  const item = (await ledgerOf(store).items(['permits:2026-0001'])).get('permits:2026-0001')!;
  await ledgerOf(store).buy({ accountId: 'acme', keyId: null, item, expected: null, idempotencyKey: null });
  const { browser } = await service.signedIn();
  const first = await browser.open(`${BASE_URL}/account`);
  expect(first.html).toContain('47.95 EUR of 50.00 EUR left');
  expect(first.html).toContain('href="/account/ledger"');
  const page = await browser.open(`${BASE_URL}/account/ledger`);
  expect(page.status).toBe(200);
  expect(page.html).toMatch(/Bought: 2\.05 EUR<\/strong> <a href="\/records\/permits:2026-0001">/);
  expect(page.html).toContain('invoice &lt;17&gt;');
  const file = await browser.open(page.links.find((link) => link.endsWith('/account/ledger.csv'))!);
  expect(file.headers.get('content-disposition')).toBe('attachment; filename="ledger-acme.csv"');
  expect(file.headers.get('cache-control')).toBe('private, no-store');
  expect(file.html.split('\r\n').map((line) => line.split(',').slice(0, 2).join())).toEqual([
    ...['number,kind', '2,charge', '1,credit', ''],
  ]);
  const german = await browser.open(`${BASE_URL}/account/ledger?lang=de`);
  expect(german.html).toContain('Gekauft: 2,05 EUR');
  // Another account sees nothing of it.
  const other = await service.signedIn('other');
  expect((await other.browser.open(`${BASE_URL}/account/ledger.csv`)).html.split('\r\n')).toHaveLength(2);
  expect((await service.browser().open(`${BASE_URL}/account/ledger.csv`)).url).toBe(`${BASE_URL}/sign-in`);
  expect((await other.browser.open(`${BASE_URL}/account/ledger`)).html).toContain('Nothing was credited');
});

it('there is no such page where nothing is sold', async () => {
  const service = await ownersService();
  const { browser } = await service.signedIn();
  for (const path of ['ledger', 'ledger.csv']) {
    expect((await browser.open(`${BASE_URL}/account/${path}`)).status).toBe(404);
  }
  expect((await browser.open(`${BASE_URL}/account`)).html).not.toContain('ledger');
});
