// `/`: the registers, a page of them, and a search through all of them.
import { GazetteError, quote } from '../errors.ts';
import { isWithinBounds, OFFSET, refusal } from '../register/parameters.ts';
import { PUBLIC_WINDOW } from '../register/tier.ts';
import { type FoundRecords, homePage } from '../templates/home-page.ts';
import { searchRegisters } from '../views/search-registers.ts';
import { offsetIn, refusedWords, WORDS } from './page-query.ts';
import { frameOf, pageBody } from './frame.ts';
import type { PageContext, PageOptions, PageRoute, PageServices } from './services.ts';

/** How many records a search shows. */
const MAX_RESULTS = 20;

/** How many registers a page shows. */
const REGISTERS_ON_PAGE = 50;

/** `/`. */
export function homeRoute(services: PageServices, options: PageOptions): PageRoute {
  const { catalogue } = services.store;
  return {
    path: '/',
    access: 'public',
    documentation: null,
    async answer(context) {
      const [query = ''] = context.parameters.getAll('q').map((text) => text.trim());
      const offset = offsetIn(context.parameters);
      const parameters = query === '' ? pageAt(offset) : new URLSearchParams({ q: query });
      const frame = frameOf(context, options, { parameters });
      const refused = refusedWords(context.parameters);
      const found = query === '' || refused !== null ? null : await search(context, query);
      const listed = await catalogue.page({ offset, limit: REGISTERS_ON_PAGE, latestFirst: true });
      const { registers, nextOffset } = listed;
      if (offset > 0 && registers.length === 0) {
        throw new GazetteError('not_found', `there are no registers at the offset ${quote(offset)}`);
      }
      return services.answer(context, {
        view: null,
        etag: null,
        isText: true,
        write: () =>
          pageBody(
            homePage(frame, {
              ...{ registers, hasSearch: true, found: found?.found ?? null, refused },
              before: offset === 0 ? null : pageAt(Math.max(0, offset - REGISTERS_ON_PAGE)),
              after: nextOffset === null ? null : pageAt(nextOffset),
              window: found?.window ?? null,
            }),
            { language: frame.wording.language },
          ),
      });
    },
  };

  /** What is found, and among how many of the latest records of a register, if not among all. */
  async function search(
    context: PageContext,
    query: string,
  ): Promise<{ readonly found: FoundRecords; readonly window: number | null }> {
    if (!isWithinBounds(WORDS, [query])) throw refusal(WORDS, [query]);
    const { found: groups, left } = await searchRegisters(services, { query, limit: MAX_RESULTS }, context);
    const { access } = context;
    const isLimited =
      access.tier === 'public' &&
      services.sight.own(access) === null &&
      [...groups, ...left].some(({ definition }) => definition.access !== 'open');
    return { found: { query, groups, left }, window: isLimited ? (services.tiers.window ?? PUBLIC_WINDOW) : null };
  }
}

function pageAt(offset: number): URLSearchParams {
  return new URLSearchParams(offset === 0 ? {} : { [OFFSET.name]: String(offset) });
}
