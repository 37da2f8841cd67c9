// The store of a service: `--store`, and with `--read-store` the replica that pages are read from.
import type { Pool, PoolClient } from 'pg';
import { GazetteError } from '../../errors.ts';
import { say } from '../io/say.ts';
import type { Io } from '../io/io.ts';
import {
  connectionsTo,
  isPostgres,
  type OpenedStore,
  openPostgres,
  openStore,
  reasonOf,
  type ServedStoreOptions,
  withoutPassword,
} from '../options/store.ts';

/**
 * Opens the store of a service. A replica that cannot be reached now is only warned of: the store answers meanwhile.
 *
 * @throws GazetteError as {@link openStore}; `usage` for a replica of a file, `invalid_store` for a `--read-store` of another
 *   database, and for a `--store` that is a replica: a key would open until the replica knows that it was revoked.
 */
export async function openServedStore({ store: url, readStore }: ServedStoreOptions, io: Io): Promise<OpenedStore> {
  if (readStore !== undefined && !(isPostgres(url) && isPostgres(readStore))) {
    throw new GazetteError('usage', '--read-store must be postgres://…, and so must --store');
  }
  if (!isPostgres(url)) return openStore(url, false);
  const replica = readStore === undefined ? undefined : await connectionsTo(readStore);
  try {
    const check = async (pool: Pool): Promise<void> => {
      // A replica is refused here, as what is not a store. Later it is one that is unavailable.
      await pool.query('SELECT 1');
      if (replica !== undefined) await checkReplica(replica, readStore!, await serverOf(pool), io);
    };
    const { store, close } = await openPostgres(url, { verify: refuseReplicas, check, ...(replica && { replica }) });
    return {
      store,
      close: async () => {
        await close();
        await replica?.end();
      },
    };
  } catch (error) {
    await replica?.end();
    throw error;
  }
}

/** Refuses a connection to a replica, also to one that took the place of the primary and was not made it yet. */
function refuseReplicas(client: PoolClient, done: (error?: Error) => void): void {
  const answered = client.query<{ readonly isReplica: boolean }>('SELECT pg_is_in_recovery() AS "isReplica"');
  answered.then(({ rows }) => {
    done(rows[0]!.isReplica ? new ReplicaError() : undefined);
  }, done);
}

/** The store is a replica. PostgreSQL's code for what only the primary does: it passes when the replica is promoted. */
class ReplicaError extends Error {
  override readonly name = 'ReplicaError';
  readonly code = '25006';

  constructor() {
    super('the server is a replica; name the primary as --store, and the replica as --read-store');
  }
}

/** What a server says of itself. */
interface Server {
  /** The number that it shares with its replicas alone. */
  readonly system: string;
  readonly database: string;
}

async function serverOf(pool: Pool): Promise<Server> {
  const { rows } = await pool.query<Server>(
    'SELECT system_identifier::text AS system, current_database() AS database FROM pg_control_system()',
  );
  return rows[0]!;
}

/** Refuses a replica of another database: each read would wait for it in vain. */
async function checkReplica(replica: Pool, url: string, primary: Server, io: Io): Promise<void> {
  const told = withoutPassword(url);
  let server: Server;
  try {
    server = await serverOf(replica);
  } catch (error) {
    say(io, `--read-store ${told} cannot be reached now, and the store itself is read: ${reasonOf(error)}`);
    return;
  }
  if (server.system !== primary.system || server.database !== primary.database) {
    throw new GazetteError('invalid_store', `--read-store ${told} is no replica of the database of --store`);
  }
}
