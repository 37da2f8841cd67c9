// The store of a command: `--store`, by default ./gazette.db; and of a service also `--read-store`.
import { existsSync } from 'node:fs';
import type { Pool, PoolConfig } from 'pg';
import { type ErrorCode, GazetteError, isGazetteError, quote } from '../../errors.ts';
import type { InspectedStore } from '../../stores/contract/inspection.ts';
import type { PostgresPool } from '../../stores/postgres/connection.ts';
import type { SqliteOptions } from '../../stores/sqlite/connection.ts';
import type { SqliteStore } from '../../stores/sqlite/store.ts';
import { type Option, type Options, setting, settings, text } from '../command.ts';
import { resumeWork, sayPending } from '../process/unfinished.ts';
import type { Io } from '../io/io.ts';
import { withoutPassword } from '../io/without-password.ts';

/** The option of every command that uses a store. */
export interface StoreOptions {
  readonly store: string;
}

/** The default store: in the current folder. */
const DEFAULT_STORE = 'sqlite:./gazette.db';

/** `--store`. */
export const STORE: Option<string> = setting(text('<path or url>', 'sqlite:FILE or postgres://…', DEFAULT_STORE));

/** The options of a service that uses a store. */
export interface ServedStoreOptions extends StoreOptions {
  readonly readStore?: string;
}

/** The store of a service. */
export const SERVED_STORE_OPTIONS: Options<ServedStoreOptions> = settings({
  store: STORE,
  readStore: text('<url>', 'a replica of the store for pages and exports: postgres://… (default: the store itself)'),
});

/**
 * Opens the store, and always closes it. Goes on first with what earlier commands could not end.
 *
 * @param use gets also the ids of the registers whose interrupted removal was completed now
 * @param makes whether to create a missing store; a command that only reads would leave an empty one behind. The other
 *   options apply only to a file.
 * @throws GazetteError the errors of {@link openStore} and `use`; `output_failed` for a store that cannot be written
 *   (any more), `store_unavailable` for one that cannot be reached, `invalid_store` for one that fails otherwise.
 */
export async function withStore<T>(
  options: StoreOptions,
  io: Io,
  use: (store: InspectedStore, removed: readonly string[]) => Promise<T>,
  { makes = false, ...sqlite }: { readonly makes?: boolean } & SqliteOptions = {},
): Promise<T> {
  const { store, close, damage } = await openStore(options.store, makes, sqlite);
  try {
    const { removed, pending } = await resumeWork(io, store);
    if (pending !== null) sayPending(io, pending);
    return await use(store, removed);
  } catch (error) {
    if (isGazetteError(error) && error.code !== 'internal_error') throw withName(error, options.store);
    // A bug, or a row that no store would write.
    const found = (await damage?.()) ?? null;
    throw found === null ? error : failed('invalid_store', found, error, options.store);
  } finally {
    await close();
  }
}

/** A store, and a function that closes it and everything it needed. */
export interface OpenedStore {
  readonly store: InspectedStore;
  readonly close: () => Promise<void>;
  /** Finds the first damage in a file, where the database does not see to that itself. */
  readonly damage?: () => Promise<string | null>;
}

/**
 * Opens a store by its URL: `postgres://…` or `postgresql://…`, `sqlite:FILE`, or a path.
 *
 * @param makes whether to create a missing file
 * @throws GazetteError `usage` for another URL, `invalid_store` for a missing file or one that is not a store,
 *   `missing_peer` when pg is not installed; the errors of the store.
 */
export async function openStore(url: string, makes: boolean, options: SqliteOptions = {}): Promise<OpenedStore> {
  if (isPostgres(url)) return openPostgres(url);
  const store = await openSqlite(url, makes, options);
  const damage = async (): Promise<string | null> => (await store.inspection.damage()).findings[0]?.problem ?? null;
  return { store, close: () => store.close(), damage };
}

/** Whether a store's URL is PostgreSQL's. */
export function isPostgres(url: string): boolean {
  return /^postgres(?:ql)?:\/\//.test(url);
}

/** The path of a store that is a file. */
export function pathOf(url: string): string {
  return url.replace(/^sqlite:(?:\/\/(?=\/))?/, '');
}

