// Access to a PostgreSQL database: a pool that the caller created with `pg` (described here by its shape only),
// transactions, and schema migrations.
import { GazetteError, isGazetteError, quote } from '../../errors.ts';
import type { SqlRow } from '../rows/columns.ts';
import type { Migration } from '../logic/migration.ts';
import type { StorePlugin } from '../logic/plugins/plugin.ts';
import { Knowledge } from './knowledge/knowledge.ts';
import { askWritten } from './knowledge/written.ts';
import { CopyOut, takesCopies, withNumbers } from './copy/copy-out.ts';
import { migrate } from './schema/migrate.ts';

/** A statement with its parameters; its rows come as arrays. */
export interface PostgresQuery {
  /** The statement, its values as `$1`, `$2`, …. */
  readonly text: string;
  /** The values. */
  readonly values?: unknown[];
  /** Rows come as arrays. */
  readonly rowMode: 'array';
  /** How long the answer may take, in milliseconds. */
  readonly query_timeout?: number;
}

/** What `pg` returns. */
export interface PostgresResult {
  /** The rows, values in the order of the columns. The store takes them out: they are empty after a read. */
  rows: unknown[][];
  /** How many rows were returned or changed; null where that does not apply. */
  readonly rowCount: number | null;
}

/** A connection: the part of `pg`'s PoolClient that is used. */
export interface PostgresClient {
  /** Sends a statement. */
  query(query: PostgresQuery): Promise<PostgresResult>;
  /** Listens for the loss of the connection. */
  on(event: 'error', listener: (error: Error) => void): unknown;
  /** Stops listening for it. */
  removeListener(event: 'error', listener: (error: Error) => void): unknown;
  /** Returns the connection to the pool; with an error, the pool closes it. */
  release(error?: Error | boolean): void;
}

/** A pool of connections: the part of `pg`'s Pool that is used. */
export interface PostgresPool {
  /** Sends a statement over any connection. */
  query(query: PostgresQuery): Promise<PostgresResult>;
  /** Checks a connection out, until it is released. */
  connect(): Promise<PostgresClient>;
  /** Whether it was ended. Absent: nobody knows. */
  readonly ended?: boolean;
}

/** Options for the location and behaviour of the store. */
export interface PostgresOptions {
  /** The schema of its tables, created if it does not exist: `[a-z_][a-z0-9_]{0,62}`. Default `gazette`. */
  readonly schema?: string;
  /** How long a write waits for other writers of the same register, in milliseconds. Default 10,000. */
  readonly lockTimeoutMs?: number;
  /**
   * How long a read, or the beginning of a transaction, may take, in milliseconds. Without a limit, a query that is sent
   * over a connection whose other end has vanished waits for a quarter of an hour. Default 30,000.
   */
  readonly answerTimeoutMs?: number;
  /**
   * Whether what was read may be used again without asking, for up to a second after it changed on another node: it spares
   * two statements with every request. What is written through this store counts at once. Default false.
   */
  readonly answersFromMemory?: boolean;
  /**
   * Connections to a streaming replica of the same database, for pages, exports, versions and changes; or to several behind
   * one address. It answers only where it is as far as the primary is known to be: for up to a second it is waited for, then
   * the primary answers. Everything else, and every search for words, asks the primary. Default: the primary answers all.
   */
  readonly replica?: PostgresPool;
  /** As those of a store in a file. Default: the logs of registers, and purchases. @internal */
  readonly plugins?: readonly StorePlugin[];
}

/** Runs a statement and returns its rows. */
export type RunQuery = (text: string, values?: readonly unknown[]) => Promise<SqlRow[]>;

const SCHEMA_NAME = /^[a-z_][a-z0-9_]{0,62}$/;

// https://www.postgresql.org/docs/current/errcodes-appendix.html
const LOCK_NOT_AVAILABLE = '55P03';

/**
 * States of the server that pass: connections (08), a server that can only be read, as after a failover (25006), refused
 * logins (28) and databases (3D000), no room (53), a server that stops or starts (57P), its system (58).
 */
const AWAY_STATES = /^(?:08...|25006|28...|3D000|53...|57P..|58...)$/;

/** A connection that cannot be made or breaks: the system's own code, or no code and one of pg's own messages. */
const CONNECTION_LOST = /^E(?!RR_)[A-Z_]+$/;
const PG_CONNECTION_LOST =
  /^(?:Connection terminated|Client (?:has encountered a connection error|was closed)|Query read timeout|timeout ex)/;

