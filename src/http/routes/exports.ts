// The exports: pages of at most 100 records in a format, written by export/ and served under the service's own rules.
import { z } from 'zod';
import { bodyOf, type ExportRequest, requestTag, writePage } from '../../export/page.ts';
import { checkFormatOptions } from '../../formats/check-options.ts';
import type { Format, FormatOptions } from '../../formats/format.ts';
import { findFormat } from '../../formats/index.ts';
import { PAGE_SIZE } from '../../register/page.ts';
import { isTextType } from '../../web/coding.ts';
import type { Route } from '../route.ts';
import { feedParams, pageQuery, readFeedId } from '../description/parameters.ts';
import { closedPageRoutes } from './closed-pages.ts';
import { schemaUrl } from './feeds.ts';
import { sourceAt } from '../../views/registers.ts';
import type { ServiceContext } from '../service-context.ts';

/** The service's options for its exports. */
export interface ExportRouteOptions {
  /** Already checked: every format has a unique name. */
  readonly formats: readonly Format[];
  readonly formatOptions?: Readonly<Record<string, FormatOptions>>;
}

/**
 * The route `/feeds/{feed_id}/records/export.{format}`, and those of closed pages.
 *
 * @throws GazetteError `invalid_option` for `formatOptions` of a format that is not served.
 */
export function exportRoutes(
  service: ServiceContext,
  { formats, formatOptions: optionsByName }: ExportRouteOptions,
): readonly Route[] {
  checkFormatOptions(formats, optionsByName);
  const pages = pageQuery(PAGE_SIZE, service.filters);
  const names = formats.map(({ name }) => name);
  const texts = new Set(formats.filter(({ mediaType }) => isTextType(mediaType)));
  return [
    {
      path: '/feeds/{feed_id}/records/export.{format}',
      access: 'pro',
      isOpenable: true,
      documentation: {
        operationId: 'exportRecords',
        tag: 'Exports',
        summary: 'A page of records as a file',
        description: `As ${names.join(', ')}: newest first, 1 to ${PAGE_SIZE} records a page, ${PAGE_SIZE} unless asked otherwise. Follow \`Link: rel="next"\`, with the same \`Authorization\`, until there is none. A page may be empty before that.`,
        params: feedParams.extend({
          format: z.enum(names as [string, ...string[]]).meta({ description: 'The format.', example: 'csv' }),
        }),
        query: pages.schema,
        codes: ['unknown_feed', 'unknown_format', 'index_building'],
        headers: ['Link', 'Content-Disposition', 'Gazette-Matched', 'Gazette-Warnings'],
        response: {
          description: 'A page.',
          content: Object.fromEntries(
            formats.map(({ mediaType }) => [mediaType.split(';')[0]!, { schema: { type: 'string' } }]),
          ),
        },
      },
      async answer(context, pathParameters) {
        const format = findFormat(pathParameters.format!, formats);
        const given = pages.read(context.parameters);
        const feedId = readFeedId(pathParameters);
        const view = await service.registers.view(feedId, context.stamp);
        const query = service.asked(view, given);
        const requestOf = (signal: AbortSignal): ExportRequest => {
          const list = `${context.api}/feeds/${feedId}/records`;
          const formatOptions = optionsByName?.[format.name];
          return {
            url: new URL(`${list}/export.${format.name}`),
            query: { ...query, signal },
            list,
            schema: schemaUrl(context.api, feedId),
            ...(formatOptions === undefined ? {} : { formatOptions }),
          };
        };
        const key = JSON.stringify(['export', format.name, context.api, query]);
        let etag: string | null | undefined = view.tags.get(key, null);
        if (etag === undefined) {
          etag = await requestTag(sourceAt(view), format, requestOf(context.request.signal));
          if (etag !== null) view.tags.keep(key, null, etag);
        }
        return service.answer(context, {
          view,
          etag,
          isText: texts.has(format),
          mayNotExist: query.asOf !== undefined,
          write: async (signal) => bodyOf(await writePage(sourceAt(view), format, requestOf(signal), etag)),
        });
      },
    },
    ...closedPageRoutes(service, formats),
  ];
}
