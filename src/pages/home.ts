// `/`: the registers, and a search through all of them.
import { isWithinBounds, refusal } from '../register/parameters.ts';
import { PUBLIC_WINDOW } from '../register/tier.ts';
import type { RegisterEntry } from '../stores/contract/registers.ts';
import { type FoundRecords, homePage } from '../templates/home-page.ts';
import { byLastChange, searchRegisters } from '../views/search-registers.ts';
import { refusedWords, WORDS } from './asked-records.ts';
import { frameOf, pageBody } from './frame.ts';
import type { PageContext, PageOptions, PageRoute, PageServices } from './services.ts';

/** How many records a search shows. */
const MAX_RESULTS = 20;

/** `/`. */
export function homeRoute(services: PageServices, options: PageOptions): PageRoute {
  return {
    path: '/',
    access: 'public',
    documentation: null,
    async answer(context) {
      const [query = ''] = context.parameters.getAll('q').map((text) => text.trim());
      const frame = frameOf(context, options, { parameters: new URLSearchParams(query === '' ? {} : { q: query }) });
      const entries = (await services.store.registers()).toSorted(byLastChange);
      const refused = refusedWords(context.parameters);
      const found = query === '' || refused !== null ? null : await search(context, entries, query);
      const { window = PUBLIC_WINDOW } = services.tiers;
      const isLimited =
        context.access.tier === 'public' && entries.some(({ definition }) => definition.access !== 'open');
      return services.answer(context, {
        view: null,
        etag: null,
        isText: true,
        write: () =>
          pageBody(
            homePage(frame, {
              ...{ registers: entries, hasSearch: true, found, refused },
              window: isLimited ? window : null,
            }),
            { language: frame.wording.language },
          ),
      });
    },
  };

  async function search(context: PageContext, entries: readonly RegisterEntry[], query: string): Promise<FoundRecords> {
    if (!isWithinBounds(WORDS, [query])) throw refusal(WORDS, [query]);
    const { found, left } = await searchRegisters(services, { query, limit: MAX_RESULTS }, context);
    const registerOf = new Map(entries.map((entry) => [entry.definition.id, entry]));
    return {
      query,
      groups: found.flatMap(({ feedId, records, hasMore }) => {
        const register = registerOf.get(feedId);
        return register === undefined ? [] : [{ register, records, hasMore }];
      }),
      left: left.map((id) => registerOf.get(id)).filter((entry) => entry !== undefined),
    };
  }
}
