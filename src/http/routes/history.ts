// A record's versions, newest first, including those of withdrawn records (specification 4.3).
import { z } from 'zod';
import { linkHeader } from '../../export/page-links.ts';
import type { Route } from '../route.ts';
import { DEFAULT_LIMIT, historyQuery, readRecordId, recordParams } from '../description/parameters.ts';
import { TO_RENUMBERED } from '../description/errors.ts';
import { versionSchema } from '../description/schemas.ts';
import { jsonBody, type ServiceContext } from '../service-context.ts';

/** `/records/{record_id}/history`. */
export function historyRoutes(service: ServiceContext): readonly Route[] {
  const query = historyQuery();
  return [
    {
      path: '/records/{record_id}/history',
      access: 'pro',
      isOpenable: true,
      documentation: {
        operationId: 'getHistory',
        tag: 'Records',
        summary: 'Every version of a record',
        description: `An array, newest version first, ${DEFAULT_LIMIT} unless asked otherwise. Follow \`Link: rel="next"\` until there is none, or ask again with \`offset\` increased by its length until it is shorter than \`limit\`. Withdrawn records keep theirs.`,
        params: recordParams,
        query: query.schema,
        codes: ['unknown_record'],
        otherResponses: TO_RENUMBERED,
        headers: ['Link'],
        response: {
          description: 'The versions.',
          content: { 'application/json': { schema: z.array(versionSchema) } },
        },
      },
      async answer(context, pathParameters) {
        const range = query.read(context.parameters);
        const id = readRecordId(pathParameters);
        const view = await service.registers.viewOfRecord(id, context.stamp);
        return service.answer(context, {
          view,
          etag: service.tagOf(context, view, 'history', [id, range]),
          isText: true,
          mayNotExist: true,
          async write() {
            const versions = await service.registers.history(id, range);
            // Versions are counted from 1 without gaps, so below version 1 there are no more.
            const hasMore = (versions.at(-1)?.version ?? 1) > 1;
            const next = `${context.api}/records/${id}/history?limit=${range.limit}&offset=${range.offset + versions.length}`;
            return jsonBody(versions, hasMore ? { link: linkHeader(new URL(next), 'next') } : {});
          },
        });
      },
    },
  ];
}
