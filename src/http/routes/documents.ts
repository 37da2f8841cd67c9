// The service's own documentation: openapi.json for programs, the reference for people.
import { GazetteError, quote } from '../../errors.ts';
import type { HttpResponse } from '../../web/representation.ts';
import { PUBLIC_WINDOW, publicWindow } from '../../register/tier.ts';
import { entityTag } from '../../web/validators.ts';
import type { RegisterEntry } from '../../stores/contract/registers.ts';
import { VERSION } from '../../version.ts';
import type { Route } from '../route.ts';
import type { RequestContext } from '../request-context.ts';
import { isSelling } from '../../views/offers.ts';
import { withSelling } from '../description/selling.ts';
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
      const definitions = (await service.store.registers()).map(({ definition }) => definition);
      const register = await registerOfExamples(service);
      const prices = isSelling(definitions) ? definitions.map(({ id, prices, access }) => [id, prices, access]) : [];
      const shape = JSON.stringify([publication, register?.definition.id, register?.log, register?.change, ...prices]);
      return service.answer(context, {
        view: null,
        etag: entityTag('openapi', VERSION, shape, context.access.tier, context.api),
        // No date says when the first register, or its latest record, became another one.
        isDated: false,
        isText: true,
        write: async () => {
          const examples = register === null ? SCHEMA_EXAMPLES : await examplesOf(service, context, register);
          const served = [...routes, openApi].filter(({ isSold }) => isSold !== true || prices.length > 0);
          const document = openApiDocument(served, context.api, publication, examples);
          return jsonBody(withSelling(document, definitions));
        },
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

/** The first register that has a record, if the public sees one. */
async function registerOfExamples({ store, tiers }: ServiceContext): Promise<RegisterEntry | null> {
  const { window = PUBLIC_WINDOW } = tiers;
  return window === 0 ? null : ((await store.registers()).find(({ total }) => total > 0) ?? null);
}

/** The latest record of a register. */
async function examplesOf(
  service: ServiceContext,
  { stamp, request }: RequestContext,
  { definition: { id: feedId } }: RegisterEntry,
): Promise<ExampleIds> {
  const { source } = await service.registers.view(feedId, stamp);
  const [latest] = await publicWindow(source, 1, request.signal);
  return latest === undefined ? SCHEMA_EXAMPLES : { feedId, recordId: latest.id };
}
