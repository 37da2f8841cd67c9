// A service with two accounts whose owners are signed in, for tests of their pages.
import { SignIns } from '../../../src/operate/sign-in.ts';
import type { GazetteOptions } from '../../../src/service/create-gazette.ts';
import type { ServiceStore } from '../../../src/stores/contract/accounts.ts';
import { demoService, NOW, ORIGIN, type DemoService } from '../../service/demo-service.ts';
import { Browser, type BrowserOptions, type Page } from './browser.ts';

/** A service, and how its owners sign in. */
export interface OwnersService extends DemoService {
  readonly signIns: SignIns;
  /** A new browser. */
  readonly browser: (options?: BrowserOptions) => Browser;
  /** The address of a new link. */
  readonly link: (accountId?: string) => Promise<string>;
  /** A browser in which the owner is signed in, and the page that she sees first. */
  readonly signedIn: (accountId?: string) => Promise<{ readonly browser: Browser; readonly page: Page }>;
}

/** Makes one, with the accounts `demo` and `other`. */
export async function ownersService(
  options: Partial<GazetteOptions> = {},
  store?: ServiceStore,
): Promise<OwnersService> {
  let nowMs = NOW;
  const now = (): number => nowMs;
  const service = await demoService({ now, ...options }, store);
  await service.accounts.add('other', '2030-01-01T00:00:00Z');
  const signIns = new SignIns(service.store.signIns, { now });
  const browser = (given?: BrowserOptions): Browser => new Browser(service.gazette.fetch, given);
  const link = async (accountId = 'demo'): Promise<string> => {
    return `${options.baseUrl ?? ORIGIN}/sign-in/${await signIns.createLink(accountId)}`;
  };
  return {
    ...service,
    signIns,
    browser,
    link,
    async signedIn(accountId = 'demo') {
      const own = browser();
      const page = await own.submit(await own.open(await link(accountId)), 'sign-in');
      return { browser: own, page };
    },
    later(ms) {
      nowMs += ms;
      service.later(ms);
    },
  };
}
