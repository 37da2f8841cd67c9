// The service's own documentation: openapi.json for programs, the reference for people.
import { GazetteError, quote } from '../../errors.ts';
import type { HttpResponse } from '../../web/representation.ts';
import { entityTag } from '../../web/validators.ts';
import { VERSION } from '../../version.ts';
import type { Route } from '../route.ts';
import type { RequestContext } from '../request-context.ts';
import { openApiDocument } from '../description/openapi.ts';
import type { Publication } from '../description/publication.ts';
import { REFERENCE_FILES, referencePolicy } from '../description/reference.ts';
import { jsonBody, type ServiceContext } from '../service-context.ts';

/** `/openapi.json`, `/reference` and its files. @param routes all other documented routes */
export function documentRoutes(
  service: ServiceContext,
  routes: readonly Route[],
  publication: Publication,
): readonly Route[] {
  const openApi: Route = {
    path: '/openapi.json',
    access: 'public',
    documentation: {
      operationId: 'getOpenApi',
      tag: 'Service',
      summary: 'This description',
      description: 'OpenAPI 3.1, made from the routes themselves.',
      response: { description: 'The description.', content: { 'application/json': { schema: { type: 'object' } } } },
    },
    answer: (context) =>
      service.answer(context, {
        view: null,
        etag: entityTag('openapi', VERSION, JSON.stringify(publication), context.access.tier, context.api),
        isText: true,
        write: () => jsonBody(openApiDocument([...routes, openApi], context.api, publication)),
      }),
  };
  const reference = async (context: RequestContext, name: string): Promise<HttpResponse> => {
    const file = REFERENCE_FILES.get(name);
    if (file === undefined) throw new GazetteError('not_found', `nothing is served at ${quote(context.path)}`);
    return service.answer(context, {
      view: null,
      etag: entityTag('reference', name, VERSION, context.access.tier, context.api),
      isText: true,
      async write() {
        const body = await file.read();
        return {
          headers: {
            'content-type': file.mediaType,
            'content-length': String(body.length),
            'content-security-policy': referencePolicy(context.api),
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
      answer: (context) => reference(context, ''),
    },
    {
      path: '/reference/{file}',
      access: 'public',
      documentation: null,
      answer: (context, { file }) => reference(context, file === '' ? '-' : file!),
    },
  ];
}
