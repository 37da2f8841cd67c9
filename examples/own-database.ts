// A register over your own SQLite database, without a copy of the data: npx node examples/own-database.ts
import { createServer } from 'node:http';
import { DatabaseSync } from 'node:sqlite';
import { defineRegister, defineSource, exportHandler, toNodeListener } from 'gazette';

const database = new DatabaseSync(':memory:');
database.exec('CREATE TABLE notice (n INTEGER PRIMARY KEY, kind TEXT, title TEXT, seen TEXT)');
const insert = database.prepare('INSERT INTO notice (kind, title, seen) VALUES (?, ?, ?)');
for (let n = 1; n <= 250; n++) insert.run(n % 2 === 0 ? 'opening' : 'closing', `Notice ${n}`, '2026-03-01');

const top = database.prepare('SELECT coalesce(max(n), 0) AS n FROM notice');
const newest = database.prepare(
  `SELECT * FROM notice WHERE n < ? AND (? = 'null' OR CAST(n AS TEXT) IN (SELECT value FROM json_each(?)))
    AND (? = 'null' OR kind IN (SELECT value FROM json_each(?))) ORDER BY n DESC LIMIT ?`,
);

const notices = defineSource({
  definition: defineRegister({
    id: 'notices',
    title: 'Notices of Exampleton',
    created_at: '2026-01-01T00:00:00Z',
    authority: 'exampleton.example',
    year: 2026,
  }),
  filters: ['key', 'document_type'],
  top: () => Number(top.get()!.n),
  rows({ below, limit, filter }) {
    // Lists, of which a row must have one: null in JSON for a filter that is not given.
    const keys = JSON.stringify(filter?.key ?? null);
    const kinds = JSON.stringify(filter?.document_type ?? null);
    return newest.all(below, keys, keys, kinds, kinds, limit).map((row) => ({
      position: Number(row.n),
      id: String(row.n),
      title: String(row.title),
      document_type: String(row.kind),
      source_url: `https://exampleton.example/notices/${String(row.n)}`,
      observed_at: String(row.seen),
    }));
  },
});

const port = Number(process.env.PORT ?? 8080);
createServer(toNodeListener(exportHandler(notices))).listen(port, '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${port}/feeds/notices/records/export.csv`);
});
