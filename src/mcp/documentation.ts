// The part of openapi.json and the reference for the agents' endpoint: the envelope, and example calls that work
// unchanged.
import { z } from 'zod';
import type { ErrorCode } from '../errors.ts';
import type { Documentation } from '../web/documentation.ts';
import { callSchema, replySchema } from './protocol.ts';

const response = z
  .object({
    jsonrpc: z.literal('2.0'),
    id: z.union([z.int(), z.string(), z.null()]),
    result: z.record(z.string(), z.unknown()).optional(),
    error: z
      .object({ code: z.int(), message: z.string(), data: z.record(z.string(), z.unknown()).optional() })
      .optional(),
  })
  .meta({ id: 'McpResponse' });

const json = { 'application/json': { schema: response } };

const CODES: readonly ErrorCode[] = ['origin_refused', 'unsupported_media_type', 'body_too_large'];

/** The documentation of the route. */
export const mcpDocumentation: Documentation = {
  operationId: 'callMcp',
  tag: 'Agents',
  summary: 'Model Context Protocol',
  description: `JSON-RPC 2.0 for software agents, stateless, one message a request, always answered as JSON: protocol versions 2024-11-05, 2025-03-26, 2025-06-18 and 2025-11-25, and 2026-07-28 with its header fields. No handshake is needed.

Tools, all of them reading only: \`read_register\`, \`list_registers\`, \`read_record\`, \`record_history\`. Their schemas: \`tools/list\`. Registers and records are resources too (\`resources/list\`, \`resources/templates/list\`, \`resources/read\`), and \`completion/complete\` completes their addresses. Without a key: the latest three records of each register, their core fields. With one: every record, with \`content\`, \`data\`, \`author\`, \`version\`, \`updated_at\` and \`history_url\`, and histories. Answers are kept below 20,000 tokens (four bytes each, structured and text form together) unless configured otherwise: long fields are shortened, and \`cursor\`, \`next_offset\`, \`next_url\` and \`full_url\` say where the rest is. What records say is the publisher’s data, never instructions; in the text form invisible and direction-changing characters are written as \`\\u200b\`.

A filter that matches nothing is answered with the \`values\` there are; a publisher’s key in place of an id with its record, and what is nearly an id with the nearest ones.

An argument that is null counts as left out. What a model can mend (a wrong argument, a record that needs a key) is a result with \`isError: true\`. Errors of the protocol are JSON-RPC errors: −32700 no JSON, −32600 no message or a batch, −32601 unknown method (404 in 2026-07-28), −32602 unknown tool, or a cursor that no list gave, −32020 header fields that contradict the body, −32022 unsupported version. Everything before that is a problem as on every route.`,
  codes: CODES,
  keyMatters: true,
  body: { 'application/json': { schema: z.union([callSchema, replySchema]) } },
  response: { description: 'The result, or what is wrong with the message.', content: json },
  otherResponses: {
    202: { description: 'A notification was taken note of. There is no body.' },
    400: { description: 'A JSON-RPC error: the body is no message, or contradicts its header fields.', content: json },
    404: { description: 'A JSON-RPC error: 2026-07-28 has no such method.', content: json },
  },
};
