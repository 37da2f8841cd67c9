// What the service says of itself: openapi.json for programs, the reference for people.
import { GazetteError, quote } from '../../errors.ts';
import type { Answer } from '../../web/representation.ts';
import { entityTag } from '../../web/validators.ts';
import { VERSION } from '../../version.ts';
import type { Endpoint } from '../route.ts';
import type { Exchange } from '../request-context.ts';
import { openApiDocument } from '../description/openapi.ts';
import { REFERENCE_FILES, referencePolicy } from '../description/reference.ts';
import { jsonBody, type ServiceContext } from '../service-context.ts';

/** `/openapi.json`, `/reference` and its files. @param endpoints all others that are documented */
export function documentEndpoints(context: ServiceContext, endpoints: readonly Endpoint[]): readonly Endpoint[] {
  const openApi: Endpoint = {
    path: '/openapi.json',
    access: 'public',
    documentation: {
      operationId: 'getOpenApi',
      tag: 'Service',
      summary: 'This description',
      description: 'OpenAPI 3.1, made from the routes themselves.',
      response: { description: 'The description.', content: { 'application/json': { schema: { type: 'object' } } } },
    },
    answer: (exchange) =>
      context.answer(exchange, {
        view: null,
        etag: entityTag('openapi', VERSION, exchange.access.tier, exchange.api),
        isText: true,
        write: () => jsonBody(openApiDocument([...endpoints, openApi], exchange.api)),
      }),
  };
  const reference = async (exchange: Exchange, name: string): Promise<Answer> => {
    const file = REFERENCE_FILES.get(name);
    if (file === undefined) throw new GazetteError('not_found', `nothing is served at ${quote(exchange.path)}`);
    return context.answer(exchange, {
      view: null,
      etag: entityTag('reference', name, VERSION, exchange.access.tier, exchange.api),
      isText: true,
      async write() {
        const body = await file.read();
        return {
          headers: {
            'content-type': file.mediaType,
            'content-length': String(body.length),
            'content-security-policy': referencePolicy(exchange.api),
            'referrer-policy': 'no-referrer',
          },
          body,
        };
      },
    });
  };
  return [
    openApi,
    {
      path: '/reference',
      access: 'public',
      documentation: null,
      answer: (exchange) => reference(exchange, ''),
    },
    {
      path: '/reference/{file}',
      access: 'public',
      documentation: null,
      answer: (exchange, { file }) => reference(exchange, file === '' ? '-' : file!),
    },
  ];
}
