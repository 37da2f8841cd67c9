// The facets of a register: which values its fields have, and how many records each; and its figures. The public's are counted
// in the records that it sees, and nothing else is read for them.
import { checkFacetNames, facetNames } from '../../register/finding/facets.ts';
import { countedFacets, facetsOfSource } from '../../register/sources/facets.ts';
import { publicNote } from '../../register/tier.ts';
import { prepareFigures } from '../../views/figures.ts';
import type { Route } from '../route.ts';
import { facetsQuery, feedParams, readFeedId } from '../description/parameters.ts';
import { facetsSchema, figuresSchema } from '../description/schemas.ts';
import { jsonBody, type ServiceContext } from '../service-context.ts';

/** `/feeds/{feed_id}/facets`. */
export function facetsRoute(service: ServiceContext): Route {
  const query = facetsQuery(service.filters);
  return {
    path: '/feeds/{feed_id}/facets',
    access: 'public',
    documentation: {
      operationId: 'listFacets',
      tag: 'Records',
      summary: 'Which values there are, and figures',
      description:
        'For each field its values, the hundred commonest, each with the number of records that have it, and how many values more there are. With filters, of the records that match. With `measure` or `by`: figures of groups of records, counts, sums, averages, the least and the greatest, exact where one request may examine all records that match (20,000) or counters tell; else `complete` is false, and the parts are to be added up. Without a key: of the register’s latest three records alone.',
      params: feedParams,
      query: query.schema,
      codes: ['unknown_feed', 'index_building'],
      keyMatters: true,
      response: {
        description: 'The values, or with `measure` or `by` the figures.',
        content: { 'application/json': { schema: facetsSchema.or(figuresSchema) } },
      },
    },
    async answer(context, pathParameters) {
      const given = query.read(context.parameters);
      const feedId = readFeedId(pathParameters);
      const view = await service.registers.view(feedId, context.stamp);
      const { filter, names: asked, figures: question } = service.asked(view, given);
      const { fields, access } = view.entry.definition;
      if (question !== undefined) {
        const seen = service.seen(context, view);
        const figures = await prepareFigures(service, view, seen, {
          ...question,
          ...(filter && { filter }),
        });
        return service.answer(context, {
          view,
          etag: seen.kindOf === null ? service.tagOf(context, view, 'figures', figures.shape) : null,
          isText: true,
          mayNotExist: question.asOf !== undefined,
          write: async (signal) =>
            jsonBody({ feed_id: feedId, tier: access ?? seen.tier, ...(await figures.answer(signal)) }),
        });
      }
      const names = asked === undefined ? facetNames(fields) : checkFacetNames(asked, fields);
      const { tier, source, kindOf } = service.seen(context, view);
      const counted = await countedFacets(source, names, filter);
      return service.answer(context, {
        view,
        // What counters say is not what the newest records alone would.
        etag: kindOf === null ? service.tagOf(context, view, 'facets', [names, filter, counted !== null]) : null,
        isText: true,
        async write(signal) {
          const { facets, isBounded } = counted ?? (await facetsOfSource(source, names, filter, signal));
          const note = tier === 'public' ? { note: kindOf === null ? publicNote(service.tiers) : COUNTED_NOTE } : {};
          return jsonBody({ feed_id: feedId, tier: access ?? tier, ...note, facets, bounded: isBounded });
        },
      });
    },
  };
}

/** What a buyer is told. */
const COUNTED_NOTE =
  'Counted in what you see: previews of all records, and whole those that you bought or that everybody may read.';
