// The store a command works on: `--store`, else GAZETTE_STORE, else ./gazette.db.
import { existsSync } from 'node:fs';
import { Option } from 'commander';
import { GazetteError, quote } from '../errors.ts';
import type { ServiceStore } from '../stores/service-store.ts';
import type { SqliteOptions } from '../stores/sqlite-connection.ts';
import type { SqliteStore } from '../stores/sqlite.ts';

/** The option every command on a store takes. */
export interface StoreOptions {
  readonly store: string;
}

/** Where the store is when nobody says: in the current folder. */
const DEFAULT_STORE = 'sqlite:./gazette.db';

/** `--store`. */
export function storeOption(): Option {
  return new Option('--store <path or url>', 'sqlite:FILE or postgres://…').env('GAZETTE_STORE').default(DEFAULT_STORE);
}

/**
 * Opens the store, and closes it whatever happens.
 *
 * @param makes whether a store that is not there is made; who only looks would leave an empty one behind. What else there
 *   is to say is for a file alone.
 * @throws GazetteError what {@link openStore} and `use` throw.
 */
export async function withStore<T>(
  options: StoreOptions,
  use: (store: ServiceStore) => Promise<T>,
  { makes = false, ...sqlite }: { readonly makes?: boolean } & SqliteOptions = {},
): Promise<T> {
  const { store, close } = await openStore(options.store, makes, sqlite);
  try {
    return await use(store);
  } finally {
    await close();
  }
}

/** A store, and what lets go of it and of all it needed. */
export interface OpenedStore {
  readonly store: ServiceStore;
  readonly close: () => Promise<void>;
}

/**
 * Opens a store by its URL: `postgres://…` or `postgresql://…`, `sqlite:FILE`, or a path.
 *
 * @param makes whether a file that is not there is made
 * @throws GazetteError `usage` for another URL, `invalid_store` for a file that is not there or is none, `missing_peer`
 *   when pg is not installed; what the store throws.
 */
export async function openStore(url: string, makes: boolean, options: SqliteOptions = {}): Promise<OpenedStore> {
  if (isPostgres(url)) return openPostgres(url);
  const store = await openSqlite(url, makes, options);
  return { store, close: () => store.close() };
}

/** Whether a store's URL is PostgreSQL's. */
export function isPostgres(url: string): boolean {
  return /^postgres(?:ql)?:\/\//.test(url);
}

/** As {@link openStore}, for the URL of a file. */
export async function openSqlite(url: string, makes: boolean, options: SqliteOptions = {}): Promise<SqliteStore> {
  const path = url.replace(/^sqlite:(?:\/\/(?=\/))?/, '');
  if (path === '' || /^[a-z][a-z0-9+.-]+:/i.test(path)) {
    throw new GazetteError('usage', `--store must be sqlite:FILE or postgres://…, got ${quote(withoutPassword(url))}`);
  }
  if (!makes && !existsSync(path)) {
    throw new GazetteError(
      'invalid_store',
      `there is no store ${path}; gazette register add makes one (--store says where)`,
      {
        details: { store: path },
      },
    );
  }
  // The name stands for the type here.
  const stores = await import('../stores/sqlite.ts');
  return stores.SqliteStore.open(path, options);
}

async function openPostgres(url: string): Promise<OpenedStore> {
  const pg = await import('pg').catch((cause: unknown) => {
    throw new GazetteError('missing_peer', 'a PostgreSQL store needs the package pg: npm install pg', { cause });
  });
  const { PostgresStore } = await import('../stores/postgres.ts');
  const pool = new pg.default.Pool({ connectionString: url });
  // An idle connection that breaks is replaced by the pool; without a listener it would end the process.
  pool.on('error', () => undefined);
  try {
    const store = await PostgresStore.open(pool);
    return {
      store,
      close: async () => {
        await store.close();
        await pool.end();
      },
    };
  } catch (error) {
    await pool.end();
    throw error instanceof GazetteError
      ? error
      : new GazetteError('invalid_store', `${withoutPassword(url)} cannot be opened: ${reasonOf(error)}`, {
          cause: error,
        });
  }
}

/** A refused connection is an AggregateError without a message of its own. */
function reasonOf(error: unknown): string {
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error;
  return first instanceof Error ? first.message : String(first);
}

/** A URL as a message may show it. */
function withoutPassword(url: string): string {
  return url.replace(/\/\/[^/@]*@/, '//…@');
}
