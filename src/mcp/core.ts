// The agents' service without a transport: one message in, its answer out. route.ts serves it over HTTP, stdio.ts over
// standard input and output.
import { checkUnique, checkWhole } from '../checks.ts';
import { FILTERS } from '../register/finding/filters.ts';
import { WrittenAnswers } from './answers.ts';
import { BYTES_PER_TOKEN, MIN_BUDGET_TOKENS } from './budget.ts';
import { checkModernRequest, eraOf, type FieldReader, versionOf } from './era.ts';
import { answerMethod, type MethodServices, type Outcome } from './methods.ts';
import { FIRST_WITH_LINKS, type JsonObject, readMessage, type RequestId, type RpcError } from './protocol.ts';
import { askRegisterTool } from './tools/ask-register.ts';
import { changesTool } from './tools/changes.ts';
import { listRegistersTool } from './tools/list-registers.ts';
import { fetchTool, readRecordTool } from './tools/read-record.ts';
import { readRegisterTool } from './tools/read-register.ts';
import { recordHistoryTool } from './tools/record-history.ts';
import { searchTool } from './tools/search.ts';
import { Suggestions } from './tools/suggestions.ts';
import type { ToolCall, ToolServices } from './tools/tool.ts';

/** The longest message that is read, in bytes: far more than any call needs. */
export const MAX_MESSAGE_BYTES = 262_144;

/** The JSON around a tool's answer, without the request's id. */
const ENVELOPE_BYTES = 600;

/** Who sent a message. */
export interface Caller extends Omit<ToolCall, 'room'> {
  /** The header fields that came with it; null where the transport has none. */
  readonly headers: FieldReader | null;
  /** The revision that was agreed on, where the transport is a session. Absent: what each message names. */
  readonly version?: string | undefined;
  /** Called with the method and the parameters of a request before it is answered; they may be anything. */
  readonly onRequest?: (method: string, params: JsonObject) => void;
}

/** An answer. */
export interface Reply {
  /** The HTTP status. */
  readonly status: number;
  /** The message as JSON in UTF-8, without a line end; null where nothing is to be answered. */
  readonly body: Uint8Array<ArrayBuffer> | null;
}

const encoder = new TextEncoder();

/** The end of an answer with a result. */
const END = encoder.encode('}');

const NOTHING: Reply = { status: 202, body: null };

/** Answers messages. */
export class McpCore {
  readonly #methods: MethodServices;
  readonly #budgetBytes: number;

  /** @throws GazetteError `invalid_option` for a budget that is too small */
  constructor(services: ToolServices, budgetTokens: number) {
    checkWhole('budgetTokens', budgetTokens, MIN_BUDGET_TOKENS);
    this.#budgetBytes = budgetTokens * BYTES_PER_TOKEN;
    const tools = [
      readRegisterTool(services),
      listRegistersTool(services),
      readRecordTool(services),
      recordHistoryTool(services),
      searchTool(services),
      fetchTool(services),
      askRegisterTool(services),
      changesTool(services),
      ...(services.others ?? []),
    ];
    checkUnique(
      'tools',
      tools.map(({ name }) => name),
    );
    this.#methods = {
      tools,
      store: services.store,
      registers: services.registers,
      suggestions: new Suggestions(services),
      filters: services.filters ?? FILTERS,
      keysUrl: services.sight.tiers.keysUrl,
      written: new WrittenAnswers(),
    };
  }

  /**
   * Answers one message.
   *
   * @throws errors that are not the fault of the message
   */
  async answer(body: Uint8Array, { headers, version, onRequest, ...caller }: Caller): Promise<Reply> {
    const message = readMessage(body);
    if (message.kind === 'malformed') return say(message.id, message);
    // The server never sends requests to clients.
    if (message.kind === 'response') return NOTHING;
    const isRequest = message.kind === 'request';
    if (isRequest) onRequest?.(message.method, message.params);
    const era = eraOf(headers, isRequest ? message.method : null, message.params);
    if (typeof era === 'object') return say(isRequest ? message.id : null, { error: era });
    if (!isRequest) return NOTHING;
    const { id, method, params } = message;
    const error = era === 'modern' ? checkModernRequest(headers, method, params) : null;
    if (error !== null) return say(id, { error });
    const room = this.#budgetBytes - ENVELOPE_BYTES - Buffer.byteLength(JSON.stringify(id));
    const hasLinks = (versionOf(headers, params) ?? version ?? '') >= FIRST_WITH_LINKS;
    return say(id, await answerMethod({ era, id, method, params, hasLinks, call: { ...caller, room } }, this.#methods));
  }
}

/** JSON-RPC 2.0, 5: a result or an error, with the request's id unchanged; null if it is unknown. */
export function say(id: RequestId | null, outcome: Outcome): Reply {
  const body =
    'result' in outcome
      ? Buffer.concat([encoder.encode(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`), ...outcome.result, END])
      : encoder.encode(JSON.stringify({ jsonrpc: '2.0', id, error: errorOf(outcome.error) }));
  return { status: 'result' in outcome ? 200 : outcome.error.status, body };
}

function errorOf({ code, message, data }: RpcError): object {
  return { code, message, ...(data === undefined ? {} : { data }) };
}
