// A receiver of webhooks that handles each event once and remembers it in a SQLite file. It needs the endpoint's secret:
// SIGNING_SECRET=whsec_… npx node examples/webhook-receiver.ts
import { createServer } from 'node:http';
import { DatabaseSync } from 'node:sqlite';
import { toNodeListener } from 'gazette';
import { SqliteIdempotencyStore, webhookHandler } from 'gazette/webhooks';

const { SIGNING_SECRET, DATABASE = 'events.db', PORT = '8080' } = process.env;
if (SIGNING_SECRET === undefined) throw new Error('set SIGNING_SECRET to the secret of the endpoint');

const db = new DatabaseSync(DATABASE);
db.exec('PRAGMA journal_mode = WAL; CREATE TABLE IF NOT EXISTS news (record_id TEXT, title TEXT)');

const receiver = webhookHandler({
  secret: SIGNING_SECRET,
  store: await SqliteIdempotencyStore.open(db),
  async handle(event, transaction) {
    if (!('record_id' in event)) return;
    await transaction((db) => db.prepare('INSERT INTO news VALUES (?, ?)').run(event.record_id, event.title));
    console.log(`${event.type}: ${event.record_id}`);
  },
});

createServer(toNodeListener(receiver)).listen(Number(PORT), '127.0.0.1', () => {
  console.log(`waiting for events at http://127.0.0.1:${PORT}/`);
});
