// The service's own documentation: openapi.json for programs, the reference for people.
import { GazetteError, quote } from '../../errors.ts';
import type { HttpResponse } from '../../web/representation.ts';
import { PUBLIC_WINDOW, publicWindow } from '../../register/tier.ts';
import { entityTag } from '../../web/validators.ts';
import { VERSION } from '../../version.ts';
import type { Route } from '../route.ts';
import type { RequestContext } from '../request-context.ts';
import { type ExampleIds, openApiDocument, SCHEMA_EXAMPLES } from '../description/openapi.ts';
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
    async answer(context) {
      const examples = await examplesOf(service, context);
      const shape = JSON.stringify([publication, examples]);
      return service.answer(context, {
        view: null,
        etag: entityTag('openapi', VERSION, shape, context.access.tier, context.api),
        // No date says when the first register, or its latest record, became another one.
        isDated: false,
        isText: true,
        write: () => jsonBody(openApiDocument([...routes, openApi], context.api, publication, examples)),
      });
    },
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

/** The latest record of the first register that has one, if the public sees it. */
async function examplesOf(service: ServiceContext, { stamp, request }: RequestContext): Promise<ExampleIds> {
  const { window = PUBLIC_WINDOW } = service.tiers;
  const entry = (await service.store.registers()).find(({ total }) => total > 0);
  if (entry === undefined || window === 0) return SCHEMA_EXAMPLES;
  const feedId = entry.definition.id;
  const { source } = await service.registers.view(feedId, stamp);
  const [latest] = await publicWindow(source, 1, request.signal);
  return latest === undefined ? SCHEMA_EXAMPLES : { feedId, recordId: latest.id };
}
