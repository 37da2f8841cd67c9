// The service's own documentation: openapi.json for programs, the reference for people.
import { GazetteError, quote } from '../../errors.ts';
import type { HttpResponse } from '../../web/representation.ts';
import { PUBLIC_WINDOW, publicWindow } from '../../register/tier.ts';
import { entityTag } from '../../web/validators.ts';
import { type RegisterEntry, REGISTERS_PAGE_SIZE } from '../../stores/contract/catalogue.ts';
import { VERSION } from '../../version.ts';
import type { Route } from '../route.ts';
import type { RequestContext } from '../request-context.ts';
import { sellingRegisters } from '../../views/offers.ts';
import { priceOf } from '../../money.ts';
import { feedParams, readFeedId } from '../description/parameters.ts';
import { registerDocument } from '../description/register-document.ts';
import { openApiDocument, SCHEMA_EXAMPLES } from '../description/openapi.ts';
import type { Publication } from '../description/publication.ts';
import { ownFilterParameters } from '../description/own-filters.ts';
import type { PageSide } from '../page-side.ts';
import { REFERENCE_FILES, referencePolicy } from '../description/reference.ts';
import { jsonBody, type ServiceContext } from '../service-context.ts';

/** `/openapi.json`, `/reference` and its files. @param routes all other documented routes */
export function documentRoutes(
  service: ServiceContext,
  routes: readonly Route[],
  publication: Publication,
  pages: Pick<PageSide, 'header'> | null,
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
      const priced = await sellingRegisters(service.store.catalogue, REGISTERS_PAGE_SIZE);
      const definitions = priced.map(({ definition }) => definition);
      const { registers } = await service.store.catalogue.page({ offset: 0, limit: REGISTERS_PAGE_SIZE });
      const register = registerOfExamples(registers, service);
      const ownFilters = ownFilterParameters(registers);
      const prices = definitions.map(({ id, prices }) => [id, prices]);
      const { selling } = service;
      const isSelling = selling !== undefined && (prices.length > 0 || (await service.hasSold()));
      const { definition, log, change } = register ?? {};
      const shape = JSON.stringify([publication, definition?.id, log, change, ownFilters, isSelling, ...prices]);
      return service.answer(context, {
        view: null,
        etag: entityTag('openapi', VERSION, shape, context.access.tier, context.api),
        // No date says when the first register, or its latest record, became another one.
        isDated: false,
        isText: true,
        write: async (signal) => {
          const recordId = register === null ? null : await latestOf(service, context, register, signal);
          const feedId = register?.definition.id;
          const examples =
            recordId === null || feedId === undefined
              ? SCHEMA_EXAMPLES
              : {
                  ...{ feedId, recordId },
                  log: (await service.signed?.of(feedId))?.name ?? SCHEMA_EXAMPLES.log,
                  logOfLogs: (await service.signed?.list()) ?? SCHEMA_EXAMPLES.logOfLogs,
                };
          const served = [...routes, ofRegister, openApi].filter(({ isSold }) => isSold !== true || isSelling);
          const document = openApiDocument(served, { api: context.api, publication, examples, ownFilters });
          return jsonBody(isSelling ? selling.described(document, definitions) : document);
        },
      });
    },
  };
  const ofRegister: Route = {
    path: '/feeds/{feed_id}/openapi.json',
    access: 'public',
    documentation: {
      operationId: 'getRegisterOpenApi',
      tag: 'Registers',
      summary: 'Its description for programs',
      description:
        'OpenAPI 3.1 of this register alone: its own fields typed in `data`, its filters by their names, its latest public record as an example. Clients are generated from it.',
      params: feedParams,
      codes: ['unknown_feed'],
      response: { description: 'The description.', content: { 'application/json': { schema: { type: 'object' } } } },
    },
    async answer(context, pathParameters) {
      const view = await service.registers.view(readFeedId(pathParameters), context.stamp);
      const { definition } = view.entry;
      const { selling } = service;
      const isSelling = selling !== undefined && (priceOf(definition) !== null || (await service.hasSold()));
      return service.answer(context, {
        view,
        etag: service.tagOf(context, view, 'openapi', [publication, isSelling]),
        isText: true,
        async write(signal) {
          const [latest = null] = await publicWindow(view.source, Math.min(1, service.tiers.window ?? 1), signal);
          const examples = {
            ...SCHEMA_EXAMPLES,
            feedId: definition.id,
            recordId: latest?.id ?? SCHEMA_EXAMPLES.recordId,
          };
          const served = [...routes, ofRegister].filter(({ isSold }) => isSold !== true || isSelling);
          const register = {
            definition,
            latest,
            selling: isSelling ? selling : null,
            api: context.api,
            publication,
            examples,
          };
          return jsonBody(registerDocument(served, register));
        },
      });
    },
  };
  const reference = async (context: RequestContext, name: string): Promise<HttpResponse> => {
    const header = pages?.header(context) ?? '';
    const file = REFERENCE_FILES.get(name);
    if (file === undefined) throw new GazetteError('not_found', `nothing is served at ${quote(context.path)}`);
    return service.answer(context, {
      view: null,
      etag: entityTag('reference', name, VERSION, context.access.tier, context.api, header),
      isText: true,
      async write() {
        const body = await file.read(header);
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
    ofRegister,
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
function registerOfExamples(registers: readonly RegisterEntry[], { tiers }: ServiceContext): RegisterEntry | null {
  const { window = PUBLIC_WINDOW } = tiers;
  return window === 0 ? null : (registers.find(({ total }) => total > 0) ?? null);
}

/** The id of the latest record of a register; null if the public sees none. */
async function latestOf(
  service: ServiceContext,
  { stamp }: RequestContext,
  { definition }: RegisterEntry,
  signal: AbortSignal,
): Promise<string | null> {
  const { source } = await service.registers.view(definition.id, stamp);
  const [latest] = await publicWindow(source, 1, signal);
  return latest?.id ?? null;
}
