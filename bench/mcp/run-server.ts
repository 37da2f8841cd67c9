// A process of one MCP server. The rivals read a page of the same store and answer the same; they neither authenticate,
// count nor keep a budget, and they keep no answers: gazette does all of it.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serve } from '@hono/node-server';
import { z } from 'zod';
import { MCP_TABLES, type McpServer, type McpTable } from './tables.ts';
import { DEFINITION } from '../data.ts';
import { postRequest } from '../http/load.ts';
import type { ServerReady } from '../http/server-runner.ts';
import { loadPeer } from '../peers.ts';
import { createApiKey, newKeyEntry } from '../../src/access/api-key.ts';
import { startServer } from '../../src/adapters/server.ts';
import { createGazette } from '../../src/service/create-gazette.ts';
import { SqliteStore } from '../../src/stores/sqlite/store.ts';

/** What the parent wants of the process. */
export interface McpServerOrder {
  readonly table: string;
  readonly server: McpServer;
  readonly storePath: string;
}

const API = 'http://127.0.0.1/api/v1';

/** What an agent asks for. */
const RECORDS = 10;

/** Nobody is refused, but everybody is counted. */
const LIMIT = { limit: 1_000_000, windowSeconds: 1 } as const;

const ACCOUNT = { id: 'bench', accessUntil: '2100-01-01T00:00:00Z', createdAt: '2026-01-01T00:00:00Z' };

type Handler = (args: Readonly<Record<string, unknown>>) => Promise<object>;

/** What is used of both generations of the official server. */
interface ToolServer {
  registerTool(name: string, config: object, handler: Handler): void;
  connect(transport: object): Promise<void>;
  close(): Promise<void>;
}
type ToolServerClass = new (info: object) => ToolServer;

async function startGazette(store: SqliteStore): Promise<{ port: number; headers: Record<string, string> }> {
  const key = createApiKey();
  await store.accounts.createAccount({ ...ACCOUNT, id: `bench-${process.pid}` });
  const entry = { accountId: `bench-${process.pid}`, product: 'bench', createdAt: ACCOUNT.createdAt };
  await store.accounts.createKey(newKeyEntry(key, entry));
  const { fetch } = createGazette({ store, product: 'bench', limits: { perKey: LIMIT } });
  const { url } = await startServer(fetch, { port: 0, host: '127.0.0.1' });
  return { port: Number(new URL(url).port), headers: { Authorization: `Bearer ${key}` } };
}

/** Makes a server that has the tool, as its makers' guides show it. */
function serverMaker(Class: ToolServerClass, store: SqliteStore): () => ToolServer {
  const inputSchema = z.object({ feed_id: z.string(), limit: z.int().min(1).max(100).default(RECORDS) });
  const config = { title: 'Read a register', description: 'Reads records of a register, newest first.', inputSchema };
  return () => {
    const server = new Class({ name: 'bench', version: '1.0.0' });
    server.registerTool('read_register', config, async ({ feed_id, limit }) => {
      const { definition, total } = (await store.register(feed_id as string))!;
      const source = await store.source(definition.id);
      const page = await source.page({ offset: 0, limit: limit as number });
      const structuredContent = {
        feed_id,
        title: definition.title,
        total,
        records: page.records.map((record) => ({ ...record, history_url: `${API}/records/${record.id}/history` })),
        next_offset: page.nextOffset,
        next_url: `${API}/feeds/${definition.id}/records?limit=${limit as number}&offset=${page.nextOffset!}`,
      };
      return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent };
    });
    return server;
  };
}

/** Stateless: a server and a transport for each request, which is how version 1 does without sessions. */
async function startVersion1(store: SqliteStore): Promise<number> {
  const { McpServer } = await loadPeer<{ readonly McpServer: ToolServerClass }>(
    '@modelcontextprotocol/sdk/server/mcp.js',
  );
  const { StreamableHTTPServerTransport } = await loadPeer<{
    readonly StreamableHTTPServerTransport: new (options: object) => {
      handleRequest(request: IncomingMessage, response: ServerResponse): Promise<void>;
      close(): Promise<void>;
    };
  }>('@modelcontextprotocol/sdk/server/streamableHttp.js');
  const make = serverMaker(McpServer, store);
  const http: Server = createServer((request, response) => {
    void (async () => {
      const server = make();
      const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined, enableJsonResponse: true });
      response.once('close', () => {
        void transport.close();
        void server.close();
      });
      await server.connect(transport);
      await transport.handleRequest(request, response);
    })();
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  return (http.address() as AddressInfo).port;
}

async function startVersion2(store: SqliteStore): Promise<number> {
  const { McpServer, createMcpHandler } = await loadPeer<{
    readonly McpServer: ToolServerClass;
    readonly createMcpHandler: (
      make: () => ToolServer,
      options: object,
    ) => { readonly fetch: (request: Request) => Promise<Response> };
  }>('@modelcontextprotocol/server');
  const handler = createMcpHandler(serverMaker(McpServer, store), {});
  return new Promise((resolve) => {
    serve({ fetch: (request) => handler.fetch(request), port: 0, hostname: '127.0.0.1' }, ({ port }) => {
      resolve(port);
    });
  });
}

function requestOf({ era }: McpTable, path: string, headers: Readonly<Record<string, string>>): string {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const call = { name: 'read_register', arguments: { feed_id: DEFINITION.id, limit: RECORDS } };
  const params = era === 'modern' ? { ...call, _meta: meta } : call;
  const mirrored = { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'tools/call', 'Mcp-Name': call.name };
  return postRequest(path, JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }), {
    'Content-Type': 'application/json',
    // Ours needs none.
    Accept: 'application/json, text/event-stream',
    ...(era === 'modern' ? mirrored : {}),
    ...headers,
  });
}

const order = JSON.parse(process.argv[2]!) as McpServerOrder;
const table = MCP_TABLES.find(({ id }) => id === order.table)!;
const store = SqliteStore.open(order.storePath);
const path = order.server === 'gazette' ? '/api/v1/mcp' : '/mcp';
const { port, headers } =
  order.server === 'gazette'
    ? await startGazette(store)
    : { port: await (order.server === 'official SDK, v1' ? startVersion1 : startVersion2)(store), headers: {} };
process.on('message', () => process.send!(process.cpuUsage()));
process.send!({ port, requests: [requestOf(table, path, headers)] } satisfies ServerReady);
process.once('SIGINT', () => process.exit(0));
