// A whole service on loopback for tests in a browser: the registers of registers.ts in memory, and an account with a key.
import { startServer } from '../../../src/adapters/server.ts';
import { Accounts } from '../../../src/operate/accounts.ts';
import { createGazette, type GazetteOptions } from '../../../src/service/create-gazette.ts';
import type { ServiceStore } from '../../../src/stores/contract/accounts.ts';
import { SqliteStore } from '../../../src/stores/sqlite/store.ts';
import { fillRegisters } from './registers.ts';

/** A running service, and what a test needs of it. */
export interface PagesService {
  /** `http://127.0.0.1:port`. */
  readonly origin: string;
  readonly store: ServiceStore;
  readonly accounts: Accounts;
  /** The account `acme`. */
  readonly key: string;
  /** What the service failed at. */
  readonly errors: readonly unknown[];
  close(): Promise<void>;
}

/** Starts one on a free port. */
export async function startPages(
  options: Partial<GazetteOptions> = {},
  fill: (store: ServiceStore) => Promise<void> = fillRegisters,
): Promise<PagesService> {
  const store = SqliteStore.open(':memory:');
  await fill(store);
  const accounts = new Accounts(store, { product: 'gazette' });
  await accounts.add('acme', '2099-01-01T00:00:00Z');
  const { key } = await accounts.createKey('acme');
  const errors: unknown[] = [];
  const logger = {
    info: () => undefined,
    error: (fields: object) => {
      errors.push((fields as { readonly err: unknown }).err);
    },
  };
  const gazette = createGazette({ store, limits: null, logger, title: 'Public registers', ...options });
  const server = await startServer(gazette.fetch, { port: 0, host: '127.0.0.1' });
  return {
    origin: server.url,
    ...{ store, accounts, key, errors },
    async close() {
      await server.stop();
      await gazette.close();
      await store.close();
    },
  };
}
