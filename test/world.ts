// A whole service over a store, as the tests of every surface use it: two registers, an account with a key, and short ways
// to ask. Time stands still unless a test moves it.
import { createApiKey, newKeyEntry } from '../src/access/api-key.ts';
import type { RegisterRecord, RecordVersion } from '../src/register/record.ts';
import { createGazette, type Gazette, type GazetteOptions } from '../src/service/create-gazette.ts';
import type { ServiceStore } from '../src/stores/contract/accounts.ts';
import { SqliteStore } from '../src/stores/sqlite/store.ts';
import { closedAfter } from './closed-after.ts';
import { at, permits, say } from './contracts/store-register.ts';

/** Opens an empty store. */
export type OpenServiceStore = () => Promise<{ readonly store: ServiceStore; readonly dispose: () => Promise<void> }>;

/** Where the world finds the service. */
export const BASE_URL = 'https://registers.example.org';

/** The deployment the keys are for. */
export const PRODUCT = 'registers';

/** What only PRO may see stands behind this word in every record but the latest three. */
export const SECRET = 'confidential';

/** A list's body. */
export interface ListBody {
  readonly feed_id: string;
  readonly records: readonly RegisterRecord[];
  readonly next_offset: number | null;
  readonly as_of: number | null;
  readonly total: number;
}

/** An error's body. */
export interface ProblemBody {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: string;
  readonly request_id: string;
  readonly parameter?: string;
}

/** What a request may say besides its path. */
export interface Ask {
  readonly key?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: object;
}

/** A running service. */
export interface World {
  readonly store: ServiceStore;
  /** A key that opens everything. */
  readonly key: string;
  readonly accountId: string;
  /** Milliseconds since 1970; tests may set it. */
  clock: { now: number };
  /** Asks below `/api/v1`. */
  get(path: string, ask?: Ask): Promise<Response>;
  /** Asks anything. */
  readonly fetch: (request: Request) => Promise<Response>;
  readonly metrics: Gazette['metrics'];
  list(path: string, ask?: Ask): Promise<ListBody>;
  versions(path: string, ask?: Ask): Promise<readonly RecordVersion[]>;
  problem(path: string, ask?: Ask): Promise<ProblemBody>;
  close(): Promise<void>;
}

/** The key of the record number `index`, from 1. */
export function keyAt(index: number): string {
  return String(index).padStart(3, '0');
}

/** The statement of the record number `index` of a register of `count`: every third of another type and facility. */
export function statementAt(index: number, count: number, feedId = 'permits'): ReturnType<typeof say> {
  const isOpen = index > count - 3;
  const mark = isOpen ? 'open' : SECRET;
  return say(
    keyAt(index),
    {
      title: `Permit number ${index}`,
      // Beyond the preview's 280 characters.
      summary: `${'Summary of the decision. '.repeat(12)}${mark} summary`,
      content: `${mark} content ${index}`,
      author: `${mark} author`,
      document_type: index % 3 === 0 ? 'adopted' : 'draft',
      facility_id: index % 3 === 0 ? 'FAC-0003' : 'FAC-0001',
      observed_at: '2026-04-19T08:12:44Z',
      data: { amount: index, applicant: `${mark} applicant`, conditions: [`${mark} condition`] },
    },
    feedId,
  );
}

/** What a world is made of, besides the options of its service. */
export interface WorldOptions extends Partial<GazetteOptions> {
  /** How many records the register `permits` has. Default 25 */
  readonly records?: number;
}

/**
 * Makes one, over an empty store: one in memory where none is given. It closes itself behind the test that it is made in, or
 * behind the file or suite that makes it outside of tests and hooks: `const service = await world({ records: 5 })`.
 */
export async function world({
  records = 25,
  store = SqliteStore.open(':memory:'),
  ...options
}: WorldOptions = {}): Promise<World> {
  await store.createRegister(permits());
  const statements = Array.from({ length: records }, (_, index) => statementAt(index + 1, records));
  if (records > 0) await store.apply('permits', statements, { recordedAt: at(0) });
  await store.createRegister(permits('notices'));

  const clock = { now: Date.parse(at(60)) };
  const accountId = 'acme';
  await store.accounts.createAccount({ id: accountId, accessUntil: at(60 * 24 * 30), createdAt: at(0) });
  const key = createApiKey();
  const entry = newKeyEntry(key, { accountId, product: PRODUCT, createdAt: at(0) });
  await store.accounts.createKey({ ...entry, scopes: ['read', 'webhooks', 'account'] });

  const own = { store, product: PRODUCT, baseUrl: BASE_URL, now: () => clock.now, limits: null };
  const gazette = closedAfter(createGazette({ ...own, ...options }));
  const get = async (path: string, ask: Ask = {}): Promise<Response> =>
    gazette.fetch(
      new Request(`${BASE_URL}/api/v1${path}`, {
        method: ask.method ?? 'GET',
        headers: {
          ...(ask.key === undefined ? {} : { Authorization: `Bearer ${ask.key}` }),
          ...(ask.body === undefined ? {} : { 'content-type': 'application/json' }),
          ...ask.headers,
        },
        ...(ask.body === undefined ? {} : { body: JSON.stringify(ask.body) }),
      }),
    );
  const json = async (path: string, ask: Ask | undefined): Promise<unknown> => (await get(path, ask)).json();
  return {
    store,
    key,
    accountId,
    clock,
    get,
    fetch: async (request) => gazette.fetch(request),
    metrics: gazette.metrics,
    list: async (path, ask) => (await json(path, ask)) as ListBody,
    versions: async (path, ask) => (await json(path, ask)) as readonly RecordVersion[],
    problem: async (path, ask) => (await json(path, ask)) as ProblemBody,
    close: async () => gazette.close(),
  };
}
