// The official clients against the agents' endpoint, over a socket: the SDK of the older era, the packages of the newer
// in each of their modes, the inspector's command line. Each lists the tools and calls every one.
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SqliteStore } from '../../src/stores/sqlite/store.ts';
import { GAZETTE } from '../cli/run.ts';
import { world } from '../world.ts';
import { type McpService, RECORDS, serveMcp } from './mcp-service.ts';
import { loadJudge } from './tools.ts';

interface ToolResult {
  readonly isError?: boolean;
  readonly structuredContent?: Readonly<Record<string, unknown>>;
  readonly content: readonly { readonly type: string; readonly text: string }[];
}

/** What is used of both SDKs' clients. */
interface Client {
  connect(transport: unknown): Promise<void>;
  listTools(): Promise<{ readonly tools: readonly { readonly name: string; readonly outputSchema?: object }[] }>;
  callTool(call: { readonly name: string; readonly arguments: object }): Promise<ToolResult>;
  listResources(): Promise<{ readonly resources: readonly { readonly uri: string }[] }>;
  listResourceTemplates(): Promise<{ readonly resourceTemplates: readonly { readonly uriTemplate: string }[] }>;
  readResource(asked: { readonly uri: string }): Promise<{ readonly contents: readonly { readonly text: string }[] }>;
  complete(asked: object): Promise<{ readonly completion: { readonly values: readonly string[] } }>;
  getServerVersion(): { readonly name: string } | undefined;
  close(): Promise<void>;
}
interface Sdk {
  readonly Client: new (info: object, options?: object) => Client;
  readonly StreamableHTTPClientTransport: new (url: URL, options?: object) => unknown;
  readonly StdioClientTransport: new (server: object) => unknown;
}

const TOOLS = [
  'read_register',
  'list_registers',
  'read_record',
  'record_history',
  'search',
  'fetch',
  'ask_register',
  'changes',
];

/** A call of every tool, and what of its answer shows that it worked. */
const CALLS: readonly (readonly [name: string, args: object, expected: object])[] = [
  ['read_register', { feed_id: 'permits', limit: 100 }, { feed_id: 'permits', next_offset: null, total: RECORDS }],
  ['list_registers', {}, { total: 2 }],
  ['read_record', { record_id: 'permits:001' }, { record: { id: 'permits:001', version: 1 } }],
  ['record_history', { record_id: 'permits:001' }, { versions: [{ version: 1 }], next_offset: null }],
  ['ask_register', { feed_id: 'permits' }, { complete: true, matched: RECORDS }],
  ['changes', { feed_id: 'permits', since: '0' }, { changes: RECORDS, more: false }],
  ['fetch', { id: 'permits:001' }, { id: 'permits:001', metadata: { version: '1' } }],
];

let service: McpService;
beforeAll(async () => {
  service = await serveMcp();
});
afterAll(() => service.close());

/** The SDK of the handshake era, under the name by which this folder has it. */
async function oldSdk(name = '@modelcontextprotocol/sdk'): Promise<Sdk> {
  const client = await loadJudge<Pick<Sdk, 'Client'>>(`${name}/client/index.js`);
  const http = await loadJudge<Pick<Sdk, 'StreamableHTTPClientTransport'>>(`${name}/client/streamableHttp.js`);
  const stdio = await loadJudge<Pick<Sdk, 'StdioClientTransport'>>(`${name}/client/stdio.js`);
  return { Client: client.Client, ...http, ...stdio };
}

async function newSdk(): Promise<Sdk> {
  const stdio = await loadJudge<Pick<Sdk, 'StdioClientTransport'>>('@modelcontextprotocol/client/stdio');
  return { ...(await loadJudge<Sdk>('@modelcontextprotocol/client')), ...stdio };
}

/** Reads resources and completes arguments as clients do that offer them to people. */
async function useResources(client: Client): Promise<void> {
  const { resources } = await client.listResources();
  expect(resources.map(({ uri }) => uri)).toEqual(['gazette://registers/notices', 'gazette://registers/permits']);
  const { resourceTemplates } = await client.listResourceTemplates();
  const [register, record] = resourceTemplates.map(({ uriTemplate }) => uriTemplate);
  expect(record).toBe('gazette://records/{record_id}');
  const { contents } = await client.readResource({ uri: 'gazette://records/permits:001' });
  expect(JSON.parse(contents[0]!.text)).toMatchObject({ record: { id: 'permits:001', version: 1 } });
  await expect(client.readResource({ uri: 'gazette://records/permits:999' })).rejects.toThrow();
  const { completion } = await client.complete({
    ref: { type: 'ref/resource', uri: register },
    argument: { name: 'document_type', value: 'ad' },
    context: { arguments: { feed_id: 'permits' } },
  });
  expect(completion.values).toEqual(['adopted']);
}

