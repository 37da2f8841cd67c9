// One of several senders that drain the backlog of a store: sends until its parent has seen enough. The store is a schema of
// a PostgreSQL database, or a SQLite file.
import { once } from 'node:events';
import pg from 'pg';
import type { ServiceStore } from '../../src/stores/contract/accounts.ts';
import { PostgresStore } from '../../src/stores/postgres/store.ts';
import { SqliteStore } from '../../src/stores/sqlite/store.ts';
import { DEVELOPMENT_DESTINATIONS } from '../../src/webhooks/send/destination.ts';
import { SecretBox } from '../../src/webhooks/send/secret-box.ts';
import { WebhookSender } from '../../src/webhooks/send/sender.ts';

const [, , address = '', schema = '', key = ''] = process.argv;
const pool = address.startsWith('postgres:') ? new pg.Pool({ connectionString: address }) : null;
const store: ServiceStore = pool === null ? SqliteStore.open(address) : await PostgresStore.open(pool, { schema });
const sender = new WebhookSender({
  ...{ store, baseUrl: 'https://example.org', box: SecretBox.fromHex(key) },
  rules: DEVELOPMENT_DESTINATIONS,
});
process.send!('ready');
await once(process, 'message');
const stop = new AbortController();
process.once('message', () => {
  stop.abort();
});
await sender.run(stop.signal);
await store.close();
await pool?.end();
process.disconnect();
