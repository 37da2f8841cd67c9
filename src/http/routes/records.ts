// The list of records and a single record, as each tier sees them (only register/tier.ts decides that).
import { z } from 'zod';
import { refuseTier } from '../../access/scopes.ts';
import { linkHeader, nextUrl } from '../../export/page-links.ts';
import { isMoment } from '../../register/page.ts';
import { pickFields } from '../../register/finding/chosen-fields.ts';
import type { RegisterRecord } from '../../register/record.ts';
import { publicNote, tierRecord } from '../../register/tier.ts';
import { matchedMembers, matchedPage } from '../../views/matches.ts';
import { pickPreview, withOffer } from '../../views/offers.ts';
import { RecordSights } from '../../views/record-sights.ts';
import type { Route } from '../route.ts';
import {
  DEFAULT_LIMIT,
  feedParams,
  pageQuery,
  readFeedId,
  recordParams,
  recordQuery,
} from '../description/parameters.ts';
import { TO_RENUMBERED } from '../description/errors.ts';
import { pageSchema, previewSchema, recordSchema } from '../description/schemas.ts';
import { jsonBody, type ServiceContext } from '../service-context.ts';

/** A record by itself, whole. */
const oneRecordSchema = recordSchema
  .extend({
    log_index: z
      .int()
      .min(0)
      .meta({ description: 'Where its current version stands in the log of its register, from 0.' }),
  })
  .meta({ id: 'OneRecord' });

/** `/feeds/{feed_id}/records` and `/records/{record_id}`. */
export function recordRoutes(service: ServiceContext): readonly Route[] {
  const pages = pageQuery(DEFAULT_LIMIT, service.filters);
  const moment = recordQuery();
  const sights = new RecordSights(service);
  const note = publicNote(service.tiers);
  return [
    {
      path: '/feeds/{feed_id}/records',
      access: 'public',
      documentation: {
        operationId: 'listRecords',
        tag: 'Records',
        summary: 'Records, newest first',
        description: `Pages of 1 to 100 records, ${DEFAULT_LIMIT} unless asked otherwise. Follow \`next_offset\` (or \`Link: rel="next"\`, which keeps the view) until it is null, through pages that may be empty.

Without a key: \`"tier": "public"\`, the register’s latest three records, whole, and \`next_offset: null\`; paging and filters work inside them, and \`as_of\` and \`at\` are refused. An open register says \`"tier": "open"\`: everybody sees everything.`,
        params: feedParams,
        query: pages.schema,
        codes: ['unknown_feed', 'index_building'],
        headers: ['Link'],
        keyMatters: true,
        response: { description: 'A page.', content: { 'application/json': { schema: pageSchema } } },
      },
      async answer(context, pathParameters) {
        const given = pages.read(context.parameters);
        const feedId = readFeedId(pathParameters);
        const view = await service.registers.view(feedId, context.stamp);
        const query = service.asked(view, given);
        const { fields: chosen } = query;
        const { tier, source, kindOf } = service.seen(context, view);
        const { definition } = view.entry;
        if (isMoment(query.asOf) && tier !== 'pro') refuseTier(context.access);
        const show = (record: RegisterRecord): object => {
          if (kindOf?.(record) !== 'preview') return chosen === undefined ? record : pickFields(record, chosen);
          const shown = withOffer(tierRecord(record, tier, false, service.tiers), definition, context.api);
          return chosen === undefined ? shown : pickPreview(shown, chosen);
        };
        const url = new URL(`${context.api}/feeds/${feedId}/records`);
        return service.answer(context, {
          view,
          // What a buyer owns changes with every purchase: the tag is that of the bytes.
          etag: kindOf === null ? service.tagOf(context, view, 'records', query) : null,
          isText: true,
          // Only reading shows whether this view exists.
          mayNotExist: query.asOf !== undefined,
          async write(signal) {
            const asked = { ...query, signal };
            const { page, matched } = await matchedPage(view, source, asked);
            const next = nextUrl(url, query, page);
            return jsonBody(
              {
                feed_id: feedId,
                tier: definition.access ?? tier,
                ...(tier === 'public' ? { note: kindOf === null ? note : BUYERS_NOTE } : {}),
                records: page.records.map(show),
                next_offset: page.nextOffset,
                ...(isMoment(page.asOf) ? {} : { as_of: page.asOf }),
                // It would mislead beside a filter, which it does not count.
                ...(query.filter === undefined ? { total: isMoment(page.asOf) ? null : view.entry.total } : {}),
                ...matchedMembers(matched),
              },
              next === null ? {} : { link: linkHeader(next, 'next') },
            );
          },
        });
      },
    },
    {
      path: '/records/{record_id}',
      access: 'public',
      documentation: {
        operationId: 'getRecord',
        tag: 'Records',
        summary: 'One record',
        description:
          'The record as it stands. Without a key: whole while it is one of its register’s latest three, a preview after that; in an open register always whole. Once it is withdrawn, 410 `record_withdrawn`; its history stays, and `at` shows it as it was.',
        params: recordParams,
        query: moment.schema,
        codes: ['unknown_record', 'record_withdrawn'],
        otherResponses: TO_RENUMBERED,
        keyMatters: true,
        response: {
          description: 'The record, or a preview of it.',
          content: {
            'application/json': { schema: oneRecordSchema.or(previewSchema) },
          },
        },
      },
      async answer(context, pathParameters) {
        const id = pathParameters.record_id!;
        const { at } = moment.read(context.parameters);
        if (at !== undefined) {
          service.checkMoment(at);
          const view = await service.registers.viewOfRecord(id, context.stamp);
          // Another moment is another window: what the public sees there, or was sold, is of today.
          if (service.tierOf(context, view) !== 'pro') refuseTier(context.access);
        }
        return sights.of(id, context, ({ view, tier, isWhole }) =>
          service.answer(context, {
            view,
            etag: service.tagOf(context, view, 'record', [id, isWhole, at]),
            isText: true,
            mayNotExist: true,
            async write() {
              if (at !== undefined) {
                const { change, record } = await service.registers.versionAt(id, at);
                return jsonBody({ ...record, log_index: change - 1 });
              }
              for (;;) {
                const record = await service.registers.record(id);
                const shown = tierRecord(record, tier, isWhole, service.tiers);
                const body = withOffer(shown, view.entry.definition, context.api);
                if (!isWhole) return jsonBody(body);
                const [version] = await service.registers.history(id, { offset: 0, limit: 1 });
                // Once more when it was changed between the two.
                if (version?.version === record.version) return jsonBody({ ...body, log_index: version.change - 1 });
              }
            },
          }),
        );
      },
    },
  ];
}

/** What a buyer's list says of itself. */
const BUYERS_NOTE =
  'Previews of all records, and whole those that you bought or that everybody may read. Filters and words look at what is shown alone. buy_url opens a record for its price.';
