// `/api/v1`: what there is, for programs that know this address alone. The relations are registered ones (RFC 8631 for
// `service-doc` and `service-desc`), so they stand in a `Link` header too.
import { z } from 'zod';
import { linkHeader } from '../../export/page-links.ts';
import { entityTag } from '../../web/validators.ts';
import { VERSION } from '../../version.ts';
import type { Route } from '../route.ts';
import { jsonBody, type ServiceContext } from '../service-context.ts';

/** A link of the index. */
interface IndexLink {
  /** What is there, such as `service-desc`. */
  readonly rel: string;
  /** Below `/api/v1`. */
  readonly path: string;
  readonly type: string;
  readonly title: string;
  /** Whether the path is a template (RFC 6570). */
  readonly templated?: true;
}

const LINKS: readonly IndexLink[] = [
  { rel: 'service-desc', path: '/openapi.json', type: 'application/json', title: 'This interface, for programs' },
  {
    ...{ rel: 'service-desc', path: '/feeds/{feed_id}/openapi.json', type: 'application/json', templated: true },
    title: 'One register, for programs',
  },
  { rel: 'service-doc', path: '/reference', type: 'text/html', title: 'This interface, for people' },
  { rel: 'collection', path: '/feeds', type: 'application/json', title: 'The registers' },
  { rel: 'mcp', path: '/mcp', type: 'application/json', title: 'The registers for agents (Model Context Protocol)' },
];

const indexSchema = z
  .object({
    title: z.string(),
    version: z.string().meta({ description: 'The version of the software.' }),
    links: z.array(
      z.object({
        rel: z.string().meta({ description: 'What is there.' }),
        href: z.string().meta({ format: 'uri-template' }),
        type: z.string().meta({ description: 'The media type.' }),
        title: z.string(),
        templated: z.literal(true).optional().meta({ description: 'True: `href` is a template (RFC 6570).' }),
      }),
    ),
  })
  .meta({ id: 'Index' });

/** `/api/v1` itself. @param title of the service */
export function indexRoute(service: ServiceContext, title: string): Route {
  return {
    path: '/',
    access: 'public',
    documentation: {
      operationId: 'getIndex',
      tag: 'Service',
      summary: 'What there is',
      description: 'The addresses where everything else begins.',
      headers: ['Link: service'],
      response: { description: 'The index.', content: { 'application/json': { schema: indexSchema } } },
    },
    answer: (context) =>
      service.answer(context, {
        view: null,
        etag: entityTag('index', title, VERSION, context.access.tier, context.api),
        isText: true,
        write() {
          const links = LINKS.map(({ path, ...link }) => ({ ...link, href: context.api + path }));
          const described = links.filter(({ rel, templated }) => rel.startsWith('service-') && templated !== true);
          const link = described.map(({ rel, href }) => linkHeader(new URL(href), rel)).join(', ');
          return jsonBody({ title, version: VERSION, links }, { link });
        },
      }),
  };
}
