// The embedded service of docs/serve.md, started as the page shows it (but for the port) over a store of the suite's, against the
// black-box suite of the service.
import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { Accounts } from '../../src/operate/accounts.ts';
import { SqliteStore } from '../../src/stores/sqlite/store.ts';
import { world } from '../world.ts';
import { describeServiceServer, SERVED_COUNT } from '../contracts/service-server-contract.ts';
import { freePort } from './free-port.ts';
import { writePrograms } from './blocks.ts';
import { startServer, stopServer } from './server-process.ts';

const data = mkdtempSync(join(tmpdir(), 'gazette-docs-'));
const server = { address: '', key: '' };
let child: ChildProcess;
let removeBlocks: () => void;

beforeAll(async () => {
  const store = SqliteStore.open(join(data, 'gazette.db'));
  await (await world({ store, records: SERVED_COUNT })).close();
  const accounts = new Accounts(store, { product: 'gazette' });
  await accounts.add('reader', '2999-01-01T00:00:00Z');
  server.key = (await accounts.createKey('reader')).key;
  await store.close();

  const port = await freePort();
  const blocks = writePrograms((_, code) => code.replaceAll('8080', String(port)));
  removeBlocks = blocks.remove;
  server.address = `http://127.0.0.1:${port}`;
  child = await startServer(join(blocks.folder, 'service.ts'), `${server.address}/healthz`, data);
});

afterAll(async () => {
  await stopServer(child);
  removeBlocks();
  rmSync(data, { recursive: true });
});

describeServiceServer('service.ts of docs/serve.md', () => server);
