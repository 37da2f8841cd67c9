// Builds openapi.json (OpenAPI 3.1.0) from the routes themselves, so the description matches validation and answers.
import { z } from 'zod';
import { coreField } from '../../register/fields.ts';
import type { Documentation, DocumentedBody } from '../../web/documentation.ts';
import { VERSION } from '../../version.ts';
import { type Route, READING } from '../route.ts';
import { Components, type DescribedParameter } from './components.ts';
import { errorsOf, type HeadedResponse, otherAnswers, problemSchema, type Responses } from './errors.ts';
import { EVERYWHERE, HEADERS, KEPT, NOT_KEPT, PRIVATE } from './headers.ts';
import { introduction } from './introduction.ts';
import { EXAMPLE_LOG, EXAMPLE_LOG_OF_LOGS } from './parameters.ts';
import type { Publication } from './publication.ts';
import { WEBHOOKS_TAG, webhooksObject } from './webhooks.ts';

/** Ids that are served, for the examples. */
export interface ExampleIds {
  readonly feedId: string;
  readonly recordId: string;
  /** The UUID of the register's log. */
  readonly log: string;
  /** The UUID of the log of logs. */
  readonly logOfLogs: string;
}

/** The examples where nothing is served yet, and those that the schemas are written with. */
export const SCHEMA_EXAMPLES: ExampleIds = {
  feedId: coreField('feed_id').example!,
  recordId: coreField('id').example!,
  log: EXAMPLE_LOG,
  logOfLogs: EXAMPLE_LOG_OF_LOGS,
};

/** The tag of routes that plugins add. */
export const PLUGINS_TAG = 'Plugins';

const TAGS = [
  { name: 'Registers', description: 'What registers there are, and what has changed in them.' },
  { name: 'Records', description: 'Records as JSON, and their histories.' },
  { name: 'Exports', description: 'Records as files and feeds.' },
  {
    name: 'Proofs',
    description: 'The logs of registers, by which everybody can check that nothing was changed or left out.',
  },
  { name: 'Agents', description: 'Records for software agents: the Model Context Protocol.' },
  { name: 'Account', description: 'Your account: keys, endpoints, deliveries.' },
  WEBHOOKS_TAG,
  { name: PLUGINS_TAG, description: 'What plugins add here.' },
  { name: 'Service', description: 'This description, for programs and for people.' },
];

/** What the document of a service depends on besides its routes. */
export interface DescribedService {
  /** The public URL of `/api/v1`. */
  readonly api: string;
  readonly publication: Publication;
  /** What the examples name. */
  readonly examples?: ExampleIds;
  /** The filters of registers' own fields. */
  readonly ownFilters?: readonly DescribedParameter[];
}

