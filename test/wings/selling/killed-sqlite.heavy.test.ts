// Purchases by several processes on a SQLite file, and by processes that are killed.
import { folder } from '../../cli/run.ts';
import { SqliteStore } from '../../../src/stores/sqlite/store.ts';
import { killedBuyers, type Shop } from './killed-buyers.ts';
import { killedPayers } from './x402/killed-payers.ts';

const open = async (): Promise<Shop> => {
  const url = `${await folder()}/store.db`;
  const store = SqliteStore.open(url);
  return { store, url, isLeft: () => Promise.resolve(true), dispose: () => store.close() };
};

killedBuyers('SQLite', open);
killedPayers('SQLite', open);