/** As {@link openStore}, for the URL of a file. */
export async function openSqlite(url: string, makes: boolean, options: SqliteOptions = {}): Promise<SqliteStore> {
  const path = pathOf(url);
  if (path === '' || /^[a-z][a-z0-9+.-]+:/i.test(path)) {
    throw new GazetteError('usage', `--store must be sqlite:FILE or postgres://…, got ${quote(withoutPassword(url))}`);
  }
  if (!makes && !existsSync(path)) {
    throw new GazetteError(
      'invalid_store',
      `there is no store ${path}; gazette register add creates one (use --store for another place)`,
      {
        details: { store: path },
      },
    );
  }
  // The name of the module is also that of the type here.
  const stores = await import('../../stores/sqlite/store.ts');
  return stores.SqliteStore.open(path, options);
}

/** How long a connection may take, in milliseconds, waiting for a free one included; then requests are refused. */
const CONNECT_TIMEOUT_MS = 10_000;

/** Connections to the server of a URL. @param verify refuses some @throws GazetteError `missing_peer` */
export async function connectionsTo(url: string, verify?: PoolConfig['verify']): Promise<Pool> {
  const pg = await import('pg').catch((cause: unknown) => {
    throw new GazetteError('missing_peer', 'a PostgreSQL store needs the package pg: npm install pg', { cause });
  });
  const pool = new pg.default.Pool({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    // An idle connection whose other end has vanished is closed after some twenty seconds.
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    ...(verify && { verify }),
  });
  // An idle connection that breaks is replaced by the pool; without a listener it would end the process.
  pool.on('error', () => undefined);
  return pool;
}

export type { Pool };

/** What {@link openPostgres} may be told. */
interface PostgresPlace {
  readonly replica?: PostgresPool;
  readonly verify?: PoolConfig['verify'];
  readonly check?: (pool: Pool) => Promise<void>;
}

/**
 * Opens a store on PostgreSQL.
 *
 * @param options.replica connections to its replica; they are the caller's
 * @param options.verify refuses connections
 * @param options.check refuses a server, before anything is changed there
 * @throws GazetteError as {@link openStore}, and what `check` throws
 */
export async function openPostgres(url: string, { replica, verify, check }: PostgresPlace = {}): Promise<OpenedStore> {
  const pool = await connectionsTo(url, verify);
  try {
    await check?.(pool);
    const { PostgresStore } = await import('../../stores/postgres/store.ts');
    const store = await PostgresStore.open(pool, { answersFromMemory: true, ...(replica && { replica }) });
    return {
      store,
      close: async () => {
        await store.close();
        await pool.end();
      },
    };
  } catch (error) {
    await pool.end();
    const told = isGazetteError(error) ? error : null;
    const isAway = told?.code === 'store_unavailable';
    if (told !== null && !isAway && told.details.database === undefined) throw told;
    const cause = told === null ? error : told.cause;
    throw new GazetteError(
      isAway ? 'store_unavailable' : 'invalid_store',
      `${withoutPassword(url)} cannot be opened: ${reasonOf(cause)}`,
      { cause },
    );
  }
}

/** Why something cannot be reached. A refused connection is an AggregateError without a message of its own. */
export function reasonOf(error: unknown): string {
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error;
  return first instanceof Error ? first.message : String(first);
}

/** An error of a store, with the store's name as it was given, without its password; other errors unchanged. */
function withName(error: GazetteError, url: string): GazetteError {
  const { code, details, cause, message } = error;
  if (code === 'store_unavailable') {
    const reason = typeof details.database === 'string' ? details.database : reasonOf(cause ?? error);
    return failed(details.isUnwritable === true ? 'output_failed' : code, reason, cause, url);
  }
  if (typeof details.database === 'string') return failed(code, details.database, cause, url);
  return code === 'invalid_store' && details.store === undefined ? failed(code, message, error, url) : error;
}

function failed(code: ErrorCode, reason: string, cause: unknown, url: string): GazetteError {
  const store = withoutPassword(url);
  return new GazetteError(code, `the store ${store} failed: ${reason}`, { cause, details: { store } });
}
