// `/guide`: how to use the data in programs, with this service's own addresses, for the register that its reader chooses. To somebody who is
// signed in it names the key that her programs use.
import { formatsFor } from '../formats/index.ts';
import { isFeedId } from '../register/definition.ts';
import type { RegisterEntry } from '../stores/contract/registers.ts';
import { guidePage } from '../templates/guide-page.ts';
import { byLastChange } from '../views/search-registers.ts';
import { frameOf, pageBody, siteOf } from './frame.ts';
import type { PageOptions, PageRoute, PageServices } from './services.ts';

/** The parameter that chooses a register. */
const REGISTER_PARAMETER = 'register';

/** How many registers can be chosen besides that of the examples. */
const MAX_CHOICES = 50;

/** `/guide`. */
export function guideRoute(services: PageServices, options: PageOptions): PageRoute {
  const { store } = services;
  const entriesOf = async (feeds: readonly string[]): Promise<readonly RegisterEntry[]> => {
    const entries = await Promise.all(feeds.map((feedId) => store.register(feedId)));
    return entries.filter((entry) => entry !== null).toSorted(byLastChange);
  };
  return {
    path: '/guide',
    access: 'public',
    documentation: null,
    async answer(context) {
      const { account } = context.access;
      const key = account === undefined ? null : await options.readingKey(account.id);
      const { registers: latest } = await store.catalogue.page({ offset: 0, limit: MAX_CHOICES, latestFirst: true });
      const opened = key?.feeds == null ? latest : await entriesOf(key.feeds);
      const [asked] = context.parameters.getAll(REGISTER_PARAMETER).filter(isFeedId);
      const chosen = asked === undefined ? undefined : (await entriesOf([asked]))[0];
      const example = chosen ?? opened.find(({ total }) => total > 0) ?? opened[0] ?? latest[0];
      const others = example === undefined ? [] : [example];
      const registers = [
        ...latest,
        ...others.filter(({ definition: { id } }) => !latest.some(({ definition }) => definition.id === id)),
      ];
      const parameters =
        chosen === undefined ? undefined : new URLSearchParams({ [REGISTER_PARAMETER]: chosen.definition.id });
      const { formats } = options.wholes;
      const wholes = example === undefined ? formats : formatsFor(formats, example.definition);
      const frame = frameOf(context, options, parameters === undefined ? {} : { parameters });
      return services.answer(context, {
        view: null,
        etag: null,
        isText: true,
        write: () => {
          const text = guidePage(frame, {
            site: siteOf(context),
            api: context.api,
            feedId: example?.definition.id ?? null,
            registers: registers.map(({ definition }) => definition),
            registerParameter: REGISTER_PARAMETER,
            formats: options.formats.map(({ name }) => name),
            wholes: wholes.map(({ name }) => name),
            ...options.limits,
            keysUrl: options.service.keysUrl,
            lastFour: key?.lastFour ?? null,
          });
          return pageBody(text, { language: frame.wording.language });
        },
      });
    },
  };
}