/** The document. */
export function openApiDocument(
  routes: readonly Route[],
  { api, publication, examples = SCHEMA_EXAMPLES, ownFilters = [] }: DescribedService,
): Readonly<Record<string, unknown>> {
  const { title, contact, termsUrl, licenceUrl, keysUrl } = publication;
  const components = new Components();
  components.schema(problemSchema);
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) {
    if (route.documentation === null) continue;
    for (const method of route.methods ?? READING) {
      // HEAD is GET without the body (RFC 9110 9.3.2), so a second description would add nothing.
      if (method === 'HEAD') continue;
      const documentation = route.otherDocumentation?.[method] ?? route.documentation;
      const operation = operationOf(route, documentation, method, { components, ownFilters });
      (paths[route.path] ??= {})[method.toLowerCase()] = operation;
    }
  }
  const otherResponses = components.otherResponses(otherAnswers());
  const webhooks = webhooksObject(components);
  const document = {
    openapi: '3.1.0',
    info: {
      title,
      version: VERSION,
      description: introduction(keysUrl),
      ...(contact === null ? {} : { contact: { name: title, ...contact } }),
      ...(termsUrl === null ? {} : { termsOfService: termsUrl }),
      // OpenAPI wants a name beside the address; which licence it is, only the page says.
      ...(licenceUrl === null ? {} : { license: { name: licenceUrl.replace(/^https?:\/\//i, ''), url: licenceUrl } }),
    },
    servers: [{ url: api, description: 'This service.' }],
    tags: TAGS.filter(
      ({ name }) => name !== PLUGINS_TAG || routes.some(({ documentation }) => documentation?.tag === name),
    ),
    paths,
    webhooks,
    components: { securitySchemes: { apiKey: apiKeyScheme(keysUrl) }, ...components.all },
    'x-every-answer': { headers: Object.fromEntries(EVERYWHERE.map((name) => [name, HEADERS[name]!])) },
    'x-other-answers': otherResponses,
  };
  return withExamples(document, examples) as Readonly<Record<string, unknown>>;
}

/** How keys are sent. @param keysUrl where people get one */
function apiKeyScheme(keysUrl: string | null): object {
  const where = keysUrl === null ? '' : ` Get or renew one at <${keysUrl}>.`;
  const description = `An API key of this service, \`gz_…\`. It belongs in this header alone: never into a URL.${where}`;
  return { type: 'http', scheme: 'bearer', description };
}

/** What operations take from the document. */
interface Shared {
  readonly components: Components;
  readonly ownFilters: readonly DescribedParameter[];
}

function operationOf(
  route: Route,
  documentation: Documentation,
  method: string,
  { components, ownFilters }: Shared,
): object {
  const { operationId, tag, summary, description, params, query, fields, body, codes = [] } = documentation;
  const isReading = READING.includes(method) && documentation.isPrivate !== true;
  const ofKey = route.access === 'pro' ? (['credentials_required'] as const) : [];
  const responses = joined(answersOf(documentation, isReading), errorsOf([...codes, ...ofKey], isReading));
  const parameters = [
    ...components.parametersOf('path', params),
    ...components.parametersOf('query', query, ownFilters),
    ...components.parametersOf('header', fields),
    ...(method === 'POST' && documentation.isPrivate === true ? [IDEMPOTENCY_KEY] : []),
  ];
  return {
    operationId,
    tags: [tag],
    summary,
    description,
    security: securityOf(route, documentation),
    ...(parameters.length === 0 ? {} : { parameters: parameters.map((one) => components.parameter(one, operationId)) }),
    ...(body === undefined
      ? {}
      : { requestBody: { required: Object.values(body).some(isNeeded), content: components.asked(body) } }),
    responses: components.responses(responses, operationId),
  };
}

/** Whether a body must come: none counts as an object without members, which does not always do. */
function isNeeded({ schema }: DocumentedBody): boolean {
  return !(schema instanceof z.ZodType) || !schema.safeParse({}).success;
}

/** How a request is told from its repetition. */
const IDEMPOTENCY_KEY: DescribedParameter = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'A random text of yours, 1 to 255 characters. A request that is repeated with it within 24 hours takes effect once, and gets the same answer again, without what is shown once.',
  schema: { type: 'string', pattern: '^[!-~]{1,255}$' },
};

/** Whether it needs a key, may have one, or is the same for everybody: readers take a padlock for "needs a key". */
function securityOf({ access }: Route, { keyMatters = false }: Documentation): readonly object[] {
  if (access === 'pro') return [{ apiKey: [] }];
  return keyMatters ? [{}, { apiKey: [] }] : [];
}

/** The answers that are no errors. */
function answersOf(documentation: Documentation, isReading: boolean): Responses {
  const { response, headers = [], otherResponses = {}, status = 200, isPrivate = false } = documentation;
  const common = isReading ? KEPT : isPrivate ? PRIVATE : NOT_KEPT;
  const others = Object.entries(otherResponses).map(
    ([status, other]) =>
      [status, { ...other, headers: [...(status === '206' ? common : NOT_KEPT), ...(other.headers ?? [])] }] as const,
  );
  return {
    [status]: { ...response, headers: [...common, ...headers] },
    ...(isReading ? { 304: notModified(headers) } : {}),
    ...Object.fromEntries(others),
  };
}

/** The answer to whom has it already, with what RFC 9110 15.4.5 wants of it: a `Cache-Control` of its own, and where it is. */
function notModified(headers: readonly string[]): HeadedResponse {
  const kept = headers.filter((name) => /^(?:Cache-Control|Content-Location|Stream-|Cross-Origin-)/.test(name));
  return {
    name: 'NotModified',
    description: 'It has not changed.',
    headers: [...KEPT, ...kept],
  };
}

/** Merges the answers of both by status: one status may have several kinds of bodies. */
function joined(some: Responses, others: Responses): Responses {
  const both = Object.entries(some).map(([status, one]) => {
    const other = others[status];
    if (other === undefined) return [status, one] as const;
    const description = `${one.description}\n${other.description}`;
    return [status, { ...other, name: undefined, description, content: { ...one.content, ...other.content } }] as const;
  });
  return { ...others, ...Object.fromEntries(both) };
}

/** The document with ids that are served in its examples. */
function withExamples(node: unknown, ids: ExampleIds, isExample = false): unknown {
  if (Array.isArray(node)) return node.map((item) => withExamples(item, ids, isExample));
  if (isExample && node === SCHEMA_EXAMPLES.feedId) return ids.feedId;
  if (isExample && node === SCHEMA_EXAMPLES.recordId) return ids.recordId;
  if (isExample && node === SCHEMA_EXAMPLES.log) return ids.log;
  if (isExample && node === SCHEMA_EXAMPLES.logOfLogs) return ids.logOfLogs;
  if (typeof node !== 'object' || node === null) return node;
  return Object.fromEntries(
    Object.entries(node).map(([name, value]) => [name, withExamples(value, ids, isExample || name === 'example')]),
  );
}
