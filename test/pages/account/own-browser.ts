// A browser in which the owner of an account is signed in.
import { accountSignIns } from '../../../src/operate/sign-in.ts';
import { BASE_URL, type World } from '../../world.ts';
import { Browser, type BrowserOptions } from './browser.ts';

/** Signs the owner of an account in. */
export async function signedInTo(
  { fetch, store, clock }: Pick<World, 'fetch' | 'store' | 'clock'>,
  account: string,
  options?: BrowserOptions,
): Promise<Browser> {
  const own = new Browser((request) => fetch(request), options);
  const link = await accountSignIns(store, { now: () => clock.now }).createLink(account);
  await own.submit(await own.open(`${BASE_URL}/sign-in/${link}`), 'sign-in');
  return own;
}
