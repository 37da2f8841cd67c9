// The registers, one register, and the schema of its XML. They are public in every tier.
import { linkHeader } from '../../export/page-links.ts';
import type { Format } from '../../formats/format.ts';
import { formatsFor } from '../../formats/index.ts';
import { registerSchema } from '../../formats/xml/xsd.ts';
import { REGISTERS_PAGE_SIZE } from '../../stores/contract/catalogue.ts';
import type { RegisterEntry } from '../../stores/contract/registers.ts';
import { calendarsOf } from '../../views/calendars.ts';
import { offersOf } from '../../views/offers.ts';
import type { Route } from '../route.ts';
import { feedParams, type FeedsQuery, feedsQuery, readFeedId } from '../description/parameters.ts';
import { type FeedFormats, feedSchemaOf, feedsSchemaOf } from '../description/schemas.ts';
import { jsonBody, type ServiceContext, textBody } from '../service-context.ts';

/** `/feeds`, `/feeds/{feed_id}`, `/feeds/{feed_id}/register.xsd`. */
export function feedRoutes(
  service: ServiceContext,
  served: readonly Format[],
  wholes: readonly Format[],
): readonly Route[] {
  const formats = { exports: served, wholes };
  const feedSchema = feedSchemaOf(formats);
  const pages = feedsQuery();
  return [
    {
      path: '/feeds',
      access: 'public',
      documentation: {
        operationId: 'listFeeds',
        tag: 'Registers',
        summary: 'All registers',
        description: `Pages of 1 to ${REGISTERS_PAGE_SIZE} registers by id, each with its definition, its counts and its addresses. Follow \`next_offset\` (or \`Link: rel="next"\`) until it is null.`,
        query: pages.schema,
        headers: ['Link'],
        response: {
          description: 'The registers.',
          content: { 'application/json': { schema: feedsSchemaOf(feedSchema) } },
        },
      },
      async answer(context) {
        const range = pages.read(context.parameters);
        const { registers, nextOffset } = await service.store.catalogue.page(range);
        const feeds = registers.map((entry) => feedOf(entry, context.api, formats));
        return service.answer(context, {
          view: null,
          etag: null,
          isText: true,
          write: () =>
            jsonBody(
              { feeds, next_offset: nextOffset },
              nextOffset === null ? {} : { link: linkHeader(nextPage(context.api, range, nextOffset), 'next') },
            ),
        });
      },
    },
    {
      path: '/feeds/{feed_id}',
      access: 'public',
      documentation: {
        operationId: 'getFeed',
        tag: 'Registers',
        summary: 'One register',
        description: 'Its definition, its counts, its last change, and the addresses of every format.',
        params: feedParams,
        codes: ['unknown_feed'],
        response: { description: 'The register.', content: { 'application/json': { schema: feedSchema } } },
      },
      async answer(context, pathParameters) {
        const feedId = readFeedId(pathParameters);
        const view = await service.registers.view(feedId, context.stamp);
        const signed = await service.signed?.of(feedId);
        const log = signed?.described(`${context.api}/feeds/${feedId}/log/${signed.name}`) ?? null;
        return service.answer(context, {
          view,
          // A log is signed after the commit.
          etag: service.tagOf(context, view, 'feed', log),
          isText: true,
          write: () => jsonBody({ ...feedOf(view.entry, context.api, formats), ...(log === null ? {} : { log }) }),
        });
      },
    },
    {
      path: '/feeds/{feed_id}/register.xsd',
      access: 'public',
      documentation: {
        operationId: 'getSchema',
        tag: 'Registers',
        summary: 'The schema of its XML',
        description: 'The XML Schema that every XML export of the register validates against.',
        params: feedParams,
        codes: ['unknown_feed'],
        headers: ['Content-Disposition'],
        response: {
          description: 'The schema.',
          content: { 'application/xml': { schema: { type: 'string' } } },
        },
      },
      async answer(context, pathParameters) {
        const feedId = readFeedId(pathParameters);
        const view = await service.registers.view(feedId, context.stamp);
        return service.answer(context, {
          view,
          etag: service.tagOf(context, view, 'xsd'),
          isText: true,
          write: () =>
            textBody(registerSchema(view.entry.definition), 'application/xml; charset=utf-8', {
              'content-disposition': `inline; filename="${feedId}.xsd"`,
            }),
        });
      },
    },
  ];
}

/** The address of the page after this one. */
function nextPage(api: string, { limit, updatedSince }: FeedsQuery, offset: number): URL {
  const url = new URL(`${api}/feeds?offset=${offset}&limit=${limit}`);
  if (updatedSince !== undefined) url.searchParams.set('updated_since', updatedSince);
  return url;
}

/** The address of a register's XML schema; `api` is the address of the API. */
export function schemaUrl(api: string, feedId: string): string {
  return `${api}/feeds/${feedId}/register.xsd`;
}

/** A register as the API returns it. */
function feedOf(
  { definition, definitionVersion, total, change, lastChange }: RegisterEntry,
  api: string,
  { exports, wholes }: FeedFormats,
): object {
  const self = `${api}/feeds/${definition.id}`;
  const calendars = calendarsOf(definition, api).map(({ field, url }) => [field.name, url] as const);
  const files = (formats: readonly Format[], path: string): Readonly<Record<string, string>> =>
    Object.fromEntries(formats.map(({ name }) => [name, `${self}/${path}.${name}`]));
  return {
    feed_id: definition.id,
    title: definition.title,
    description: definition.description,
    total,
    change,
    last_change: lastChange,
    definition_version: definitionVersion,
    definition,
    ...offersOf(definition, api),
    links: {
      self,
      records: `${self}/records`,
      facets: `${self}/facets`,
      changes: `${self}/changes`,
      schema: schemaUrl(api, definition.id),
      openapi: `${self}/openapi.json`,
      exports: files(exports, 'records/export'),
      register: files(formatsFor(wholes, definition), 'register'),
      ...(calendars.length === 0 ? {} : { calendars: Object.fromEntries(calendars) }),
    },
  };
}
