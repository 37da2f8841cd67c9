// A register's changes, oldest first, including withdrawals. Clients use them to keep a copy up to date.
import { linkHeader } from '../../export/page-links.ts';
import { GazetteError } from '../../errors.ts';
import { filterEntries } from '../../register/finding/filter.ts';
import { changeToken } from '../../register/parameters.ts';
import type { Route } from '../route.ts';
import { changesQuery, DEFAULT_LIMIT, feedParams, readFeedId } from '../description/parameters.ts';
import { changesSchema } from '../description/schemas.ts';
import { jsonBody, type ServiceContext } from '../service-context.ts';

/** `/feeds/{feed_id}/changes`. */
export function changesRoutes(service: ServiceContext): readonly Route[] {
  const query = changesQuery(service.filters);
  return [
    {
      path: '/feeds/{feed_id}/changes',
      access: 'pro',
      isOpenable: true,
      documentation: {
        operationId: 'listChanges',
        tag: 'Registers',
        summary: 'What has changed',
        description: `Versions after the change number \`since\`, oldest first, withdrawals included, ${DEFAULT_LIMIT} unless asked otherwise. Apply them in order to a copy and ask again with \`next_since\`; when that is what you asked with, you have everything. \`Link: rel="next"\` leads through what there is now, and is absent at its end. With filters, the versions of records that match before or after them: \`"matches": false\` says that the record no longer does, so that a copy of what matches removes it. Such an answer may have no versions although more exist: \`next_since\` goes on all the same. After a register was removed and created again, or restored from a backup, its changes are counted in another log, and \`next_since\` of before is refused with 410 \`log_restarted\`: remove the copy and begin with 0.`,
        params: feedParams,
        query: query.schema,
        codes: ['unknown_feed', 'log_restarted'],
        headers: ['Link'],
        response: { description: 'The versions.', content: { 'application/json': { schema: changesSchema } } },
      },
      async answer(context, pathParameters) {
        const given = query.read(context.parameters);
        const { withProof, filter } = given;
        const { signed } = service;
        if (withProof && signed === undefined) throw refusedProof('proof must be absent: nothing is signed here');
        if (withProof && filter !== undefined)
          throw refusedProof('proof must be without filters: it proves that nothing is missing');
        const feedId = readFeedId(pathParameters);
        const view = await service.registers.view(feedId, context.stamp);
        const range = service.asked(view, given);
        return service.answer(context, {
          view,
          etag: service.tagOf(context, view, 'changes', range),
          isText: true,
          isPrivate: withProof,
          // Only reading shows whether a change has this number.
          mayNotExist: true,
          async write() {
            const { versions, log, logUuid, nextSince, more } = await service.store.changes(feedId, range);
            const since = changeToken({ log, since: nextSince });
            const next = new URL(`${context.api}/feeds/${feedId}/changes?limit=${range.limit}&since=${since}`);
            if (withProof) next.searchParams.set('proof', '1');
            else if (range.withStatement) next.searchParams.set('statement', '1');
            for (const [name, value] of filterEntries(range.filter)) next.searchParams.append(name, value);
            const proofs = withProof ? await signed!.proofs(feedId, range.since, versions.length) : [];
            const shown = versions.map((version, at) => (withProof ? { ...version, proof: proofs[at]! } : version));
            const body = { versions: shown, next_since: since, ...(withProof ? { log: logUuid } : {}) };
            return jsonBody(body, more ? { link: linkHeader(next, 'next') } : {});
          },
        });
      },
    },
  ];
}

function refusedProof(message: string): GazetteError {
  return new GazetteError('invalid_parameter', message, { details: { parameter: 'proof' } });
}
