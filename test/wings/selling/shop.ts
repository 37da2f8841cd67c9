// A service that sells the records of one register: an account with credit, a key that was made to spend, and one that was
// not.
import { createApiKey, newKeyEntry } from '../../../src/access/api-key.ts';
import { PRODUCT, type World, world, type WorldOptions } from '../../world.ts';
import { at } from '../../contracts/store-register.ts';
import type { Browser, BrowserOptions } from '../../pages/account/browser.ts';
import { signedInTo } from '../../pages/account/own-browser.ts';
import { ledgerOf } from './ledger-of.ts';

/** What a record costs in it. */
export const PRICE = { amount: 200, currency: 'EUR' };

/** The same as buyers write what they expect. */
export const EXPECTED = '2.00 EUR';

/** A request that buys for that. */
export const BUYING: { readonly method: string; readonly body: object } = {
  method: 'POST',
  body: { expected_price: EXPECTED },
};

/** The account that has credit, and no access until a date. */
export const BUYER = 'buyer';

/** A service that sells. */
export interface Shop extends World {
  /** A key that was made to spend {@link BUDGET}. */
  readonly spender: string;
  /** A key of the same account without a budget. */
  readonly asker: string;
}

/** What `spender` may spend. */
export const BUDGET = 1000;

/** What the account has. */
export const CREDIT = 5000;

/** Makes one, as {@link world} does. */
export async function openShop({
  budget = BUDGET,
  ...options
}: WorldOptions & { readonly budget?: number } = {}): Promise<Shop> {
  const service = await world(options);
  const { store } = service;
  const { definition } = (await store.register('permits'))!;
  await store.updateRegister(
    { ...definition, prices: { currency: PRICE.currency, per_record: PRICE.amount } },
    { recordedAt: at(0) },
  );
  // What is sold is indexed in another way: a service does it in the background.
  while ((await store.finding?.incomplete())?.includes('permits') === true) await store.finding!.build('permits');
  await store.accounts.createAccount({ id: BUYER, accessUntil: null, createdAt: at(0) });
  await ledgerOf(store).grantCredit({
    ...{ accountId: BUYER, price: { amount: CREDIT, currency: PRICE.currency }, reference: null, reason: null },
  });
  const make = async (own: object): Promise<string> => {
    const key = createApiKey();
    const entry = newKeyEntry(key, { accountId: BUYER, product: PRODUCT, createdAt: at(0) });
    await store.accounts.createKey({ ...entry, ...own });
    return key;
  };
  const expiresAt = at(60 * 24 * 30);
  const spender = await make({ budget: { budget, perDay: null }, expiresAt });
  const asker = await make({ scopes: ['read', 'account'] });
  return { ...service, spender, asker };
}

/** A browser in which the owner of an account is signed in. */
export function signedIn(
  service: Parameters<typeof signedInTo>[0],
  account: string = BUYER,
  options?: BrowserOptions,
): Promise<Browser> {
  return signedInTo(service, account, options);
}
