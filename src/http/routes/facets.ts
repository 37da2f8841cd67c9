// The facets of a register: which values its fields have, and how many records each. The public's are counted in the records
// that it sees, and nothing else is read for them.
import { checkFacetNames, facetNames } from '../../register/finding/facets.ts';
import { countedFacets, facetsOfSource } from '../../register/sources/facets.ts';
import { publicNote } from '../../register/tier.ts';
import type { Route } from '../route.ts';
import { facetsQuery, feedParams, readFeedId } from '../description/parameters.ts';
import { facetsSchema } from '../description/schemas.ts';
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
      summary: 'Which values there are',
      description:
        'For each field its values, the hundred commonest, each with the number of records that have it, and how many values more there are. With filters, of the records that match. Without a key: of the register’s latest three records alone.',
      params: feedParams,
      query: query.schema,
      codes: ['unknown_feed', 'index_building'],
      keyMatters: true,
      response: { description: 'The values.', content: { 'application/json': { schema: facetsSchema } } },
    },
    async answer(context, pathParameters) {
      const given = query.read(context.parameters);
      const feedId = readFeedId(pathParameters);
      const view = await service.registers.view(feedId, context.stamp);
      const { filter, names: asked } = service.asked(view, given);
      const { fields, access } = view.entry.definition;
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
