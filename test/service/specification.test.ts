import { SqliteStore } from '../../src/stores/sqlite/store.ts';
import { agentContract } from '../contracts/agent-contract.ts';
import { clientLoopsContract } from '../contracts/client-loops-contract.ts';
import type { OpenServiceStore } from '../contracts/deployment.ts';
import { specificationContract } from '../contracts/specification-contract.ts';
import { freshStores } from '../stores/sqlite/fresh-store.ts';

const openMemory: OpenServiceStore = async () => {
  const store = SqliteStore.open(':memory:');
  return { store, dispose: () => store.close() };
};

const openSqlite = freshStores();
specificationContract('SqliteStore in memory', openMemory);
specificationContract('SqliteStore', openSqlite);
clientLoopsContract('SqliteStore in memory', openMemory);
clientLoopsContract('SqliteStore', openSqlite);
agentContract('SqliteStore in memory', openMemory);
agentContract('SqliteStore', openSqlite);
