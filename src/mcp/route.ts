// `POST /mcp`: the Model Context Protocol over HTTP, stateless, one JSON answer for each message. It is one of the
// service's routes, which authenticate and count a request before this code runs.
import type { AuthenticatedRequest, RequestNotes, RouteOf } from '../access/route.ts';
import { GazetteError, quote } from '../errors.ts';
import { feedIdOf } from '../stores/rows/register.ts';
import { checkMediaType, readBody } from '../web/request-body.ts';
import { BUDGET_TOKENS } from './budget.ts';
import { MAX_MESSAGE_BYTES, McpCore } from './core.ts';
import { mcpDocumentation } from './documentation.ts';
import type { JsonObject } from './protocol.ts';
import { checkOrigin, isWebOrigin, type OriginRules } from './request.ts';
import type { ToolServices } from './tools/tool.ts';

/** An operator's options for the agents' endpoint. */
export interface McpOptions {
  /**
   * The maximum length of an answer, in tokens of four bytes; from 2,000. Default 20,000.
   */
  readonly budgetTokens?: number;
  /** Origins of web pages that may call it, in addition to the service's own; `*`: any. Default: none. */
  readonly allowedOrigins?: readonly string[];
}

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
  for (const origin of allowedOrigins) {
    if (origin === '*' || isWebOrigin(origin)) continue;
    throw new GazetteError(
      'invalid_option',
      `allowedOrigins must hold origins, such as https://example.org, or *, got ${quote(origin)}`,
    );
  }
  const rules = { ...place, allowedOrigins };
  const core = new McpCore(services, budgetTokens);
  return {
    path: '/mcp',
    access: 'public',
    methods: ['POST'],
    documentation: mcpDocumentation,
    async answer(context) {
      checkOrigin(context, rules);
      checkMediaType(context.request.headers);
      const { request, access, api, stamp } = context;
      const message = await readBody(request, MAX_MESSAGE_BYTES);
      const { keysUrl } = services.sight.tiers;
      const topUp = keysUrl === undefined ? {} : { topUpUrl: keysUrl };
      const site = api.slice(0, api.lastIndexOf('/api/'));
      const owners =
        services.hasOwnerPages === true ? { creditUrl: (id: string) => `${site}/account/credit/${id}` } : {};
      const caller = { headers: request.headers, request, access, api, stamp, ...topUp, ...owners };
      const { status, body } = await core.answer(message, {
        ...caller,
        onRequest: (method, params) => {
          note(context.notes, method, params);
        },
      });
      const headers = { ...context.headers, 'cache-control': 'no-store', 'content-length': String(body?.length ?? 0) };
      // RFC 9110 15.3.3: what needs no answer is accepted, without content.
      return { status, headers: body === null ? headers : { ...headers, 'content-type': 'application/json' }, body };
    },
  };
}

/** Notes for the log what an agent does, and with which register. */
function note(notes: RequestNotes, method: string, params: JsonObject): void {
  notes.mcpMethod = method;
  if (method !== 'tools/call') return;
  notes.mcpTool = params.name;
  const { feed_id: feedId, id } = (params.arguments ?? {}) as JsonObject;
  if (typeof feedId === 'string') notes.register = feedId;
  else if (typeof id === 'string') notes.register = feedIdOf(id);
}
