// `POST /mcp`: the Model Context Protocol over HTTP, stateless, one JSON answer for each message. It is one of the
// service's routes, which authenticate and count a request before this code runs.
import type { AuthenticatedRequest, RouteOf } from '../access/route.ts';
import { checkWhole } from '../checks.ts';
import { GazetteError, quote } from '../errors.ts';
import type { HttpResponse } from '../web/representation.ts';
import type { ServedRequest } from '../web/served-request.ts';
import { BUDGET_TOKENS, BYTES_PER_TOKEN, MIN_BUDGET_TOKENS } from './budget.ts';
import { mcpDocumentation } from './documentation.ts';
import { checkModernRequest, eraOf } from './era.ts';
import { listRegistersTool } from './tools/list-registers.ts';
import { answerMethod, type MethodServices, type Outcome } from './methods.ts';
import { readMessage, type RequestId, type RpcError } from './protocol.ts';
import { readRecordTool, readRegisterTool } from './tools/read-register.ts';
import { recordHistoryTool } from './tools/record-history.ts';
import { checkMediaType, checkOrigin, isWebOrigin, type OriginRules, readBody } from './request.ts';
import type { ToolServices } from './tools/tool.ts';

/** An operator's options for the agents' endpoint. */
export interface McpOptions {
  /**
   * The maximum length of an answer, in tokens of four bytes; from {@link MIN_BUDGET_TOKENS}. Default {@link
   * BUDGET_TOKENS}.
   */
  readonly budgetTokens?: number;
  /** Origins of web pages that may call it, in addition to the service's own; `*`: any. Default: none. */
  readonly allowedOrigins?: readonly string[];
}

/** The longest message that is read: far more than any call needs. */
const MAX_BODY_BYTES = 262_144;

/** The JSON around a tool's answer, without the request's id. */
const ENVELOPE_BYTES = 600;

const encoder = new TextEncoder();

/** The end of an answer with a result. */
const END = encoder.encode('}');

/**
 * Creates the route.
 *
 * @throws GazetteError `invalid_option`
 */
export function mcpRoute(
  services: ToolServices,
  place: Omit<OriginRules, 'allowedOrigins'>,
  { budgetTokens = BUDGET_TOKENS, allowedOrigins = [] }: McpOptions = {},
): RouteOf<AuthenticatedRequest> {
  checkWhole('budgetTokens', budgetTokens, MIN_BUDGET_TOKENS);
  for (const origin of allowedOrigins) {
    if (origin === '*' || isWebOrigin(origin)) continue;
    throw new GazetteError(
      'invalid_option',
      `allowedOrigins must hold origins, such as https://example.org, or *, got ${quote(origin)}`,
    );
  }
  const rules = { ...place, allowedOrigins };
  const methods: MethodServices = {
    store: services.store,
    keysUrl: services.tiers.keysUrl,
    written: new WeakMap(),
    tools: [
      readRegisterTool(services),
      listRegistersTool(services),
      readRecordTool(services),
      recordHistoryTool(services),
    ],
  };
  return {
    path: '/mcp',
    access: 'public',
    methods: ['POST'],
    documentation: mcpDocumentation,
    async answer(context) {
      checkOrigin(context, rules);
      checkMediaType(context.request.headers);
      const body = await readBody(context.request, MAX_BODY_BYTES);
      return answerBody(context, body, methods, budgetTokens * BYTES_PER_TOKEN);
    },
  };
}

async function answerBody(
  context: AuthenticatedRequest,
  body: Uint8Array,
  services: MethodServices,
  budgetBytes: number,
): Promise<HttpResponse> {
  const { request, access, api, stamp } = context;
  const message = readMessage(body);
  if (message.kind === 'malformed') return say(context, message.id, message);
  // The server never sends requests to clients.
  if (message.kind === 'response') return accepted(context);
  const isRequest = message.kind === 'request';
  const era = eraOf(request.headers, isRequest ? message.method : null, message.params);
  if (typeof era === 'object') return say(context, isRequest ? message.id : null, { error: era });
  if (!isRequest) return accepted(context);
  const { id, method, params } = message;
  const error = era === 'modern' ? checkModernRequest(request.headers, method, params) : null;
  if (error !== null) return say(context, id, { error });
  const room = budgetBytes - ENVELOPE_BYTES - Buffer.byteLength(JSON.stringify(id));
  const call = { request, access, api, stamp, room };
  return say(context, id, await answerMethod({ era, id, method, params, call }, services));
}

/** RFC 9110 15.3.3: accepted, without content. */
function accepted({ headers }: ServedRequest): HttpResponse {
  return { status: 202, headers: { ...headers, 'content-length': '0', 'cache-control': 'no-store' }, body: null };
}

/** JSON-RPC 2.0, 5: a result or an error, with the request's id unchanged; null if it is unknown. */
function say({ headers }: ServedRequest, id: RequestId | null, outcome: Outcome): HttpResponse {
  const body =
    'result' in outcome
      ? Buffer.concat([encoder.encode(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`), ...outcome.result, END])
      : encoder.encode(JSON.stringify({ jsonrpc: '2.0', id, error: errorOf(outcome.error) }));
  return {
    status: 'result' in outcome ? 200 : outcome.error.status,
    headers: {
      ...headers,
      'content-type': 'application/json',
      'content-length': String(body.length),
      'cache-control': 'no-store',
    },
    body,
  };
}

function errorOf({ code, message, data }: RpcError): object {
  return { code, message, ...(data === undefined ? {} : { data }) };
}
