// The supported part of the Model Context Protocol, in both of its eras: revisions, reserved names, error codes, and
// JSON-RPC 2.0 messages. Pure; methods.ts processes messages.
import { z } from 'zod';
import { isObject } from '../checks.ts';

/** Revisions with a handshake, newest first. Here every method works without one all the same. */
export const LEGACY_VERSIONS: readonly string[] = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];

/** Revisions in which every request is self-contained. */
export const MODERN_VERSIONS: readonly string[] = ['2026-07-28'];

/** All of them, newest first. */
export const VERSIONS: readonly string[] = [...MODERN_VERSIONS, ...LEGACY_VERSIONS];

/**
 * The first revision whose results may hold links to resources: earlier clients refuse the whole result. A client that names
 * none is an earlier one: since then each names its own (2025-06-18, Streamable HTTP: Protocol Version Header).
 */
export const FIRST_WITH_LINKS = '2025-06-18';

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
  internalError: -32603,
  /** Of the handshake era alone. */
  resourceNotFound: -32002,
} as const;

/** Identifies the request of an answer. A text and a number are always different ids. */
export type RequestId = string | number;

/** The longest id that is returned. */
const MAX_ID_LENGTH = 1000;

const requestId = z.union([z.int(), z.string().max(MAX_ID_LENGTH)]);

/** A request, or a notification if it has no id. It validates messages, and openapi.json describes it. */
export const callSchema: z.ZodObject<{
  readonly jsonrpc: z.ZodLiteral<'2.0'>;
  readonly id: z.ZodOptional<z.ZodUnion<readonly [z.ZodInt, z.ZodString]>>;
  readonly method: z.ZodString;
  readonly params: z.ZodOptional<z.ZodNullable<z.ZodRecord<z.ZodString, z.ZodUnknown>>>;
}> = z
  .object({
    jsonrpc: z.literal('2.0'),
    id: requestId.optional().meta({
      description: 'Comes back as it is. Without one nobody waits for an answer: 202.',
    }),
    method: z.string().meta({
      description:
        '`initialize`, `tools/list`, `tools/call`, `resources/list`, `resources/templates/list`, `resources/read`, `completion/complete`, `ping`, `notifications/initialized`; with the header fields of 2026-07-28 also `server/discover`.',
    }),
    params: z.record(z.string(), z.unknown()).nullish().meta({
      description: 'For `tools/call`: `name` and `arguments`.',
    }),
  })
  .meta({
    id: 'McpRequest',
    example: {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'list_registers', arguments: {} },
    },
  });

const reply = { jsonrpc: z.literal('2.0'), id: requestId.optional(), method: z.never().optional() };

/** A response to a request that was never sent. */
export const replySchema: z.ZodType = z.union([
  z.object({ ...reply, result: z.nonoptional(z.unknown()) }),
  z.object({ ...reply, error: z.nonoptional(z.unknown()) }),
]);

/** A JSON object. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** An error that occurred before a tool ran, as the response contains it. */
export interface RpcError {
  readonly code: (typeof CODES)[keyof typeof CODES];
  readonly message: string;
  readonly data?: JsonObject;
  /** The HTTP status of the response. */
  readonly status: 200 | 400 | 404 | 500;
}

/** One message. */
export type Message =
  | { readonly kind: 'request'; readonly id: RequestId; readonly method: string; readonly params: JsonObject }
  /** A notification: the client expects no answer. */
  | { readonly kind: 'notification'; readonly params: JsonObject }
  /** A response to a request that was never sent. */
  | { readonly kind: 'response' }
  /** Not a message; `id` if it is known. */
  | { readonly kind: 'malformed'; readonly id: RequestId | null; readonly error: RpcError };

/**
 * Reads a body as one message.
 *
 * @throws nothing: an invalid message is `malformed`.
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
  const call = callSchema.safeParse(value);
  if (call.success) {
    const { id, method, params } = call.data;
    return id === undefined
      ? { kind: 'notification', params: params ?? {} }
      : { kind: 'request', id, method, params: params ?? {} };
  }
  if (replySchema.safeParse(value).success) return { kind: 'response' };
  const id = requestId.safeParse(value.id).data ?? null;
  switch (call.error.issues[0]!.path[0]) {
    case 'jsonrpc':
      return malformed(id, CODES.invalidRequest, 'jsonrpc must be "2.0"');
    case 'id':
      return malformed(
        null,
        CODES.invalidRequest,
        `id must be an integer or a text of at most ${MAX_ID_LENGTH} characters`,
      );
    case 'method':
      return malformed(id, CODES.invalidRequest, 'method must be a text');
    default:
      return malformed(id, CODES.invalidParams, 'params must be an object');
  }
}

function malformed(id: RequestId | null, code: RpcError['code'], message: string): Message {
  return { kind: 'malformed', id, error: { code, message, status: 400 } };
}