const CLIENTS: readonly (readonly [name: string, load: () => Promise<Sdk>, options: object])[] = [
  ['the SDK, version 1.11, of before June 2025', () => oldSdk('mcp-sdk-before-2025-06'), {}],
  ['the SDK, version 1', () => oldSdk(), {}],
  ['the client package, version 2, as it comes', newSdk, {}],
  ['the client package, version 2, legacy', newSdk, { versionNegotiation: { mode: 'legacy' } }],
  ['the client package, version 2, auto', newSdk, { versionNegotiation: { mode: 'auto' } }],
  ['the client package, version 2, 2026-07-28 alone', newSdk, { versionNegotiation: { mode: { pin: '2026-07-28' } } }],
];

describe.each(CLIENTS)('%s', (_, load, options) => {
  async function connect(key: string | null): Promise<Client> {
    const { Client, StreamableHTTPClientTransport } = await load();
    const client = new Client({ name: 'gazette-test', version: '1.0.0' }, options);
    const headers = key === null ? {} : { Authorization: `Bearer ${key}` };
    await client.connect(new StreamableHTTPClientTransport(new URL(service.url), { requestInit: { headers } }));
    return client;
  }

  it('lists the tools and calls every one, and finds the answers as their schemas say', async () => {
    const client = await connect(service.key);
    expect(client.getServerVersion()?.name).toBe('gazette');
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(TOOLS);
    for (const [name, args, expected] of CALLS) {
      // The client checks structuredContent against the schema it listed, and throws where they differ.
      const { structuredContent, isError } = await client.callTool({ name, arguments: args });
      expect([name, isError ?? false, structuredContent]).toEqual([name, false, expect.objectContaining({})]);
      expect(structuredContent).toMatchObject(expected);
    }
    await useResources(client);
    await client.close();
  });

  it('does the same over standard input and output', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'gazette-mcp-'));
    const path = join(folder, 'store.db');
    await (await world({ store: SqliteStore.open(path), records: RECORDS })).store.close();
    const { Client, StdioClientTransport } = await load();
    const client = new Client({ name: 'gazette-test', version: '1.0.0' }, options);
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args: [GAZETTE, 'mcp', '--store', path] }),
    );
    await client.listTools();
    for (const [name, args, expected] of CALLS) {
      expect((await client.callTool({ name, arguments: args })).structuredContent).toMatchObject(expected);
    }
    await useResources(client);
    await client.close();
    await rm(folder, { recursive: true });
  });

  it('reads the latest three without a key, and is told what is missing', async () => {
    const client = await connect(null);
    await client.listTools();
    const read = await client.callTool({ name: 'read_register', arguments: { feed_id: 'permits' } });
    expect(read.structuredContent!.rows).toHaveLength(3);
    const refused = await client.callTool({ name: 'record_history', arguments: { record_id: 'permits:001' } });
    expect(refused.isError).toBe(true);
    expect(refused.content[0]!.text).toContain('API key');
    await expect(client.callTool({ name: 'drop_register', arguments: {} })).rejects.toMatchObject({ code: -32602 });
    await client.close();
  });

  it('is refused with a bad key', async () => {
    await expect(connect('nonsense')).rejects.toThrow();
  });
});

describe('the inspector’s command line', () => {
  const INSPECTOR = join(
    import.meta.dirname,
    'node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js',
  );
  let home: string;
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'gazette-inspector-'));
  });
  afterAll(() => rm(home, { recursive: true }));

  async function inspect(era: string, ...args: string[]): Promise<unknown> {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [
        ...[INSPECTOR, '--cli', service.url, '--transport', 'http', '--protocol-era', era, '--quiet'],
        ...['--header', `Authorization: Bearer ${service.key}`, ...args],
      ],
      { maxBuffer: 16 * 1024 * 1024, env: { ...process.env, HOME: home } },
    );
    return JSON.parse(stdout);
  }

  it.each(['legacy', 'modern', 'auto'])('lists the tools and calls every one: %s', async (era) => {
    // `--strict` fails where a schema would trouble one of the clients people use.
    const { tools } = (await inspect(era, '--method', 'tools/list', '--strict')) as { tools: { name: string }[] };
    expect(tools.map(({ name }) => name)).toEqual(TOOLS);
    for (const [name, args, expected] of CALLS) {
      const json = JSON.stringify(args);
      const result = await inspect(era, '--method', 'tools/call', '--tool-name', name, '--tool-args-json', json);
      expect(result).toMatchObject({ structuredContent: expected });
    }
    expect(await inspect(era, '--method', 'resources/list')).toMatchObject({ resources: [{ name: 'notices' }, {}] });
    const read = await inspect(era, '--method', 'resources/read', '--uri', 'gazette://records/permits:001');
    expect(read).toMatchObject({ contents: [{ uri: 'gazette://records/permits:001' }] });
  });
});
