// `/feeds/{feed_id}/register.{format}`: a whole register, or all records of a search, in one answer.
import { z } from 'zod';
import type { Format } from '../../formats/format.ts';
import { formatsFor } from '../../formats/index.ts';
import type { Documentation } from '../../web/documentation.ts';
import { feedParams } from '../description/parameters.ts';
import type { Route } from '../route.ts';
import type { WholeRegisters } from '../whole-registers.ts';

/** The route. */
export function wholeRegisterRoute(wholes: WholeRegisters): Route {
  return {
    path: '/feeds/{feed_id}/register.{format}',
    access: 'pro',
    isOpenable: true,
    documentation: documentationOf(wholes, wholes.formats),
    documentationFor: (definition) => documentationOf(wholes, formatsFor(wholes.formats, definition)),
    answer: (context, pathParameters) => wholes.answer(context, pathParameters, context.parameters),
  };
}

function documentationOf({ query }: WholeRegisters, formats: readonly Format[]): Documentation {
  const names = formats.map(({ name }) => name) as [string, ...string[]];
  return {
    operationId: 'downloadRegister',
    tag: 'Exports',
    summary: 'A whole register as a file',
    description:
      'All records, or all that match the filters, newest first, in one answer that is written while it is sent. It is counted as one request. A few are sent at once; beyond that the answer is 503 with `Retry-After`. If the answer ends without its last chunk (RFC 9112 8), it is not whole: ask again.',
    params: feedParams.extend({
      format: z.enum(names).meta({ description: 'The format.', example: 'csv' }),
    }),
    query: query.schema,
    codes: ['unknown_feed', 'unknown_format', 'index_building', 'too_many_downloads'],
    headers: ['Content-Disposition'],
    response: {
      description: 'The register.',
      content: Object.fromEntries(
        formats.map(({ mediaType }) => [mediaType.split(';')[0]!, { schema: { type: 'string' } }]),
      ),
    },
  };
}
