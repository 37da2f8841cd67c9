// The agents' service over standard input and output (2025-06-18, transports: stdio): a message a line, an answer a line,
// nothing else on the output. It ends with its input.
import { GazetteError } from '../errors.ts';
import type { Tier } from '../register/tier.ts';
import type { RegisterStore } from '../stores/contract/registers.ts';
import { RegisterViews } from '../views/registers.ts';
import type { Tool, ToolServices } from './tools/tool.ts';
import { Sight } from '../views/sight.ts';
import type { SignedStates } from '../views/signed.ts';
import { BUDGET_TOKENS } from './budget.ts';
import { MAX_MESSAGE_BYTES, McpCore, say } from './core.ts';
import { agreedVersion } from './methods.ts';
import { CODES, type JsonObject, readMessage } from './protocol.ts';

/** What it serves, and between which ends. */
export interface StdioOptions {
  readonly store: RegisterStore;
  /** Absent: nothing is signed. */
  readonly signed?: SignedStates | undefined;
  /** What the agent may see. */
  readonly tier: Tier;
  /** The address of the REST interface that answers name, with `/api/v1`. */
  readonly api: string;
  readonly input: AsyncIterable<Uint8Array>;
  /** Writes a line; resolves when more may be written. */
  readonly write: (line: Uint8Array) => Promise<void>;
  /** Called with what is not the fault of a message. */
  readonly onError: (error: unknown) => void;
  readonly budgetTokens?: number;
  /** Makes tools besides gazette's own. Default: there are none. */
  readonly others?: (services: Pick<ToolServices, 'store' | 'registers' | 'sight'>) => readonly Tool[];
  /** Fires when the reading of pages is to stop. */
  readonly signal: AbortSignal;
}

const LINE_END = 0x0a;
const NEW_LINE = Uint8Array.of(LINE_END);

/** Answers messages, one after the other, until the input ends. */
export async function serveStdio(options: StdioOptions): Promise<void> {
  const { store, signed, tier, api, input, write, onError, budgetTokens = BUDGET_TOKENS, others, signal } = options;
  const registers = new RegisterViews(store, () => undefined);
  const services = { store, registers, signed, sight: new Sight({}) };
  const core = new McpCore({ ...services, others: others?.(services) ?? [] }, budgetTokens);
  let version: string | undefined;
  const onRequest = (method: string, params: JsonObject): void => {
    if (method === 'initialize') version = agreedVersion(params);
  };
  for await (const line of linesOf(input)) {
    const call = {
      headers: null,
      version,
      onRequest,
      request: { signal },
      access: { tier },
      api,
      stamp: store.stamp?.(),
    };
    let body: Uint8Array | null;
    try {
      if (line === null) throw tooLong();
      ({ body } = await core.answer(line, call));
    } catch (error) {
      if (line !== null) onError(error);
      body = failure(line, error);
    }
    if (body !== null) await write(Buffer.concat([body, NEW_LINE]));
  }
}

function tooLong(): GazetteError {
  return new GazetteError('body_too_large', `a message must be at most ${MAX_MESSAGE_BYTES} bytes long`);
}

function failure(line: Uint8Array | null, error: unknown): Uint8Array | null {
  if (line === null) {
    return say(null, { error: { code: CODES.invalidRequest, message: tooLong().message, status: 400 } }).body;
  }
  const message = readMessage(line);
  const id = message.kind === 'request' ? message.id : null;
  const text = error instanceof GazetteError ? error.message : 'internal error';
  return say(id, { error: { code: CODES.internalError, message: text, status: 500 } }).body;
}

/** The lines of the input that are not empty; null for one that is too long, of which nothing is kept. */
async function* linesOf(input: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array | null, void, undefined> {
  let pieces: Uint8Array[] = [];
  let length = 0;
  const take = (): Uint8Array | null | undefined => {
    const line = length > MAX_MESSAGE_BYTES ? null : Buffer.concat(pieces);
    [pieces, length] = [[], 0];
    // JSON allows blanks around a value; a line of nothing else is skipped.
    return line?.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d) === true ? undefined : line;
  };
  const keep = (piece: Uint8Array): void => {
    length += piece.length;
    if (length <= MAX_MESSAGE_BYTES) pieces.push(piece);
    else pieces = [];
  };
  for await (const chunk of input) {
    let start = 0;
    for (let end = chunk.indexOf(LINE_END); end >= 0; end = chunk.indexOf(LINE_END, start)) {
      keep(chunk.subarray(start, end));
      start = end + 1;
      const line = take();
      if (line !== undefined) yield line;
    }
    keep(chunk.subarray(start));
  }
  const last = take();
  if (last !== undefined) yield last;
}
