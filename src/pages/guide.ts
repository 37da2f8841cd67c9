// `/guide`: how to use the data in programs, with this service's own addresses, for the register that its reader chooses. To somebody who is
// signed in it names the key that her programs use.
import type { RegisterEntry } from '../stores/contract/registers.ts';
import { opensFeeds } from '../stores/rows/keys.ts';
import { guidePage } from '../templates/guide-page.ts';
import { byLastChange } from '../views/search-registers.ts';
import { frameOf, pageBody, siteOf } from './frame.ts';
import type { PageOptions, PageRoute, PageServices } from './services.ts';

/** The parameter that chooses a register. */
const REGISTER_PARAMETER = 'register';

/** `/guide`. */
export function guideRoute(services: PageServices, options: PageOptions): PageRoute {
  return {
    path: '/guide',
    access: 'public',
    documentation: null,
    async answer(context) {
      const { account } = context.access;
      const key = account === undefined ? null : await options.readingKey(account.id);
      const opens = ({ definition }: RegisterEntry): boolean => key === null || opensFeeds(key, [definition.id]);
      const registers = (await services.store.registers()).toSorted(byLastChange);
      const opened = registers.filter(opens);
      const asked = context.parameters.get(REGISTER_PARAMETER);
      const chosen = registers.find(({ definition }) => definition.id === asked);
      const example = chosen ?? opened.find(({ total }) => total > 0) ?? opened[0] ?? registers[0];
      const parameters =
        chosen === undefined ? undefined : new URLSearchParams({ [REGISTER_PARAMETER]: chosen.definition.id });
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
