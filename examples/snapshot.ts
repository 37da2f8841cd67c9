// A register as a folder of files that any static host can serve: npx node examples/snapshot.ts site
import { exportRegister, findFormat } from 'gazette';
import { importRecords, ndjsonReader } from 'gazette/import';
import { verifySnapshot, writeSnapshot } from 'gazette/snapshot';
import { SqliteStore } from 'gazette/stores';
import { permits } from './permits.ts';

const out = process.argv[2] ?? 'site';

// A snapshot is written from a store. Usually that is a file which imports keep up to date; here it lives in memory.
const store = SqliteStore.open(':memory:');
await store.createRegister(permits.definition);
const reader = ndjsonReader({ name: 'permits', open: () => exportRegister(permits, findFormat('ndjson')) });
await importRecords(store, 'permits', reader, { order: 'newest-first' });

const { written } = await writeSnapshot({ store, out, baseUrl: 'https://exampleton.example/registers', tier: 'pro' });
await store.close();
const { state, findings } = await verifySnapshot(out);
console.log(`${out}: ${written} files written, ${state}, ${findings.length} findings`);
