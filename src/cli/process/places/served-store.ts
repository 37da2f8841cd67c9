// The store of a service: `--store`, and with `--read-store` the replica that pages are read from.
import { GazetteError } from '../../../errors.ts';
import { say } from '../../io/say.ts';
import type { Io } from '../../io/io.ts';
import { withoutPassword } from '../../io/without-password.ts';
import {
  connectionsTo,
  isPostgres,
  type OpenedStore,
  openPostgres,
  openStore,
  type Pool,
  reasonOf,
  type ServedStoreOptions,
} from '../../options/store.ts';

/**
 * Opens the store of a service. A replica that cannot be reached now is only warned of: the store answers meanwhile.
 *
 * @throws GazetteError as {@link openStore}; `usage` for a replica of a file, `invalid_store` for a `--read-store` of another
 *   database, `store_unavailable` for a `--store` that is a replica: a key would open until it knows that it was revoked.
 */
export async function openServedStore({ store: url, readStore }: ServedStoreOptions, io: Io): Promise<OpenedStore> {
  if (readStore !== undefined && !(isPostgres(url) && isPostgres(readStore))) {
    throw new GazetteError('usage', '--read-store must be postgres://…, and so must --store');
  }
  if (!isPostgres(url)) return openStore(url, false);
  const replica = readStore === undefined ? undefined : await connectionsTo(readStore);
  const { refuseReplicas } = await import('../../../stores/postgres/replica/refuse-replicas.ts');
  try {
    const check = async (pool: Pool): Promise<void> => {
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
