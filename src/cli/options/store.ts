// The store of a command: `--store`, by default ./gazette.db; and of a service also `--read-store`.
import { existsSync } from 'node:fs';
import type { Pool, PoolConfig } from 'pg';
import { GazetteError, isGazetteError, quote } from '../../errors.ts';
import { primaryCode, SQLITE_AWAY, SQLITE_UNWRITABLE } from '../../files/sqlite-codes.ts';
import type { InspectedStore } from '../../stores/contract/inspection.ts';
import type { PostgresPool } from '../../stores/postgres/connection.ts';
import type { SqliteOptions } from '../../stores/sqlite/connection.ts';
import type { SqliteStore } from '../../stores/sqlite/store.ts';
import { type Option, type Options, setting, settings, text } from '../command.ts';
import { resumeWork, sayPending } from '../process/unfinished.ts';
import type { Io } from '../io/io.ts';

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
    const told = asStoreError(error, options.store);
    if (isGazetteError(told) && told.code !== 'internal_error') throw told;
    // A bug, or a row that no store would write.
    const found = (await damage?.()) ?? null;
    throw found === null ? told : failed('invalid_store', new Error(found, { cause: error }), options.store);
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
  return { store, close: () => store.close(), damage: () => store.damage() };
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
    const isAway = isGazetteError(error, 'store_unavailable');
    if (isGazetteError(error) && !isAway) throw error;
    const cause = isAway ? error.cause : error;
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

/** A URL in a form for messages. An unescaped password may extend into any part of it. */
export function withoutPassword(url: string): string {
  const scheme = /^[a-z][a-z0-9+.-]*:\/\//i.exec(url)?.[0];
  if (scheme === undefined || scheme === 'sqlite://') return url;
  const parsed = URL.parse(url);
  if (parsed === null || `${parsed.pathname}${parsed.search}${parsed.hash}`.includes('@')) return `${scheme}…`;
  const { username, password, host, pathname, search } = parsed;
  return `${scheme}${username + password === '' ? '' : '…@'}${host}${pathname}${search === '' ? '' : '?…'}`;
}

/** An error of a database during a command, as an error that names the store; other errors unchanged. */
function asStoreError(error: unknown, url: string): unknown {
  if (isGazetteError(error, 'invalid_store') && error.details.store === undefined)
    return failed('invalid_store', error, url);
  const isAway = isGazetteError(error, 'store_unavailable');
  // A rule whose statement is refused is at fault, unless the file's tables are not those of a store.
  const isFault = isGazetteError(error, 'internal_error') && isSqliteError(error.cause);
  const cause = isAway || isFault ? error.cause : error;
  const code = failureCode(cause as DriverError) ?? (isAway ? 'store_unavailable' : null);
  return code === null ? error : failed(code, cause, url);
}

function failed(code: FailureCode, cause: unknown, url: string): GazetteError {
  const store = withoutPassword(url);
  return new GazetteError(code, `the store ${store} failed: ${reasonOf(cause)}`, { cause, details: { store } });
}

function isSqliteError(error: unknown): boolean {
  return (error as { readonly code?: unknown } | undefined)?.code === 'ERR_SQLITE_ERROR';
}

/** The properties of the drivers' errors. */
interface DriverError extends Error {
  readonly code?: unknown;
}

type FailureCode = 'output_failed' | 'invalid_store' | 'store_unavailable';

// https://www.postgresql.org/docs/current/errcodes-appendix.html: no room, a server that is read-only; rights, damage.
const POSTGRES_UNWRITABLE = /^(?:53...|25006)$/;
const POSTGRES_UNUSABLE = /^(?:42501|XX...)$/;

/** What a driver's error says of the store, besides that it will pass. */
function failureCode(error: DriverError): FailureCode | null {
  const { code } = error;
  if (isSqliteError(error)) {
    const primary = primaryCode(error);
    if (SQLITE_UNWRITABLE.has(primary)) return 'output_failed';
    // No statement of ours fails on a file that is whole and can be written.
    return SQLITE_AWAY.has(primary) ? null : 'invalid_store';
  }
  if (typeof code !== 'string') return null;
  if (POSTGRES_UNWRITABLE.test(code)) return 'output_failed';
  return POSTGRES_UNUSABLE.test(code) ? 'invalid_store' : null;
}
