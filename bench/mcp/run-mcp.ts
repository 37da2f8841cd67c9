// Measures the tables of MCP, each server over the same store.
import { join } from 'node:path';
import type { McpServerOrder } from './run-server.ts';
import { MCP_TABLES, type McpServer } from './tables.ts';
import { fillStore } from '../http/registers.ts';
import { measureServerTables, type ServerTableOptions } from '../http/server-tables.ts';
import { versionOf } from '../peers.ts';

/** Records in the register: a call reads its top, however many lie below. */
const SIZE = 10_000;

/** Records in an answer. */
const RECORDS = 10;

const PACKAGES: Readonly<Record<Exclude<McpServer, 'gazette'>, string>> = {
  'official SDK, v1': '@modelcontextprotocol/sdk',
  'official packages, v2': '@modelcontextprotocol/server',
};

/** @throws Error when a server ends, or answers what it should not. */
export async function runMcp(options: ServerTableOptions): Promise<void> {
  const tables = MCP_TABLES.filter(({ id }) => options.only.includes(id));
  if (tables.length === 0) return;
  await measureServerTables(options, async (folder) => {
    const storePath = join(folder, 'store.db');
    options.onProgress(`mcp: filling a store with ${SIZE} records`);
    await fillStore(storePath, SIZE);
    return tables.map(({ id, title, rivals, goals }) => ({
      id,
      title,
      records: RECORDS,
      goals,
      servers: (['gazette', ...rivals] as const).map((server) => ({
        name: server,
        role: server === 'gazette' ? 'native' : 'peer',
        ...(server === 'gazette' ? {} : { version: versionOf(PACKAGES[server]) }),
        status: 200,
        script: join(import.meta.dirname, 'run-server.ts'),
        order: { table: id, server, storePath } satisfies McpServerOrder,
      })),
    }));
  });
}
