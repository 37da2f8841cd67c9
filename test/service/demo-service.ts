// A service over the sample register in memory, for tests of what it answers: a clock that is moved by hand, an account
// with a key that works, and what was logged.
import { Accounts } from '../../src/operate/accounts.ts';
import { createGazette, type Gazette, type GazetteOptions } from '../../src/service/create-gazette.ts';
import type { ServiceStore } from '../../src/stores/contract/accounts.ts';
import { SqliteStore } from '../../src/stores/sqlite/store.ts';
import { toPublishedRecord } from '../../src/stores/rows/published-record.ts';
import { closedAfter } from '../closed-after.ts';
import { SAMPLE_DEFINITION, sampleRecord } from '../contracts/sample-register.ts';

export const ORIGIN = 'https://example.org';
export const API = 'https://example.org/api/v1';

/** When the sample's records were taken in. */
export const RECORDED_AT = '2026-10-01T10:00:00Z';

/** When the service begins. */
export const NOW: number = Date.parse('2026-11-20T12:00:00Z');

/** How many records the register has. */
export const RECORDS = 120;

type Ask = (path: string, headers?: Record<string, string>, method?: string) => Promise<Response>;

/** A service and what a test needs of it. */
export interface DemoService {
  readonly gazette: Gazette;
  readonly store: ServiceStore;
  readonly accounts: Accounts;
  readonly key: string;
  readonly errors: unknown[];
  readonly lines: object[];
  /** Asks for a path below `/api/v1`, or an address. */
  readonly get: Ask;
  /** The same with the key. */
  readonly pro: Ask;
  readonly later: (ms: number) => void;
}

/** Makes one, closed after the test. @param store where the register goes */
export async function demoService(
  options: Partial<GazetteOptions> = {},
  store: ServiceStore = SqliteStore.open(':memory:'),
): Promise<DemoService> {
  let now = NOW;
  await store.createRegister(SAMPLE_DEFINITION);
  await takeIn(store, 1, RECORDS);
  const accounts = new Accounts(store, { product: 'gazette', now: () => now });
  await accounts.add('demo', '2030-01-01T00:00:00Z');
  const { key } = await accounts.createKey('demo');
  const errors: unknown[] = [];
  const lines: object[] = [];
  const logger = {
    info: (fields: object) => lines.push(fields),
    error: (fields: object) => errors.push((fields as { readonly err: unknown }).err),
  };
  const gazette = closedAfter(createGazette({ store, limits: null, now: () => now, logger, ...options }));
  const get: Ask = (path, headers = {}, method = 'GET') =>
    gazette.fetch(new Request(path.startsWith('http') ? path : API + path, { headers, method }), {
      remoteAddress: '203.0.113.7',
    });
  return {
    gazette,
    store,
    accounts,
    key,
    errors,
    lines,
    get,
    pro: (path, headers = {}, method = 'GET') => get(path, { authorization: `Bearer ${key}`, ...headers }, method),
    later: (ms) => {
      now += ms;
    },
  };
}

/** Takes the sample's records from one position to another into a store. */
export async function takeIn(
  store: ServiceStore,
  from: number,
  to: number,
  recordedAt: string = RECORDED_AT,
): Promise<void> {
  const batch = [];
  for (let position = from; position <= to; position++) batch.push(toPublishedRecord(sampleRecord(position), true));
  await store.apply('permits', batch, { recordedAt });
}
