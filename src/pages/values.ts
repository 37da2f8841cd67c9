// `/feeds/{feed_id}/values`: all values of a field, so that each can be chosen, also those for which a register's page has no room.
import { checkFacetNames, MAX_FACET_LENGTH } from '../register/finding/facets.ts';
import type { Filter } from '../register/finding/filter.ts';
import { firstCharacters } from '../register/tier.ts';
import { type ValueCount, VALUES_PAGE_SIZE } from '../stores/contract/values.ts';
import { queryOf } from '../templates/parts/filters/form.ts';
import { valuesPage } from '../templates/values-page.ts';
import { matchesOf, withoutFilter } from '../views/matches.ts';
import { type FoundValues, seenBy, type SeenView } from './found.ts';
import { frameOf, frameShape, pageBody } from './frame.ts';
import { offsetIn, pageQueryOf } from './page-query.ts';
import type { PageOptions, PageRoute, PageServices } from './services.ts';

/** How many values a page has. */
const VALUES_ON_PAGE = 100;

/** The values of a field. */
interface Counted {
  readonly values: readonly ValueCount[];
  readonly isBounded: boolean;
}

/** `/feeds/{feed_id}/values`. */
export function valuesRoute(services: PageServices, options: PageOptions, found: FoundValues): PageRoute {
  return {
    path: '/feeds/{feed_id}/values',
    access: 'public',
    documentation: null,
    async answer(context, { feed_id: feedId }) {
      const view = await services.registers.view(feedId!, context.stamp);
      const { definition } = view.entry;
      const [field] = checkFacetNames([context.parameters.get('field') ?? ''], definition.fields) as [string];
      const startsWith = firstCharacters(context.parameters.get('starts') ?? '', MAX_FACET_LENGTH);
      const offset = offsetIn(context.parameters);
      const parameters = new URLSearchParams(context.parameters);
      parameters.delete('offset');
      const { query } = pageQueryOf(parameters, (given) => services.asked(view, given));
      const filter = withoutFilter(query.filter ?? {}, field);
      const seen = seenBy(services, view, context);
      const isCounted = Object.keys(filter).length === 0 && (await found.counted(seen)) !== null;
      const frame = frameOf(context, options, {
        registerLanguage: definition.language,
        parameters: queryOf([['field', field], ...(startsWith === '' ? [] : [['starts', startsWith] as const])]),
      });
      return services.answer(context, {
        view,
        etag:
          seen.kindOf === null
            ? services.tagOf(context, view, 'values', [
                ...frameShape(frame),
                field,
                startsWith,
                offset,
                filter,
                isCounted,
              ])
            : null,
        isText: true,
        async write(signal) {
          const { values, isBounded } = isCounted
            ? await counters(definition.id, field, startsWith)
            : await among(seen, field, { startsWith, filter, signal });
          const text = valuesPage(frame, {
            ...{ definition, field, filter, startsWith, offset, isBounded },
            values: values.slice(offset, offset + VALUES_ON_PAGE),
            hasMore: values.length > offset + VALUES_ON_PAGE,
            most: isCounted && values.length === VALUES_PAGE_SIZE ? VALUES_PAGE_SIZE : null,
          });
          return pageBody(text, { language: frame.wording.language });
        },
      });
    },
  };

  /** As the store's counters have them. */
  async function counters(feedId: string, field: string, startsWith: string): Promise<Counted> {
    const list = (start: string): Promise<readonly ValueCount[]> =>
      services.store.values.list(feedId, field, { limit: VALUES_PAGE_SIZE, startsWith: start });
    const commonest = await list('');
    if (startsWith === '') return { values: commonest, isBounded: false };
    // Where these are not all, an index finds others in the usual ways to write them.
    const forms = commonest.length < VALUES_PAGE_SIZE ? [] : await Promise.all(formsOf(startsWith).map(list));
    const found = new Map([commonest, ...forms].flat().map((one) => [one.value, one]));
    const values = [...found.values()].filter(({ value }) => beginsWith(value, startsWith));
    values.sort((a, b) => b.records - a.records || (a.value < b.value ? -1 : 1));
    return { values: values.slice(0, VALUES_PAGE_SIZE), isBounded: false };
  }

  /** As they are in the records that match. */
  async function among(
    { source }: SeenView,
    field: string,
    { startsWith, ...asked }: { readonly startsWith: string; readonly filter: Filter; readonly signal: AbortSignal },
  ): Promise<Counted> {
    const { facets, isBounded } = await matchesOf(source, { ...asked, names: [field], counted: null, most: Infinity });
    return { values: facets[0]!.values.filter(({ value }) => beginsWith(value, startsWith)), isBounded };
  }
}

/** Whether a value begins with a text, whatever the case. */
function beginsWith(value: string, start: string): boolean {
  return value.toLowerCase().startsWith(start.toLowerCase());
}

/** The beginning of values as it may be written: as it is, in small letters, in capitals, and with a capital at first or in each word. */
function formsOf(start: string): readonly string[] {
  const small = start.toLowerCase();
  const capital = (text: string): string => text.replace(/^\p{L}/u, (letter) => letter.toUpperCase());
  const title = small.replace(/(?<!\p{L})\p{L}/gu, (letter) => letter.toUpperCase());
  return [...new Set([start, small, start.toUpperCase(), capital(start), capital(small), title])];
}
