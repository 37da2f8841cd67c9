// Figures of registers in SQLite.
import { SqliteStore } from '../../../src/stores/sqlite/store.ts';
import { figuresContract } from '../../contracts/figures-contract.ts';

figuresContract('SqliteStore', () => {
  const store = SqliteStore.open(':memory:');
  return Promise.resolve({ store, dispose: () => store.close() });
});
