// Measures the HTTP tables, over one register in a store and the same records in a plain table.
import { join } from 'node:path';
import { fillStore, fillTable } from './registers.ts';
import type { ServerOrder } from './run-server.ts';
import { measureServerTables, type ServerTableOptions } from './server-tables.ts';
import { HTTP_TABLES } from './tables.ts';
import { PAGE_SIZE } from '../../src/register/page.ts';

/** What to measure. */
export interface HttpOptions extends ServerTableOptions {
  /** Records in the register. */
  readonly size: number;
}

/** @throws Error when a server ends, or answers what it should not. */
export async function runHttp(options: HttpOptions): Promise<void> {
  const { size, only, onProgress } = options;
  const tables = HTTP_TABLES.filter(({ id }) => only.includes(id));
  if (tables.length === 0) return;
  await measureServerTables(options, async (folder) => {
    const paths = { storePath: join(folder, 'store.db'), tablePath: join(folder, 'table.db') };
    onProgress(`http: filling a store with ${size} records`);
    await fillStore(paths.storePath, size);
    onProgress(`http: filling a table with ${size} records`);
    fillTable(paths.tablePath, size);
    return tables.map(({ id, title, kind, rival, goals }) => ({
      id,
      title: `${title}, register of ${size.toLocaleString('en')}`,
      records: PAGE_SIZE,
      goals,
      servers: (['gazette', rival] as const).map((server) => ({
        name: server,
        role: server === 'gazette' ? 'native' : server === 'bare Hono' ? 'bare loop' : 'peer',
        status: kind === 'not-modified' ? 304 : 200,
        script: join(import.meta.dirname, 'run-server.ts'),
        order: { ...paths, size, table: id, server } satisfies ServerOrder,
      })),
    }));
  });
}
