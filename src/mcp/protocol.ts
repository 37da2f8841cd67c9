// What of the Model Context Protocol is spoken here, in both of its eras: revisions, reserved names, error codes, and
// JSON-RPC 2.0 messages. Pure; what is done about a message is said in methods.ts.

/** Revisions with a handshake, newest first. Every method works without one here all the same. */
export const LEGACY_VERSIONS: readonly string[] = ['2025-11-25', '2025-06-18', '2025-03-26'];

/** Revisions in which every request says all there is to know of it. */
export const MODERN_VERSIONS: readonly string[] = ['2026-07-28'];

/** All of them, newest first. */
export const VERSIONS: readonly string[] = [...MODERN_VERSIONS, ...LEGACY_VERSIONS];

/** The members of `_meta` that the protocol reserves (2026-07-28, basic: `_meta`). */
export const META = {
  protocolVersion: 'io.modelcontextprotocol/protocolVersion',
  clientCapabilities: 'io.modelcontextprotocol/clientCapabilities',
  serverInfo: 'io.modelcontextprotocol/serverInfo',
} as const;

/** Codes of JSON-RPC 2.0 (5.1) and of the protocol (2026-07-28, basic: Error Codes). */
export const CODES = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  headerMismatch: -32020,
  unsupportedVersion: -32022,
} as const;

/** What tells an answer's request. A text and a number never name the same one. */
export type RequestId = string | number;

/** The longest id that is given back. */
const MAX_ID_LENGTH = 1000;

/** A JSON object. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Something that went wrong before a tool ran, as the answer says it. */
export interface RpcError {
  readonly code: (typeof CODES)[keyof typeof CODES];
  readonly message: string;
  readonly data?: JsonObject;
  /** The status of the answer that carries it. */
  readonly status: 200 | 400 | 404;
}

/** One message. */
export type Message =
  | { readonly kind: 'request'; readonly id: RequestId; readonly method: string; readonly params: JsonObject }
  /** Nobody waits for an answer. */
  | { readonly kind: 'notification'; readonly params: JsonObject }
  /** An answer to a question that was never asked. */
  | { readonly kind: 'response' }
  /** No message; `id` where it can be told whose. */
  | { readonly kind: 'malformed'; readonly id: RequestId | null; readonly error: RpcError };

/** Whether a value is a JSON object. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Reads a body as one message.
 *
 * @throws nothing: what is no message is `malformed`.
 */
export function readMessage(body: Uint8Array): Message {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    return malformed(null, CODES.parseError, 'the body must be JSON in UTF-8');
  }
  if (Array.isArray(value)) return malformed(null, CODES.invalidRequest, 'the body must be one message, got a batch');
  if (!isObject(value)) return malformed(null, CODES.invalidRequest, 'the body must be a JSON-RPC 2.0 message');
  const id = isRequestId(value.id) ? value.id : null;
  if (value.jsonrpc !== '2.0') return malformed(id, CODES.invalidRequest, 'jsonrpc must be "2.0"');
  if (value.id !== undefined && id === null) {
    return malformed(
      null,
      CODES.invalidRequest,
      `id must be an integer or a text of at most ${MAX_ID_LENGTH} characters`,
    );
  }
  if (value.method === undefined && (value.result !== undefined || value.error !== undefined)) {
    return { kind: 'response' };
  }
  if (typeof value.method !== 'string') return malformed(id, CODES.invalidRequest, 'method must be a text');
  const params = value.params ?? {};
  if (!isObject(params)) return malformed(id, CODES.invalidParams, 'params must be an object');
  return id === null ? { kind: 'notification', params } : { kind: 'request', id, method: value.method, params };
}

/** A number that would come back as another one names nothing. */
function isRequestId(id: unknown): id is RequestId {
  return typeof id === 'string' ? id.length <= MAX_ID_LENGTH : Number.isSafeInteger(id);
}

function malformed(id: RequestId | null, code: RpcError['code'], message: string): Message {
  return { kind: 'malformed', id, error: { code, message, status: 400 } };
}
