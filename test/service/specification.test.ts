// The service over SQLite, in files: a store in memory is the same to it (test/stores/sqlite/memory.heavy.test.ts).
import { agentContract } from '../contracts/agent-contract.ts';
import { clientLoopsContract } from '../contracts/client-loops-contract.ts';
import { specificationContract } from '../contracts/specification-contract.ts';
import { freshStores } from '../stores/sqlite/fresh-store.ts';

const openSqlite = freshStores();
specificationContract('SqliteStore', openSqlite);
clientLoopsContract('SqliteStore', openSqlite);
agentContract('SqliteStore', openSqlite);
