import { rm, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SqliteStore } from '../../src/stores/sqlite/store.ts';
import { agentContract } from '../contracts/agent-contract.ts';
import { clientLoopsContract } from '../contracts/client-loops-contract.ts';
import type { OpenServiceStore } from '../contracts/deployment.ts';
import { specificationContract } from '../contracts/specification-contract.ts';

const openMemory: OpenServiceStore = async () => {
  const store = SqliteStore.open(':memory:');
  return { store, dispose: () => store.close() };
};

const openSqlite: OpenServiceStore = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gazette-service-'));
  const store = SqliteStore.open(join(folder, 'gazette.db'));
  return {
    store,
    dispose: async () => {
      await store.close();
      await rm(folder, { recursive: true });
    },
  };
};

specificationContract('MemoryStore', openMemory);
specificationContract('SqliteStore', openSqlite);
clientLoopsContract('MemoryStore', openMemory);
clientLoopsContract('SqliteStore', openSqlite);
agentContract('MemoryStore', openMemory);
agentContract('SqliteStore', openSqlite);
