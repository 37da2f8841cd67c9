// A world with two accounts whose owners are signed in, for tests of their pages.
import { accountSignIns, type SignIns } from '../../../src/operate/sign-in.ts';
import type { Account } from '../../../src/stores/contract/accounts.ts';
import { BASE_URL, SAMPLES, world, type World, type WorldOptions } from '../../world.ts';
import { Browser, type BrowserOptions, type Page } from './browser.ts';

/** A service, and how its owners sign in. */
export interface OwnersService extends World {
  readonly signIns: SignIns<Account>;
  /** A new browser. */
  readonly browser: (options?: BrowserOptions) => Browser;
  /** The address of a new link. */
  readonly link: (accountId?: string) => Promise<string>;
  /** A browser in which the owner is signed in, and the page that she sees first. */
  readonly signedIn: (accountId?: string) => Promise<{ readonly browser: Browser; readonly page: Page }>;
}

/** Makes one, with the accounts `acme` and `other`. */
export async function ownersService(options: WorldOptions = {}): Promise<OwnersService> {
  const service = await world({ samples: SAMPLES, ...options });
  await service.accounts.add('other', '2030-01-01T00:00:00Z');
  const signIns = accountSignIns(service.store, { now: () => service.clock.now });
  const browser = (given?: BrowserOptions): Browser => new Browser(service.fetch, given);
  const link = async (accountId = 'acme'): Promise<string> => {
    return `${options.baseUrl ?? BASE_URL}/sign-in/${await signIns.createLink(accountId)}`;
  };
  return {
    ...service,
    signIns,
    browser,
    link,
    async signedIn(accountId = 'acme') {
      const own = browser();
      const page = await own.submit(await own.open(await link(accountId)), 'sign-in');
      return { browser: own, page };
    },
  };
}
