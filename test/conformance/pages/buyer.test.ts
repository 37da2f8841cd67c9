// An owner with credit in Chromium, in both languages: a record's price, the form that buys it, the ledger and its file, a key with
// a budget, and where an agent sends her whose budget is used up. Every page on the way is looked at as those for readers are.
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accountSignIns } from '../../../src/operate/sign-in.ts';
import { statementAt } from '../../world.ts';
import { at, permits } from '../../contracts/store-register.ts';
import { faults, keyboard, PAGE_BYTES } from './audit.ts';
import { type Chromium, launch, noChromium, type Page, type Watched, watch } from './chromium.ts';
import { type PagesService, startPages } from './service.ts';
import { ledgerOf } from '../../wings/selling/ledger-of.ts';

const OLD = '/records/permits:001';

/** A register of twelve records, nine of which are sold, and an account with 50.00 EUR. */
async function fillShop(store: PagesService['store']): Promise<void> {
  await store.createRegister({ ...permits(), prices: { currency: 'EUR', per_record: 200 } });
  const statements = Array.from({ length: 12 }, (_, index) => statementAt(index + 1, 12));
  await store.apply('permits', statements, { recordedAt: at(0) });
  await store.accounts.createAccount({ id: 'buyer', accessUntil: null, createdAt: at(0) });
  const price = { amount: 5000, currency: 'EUR' };
  await ledgerOf(store).grantCredit({ accountId: 'buyer', price, reference: null, reason: null });
}

describe.skipIf(noChromium !== null).each(['en-GB', 'de-DE'])(
  `an owner with credit of %s (${noChromium ?? 'in Chromium'})`,
  (locale) => {
    const isGerman = locale === 'de-DE';
    let service: PagesService;
    let browser: Chromium;
    let watched: Watched;
    let page: Page;

    beforeAll(async () => {
      [service, browser] = await Promise.all([
        startPages({ keysUrl: 'https://example.org/access' }, fillShop),
        launch(),
      ]);
      watched = await watch(browser, service.origin, { locale });
      page = await watched.open();
    });

    afterAll(async () => {
      await browser.close();
      await service.close();
    });

    async function look(name: string): Promise<void> {
      const found = [...(await faults(page, `buyer-${name}-${locale.slice(0, 2)}`))];
      if (!isGerman) found.push(...(await keyboard(page)));
      if ((await page.content()).length >= PAGE_BYTES) found.push('is too long');
      expect([name, found, watched.complaints]).toEqual([name, [], []]);
    }

    it('finds the price, signs in, buys, and reads the record whole', async () => {
      await page.goto(service.origin + OLD);
      await look('stranger');
      const link = await accountSignIns(service.store).createLink('buyer');
      await page.goto(`${service.origin}/sign-in/${link}`);
      await page.locator('form#sign-in button').last().click();
      await page.goto(`${service.origin}/feeds/permits`);
      await look('register');
      await page.goto(service.origin + OLD);
      await look('preview');
      await page.locator('form#buy button').click();
      await page.getByRole('status').waitFor();
      expect(await page.locator('article').innerText()).toContain('confidential content 1');
      await look('bought');
    });

    it('looks at the ledger, and downloads it', async () => {
      await page.goto(`${service.origin}/account/ledger`);
      expect(await page.locator('.rows').innerText()).toContain(isGerman ? '2,00 EUR' : '2.00 EUR');
      await look('ledger');
      const [download] = await Promise.all([page.waitForEvent('download'), page.locator('a[download]').click()]);
      expect(download.suggestedFilename()).toBe('ledger-buyer.csv');
      expect((await readFile(await download.path(), 'utf8')).split('\r\n')).toHaveLength(4);
    });

    it('makes a key with a budget, and sees what is left of it and of the credit', async () => {
      await page.goto(`${service.origin}/account/keys`);
      await look('keys');
      await page.locator('#new-key input[name=name]').fill('agent');
      await page.locator('#new-key input[name=budget]').fill(isGerman ? '4,00' : '4.00');
      await page.locator('#new-key input[name=per_day]').fill('2');
      await page.locator('form#new-key button').last().click();
      const key = await page.locator('.secret code').innerText();
      const path = '/api/v1/records/permits:002/full';
      expect((await fetch(service.origin + path, { headers: { authorization: `Bearer ${key}` } })).status).toBe(200);
      await page.goto(`${service.origin}/account/keys`);
      await page.getByRole('link', { name: 'agent' }).click();
      expect(await page.locator('.own-facts').innerText()).toContain(
        isGerman ? 'noch 2,00 EUR von 4,00 EUR · heute noch 0,00 EUR von 2,00 EUR' : '2.00 EUR of 4.00 EUR left',
      );
      await look('key');
      await page.goto(`${service.origin}/account/credit/buyer`);
      expect(await page.locator('.own-facts').innerText()).toContain(isGerman ? '46,00 EUR' : '46.00 EUR');
      await look('credit');
    });
  },
);