type Migrations = readonly Migration[];

/** The schema of a store in a database. */
export class PostgresConnection {
  /** The prefix of table names: the quoted schema and a dot. */
  readonly prefix: string;
  /** How long a write waits for others, in milliseconds. */
  readonly lockTimeoutMs: number;
  /** Null where nothing is answered from memory. */
  readonly knowledge: Knowledge | null;
  /** Whether {@link copy} can be used. */
  readonly canCopy: boolean;
  readonly #pool: PostgresPool;
  readonly #bounded: Pick<PostgresQuery, 'rowMode'> & { readonly query_timeout: number };

  private constructor(pool: PostgresPool, prefix: string, options: PostgresOptions) {
    const { lockTimeoutMs = 10_000, answerTimeoutMs = 30_000 } = options;
    this.#pool = pool;
    this.prefix = prefix;
    this.lockTimeoutMs = lockTimeoutMs;
    this.canCopy = takesCopies(pool);
    this.#bounded = { rowMode: 'array', query_timeout: answerTimeoutMs };
    const ask = (since: string | null, timeoutMs: number): Promise<readonly SqlRow[]> =>
      askWritten((text, values) => this.#query(text, values, timeoutMs), prefix, since);
    this.knowledge = options.answersFromMemory === true ? new Knowledge({ ask, clock: () => performance.now() }) : null;
  }

  /** Whether the pool was not ended. */
  get isOpen(): boolean {
    return this.#pool.ended !== true;
  }

  /**
   * Connects to the pool and updates the schema.
   *
   * @param migrations those of the schema, or a function that gives them for its quoted name. They are the caller's, so
   *   that a receiver of webhooks does not load the stores.
   * @throws GazetteError `invalid_option` for the schema's name, `schema_too_new`, `invalid_store` for a schema from before the
   *   first release, `store_busy`.
   */
  static async open(
    pool: PostgresPool,
    options: PostgresOptions,
    migrations: Migrations | ((schema: string) => Migrations),
  ): Promise<PostgresConnection> {
    const { schema = 'gazette' } = options;
    if (!SCHEMA_NAME.test(schema)) {
      throw new GazetteError('invalid_option', `schema must be 1..63 of a-z 0-9 _, got ${quote(schema)}`, {
        details: { option: 'schema' },
      });
    }
    const connection = new PostgresConnection(pool, `"${schema}".`, options);
    await migrate(connection, schema, typeof migrations === 'function' ? migrations(`"${schema}"`) : migrations);
    return connection;
  }

  /** The same schema over other connections, which only read it: nothing is migrated there. */
  over(pool: PostgresPool): PostgresConnection {
    const { lockTimeoutMs } = this;
    return new PostgresConnection(pool, this.prefix, { lockTimeoutMs, answerTimeoutMs: this.#bounded.query_timeout });
  }

  /**
   * Runs one statement outside a transaction.
   *
   * @throws GazetteError `store_unavailable` when the server cannot be reached.
   */
  async query(text: string, values: readonly unknown[] = []): Promise<SqlRow[]> {
    return this.#query(text, values, this.#bounded.query_timeout);
  }

  /**
   * Runs one query outside a transaction, like {@link query}, by COPY: many rows take less time.
   *
   * @param values whole numbers and null
   * @param memory as {@link CopyOut} takes it
   * @returns the answer, as CopiedRows reads it
   * @throws GazetteError `store_unavailable` when the server cannot be reached.
   */
  async copy(text: string, values: readonly unknown[], memory?: ArrayBuffer): Promise<Buffer<ArrayBuffer>> {
    const copy = new CopyOut(withNumbers(text, values), this.#bounded.query_timeout, memory);
    try {
      await this.#pool.query(copy);
    } catch (error) {
      throw asStoreError(error);
    }
    return copy.take();
  }

  async #query(text: string, values: readonly unknown[], timeoutMs: number): Promise<SqlRow[]> {
    try {
      const query = { ...this.#bounded, query_timeout: timeoutMs, text, values: [...values] };
      const result = await this.#pool.query(query);
      const rows = rowsOf(result);
      // With `query_timeout`, pg's finished statements stay in memory until all of it is collected, and their rows with them: a
      // fifth of the time that a whole register takes went into moving rows that nobody needed any more.
      result.rows = [];
      return rows;
    } catch (error) {
      throw asStoreError(error);
    }
  }

  /**
   * Runs `work` in one transaction on the connection `client`. It is READ COMMITTED whatever the database's default:
   * after a statement has waited for a register's lock, the next ones see what the holder of the lock committed.
   *
   * @throws GazetteError `store_busy` when others hold the lock for longer than the time allowed; `store_unavailable`
   *   when the server cannot be reached; if that happens at the end, the transaction may have been committed.
   */
  async transaction<T>(work: (query: RunQuery, client: PostgresClient) => Promise<T>): Promise<T> {
    const begin = `BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL lock_timeout = ${this.lockTimeoutMs}`;
    try {
      return await this.#transaction(begin, work);
    } finally {
      // Also after an error: it may have been committed all the same.
      this.knowledge?.forget();
    }
  }

  /** Runs `work`, which only reads, on one state of the database. @throws GazetteError `store_unavailable` */
  async snapshot<T>(work: (client: PostgresClient) => Promise<T>): Promise<T> {
    return this.#transaction('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY', (_, client) => work(client));
  }

  async #transaction<T>(begin: string, work: (query: RunQuery, client: PostgresClient) => Promise<T>): Promise<T> {
    let client: PostgresClient;
    try {
      client = await this.#pool.connect();
    } catch (error) {
      throw asStoreError(error);
    }
    const run = async (text: string, values: readonly unknown[] = []): Promise<SqlRow[]> => {
      return rowsOf(await client.query({ text, values: [...values], rowMode: 'array' }));
    };
    // A connection that breaks between two statements emits an event, which ends the process if there is no listener;
    // the next statement fails anyway. A broken connection must not be returned to the pool.
    let failure: Error | undefined;
    const onError = (error: Error): void => {
      failure = error;
    };
    client.on('error', onError);
    try {
      await client.query({ ...this.#bounded, text: begin });
      const result = await work(run, client);
      await run('COMMIT');
      return result;
    } catch (error) {
      const told = asStoreError(error);
      try {
        // A server that does not answer ends the transaction with its connection.
        if (isGazetteError(told, 'store_unavailable')) failure = told;
        else await run('ROLLBACK');
      } catch (cause) {
        // The connection is lost, and the transaction with it.
        failure = cause instanceof Error ? cause : new Error(String(cause));
      }
      throw told;
    } finally {
      client.removeListener('error', onError);
      client.release(failure);
    }
  }
}

/** The rows of a result. */
export function rowsOf({ rows }: PostgresResult): SqlRow[] {
  return rows as unknown as SqlRow[];
}

/** States in which nothing can be written: no room, and a server that can only be read. */
const UNWRITABLE_STATES = /^(?:53...|25006)$/;

/** States in which it cannot be used as it is: rights that its user lacks, damage. */
const UNUSABLE_STATES = /^(?:42501|XX00[12])$/;

/**
 * The only place that says what errors of `pg` mean for the store: `store_unavailable` where the database cannot be used now,
 * with `details.isUnwritable` where it may still be read; `invalid_store` where it cannot be used as it is. `details.database`
 * has the server's own words. Others, which are faults of a statement, unchanged.
 */
function asStoreError(error: unknown): unknown {
  const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
  if (code === LOCK_NOT_AVAILABLE) {
    return new GazetteError('store_busy', 'other processes have been writing to the register for too long', {
      cause: error,
    });
  }
  const isAway =
    typeof code === 'string'
      ? AWAY_STATES.test(code) || CONNECTION_LOST.test(code)
      : PG_CONNECTION_LOST.test(String(message));
  const isUnusable = typeof code === 'string' && UNUSABLE_STATES.test(code);
  if (!isAway && !isUnusable) return error;
  // A refused connection to several addresses is an AggregateError without a message.
  const reason = message === '' ? String(code) : String(message);
  const isUnwritable = UNWRITABLE_STATES.test(String(code));
  const details = { database: reason, ...(isUnwritable ? { isUnwritable } : {}) };
  return isAway
    ? new GazetteError('store_unavailable', `the database cannot be used now: ${reason}`, { cause: error, details })
    : new GazetteError('invalid_store', `the database cannot be used: ${reason}`, { cause: error, details });
}
