// The service in a process of its own, as `gazette serve` runs it, that tells how it fares whenever it is asked.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { DEFINITION } from '../data.ts';
import { createApiKey, newKeyEntry } from '../../src/access/api-key.ts';
import { startServer } from '../../src/adapters/server.ts';
import { createGazette } from '../../src/service/create-gazette.ts';
import { SqliteStore } from '../../src/stores/sqlite/store.ts';

/** What the process says first. */
export interface CrowdedServer {
  readonly port: number;
  readonly key: string;
  readonly feedId: string;
}

/** How the process fares since it was asked last. Milliseconds and MiB. */
export interface Condition {
  /** How late the event loop came to its timers: 99 of 100 times not later. */
  readonly delayP99Ms: number;
  readonly delayMaxMs: number;
  readonly residentMiB: number;
  /** Failures that were not the client's. */
  readonly failures: number;
}

const RESOLUTION_MS = 1;
const LIMIT = { limit: 1_000_000, windowSeconds: 1 } as const;

const store = SqliteStore.open(process.argv[2]!);
const key = createApiKey();
const createdAt = new Date().toISOString();
await store.accounts.createAccount({ id: 'crowd', accessUntil: '2100-01-01T00:00:00Z', createdAt });
await store.accounts.createKey(newKeyEntry(key, { accountId: 'crowd', product: 'bench', createdAt }));
let failures = 0;
const gazette = createGazette({
  store,
  product: 'bench',
  limits: { perKey: LIMIT, perAddress: LIMIT },
  logger: {
    info: () => undefined,
    error: (fields) => {
      failures++;
      console.error(fields);
    },
  },
});
const { url } = await startServer(gazette.fetch, { port: 0, host: '127.0.0.1' });
const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
delay.enable();
process.on('message', () => {
  // The histogram holds whole intervals between timers.
  const late = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e6 - RESOLUTION_MS);
  process.send!({
    delayP99Ms: late(delay.percentile(99)),
    delayMaxMs: late(delay.max),
    residentMiB: process.memoryUsage().rss / 2 ** 20,
    failures,
  } satisfies Condition);
  delay.reset();
});
process.send!({ port: Number(new URL(url).port), key, feedId: DEFINITION.id } satisfies CrowdedServer);
