// Two PostgreSQL servers that change places: a primary and its streaming replica, each known to clients by a name that
// leads to whichever server has the role at the moment. The way between them can be cut.
import { rm } from 'node:fs/promises';
import pg from 'pg';
import { refuseReplicas } from '../../../../src/stores/postgres/replica/refuse-replicas.ts';
import { until } from '../../../until.ts';
import { type PostgresServer, startPostgres } from '../server.ts';
import { CONNECT_PATIENCE_MS, quiet, startWay, type Way } from '../way.ts';

/** Nothing here outlives the tests, and a server that is killed leaves what it has written to the system. */
const SETTINGS = {
  ...{ fsync: 'off', full_page_writes: 'off', jit: 'off' },
  // A commit that waits for a replica waits for whichever there is; connections that are not to wait say so.
  synchronous_standby_names: '*',
  // A replica that was cut off is back at once, and a copy of a server is small.
  ...{ wal_retrieve_retry_interval: '50ms', min_wal_size: '32MB', max_wal_size: '64MB' },
};

/** What a connection asks for whose commits wait for no replica. */
const WAITS_FOR_NO_REPLICA = '-c synchronous_commit=local';

/** A primary and its replica. */
export class Pair {
  /** To the primary. A commit is acknowledged when the replica has it too. */
  readonly pool: pg.Pool;
  /** To the primary. A commit waits for no replica. */
  readonly localPool: pg.Pool;
  /** To the replica. */
  readonly replicaPool: pg.Pool;
  readonly #first: PostgresServer;
  /** The names of the primary and of the replica, and the way on which the replica follows. */
  readonly #ways: { readonly primary: Way; readonly replica: Way; readonly stream: Way };
  #primary: PostgresServer;
  #replica: PostgresServer | null = null;
  #isSound = false;

  private constructor(first: PostgresServer, ways: { primary: Way; replica: Way; stream: Way }) {
    this.#first = first;
    this.#primary = first;
    this.#ways = ways;
    const opened = (way: Way, options: pg.PoolConfig): pg.Pool =>
      quiet(new pg.Pool({ connectionString: way.url, connectionTimeoutMillis: CONNECT_PATIENCE_MS, ...options }));
    this.pool = opened(ways.primary, { verify: refuseReplicas });
    this.localPool = opened(ways.primary, { verify: refuseReplicas, options: WAITS_FOR_NO_REPLICA });
    this.replicaPool = opened(ways.replica, {});
  }

  /** Starts both. */
  static async start(): Promise<Pair> {
    const first = await startPostgres(SETTINGS);
    const [primary, replica, stream] = await Promise.all([
      startWay(first.url),
      startWay(first.url),
      startWay(first.url),
    ]);
    const pair = new Pair(first, { primary, replica, stream });
    await pair.mend();
    return pair;
  }

