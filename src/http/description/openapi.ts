// Builds openapi.json (OpenAPI 3.1.0) from the routes themselves, so the description matches validation and answers.
import { z } from 'zod';
import { coreField } from '../../register/fields.ts';
import { type DescribedSchema, describeSchema, type JsonSchema } from '../../register/schemas/json-schema.ts';
import type { Documentation, DocumentedBody } from '../../web/documentation.ts';
import { VERSION } from '../../version.ts';
import { API_PATH } from '../request-context.ts';
import { type Route, READING } from '../route.ts';
import { errorsOf, type HeadedResponse, otherAnswers, problemSchema, type Responses } from './errors.ts';
import { describedHeaders, headersOf, KEPT, NOT_KEPT, PRIVATE } from './headers.ts';
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
  { name: 'Service', description: 'This description, for programs and for people.' },
];

/** What is known of each schema. A schema never changes, most are the same in every document, and an error's is in all routes. */
const known = new WeakMap<z.ZodType, DescribedSchema>();

/** Describes a schema. To do so takes most of the time of a document. */
function describedOnce(schema: z.ZodType): DescribedSchema {
  const described = known.get(schema) ?? describeSchema(schema, (name) => `#/components/schemas/${name}`);
  known.set(schema, described);
  return described;
}

/** The document. @param api the public URL of `/api/v1` @param examples what the examples name */
export function openApiDocument(
  routes: readonly Route[],
  api: string,
  publication: Publication,
  examples: ExampleIds = SCHEMA_EXAMPLES,
): Readonly<Record<string, unknown>> {
  const { title, contact, termsUrl, licenceUrl, keysUrl } = publication;
  const schemas: Record<string, JsonSchema> = {};
  const describe: Describe = (schema) => {
    if (!(schema instanceof z.ZodType)) return schema;
    const described = describedOnce(schema);
    Object.assign(schemas, described.named);
    return described.schema;
  };
  describe(problemSchema);
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) {
    if (route.documentation === null) continue;
    for (const method of route.methods ?? READING) {
      // HEAD is GET without the body (RFC 9110 9.3.2), so a second description would add nothing.
      if (method === 'HEAD') continue;
      (paths[pathOf(route.path)] ??= {})[method.toLowerCase()] = {
        ...operationOf(route, route.otherDocumentation?.[method] ?? route.documentation, method, describe),
        ...serversOf(route.path, api),
      };
    }
  }
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
    tags: TAGS,
    components: { securitySchemes: { apiKey: apiKeyScheme(keysUrl) }, headers: describedHeaders(), schemas },
    paths,
    webhooks: webhooksObject(),
    'x-other-answers': responsesOf(otherAnswers(), describe, false),
  };
  return withExamples(document, examples) as Readonly<Record<string, unknown>>;
}

/** A route's path in the document: it is appended to the address of a server, which has no slash at its end. */
function pathOf(path: string): string {
  return path === '/' ? API_PATH : path;
}

/** What a route says of its server: nothing but for the index, whose address is that of the API itself. */
function serversOf(path: string, api: string): object {
  if (path !== '/') return {};
  return { servers: [{ url: api.slice(0, -API_PATH.length), description: 'This service.' }] };
}

/** How keys are sent. @param keysUrl where people get one */
function apiKeyScheme(keysUrl: string | null): object {
  const where = keysUrl === null ? '' : ` Get or renew one at <${keysUrl}>.`;
  const description = `An API key of this service, \`gz_…\`. It belongs in this header alone: never into a URL.${where}`;
  return { type: 'http', scheme: 'bearer', description };
}

/** Converts a schema for the document; schemas it refers to are added to the document's own. */
type Describe = (schema: DocumentedBody['schema']) => JsonSchema;

