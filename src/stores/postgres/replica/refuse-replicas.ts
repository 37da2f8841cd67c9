// What a pool of connections to the primary refuses.
import { GazetteError } from '../../../errors.ts';
import type { PostgresClient } from '../connection.ts';

/**
 * Refuses a connection to a replica, also to one that took the place of the primary and was not promoted yet: a key would
 * open there until it knows that the key was revoked.
 *
 * @example
 * import pg from 'pg';
 * const pool = new pg.Pool({ connectionString: 'postgres://localhost/registers', verify: refuseReplicas });
 */
export function refuseReplicas(client: PostgresClient, done: (error?: Error) => void): void {
  client.query({ text: 'SELECT pg_is_in_recovery()', rowMode: 'array' }).then(({ rows }) => {
    const cause = new Error('the server is a replica');
    const refusal = new GazetteError('store_unavailable', `the database cannot be used now: ${cause.message}`, {
      cause,
    });
    done(rows[0]![0] === true ? refusal : undefined);
  }, done);
}
