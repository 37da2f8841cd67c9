// An owner's credit in Chromium: the account's first page, the ledger with whatever an operator writes into it, and what is not there.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accountSignIns } from '../../../src/operate/sign-in.ts';
import { ensurePermits } from '../../../fixtures/permits/import.ts';
import { at } from '../../contracts/store-register.ts';
import { faults, keyboard } from './audit.ts';
import { type Chromium, launch, noChromium, watch } from './chromium.ts';
import { type PagesService, startPages } from './service.ts';
import { ledgerOf } from '../../wings/selling/ledger-of.ts';

const BOUGHT = 'permits:24~2F0005';

const PAGES = [
  ['ledger', '/account/ledger', 200],
  ['ledger-overview', '/account', 200],
  ['ledger-missing', '/account/keys/key_none', 404],
] as const;

describe.skipIf(noChromium !== null)(`an owner's credit (${noChromium ?? 'in Chromium'})`, () => {
  let service: PagesService;
  let browser: Chromium;

  beforeAll(async () => {
    [service, browser] = await Promise.all([
      startPages({}, async (store) => {
        await ensurePermits(store);
        const { definition } = (await store.register('permits'))!;
        const prices = { currency: 'EUR', per_record: 205 };
        await store.updateRegister({ ...definition, prices }, { recordedAt: at(1_000_000) });
      }),
      launch(),
    ]);
    const ledger = ledgerOf(service.store);
    const credit = { accountId: 'acme', price: { amount: 1_234_567, currency: 'EUR' }, reason: null };
    await ledger.grantCredit({ ...credit, reference: `invoice <b>${'W'.repeat(120)}</b>` });
    await ledger.grantCredit({ ...credit, reference: null });
    const item = (await ledger.items([BOUGHT])).get(BOUGHT)!;
    await ledger.buy({ accountId: 'acme', keyId: null, item, expected: null, idempotencyKey: null });
  });

  afterAll(async () => {
    await browser.close();
    await service.close();
  });

  it.each(['en-GB', 'de-DE'])('is accessible and fits, in %s', async (locale) => {
    const watched = await watch(browser, service.origin, { locale });
    const page = await watched.open();
    await page.goto(`${service.origin}/sign-in/${await accountSignIns(service.store).createLink('acme')}`);
    await page.locator('main form button').click();
    await page.waitForURL(`${service.origin}/account`);
    for (const [name, path, status] of PAGES) {
      expect((await page.goto(service.origin + path))!.status()).toBe(status);
      const found = [...(await faults(page, `account-${name}-${locale.slice(0, 2)}`)), ...(await keyboard(page))];
      expect([name, found]).toEqual([name, []]);
    }
    // A browser says of every page that is not there that it is not.
    expect(watched.complaints.filter((line) => !line.includes('404'))).toEqual([]);
    await watched.context.close();
  });
});
