// Prices on the pages for people, and records that are bought there: by a form, once, for the price that the page names.
import { beforeEach, describe, expect, it } from 'vitest';
import { BASE_URL, SECRET } from '../../world.ts';
import { at } from '../../contracts/store-register.ts';
import { Browser, type BrowserOptions, type Page } from '../../pages/account/browser.ts';
import { BUYER, CREDIT, openShop, PRICE, type Shop, signedIn } from './shop.ts';
import { ledgerOf } from './ledger-of.ts';

const COUNT = 12;
const [OLD, LATEST] = ['permits:001', 'permits:012'];
const KEYS_URL = 'https://example.org/access';

let shop: Shop;
beforeEach(async () => {
  shop = await openShop({ records: COUNT, keysUrl: KEYS_URL });
});

const page = (path: string): string => BASE_URL + path;
const browser = (options?: BrowserOptions): Browser => new Browser((request) => shop.fetch(request), options);

/** Entries of the ledger that charge the account. */
async function charges(): Promise<number> {
  const entries = await ledgerOf(shop.store).entries({ payer: BUYER, limit: 1000 });
  return entries.filter(({ kind }) => kind === 'charge').length;
}

async function setPrice(amount: number): Promise<void> {
  const { definition } = (await shop.store.register('permits'))!;
  await shop.store.updateRegister(
    { ...definition, prices: { currency: 'EUR', per_record: amount } },
    { recordedAt: at(1) },
  );
}

describe('what a record costs', () => {
  it('is said to strangers in their language, with the ways to buy, and without a byte of what it buys', async () => {
    const english = await browser().open(page(`/records/${OLD}`));
    expect(english.html).toContain('Price of the whole record: <strong>2.00 EUR</strong>');
    expect(english.html).toContain('>Sign in to buy with the credit of your account</a>');
    expect(english.html).toContain(`<code class="long">${BASE_URL}/api/v1/records/${OLD}/full</code>`);
    expect(english.links).toContain(KEYS_URL);
    const german = await browser({ language: 'de' }).open(page(`/records/${OLD}`));
    expect(german.html).toContain('Preis des ganzen Eintrags: <strong>2,00 EUR</strong>');
    const register = await browser({ language: 'de' }).open(page('/feeds/permits'));
    expect(register.html).toContain('Preis jedes älteren Eintrags: <strong>2,00 EUR</strong>');
    for (const { html, forms } of [english, german, register]) {
      expect(html).not.toContain(SECRET);
      expect(html.length).toBeLessThan(60_000);
      expect(forms.map(({ id }) => id)).not.toContain('buy');
    }
  });

  it('is not said of what everybody reads, where nothing is sold, nor to those who have access', async () => {
    const reader = await signedIn(shop, shop.accountId);
    for (const [own, path] of [
      [browser(), `/records/${LATEST}`],
      [browser(), '/feeds/notices'],
      [browser(), '/'],
      [reader, `/records/${OLD}`],
      [reader, '/feeds/permits'],
    ] as const) {
      expect((await own.open(page(path))).html).not.toMatch(/EUR|Price/);
    }
  });
});

