// A sender as a process of its own, to be killed: `sender-process.ts STORE LEASE_MS` with a SQLite path or a PostgreSQL URL.
import pg from 'pg';
import { PostgresStore } from '../../../src/stores/postgres/store.ts';
import { SqliteStore } from '../../../src/stores/sqlite/store.ts';
import { DEVELOPMENT_DESTINATIONS } from '../../../src/webhooks/send/destination.ts';
import { SecretBox } from '../../../src/webhooks/send/secret-box.ts';
import { WebhookSender } from '../../../src/webhooks/send/sender.ts';
import { SECRETS_KEY } from './sending.ts';

const [, , url, leaseMs] = process.argv as [string, string, string, string];

const store = url.startsWith('postgres://')
  ? await PostgresStore.open(new pg.Pool({ connectionString: url }))
  : SqliteStore.open(url);

const sender = new WebhookSender({
  store,
  baseUrl: 'https://example.org',
  box: SecretBox.fromHex(SECRETS_KEY),
  rules: DEVELOPMENT_DESTINATIONS,
  // A receiver that fails a third of the time fails so often in a row once in more than 10^11 events.
  schedule: [0, ...Array.from({ length: 25 }, () => 0.02)],
  timeoutMs: Number(leaseMs) / 2,
  leaseMs: Number(leaseMs),
  pollMs: 50,
  onError: (error) => {
    process.stderr.write(`${String(error)}\n`);
  },
});
process.stdout.write('ready\n');
await sender.run(new AbortController().signal);
