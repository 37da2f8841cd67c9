// A whole service over a store, as the tests of every surface use it: registers, an account with a key, what was logged,
// and short ways to ask. Time stands still unless a test moves it.
import { Accounts } from '../src/operate/accounts.ts';
import type { RegisterRecord, RecordVersion } from '../src/register/record.ts';
import { createGazette, type Gazette, type GazetteOptions } from '../src/service/create-gazette.ts';
import type { ServiceStore } from '../src/stores/contract/accounts.ts';
import { toPublishedRecord } from '../src/stores/rows/published-record.ts';
import { SqliteStore } from '../src/stores/sqlite/store.ts';
import { closedAfter } from './closed-after.ts';
import { SAMPLE_DEFINITION, sampleRecord } from './contracts/sample-register.ts';
import { at, permits, say } from './contracts/store-register.ts';

/** Opens an empty store. */
export type OpenServiceStore = () => Promise<{ readonly store: ServiceStore; readonly dispose: () => Promise<void> }>;

/** Where the world finds the service. */
export const BASE_URL = 'https://registers.example.org';

/** Its interface there. */
export const API = 'https://registers.example.org/api/v1';

/** When the service begins. */
export const NOW: number = Date.parse(at(60));

/** How many samples tests work with that have no number of their own: more than a page. */
export const SAMPLES = 120;

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
export interface World extends Gazette {
  readonly store: ServiceStore;
  readonly accounts: Accounts;
  /** A key of the account that opens everything. */
  readonly key: string;
  readonly accountId: string;
  /** Milliseconds since 1970; tests may set it. */
  clock: { now: number };
  /** What was logged: failures, and lines of answers. */
  readonly errors: unknown[];
  readonly lines: object[];
  /** Asks below `/api/v1`, or for an address. */
  readonly get: Asker;
  /** The same with the key. */
  readonly pro: Asker;
  readonly list: (path: string, ask?: Ask) => Promise<ListBody>;
  readonly versions: (path: string, ask?: Ask) => Promise<readonly RecordVersion[]>;
  readonly problem: (path: string, ask?: Ask) => Promise<ProblemBody>;
}

type Asker = (path: string, ask?: Ask) => Promise<Response>;

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

/** Takes the samples from one position to another into a store, each changed in the same way. */
export async function addSamples(
  store: ServiceStore,
  from: number,
  to: number,
  recordedAt: string = at(0),
  changes: Partial<RegisterRecord> = {},
): Promise<void> {
  const positions = Array.from({ length: to - from + 1 }, (_, index) => from + index);
  const batch = positions.map((position) => toPublishedRecord(sampleRecord(position, changes), true));
  if (batch.length > 0) await store.apply('permits', batch, { recordedAt });
}

/** What a world is made of, besides the options of its service. */
export interface WorldOptions extends Partial<GazetteOptions> {
  /** How many records the register `permits` has; `notices`, which is there too, has none. Default 25 */
  readonly records?: number;
  /** How many records of the published samples `permits` has instead. There is no other register then. */
  readonly samples?: number;
}

/**
 * Makes one, over an empty store: one in memory where none is given. It closes itself behind the test that it is made in, or
 * behind the file or suite that makes it outside of tests and hooks: `const service = await world({ records: 5 })`.
 */
export async function world({
  records = 25,
  samples,
  store = SqliteStore.open(':memory:'),
  product = PRODUCT,
  ...options
}: WorldOptions = {}): Promise<World> {
  if (samples === undefined) {
    await store.createRegister(permits());
    const statements = Array.from({ length: records }, (_, index) => statementAt(index + 1, records));
    if (records > 0) await store.apply('permits', statements, { recordedAt: at(0) });
    await store.createRegister(permits('notices'));
  } else {
    await store.createRegister(SAMPLE_DEFINITION);
    await addSamples(store, 1, samples);
  }

  const clock = { now: NOW };
  const accountId = 'acme';
  const accounts = new Accounts(store, { product, now: () => clock.now });
  await accounts.add(accountId, '2999-01-01T00:00:00Z');
  const { key } = await accounts.createKey(accountId, { scopes: ['read', 'webhooks', 'account'] });

  const errors: unknown[] = [];
  const lines: object[] = [];
  const logger = {
    info: (fields: object) => lines.push(fields),
    error: (fields: object) => errors.push((fields as { readonly err: unknown }).err),
  };
  const own = { store, product, now: () => clock.now, limits: null, logger };
  const gazette = closedAfter(createGazette({ ...own, ...options }));
  const get: Asker = (path, { method = 'GET', key: given, body, headers } = {}) =>
    gazette.fetch(
      new Request(path.startsWith('http') ? path : API + path, {
        method,
        headers: {
          ...(given === undefined ? {} : { authorization: `Bearer ${given}` }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
      { remoteAddress: '203.0.113.7' },
    );
  const json = async (path: string, ask: Ask | undefined): Promise<unknown> => (await get(path, ask)).json();
  return {
    ...gazette,
    ...{ store, accounts, key, accountId, clock, errors, lines, get },
    pro: (path, ask) => get(path, { key, ...ask }),
    list: async (path, ask) => (await json(path, ask)) as ListBody,
    versions: async (path, ask) => (await json(path, ask)) as readonly RecordVersion[],
    problem: async (path, ask) => (await json(path, ask)) as ProblemBody,
  };
}
