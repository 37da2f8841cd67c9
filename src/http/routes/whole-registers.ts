// `/feeds/{feed_id}/register.{format}`: a whole register, or all records of a search, in one answer.
import { z } from 'zod';
import { feedParams } from '../description/parameters.ts';
import type { Route } from '../route.ts';
import type { WholeRegisters } from '../whole-registers.ts';

/** The route. */
export function wholeRegisterRoute(wholes: WholeRegisters): Route {
  const names = wholes.formats.map(({ name }) => name);
  return {
    path: '/feeds/{feed_id}/register.{format}',
    access: 'pro',
    isOpenable: true,
    documentation: {
      operationId: 'downloadRegister',
      tag: 'Exports',
      summary: 'A whole register as a file',
      description: `All records, or all that match the filters, newest first, in one answer that is written while it is sent: ${names.join(', ')}. It is counted as one request. A few are sent at once; beyond that the answer is 503 with \`Retry-After\`. If the answer ends without its last chunk (RFC 9112 8), it is not whole: ask again.`,
      params: feedParams.extend({
        format: z.enum(names as [string, ...string[]]).meta({ description: 'The format.', example: 'csv' }),
      }),
      query: wholes.query.schema,
      codes: ['unknown_feed', 'unknown_format', 'index_building', 'too_many_downloads'],
      headers: ['Content-Disposition'],
      response: {
        description: 'The register.',
        content: Object.fromEntries(
          wholes.formats.map(({ mediaType }) => [mediaType.split(';')[0]!, { schema: { type: 'string' } }]),
        ),
      },
    },
    answer: (context, pathParameters) => wholes.answer(context, pathParameters, context.parameters),
  };
}