describe('an owner with credit', () => {
  it('sees previews of all records, finds in what is seen alone, and what is left', async () => {
    const own = await signedIn(shop);
    const { html } = await own.open(page('/feeds/permits'));
    expect(html).toContain('Your account has 50.00 EUR left.');
    expect(html).toContain(`href="/records/${OLD}"`);
    expect(html).not.toContain(SECRET);
    expect((await own.open(page(`/feeds/permits?q=${SECRET}`))).html).not.toContain(`href="/records/${OLD}"`);
    expect((await own.open(page(`/?q=${SECRET}`))).html).not.toContain(`href="/records/${OLD}"`);
  });

  it('buys by a form, and sees the record whole from then on, in its language', async () => {
    const own = await signedIn(shop, BUYER, { language: 'de' });
    const before = await own.open(page(`/records/${OLD}`));
    expect(before.headers.get('cache-control')).toBe('private, no-store');
    expect(before.html).toContain('Für 2,00 EUR kaufen');
    const bought = await own.submit(before, 'buy');
    expect(bought.url).toBe(page(`/records/${OLD}?done=justBought`));
    expect(bought.html).toContain('Sie haben ihn gekauft.');
    expect(bought.html).toContain(SECRET);
    expect(bought.links).toContain(page('/account/ledger'));
    const again = await own.open(page(`/records/${OLD}`));
    expect(again.html).toContain('Sie haben diesen Eintrag gekauft.');
    expect(again.forms.map(({ id }) => id)).not.toContain('buy');
    expect((await own.open(page('/feeds/permits'))).html).toContain('<strong>gekauft</strong>');
    expect((await own.open(page('/feeds/permits'))).html).toContain('48,00 EUR');
    expect(await charges()).toBe(1);
    // Nobody else sees it, nor that it was bought.
    expect((await browser().open(page(`/records/${OLD}?done=justBought`))).html).not.toMatch(`${SECRET}|bought it`);
  });

  it('pays once for a form that is sent twice, at once or one after the other', async () => {
    const own = await signedIn(shop);
    const form = await own.open(page(`/records/${OLD}`));
    await Promise.all([own.submit(form, 'buy'), own.submit(form, 'buy')]);
    await own.submit(form, 'buy');
    expect(await charges()).toBe(1);
  });

  it('is charged nothing for another price or another text than the page named', async () => {
    const own = await signedIn(shop);
    const form = await own.open(page(`/records/${OLD}`));
    await setPrice(900);
    const changed = await own.submit(form, 'buy');
    expect(changed.html).toContain('Nothing was charged: the record or its price has changed');
    expect(changed.html).toContain('Buy for 9.00 EUR');
    expect((await own.submit(changed, 'buy', { version: '7' })).html).toContain('Nothing was charged');
    expect((await own.submit(changed, 'buy', { expected_price: '0.01 EUR' })).html).toContain('Nothing was charged');
    expect(await charges()).toBe(0);
  });

  it('is told where the credit is not enough, before and after the form', async () => {
    const own = await signedIn(shop);
    const form = await own.open(page(`/records/${OLD}`));
    const other = await own.open(page('/records/permits:002'));
    await setPrice(CREDIT);
    await own.submit(await own.open(page('/records/permits:003')), 'buy');
    await setPrice(PRICE.amount);
    const refused = await own.submit(form, 'buy');
    expect(refused.html).toContain('Nothing was charged: the credit of your account is not enough.');
    expect(refused.html).toContain('Your account has 0.00 EUR left. That is not enough for this record.');
    expect(refused.forms.map(({ id }) => id)).not.toContain('buy');
    expect((await own.submit(other, 'buy', { once: 'x' })).status).toBe(403);
    expect(await charges()).toBe(1);
  });
});

describe('the form', () => {
  it('is refused from another site, without its token, and to those who are not signed in', async () => {
    const own = await signedIn(shop);
    const form = await own.open(page(`/records/${OLD}`));
    const send = async (changed: object, headers: Record<string, string> = {}): Promise<Page> =>
      own.submit(form, 'buy', changed as Record<string, string>, { headers });
    expect((await send({}, { origin: 'https://evil.example' })).status).toBe(403);
    expect((await send({}, { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    expect((await send({ token: 'x' })).status).toBe(403);
    const stranger = await browser().submit(form, 'buy', {}, { isFollowing: false });
    expect([stranger.status, stranger.headers.get('location')]).toEqual([303, page('/sign-in?done=sessionEnded')]);
    expect((await own.open(page(`/records/${OLD}/purchase`))).status).toBe(405);
    expect(await charges()).toBe(0);
  });

  it('sells nothing to an account without credit, nor a record that is not there', async () => {
    await shop.store.accounts.createAccount({ id: 'poor', accessUntil: null, createdAt: at(0) });
    const own = await signedIn(shop, 'poor');
    const seen = await own.open(page(`/records/${OLD}`));
    expect(seen.html).toContain('Your account has no credit yet.');
    expect(seen.forms.map(({ id }) => id)).not.toContain('buy');
    const buyer = await signedIn(shop);
    const { fields } = (await buyer.open(page(`/records/${OLD}`))).forms.find(({ id }) => id === 'buy')!;
    expect((await buyer.post(page('/records/permits:999/purchase'), fields)).status).toBe(404);
    expect((await buyer.post(page('/records/notices:1/purchase'), fields)).status).toBe(404);
    expect(await charges()).toBe(0);
  });
});
