// Determines which era a message belongs to, and whether its header fields match its body (2026-07-28, Streamable HTTP:
// Request Metadata, Server Validation). The body decides; a header field that contradicts it is refused.
import { isObject } from '../checks.ts';
import { quote } from '../errors.ts';
import { CODES, type JsonObject, LEGACY_VERSIONS, META, MODERN_VERSIONS, type RpcError, VERSIONS } from './protocol.ts';

/** The header fields of a request. */
export type FieldReader = Pick<Headers, 'get'>;

/** `legacy`: with a handshake. `modern`: every request is independent. */
export type Era = 'legacy' | 'modern';

/** How much of an unknown version is returned: all existing ones have ten characters. */
const MAX_REQUESTED = 60;

/** The methods whose `Mcp-Name` mirrors a parameter, with the parameter's name. */
const NAMED: ReadonlyMap<string, string> = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
]);

/**
 * The era of a message.
 *
 * @param headers null where the transport has none
 * @param method null for a notification
 */
export function eraOf(headers: FieldReader | null, method: string | null, params: JsonObject): Era | RpcError {
  const claim = isObject(params._meta) ? params._meta[META.protocolVersion] : undefined;
  // `initialize` is where the version is negotiated: by its body alone (2025-06-18, lifecycle: Version Negotiation).
  const header = method === 'initialize' ? null : (headers?.get('mcp-protocol-version') ?? null);
  if (claim === undefined) {
    if (header !== null && !VERSIONS.includes(header)) return unsupported(header);
    // The only method that exists only in the newer era: its caller should learn what is missing.
    const isModern = header === null ? method === 'server/discover' : MODERN_VERSIONS.includes(header);
    if (!isModern) return 'legacy';
    return method === null ? 'modern' : invalidMeta(META.protocolVersion, 'the protocol version');
  }
  if (typeof claim !== 'string') return invalidMeta(META.protocolVersion, 'the protocol version');
  if (header !== null && header !== claim) return mismatch('MCP-Protocol-Version', header, claim);
  if (LEGACY_VERSIONS.includes(claim)) return 'legacy';
  return MODERN_VERSIONS.includes(claim) ? 'modern' : unsupported(claim);
}

/** The revision that a message names; null: none. */
export function versionOf(headers: FieldReader | null, params: JsonObject): string | null {
  const claim = isObject(params._meta) ? params._meta[META.protocolVersion] : undefined;
  return typeof claim === 'string' ? claim : (headers?.get('mcp-protocol-version') ?? null);
}

/** What a request of the modern era lacks or contradicts; null if it is valid. */
export function checkModernRequest(headers: FieldReader | null, method: string, params: JsonObject): RpcError | null {
  if (headers !== null) {
    if (headers.get('mcp-protocol-version') === null) return missing('MCP-Protocol-Version');
    const mirrored = headers.get('mcp-method');
    if (mirrored === null) return missing('Mcp-Method');
    if (mirrored !== method) return mismatch('Mcp-Method', mirrored, method);
  }
  const meta = params._meta as JsonObject;
  if (!isObject(meta[META.clientCapabilities])) {
    return invalidMeta(META.clientCapabilities, 'an object, however empty');
  }
  const name = NAMED.get(method);
  return name === undefined || headers === null ? null : checkName(headers.get('mcp-name'), params[name]);
}

/** `Mcp-Name`, in Base64 where the name is not plain ASCII (Value Encoding). */
function checkName(header: string | null, name: unknown): RpcError | null {
  // A request without a name is refused by its method.
  if (typeof name !== 'string') return null;
  if (header === null) return missing('Mcp-Name');
  const encoded = /^=\?base64\?(.*)\?=$/s.exec(header)?.[1];
  const given = encoded === undefined ? header : decodeBase64(encoded);
  return given === name ? null : mismatch('Mcp-Name', header, name);
}

/** Null for a value that is not Base64 of UTF-8; it then equals no name. */
function decodeBase64(text: string): string | null {
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text)) return null;
  try {
    const bytes = Uint8Array.from(atob(text), (unit) => unit.charCodeAt(0));
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

function missing(field: string): RpcError {
  return {
    code: CODES.headerMismatch,
    message: `a request of ${MODERN_VERSIONS[0]!} must have the header field ${field}`,
    status: 400,
  };
}

function mismatch(field: string, header: string, body: string): RpcError {
  return {
    code: CODES.headerMismatch,
    message: `the header field ${field} says ${quote(header)} and the body ${quote(body)}`,
    status: 400,
  };
}

function unsupported(requested: string): RpcError {
  return {
    code: CODES.unsupportedVersion,
    message: `the protocol version must be one of ${VERSIONS.join(', ')}, got ${quote(requested)}`,
    data: { supported: VERSIONS, requested: requested.slice(0, MAX_REQUESTED) },
    status: 400,
  };
}

function invalidMeta(name: string, expected: string): RpcError {
  return { code: CODES.invalidParams, message: `params._meta must have ${quote(name)}: ${expected}`, status: 400 };
}