function operationOf(route: Route, documentation: Documentation, method: string, describe: Describe): object {
  const { operationId, tag, summary, description, params, query, body, codes = [] } = documentation;
  const isReading = READING.includes(method) && documentation.isPrivate !== true;
  const ofKey = route.access === 'pro' ? (['credentials_required'] as const) : [];
  const responses = joined(answersOf(documentation, isReading), errorsOf([...codes, ...ofKey], isReading));
  const parameters = [
    ...parametersOf('path', params, describe),
    ...parametersOf('query', query, describe),
    ...(method === 'POST' && documentation.isPrivate === true ? [IDEMPOTENCY_KEY] : []),
  ];
  return {
    operationId,
    tags: [tag],
    summary,
    description,
    security: securityOf(route, documentation),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined
      ? {}
      : { requestBody: { required: Object.values(body).some(isNeeded), content: contentOf(body, describe) } }),
    responses: responsesOf(responses, describe, true),
  };
}

/** Whether a body must come: none counts as an object without members, which does not always do. */
function isNeeded({ schema }: DocumentedBody): boolean {
  return !(schema instanceof z.ZodType) || !schema.safeParse({}).success;
}

/** How a request is told from its repetition. */
const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
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
  const { response, headers = [], otherResponses = {}, status = 200, isPrivate = false, isStreamed } = documentation;
  const common = isReading ? [...KEPT, 'Content-Encoding'] : isPrivate ? PRIVATE : NOT_KEPT;
  const others = Object.entries(otherResponses).map(
    ([status, other]) => [status, { ...other, headers: [...NOT_KEPT, 'Content-Length'] }] as const,
  );
  return {
    [status]: { ...response, headers: [...common, ...(isStreamed === true ? [] : ['Content-Length']), ...headers] },
    ...(isReading ? { 304: { ...NOT_MODIFIED, headers: [...NOT_MODIFIED.headers, ...cachingIn(headers)] } } : {}),
    ...Object.fromEntries(others),
  };
}

/** A `Cache-Control` of its own comes with what is fresh, too. */
function cachingIn(headers: readonly string[]): readonly string[] {
  return headers.filter((name) => name.startsWith('Cache-Control'));
}

const NOT_MODIFIED: HeadedResponse = {
  description:
    'What the client has, by `If-None-Match` or `If-Modified-Since`, is what there is. A date counts only if it is the `Last-Modified` of an earlier answer.',
  headers: KEPT,
};

/** @param isReferred whether header fields refer to the components, where linters want only what operations use */
function responsesOf(responses: Responses, describe: Describe, isReferred: boolean): object {
  return Object.fromEntries(
    Object.entries(responses).map(([status, { description, headers, content }]) => [
      status,
      {
        description,
        headers: headersOf(headers, isReferred),
        ...(content === undefined ? {} : { content: contentOf(content, describe) }),
      },
    ]),
  );
}

/** The members of an object as parameters. */
function parametersOf(place: 'path' | 'query', schema: z.ZodType | undefined, describe: Describe): readonly object[] {
  if (schema === undefined) return [];
  const { properties = {}, required = [] } = describe(schema) as {
    readonly properties?: Readonly<Record<string, JsonSchema>>;
    readonly required?: readonly string[];
  };
  return Object.entries(properties).map(([name, member]) => ({
    name,
    in: place,
    required: required.includes(name),
    ...(member.description === undefined ? {} : { description: member.description }),
    // A list is a repeated parameter; the members of an object are parameters of their own.
    ...(member.type === 'array' || member.type === 'object' ? { style: 'form', explode: true } : {}),
    schema: member,
  }));
}

function contentOf(content: Readonly<Record<string, DocumentedBody>>, describe: Describe): object {
  const described = Object.entries(content).map(([type, { schema }]) => [type, { schema: describe(schema) }] as const);
  return Object.fromEntries(described);
}

/** Merges the answers of both by status: one status may have several kinds of bodies. */
function joined(some: Responses, others: Responses): Responses {
  const both = Object.entries(some).map(([status, one]) => {
    const other = others[status];
    if (other === undefined) return [status, one] as const;
    const description = `${one.description}\n${other.description}`;
    return [status, { ...other, description, content: { ...one.content, ...other.content } }] as const;
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