  async stop(): Promise<void> {
    await Promise.all([this.pool.end(), this.localPool.end(), this.replicaPool.end()]);
    for (const way of Object.values(this.#ways)) way.stop();
    if (this.#replica !== null) await this.discard(this.#replica);
    if (this.#primary !== this.#first) await this.discard(this.#primary);
    await this.#first.stop();
  }

  /** Whether the replica follows the primary, or will once it is no longer cut off. */
  get isSound(): boolean {
    return this.#isSound;
  }

  /** Makes a new replica if there is none that can follow, lets it follow, and shows what it has. */
  async mend(): Promise<void> {
    this.#ways.stream.isCut = false;
    if (!this.#isSound) {
      if (this.#replica !== null) await this.discard(this.#replica);
      this.#show(await this.#primary.replicate(this.#following()));
      this.#isSound = true;
    }
    await this.resume();
    await this.#isFollowed();
  }

  /** Cuts the replica off from the primary. */
  cut(): void {
    this.#ways.stream.isCut = true;
    this.#ways.stream.end();
  }

  /** The replica receives, and shows nothing of it. */
  async pause(): Promise<void> {
    await this.#onReplica('SELECT pg_wal_replay_pause() WHERE pg_is_in_recovery()');
  }

  async resume(): Promise<void> {
    await this.#onReplica('SELECT pg_wal_replay_resume() WHERE pg_is_in_recovery()');
  }

  /** Waits until the replica shows all that the primary has. */
  async caughtUp(): Promise<void> {
    const [lsn] = await ask(this.#primary, 'SELECT pg_current_wal_insert_lsn()::text');
    await until('the replica has all', async () => {
      const [has] = await ask(this.#replica!, 'SELECT pg_last_wal_replay_lsn() >= $1', [lsn]);
      return has === true;
    });
  }

  /** Waits until so many commits wait for the replica. */
  async commitsWait(count: number): Promise<void> {
    const sql = `SELECT count(*) >= $1 FROM pg_stat_activity WHERE wait_event = 'SyncRep'`;
    await until('commits wait', async () => (await ask(this.#primary, sql, [count]))[0]);
  }

  /** Ends the primary from one moment to the next. */
  async lose(): Promise<void> {
    await this.#primary.kill();
  }

  /** Ends the primary when the replica has all that it has. */
  async halt(): Promise<void> {
    // Where its replay is paused, a replica that was cut off does not come back.
    if (this.#ways.stream.isCut) await this.resume();
    this.#ways.stream.isCut = false;
    await this.#isFollowed();
    await this.#primary.halt();
  }

  /** The name of the primary leads to the replica, which has not been promoted. */
  lead(): void {
    this.#ways.primary.leadTo(this.#replica!.url);
  }

  /** The replica takes the place of the primary. @returns the server that was the primary */
  async promote(): Promise<PostgresServer> {
    const [before, promoted] = [this.#primary, this.#replica!];
    // It is not waited for: a statement that waits may hold up what is replayed before.
    await ask(promoted, 'SELECT pg_promote(false)');
    await until('it is promoted', async () => (await ask(promoted, 'SELECT NOT pg_is_in_recovery()'))[0]);
    // Its own takes minutes. A server that is lost before it cannot become a replica any more: it would replay what it had as one,
    // and miss the files that were removed since ("WAL contains references to invalid pages").
    await ask(promoted, 'CHECKPOINT');
    this.#ways.stream.isCut = false;
    this.#ways.stream.leadTo(promoted.url);
    this.#primary = promoted;
    this.#replica = null;
    this.#isSound = false;
    this.#ways.replica.isCut = true;
    this.#ways.replica.end();
    return before;
  }

  /**
   * Starts a server that was the primary as a replica, with what it has.
   *
   * @param canFollow whether it has nothing that the primary has not
   */
  async turn(server: PostgresServer, canFollow: boolean): Promise<void> {
    await server.follow(this.#following());
    this.#show(server);
    this.#isSound = canFollow;
    if (canFollow) await this.#isFollowed();
  }

  /** The name of the replica leads to a server. */
  #show(server: PostgresServer): void {
    this.#replica = server;
    this.#ways.replica.leadTo(server.url);
    this.#ways.replica.isCut = false;
  }

  #following(): Readonly<Record<string, string>> {
    return { primary_conninfo: this.#ways.stream.url };
  }

  async #isFollowed(): Promise<void> {
    const sql = `SELECT count(*) > 0 FROM pg_stat_replication WHERE state = 'streaming'`;
    await until('the replica follows', async () => (await ask(this.#primary, sql))[0]);
  }

  async #onReplica(sql: string): Promise<void> {
    if (this.#replica !== null) await ask(this.#replica, sql);
  }

  /** Removes a server. */
  async discard(server: PostgresServer): Promise<void> {
    await server.kill();
    // The folder of the first one has those of all others.
    if (server === this.#first) await rm(server.data, { recursive: true });
    else await server.stop();
  }
}

/** The first row that a server answers, over a connection of its own. */
async function ask({ url }: PostgresServer, text: string, values: readonly unknown[] = []): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<unknown[]>({ text, values: [...values], rowMode: 'array' });
    return rows[0] ?? [];
  } finally {
    await client.end();
  }
}
