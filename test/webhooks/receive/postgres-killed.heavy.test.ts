import pg from 'pg';
import { afterAll, describe, inject } from 'vitest';
import { killedReceiverTests } from './killed-receiver.ts';

const admin = new pg.Pool({ connectionString: inject('postgresUrl'), max: 1 });
let databases = 0;
afterAll(() => admin.end());

describe('a receiver on PostgreSQL that is killed', () => {
  killedReceiverTests(async () => {
    const name = `killed_receiver_${++databases}`;
    await admin.query(`CREATE DATABASE ${name}`);
    const store = inject('postgresUrl').replace(/\/postgres$/, `/${name}`);
    return {
      store,
      effects: async () => {
        const client = new pg.Client({ connectionString: store });
        await client.connect();
        try {
          return (await client.query<{ event: string }>('SELECT event FROM effect')).rows.map(({ event }) => event);
        } finally {
          await client.end();
        }
      },
    };
  });
});
