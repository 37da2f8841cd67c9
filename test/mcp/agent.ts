// An agent without a library: messages to the endpoint of a service, and what comes back.
import { BASE_URL, type World } from '../world.ts';

/** The endpoint's address in a deployment. */
export const MCP_URL: string = new URL('/api/v1/mcp', BASE_URL).href;

/** What comes back. */
export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body as JSON; undefined where it is empty. */
  readonly body: RpcBody | undefined;
}

/** A JSON-RPC answer, or a problem. */
export interface RpcBody {
  readonly jsonrpc?: string;
  readonly id?: unknown;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: {
    readonly code: number;
    readonly message: string;
    readonly data?: Readonly<Record<string, unknown>>;
  };
  readonly code?: string;
}

/** A tool's answer. */
export interface ToolReply {
  readonly content: readonly { readonly type: string; readonly text: string }[];
  readonly structuredContent?: Readonly<Record<string, unknown>>;
  readonly isError?: boolean;
}

/** Sends a body: text or bytes as they are, anything else as JSON. */
export async function post(
  service: Pick<World, 'fetch'>,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Reply> {
  const isRaw = typeof body === 'string' || body instanceof Uint8Array;
  const request = new Request(MCP_URL, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: isRaw ? (body as string) : JSON.stringify(body),
  });
  return read(await service.fetch(request));
}

/** An answer, read. */
export async function read(response: Response): Promise<Reply> {
  const text = await response.text();
  const body = text === '' ? undefined : (JSON.parse(text) as RpcBody);
  return { status: response.status, headers: response.headers, text, body };
}

/** Calls a tool. @param key null: without one */
export async function callTool(
  service: Pick<World, 'fetch'>,
  name: string,
  args: unknown,
  key: string | null = null,
): Promise<ToolReply> {
  const headers: Record<string, string> = key === null ? {} : { authorization: `Bearer ${key}` };
  // As every client of today names the revision it speaks.
  headers['mcp-protocol-version'] = '2025-11-25';
  const { body } = await post(service, rpc('tools/call', { name, arguments: args }), headers);
  if (body?.result === undefined) throw new Error(`no result: ${JSON.stringify(body)}`);
  return body.result as unknown as ToolReply;
}

/** A request. */
export function rpc(method: string, params?: unknown, id: unknown = 1): object {
  return { jsonrpc: '2.0', id, method, ...(params === undefined ? {} : { params }) };
}

/** What every request of 2026-07-28 says of itself. */
export const MODERN_META: Readonly<Record<string, unknown>> = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** A request of 2026-07-28, and its header fields. */
export function modern(
  method: string,
  params: Readonly<Record<string, unknown>> = {},
): readonly [body: object, headers: Readonly<Record<string, string>>] {
  const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method };
  const named = typeof params.name === 'string' ? { ...headers, 'mcp-name': params.name } : headers;
  return [rpc(method, { ...params, _meta: MODERN_META }), named];
}

type Shown = Readonly<Record<string, unknown>>;

/** The records of an answer, those of a table as objects. */
export function recordsIn(answer: Shown | undefined): readonly Shown[] {
  const {
    columns,
    rows,
    in_all_rows: repeated = {},
    records,
    results,
  } = answer as unknown as {
    readonly columns?: readonly string[];
    readonly rows?: readonly (readonly unknown[])[];
    readonly in_all_rows?: Shown;
    readonly records?: readonly Shown[];
    readonly results?: readonly Shown[];
  };
  if (columns === undefined || rows === undefined) return records ?? results ?? [];
  return rows.map((row) => {
    const cells = [...Object.entries(repeated), ...columns.map((name, at) => [name, row[at]] as const)];
    const own = cells.flatMap(([name, value]) => (name.startsWith('data.') ? [[name.slice(5), value] as const] : []));
    const core = cells.filter(([name]) => !name.startsWith('data.'));
    return { ...Object.fromEntries(core), ...(own.length > 0 && { data: Object.fromEntries(own) }) };
  });
}

/** What the text of an answer says: the same as its structured form, if the text is right. */
export function saidIn(reply: ToolReply): unknown {
  const [first, head, ...lines] = reply.content[0]!.text.split('\n');
  const around = JSON.parse(first!) as Shown;
  if (head === undefined) return around;
  const cellOf = (text: string): unknown => {
    if (text === '') return null;
    try {
      return JSON.parse(text);
    } catch {
      return text;
    }
  };
  const columns = head === '' ? [] : head.split('\t');
  const rows = lines.map((line) => (columns.length === 0 ? [] : line.split('\t').map(cellOf)));
  return { ...around, columns, rows };
}
