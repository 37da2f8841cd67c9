// A pool that is asked before each statement that is sent over it, inside transactions too.
import type pg from 'pg';
import type { PostgresPool, PostgresQuery, PostgresResult } from '../../../src/stores/postgres/connection.ts';

/** @param before what happens before a statement is sent */
export function watched(pool: pg.Pool, before: (query: PostgresQuery) => Promise<void>): PostgresPool {
  const over = (send: (query: PostgresQuery) => Promise<PostgresResult>) => async (query: PostgresQuery) => {
    await before(query);
    return send(query);
  };
  return {
    query: over((query) => pool.query<unknown[]>(query)),
    connect: async () => {
      const client = await pool.connect();
      return {
        query: over((query) => client.query<unknown[]>(query)),
        on: (event, listener) => client.on(event, listener),
        removeListener: (event, listener) => client.removeListener(event, listener),
        release: (error) => {
          client.release(error);
        },
      };
    },
  };
}
