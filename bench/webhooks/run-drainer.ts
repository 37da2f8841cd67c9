// One of several senders that drain the backlog of a PostgreSQL store: sends until its parent has seen enough.
import { once } from 'node:events';
import pg from 'pg';
import { PostgresStore } from '../../src/stores/postgres/store.ts';
import { DEVELOPMENT_DESTINATIONS } from '../../src/webhooks/send/destination.ts';
import { SecretBox } from '../../src/webhooks/send/secret-box.ts';
import { WebhookSender } from '../../src/webhooks/send/sender.ts';

const [, , connectionString = '', schema = '', key = ''] = process.argv;
const pool = new pg.Pool({ connectionString });
const store = await PostgresStore.open(pool, { schema });
const sender = new WebhookSender({
  ...{ store: store.deliveries, baseUrl: 'https://example.org', box: SecretBox.fromHex(key) },
  rules: DEVELOPMENT_DESTINATIONS,
});
process.send!('ready');
await once(process, 'message');
const stop = new AbortController();
process.once('message', () => {
  stop.abort();
});
await sender.run(stop.signal);
await pool.end();
process.disconnect();
