// The line that is logged of an answer: never the requested URL, which may contain anything, and never a key. What a
// client chose itself is logged only in forms that can hold neither.
import { keyOf } from '../access/access.ts';
import { callerOfAddress } from '../access/rate-limits.ts';
import type { RequestContext } from '../http/request-context.ts';
import { isFeedId } from '../register/definition.ts';
import type { SentAnswer } from '../web/representation.ts';

/** Ids of requests as other programs make them; one beginning with `gz_` may be a key. */
const GIVEN_ID = /^(?!.*gz_)[A-Za-z0-9._:/+=@-]{1,128}$/i;

/** W3C Trace Context, 3.2.2: version, trace id, parent id, flags; ids of zeros alone are not valid. */
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/** The names of methods and tools of the Model Context Protocol. */
const MCP_NAME = /^(?!.*gz_)[A-Za-z0-9_./-]{1,64}$/i;

/**
 * The fields of a line.
 *
 * @param namesCallers whether it says whose request it was: the account, the key, and the network of the address
 */
export function logLine(
  context: RequestContext,
  { status, bytes, isBroken }: SentAnswer,
  durationMs: number,
  namesCallers: boolean,
): object {
  const { id, request, route, notes } = context;
  return {
    request_id: id,
    ...given('given_request_id', request.headers.get('x-request-id'), GIVEN_ID),
    ...given('traceparent', request.headers.get('traceparent'), TRACEPARENT),
    method: request.method,
    route,
    ...(notes.register !== undefined && isFeedId(notes.register) ? { register: notes.register } : {}),
    ...given('mcp_method', notes.mcpMethod, MCP_NAME),
    ...given('mcp_tool', notes.mcpTool, MCP_NAME),
    status,
    duration_ms: Math.round(durationMs * 1000) / 1000,
    bytes,
    ...(isBroken ? { broken_off: true } : {}),
    ...(namesCallers ? callerOf(context) : {}),
  };
}

/** A field with what a client gave, if it has the form that it should have. */
function given(name: string, value: unknown, form: RegExp): object {
  return typeof value === 'string' && form.test(value) ? { [name]: value } : {};
}

function callerOf({ access, remoteAddress }: RequestContext): object {
  const key = keyOf(access);
  return {
    ...(access.account === undefined ? {} : { account: access.account.id }),
    ...(key === null ? {} : { key: key.id, key_ends: key.lastFour }),
    ...given('network', remoteAddress === null ? null : networkOf(remoteAddress), /^[0-9a-f.:]+\/\d\d$/),
  };
}

/**
 * The network of an address, which does not tell a person: the first 24 bits of IPv4, 48 of IPv6.
 *
 * @example networkOf('192.0.2.77') // '192.0.2.0/24'
 */
export function networkOf(address: string): string {
  const caller = callerOfAddress(address);
  if (!caller.endsWith('::/64')) return `${caller.split('.').slice(0, 3).join('.')}.0/24`;
  return `${caller.split(':').slice(0, 3).join(':')}::/48`;
}
