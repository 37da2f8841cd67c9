// `/feeds/{feed_id}/register.{format}`: a whole register, or all records of a search, in one answer; and
// `/feeds/{feed_id}/datapackage.json`, which tells programs how its CSV is to be read.
import { z } from 'zod';
import { refuseTier } from '../../access/scopes.ts';
import type { Format, FormatOptions } from '../../formats/format.ts';
import { formatsFor } from '../../formats/index.ts';
import { dataPackage } from '../../templates/catalogues/data-package.ts';
import type { ServiceTexts } from '../../templates/layout.ts';
import type { Documentation } from '../../web/documentation.ts';
import { exposing } from '../cross-origin.ts';
import { feedParams, readFeedId } from '../description/parameters.ts';
import type { Route } from '../route.ts';
import { jsonBody, type ServiceContext } from '../service-context.ts';
import type { WholeRegisters } from '../whole/registers.ts';

/** The route. */
export function wholeRegisterRoute(wholes: WholeRegisters): Route {
  return {
    path: '/feeds/{feed_id}/register.{format}',
    access: 'pro',
    isOpenable: true,
    documentation: documentationOf(wholes, wholes.formats),
    documentationFor: (definition) => documentationOf(wholes, formatsFor(wholes.formats, definition)),
    answer(context, pathParameters) {
      context.headers = exposing(context.headers, 'Content-Range, Accept-Ranges');
      return wholes.answer(context, pathParameters, context.parameters);
    },
  };
}

function documentationOf({ query }: WholeRegisters, formats: readonly Format[]): Documentation {
  const names = formats.map(({ name }) => name) as [string, ...string[]];
  return {
    operationId: 'downloadRegister',
    tag: 'Exports',
    summary: 'A whole register as a file',
    description:
      'All records, or all that match, newest first, in one answer, written while it is sent. It counts as one request. A few are sent at once; others get 503. Without its last chunk (RFC 9112 8) it is not whole: go on by one range (RFC 9110 14) of its `Content-Location`, as `curl -C -` does, which counts bytes without a coding.',
    params: feedParams.extend({
      format: z.enum(names).meta({ description: 'The format.', example: 'csv' }),
    }),
    query: query.schema,
    codes: ['unknown_feed', 'unknown_format', 'register_changed', 'index_building', 'too_many_downloads'],
    headers: ['Content-Disposition', 'Content-Location', 'Gazette-Matched', 'Accept-Ranges'],
    response: {
      description: 'The register.',
      content: Object.fromEntries(
        formats.map(({ mediaType }) => {
          const [type] = mediaType.split(';') as [string];
          return [type, { schema: { type: type.endsWith('+json') ? 'object' : 'string' } }];
        }),
      ),
    },
    otherResponses: {
      206: { description: 'The part that `Range` asks for; 416 where there is none.', headers: ['Content-Range'] },
    },
  };
}

/** The description of a register's CSV, for those who may have that. @param options as CSV is written */
export function dataPackageRoute(
  service: ServiceContext,
  publication: Pick<ServiceTexts, 'licenceUrl'>,
  options: FormatOptions | undefined,
): Route {
  return {
    path: '/feeds/{feed_id}/datapackage.json',
    access: 'pro',
    isOpenable: true,
    documentation: {
      operationId: 'getDataPackage',
      tag: 'Exports',
      summary: 'How the CSV of a register is to be read',
      description:
        'A Data Package (Frictionless, version 1) of `register.csv` with its Table Schema: the types of its columns, their labels, what stands for no value, and how text that a spreadsheet would run is marked.',
      params: feedParams,
      codes: ['unknown_feed'],
      response: { description: 'The description.', content: { 'application/json': { schema: { type: 'object' } } } },
    },
    async answer(context, pathParameters) {
      const view = await service.registers.view(readFeedId(pathParameters), context.stamp);
      // The register may have been closed to the public since the caller was let in.
      if (service.tierOf(context, view) === 'public') refuseTier(context.access);
      return service.answer(context, {
        view,
        etag: service.tagOf(context, view, 'datapackage', [publication.licenceUrl, options]),
        isText: true,
        write: () =>
          jsonBody(dataPackage(view.entry.definition, { path: 'register.csv', options, service: publication })),
      });
    },
  };
}
