import { SqliteStore } from '../../../src/stores/sqlite/store.ts';
import { hangingEndpoints } from './hanging-endpoints.ts';

hangingEndpoints('SQLite', async () => SqliteStore.open(':memory:'));
