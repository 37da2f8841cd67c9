// The exports: pages of at most 100 records in a format, made by export/ and served under the service's own rules.
import { z } from '@hono/zod-openapi';
import { findHttpFormat } from '../../export/handler.ts';
import { bodyOf, type ExportRequest, requestTag, writePage } from '../../export/page.ts';
import { checkFormatOptions } from '../../formats/check-options.ts';
import type { FormatOptions } from '../../formats/format.ts';
import { HTTP_FORMATS } from '../../formats/index.ts';
import { PAGE_SIZE } from '../../register/page.ts';
import { parsePageQuery } from '../../register/query.ts';
import type { RegisterSource } from '../../register/source.ts';
import type { Route } from '../route.ts';
import { feedParams, pageQuery } from '../description/parameters.ts';
import type { RegisterView } from '../../views/registers.ts';
import { remembered, type ServiceContext } from '../service-context.ts';

/** `/feeds/{feed_id}/records/export.{format}`. @throws GazetteError `invalid_option` for `formatOptions` of no format here. */
export function exportRoutes(
  service: ServiceContext,
  options: { readonly formatOptions?: Readonly<Record<string, FormatOptions>> },
): readonly Route[] {
  checkFormatOptions(HTTP_FORMATS, options.formatOptions);
  const names = Object.keys(HTTP_FORMATS);
  return [
    {
      path: '/feeds/{feed_id}/records/export.{format}',
      access: 'pro',
      documentation: {
        operationId: 'exportRecords',
        tag: 'Exports',
        summary: 'A page of records as a file',
        description: `CSV, Excel, XML, RSS or Atom, newest first, 1 to ${PAGE_SIZE} records a page, ${PAGE_SIZE} unless asked otherwise. Follow \`Link: rel="next"\`, with the same \`Authorization\`, until there is none. A page may be empty before that.`,
        params: feedParams.extend({
          format: z.enum(names as [string, ...string[]]).openapi({ description: 'The format.', example: 'csv' }),
        }),
        query: pageQuery(PAGE_SIZE),
        codes: ['unknown_feed', 'unknown_format'],
        response: {
          description: 'A page.',
          content: Object.fromEntries(
            Object.values(HTTP_FORMATS).map(({ mediaType }) => [
              mediaType.split(';')[0]!,
              { schema: { type: 'string' } },
            ]),
          ),
        },
      },
      async answer(context, { feed_id, format: file }) {
        const name = file!.slice('export.'.length);
        const format = findHttpFormat(HTTP_FORMATS, name);
        const query = parsePageQuery(context.parameters, { defaultLimit: PAGE_SIZE });
        const view = await service.registers.view(feed_id!, context.stamp);
        const requestOf = (): ExportRequest => {
          const list = `${context.api}/feeds/${feed_id!}/records`;
          const formatOptions = options.formatOptions?.[format.name];
          return {
            url: new URL(`${list}/export.${format.name}`),
            query: { ...query, signal: context.request.signal },
            list,
            ...(formatOptions === undefined ? {} : { formatOptions }),
          };
        };
        const key = JSON.stringify(['export', format.name, context.api, query]);
        const etag = await remembered(view, key, () => requestTag(sourceOf(view), format, requestOf()));
        return service.answer(context, {
          view,
          etag,
          isText: format.name !== 'xlsx',
          mayNotExist: query.asOf !== undefined,
          write: async () => bodyOf(await writePage(sourceOf(view), format, requestOf(), etag)),
        });
      },
    },
  ];
}

/** The register as the whole answer is about it: in this revision. */
function sourceOf({ entry, source, revision }: RegisterView): RegisterSource {
  return {
    definition: entry.definition,
    page: (asked) => source.page(asked),
    revision: () => revision,
    lastChange: () => entry.lastChange,
  };
}
