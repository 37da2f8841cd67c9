// A world with a desk: an editor of all registers, one who reviews `permits`, and one of `notices`.
import { Editors } from '../../../src/operate/desk/editors.ts';
import { editorSignIns } from '../../../src/operate/sign-in.ts';
import { BASE_URL, world, type World, type WorldOptions } from '../../world.ts';
import { Browser, type BrowserOptions, type Page } from '../account/browser.ts';

/** Who adds editors here. */
export const OPERATOR = { who: 'root', role: 'operator' } as const;

/** A service with a desk, and how its editors sign in. */
export interface DeskService extends World {
  readonly editors: Editors;
  /** A new browser. */
  readonly browser: (options?: BrowserOptions) => Browser;
  /** The address of a new link. */
  readonly link: (name?: string) => Promise<string>;
  /** A browser in which the editor is signed in, and the page that she sees first. */
  readonly signedIn: (
    name?: string,
    options?: BrowserOptions,
  ) => Promise<{ readonly browser: Browser; readonly page: Page }>;
}

/** Makes one. */
export async function deskService(options: WorldOptions = {}): Promise<DeskService> {
  const service = await world({ records: 5, desk: true, baseUrl: BASE_URL, ...options });
  const now = (): number => service.clock.now;
  const editors = new Editors(service.store, { now });
  await editors.add({ name: 'anna', email: 'anna@example.org' }, OPERATOR);
  await editors.add({ name: 'ben', email: 'ben@example.org', feeds: ['permits'], role: 'review' }, OPERATOR);
  await editors.add({ name: 'carla', email: 'carla@example.org', feeds: ['notices'] }, OPERATOR);
  const signIns = editorSignIns(service.store, { now });
  const browser = (given?: BrowserOptions): Browser => new Browser(service.fetch, given);
  const link = async (name = 'anna'): Promise<string> => {
    return `${options.baseUrl ?? BASE_URL}/desk/sign-in/${await signIns.createLink(name)}`;
  };
  return {
    ...service,
    editors,
    browser,
    link,
    async signedIn(name = 'anna', given) {
      const own = browser(given);
      const page = await own.submit(await own.open(await link(name)), 'sign-in');
      return { browser: own, page };
    },
  };
}
