// Builds openapi.json (OpenAPI 3.1.0) from the routes themselves, so the description matches validation and answers.
import { z } from 'zod';
import type { ErrorCode } from '../../errors.ts';
import { describeSchema, type JsonSchema } from '../../register/schemas/json-schema.ts';
import type { Documentation, DocumentedBody, DocumentedResponse } from '../../web/documentation.ts';
import { PROBLEM_MEDIA_TYPE, problemKind } from '../../problem.ts';
import { VERSION } from '../../version.ts';
import { API_PATH } from '../request-context.ts';
import { type Route, READING } from '../route.ts';
import type { Publication } from './publication.ts';
import { problemSchema } from './schemas.ts';

/** Error codes that any route may return. */
const COMMON_CODES: readonly ErrorCode[] = [
  'invalid_parameter',
  'unknown_parameter',
  'credentials_in_url',
  'misplaced_credentials',
  'repeated_credentials',
  'malformed_key',
  'unknown_key',
  'revoked_key',
  'rotated_key',
  'wrong_product',
  'access_lapsed',
  'account_suspended',
  'precondition_failed',
  'rate_limited',
  'internal_error',
  'store_busy',
  'store_unavailable',
];

/** Error codes that the service returns independently of the route. */
const OTHER_CODES: readonly ErrorCode[] = [
  'credentials_required',
  'not_found',
  'unknown_feed',
  'unknown_record',
  'unknown_format',
  'record_withdrawn',
  'method_not_allowed',
  'not_ready',
  'origin_refused',
  'unsupported_media_type',
  'body_too_large',
];

const TAGS = [
  { name: 'Registers', description: 'What registers there are, and what has changed in them.' },
  { name: 'Records', description: 'Records as JSON, and their histories.' },
  { name: 'Exports', description: 'Records as files and feeds.' },
  { name: 'Agents', description: 'Records for software agents: the Model Context Protocol.' },
  { name: 'Service', description: 'This description, for programs and for people.' },
];

/** The document. @param api the public URL of `/api/v1` */
export function openApiDocument(routes: readonly Route[], api: string, publication: Publication): object {
  const { title, contact, termsUrl, licenceUrl, keysUrl } = publication;
  const schemas: Record<string, JsonSchema> = {};
  const describe: Describe = (schema) => {
    if (!(schema instanceof z.ZodType)) return schema;
    const described = describeSchema(schema, (name) => `#/components/schemas/${name}`);
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
        ...operationOf(route, route.documentation, method, describe),
        ...serversOf(route.path, api),
      };
    }
  }
  return {
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
    security: [{}, { apiKey: [] }],
    components: { securitySchemes: { apiKey: apiKeyScheme(keysUrl) }, schemas },
    paths,
  };
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

/** Header fields of successful answers. */
const HEADERS = {
  ETag: { description: 'A strong entity tag.', schema: { type: 'string' } },
  Link: {
    description: 'The next page, `rel="next"`, while there is one.',
    schema: { type: 'string' },
  },
  'X-Request-Id': { description: 'What to quote when you ask for help.', schema: { type: 'string' } },
};

const NOT_MODIFIED: Responses = {
  304: {
    description:
      'What the client has, by `If-None-Match` or `If-Modified-Since`, is what there is. A date counts only if it is the `Last-Modified` of an earlier answer.',
  },
};

function operationOf({ access }: Route, documentation: Documentation, method: string, describe: Describe): object {
  const { operationId, tag, summary, description, params, query, body, response, codes = [] } = documentation;
  const isReading = READING.includes(method);
  const responses = {
    200: response,
    ...(isReading ? NOT_MODIFIED : {}),
    ...joined(
      documentation.otherResponses ?? {},
      problems([
        ...COMMON_CODES.filter((code) => isReading || code !== 'precondition_failed'),
        ...codes,
        ...(access === 'pro' ? (['credentials_required'] as const) : []),
      ]),
    ),
  };
  const parameters = [...parametersOf('path', params, describe), ...parametersOf('query', query, describe)];
  return {
    operationId,
    tags: [tag],
    summary,
    description,
    security: access === 'pro' ? [{ apiKey: [] }] : [{}, { apiKey: [] }],
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: { required: true, content: contentOf(body, describe) } }),
    responses: Object.fromEntries(
      Object.entries(responses).map(([status, { description, content }]) => [
        status,
        {
          description,
          ...(status === '200' ? { headers: isReading ? HEADERS : { 'X-Request-Id': HEADERS['X-Request-Id'] } } : {}),
          ...(content === undefined ? {} : { content: contentOf(content, describe) }),
        },
      ]),
    ),
  };
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
    schema: member,
  }));
}

function contentOf(content: Readonly<Record<string, DocumentedBody>>, describe: Describe): object {
  const described = Object.entries(content).map(([type, { schema }]) => [type, { schema: describe(schema) }] as const);
  return Object.fromEntries(described);
}

type Responses = Readonly<Record<string, DocumentedResponse>>;

/** Merges the answers of both by status: one status may have several kinds of bodies. */
function joined(some: Responses, others: Responses): Responses {
  const both = Object.entries(some).map(([status, one]) => {
    const other = others[status];
    if (other === undefined) return [status, one] as const;
    const description = `${one.description}\n${other.description}`;
    return [status, { ...one, description, content: { ...one.content, ...other.content } }] as const;
  });
  return { ...others, ...Object.fromEntries(both) };
}

/** Error answers by status, each with its error codes. */
function problems(codes: readonly ErrorCode[]): Responses {
  const byStatus = Map.groupBy(codes, (code) => problemKind(code).status);
  return Object.fromEntries(
    [...byStatus].map(([status, ofStatus]) => [
      status,
      {
        description: ofStatus.map((code) => `\`${code}\`: ${problemKind(code).title}.`).join('\n'),
        content: { [PROBLEM_MEDIA_TYPE]: { schema: problemSchema } },
      },
    ]),
  );
}

function introduction(keysUrl: string | null): string {
  const where = keysUrl === null ? '' : ` Get or renew a key at <${keysUrl}>.`;
  const codes = [...COMMON_CODES, ...OTHER_CODES].sort(
    (a, b) => problemKind(a).status - problemKind(b).status || a.localeCompare(b, 'en'),
  );
  return `Registers of public records: lists, histories, and exports in CSV, Excel, XML, RSS and Atom. Read-only. Without a key: every register’s latest three records, and previews of older ones. With a key, sent as \`Authorization: Bearer <API_KEY>\`: everything.${where}

Every page names the next in \`Link: rel="next"\` until there is none. Pages hold at most 100 records. Every answer has an \`X-Request-Id\`; almost every one an \`ETag\`, and \`If-None-Match\` costs nothing. An unknown parameter is a 400 that names it and the nearest one there is; a repeated, empty or wrong one is a 400 that names it.

Within \`/api/v1\` there are only additions. Whatever will go is announced by \`Deprecation\` and \`Sunset\` (RFC 9745, RFC 8594).

## Errors

Errors are \`${PROBLEM_MEDIA_TYPE}\` (RFC 9457): \`type\`, \`title\`, \`status\`, \`detail\`, \`code\`, \`request_id\`, and the \`parameter\` at fault.

<details><summary>Every code</summary>

| status | code | |
|---|---|---|
${codes.map((code) => `| ${problemKind(code).status} | \`${code}\` | ${problemKind(code).title} |`).join('\n')}

</details>
`;
}
