// Pages made by threads: the same bytes as without, and an end that is known as one, whatever becomes of a thread.
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { GazetteError } from '../../src/errors.ts';
import { RenderPool } from '../../src/snapshot/pages/render-pool.ts';
import type { SnapshotProgress } from '../../src/snapshot/run.ts';
import { verifySnapshot } from '../../src/snapshot/verify.ts';
import type { ServiceStore } from '../../src/stores/contract/accounts.ts';
import { DelegatingStore } from '../contracts/delegating-store.ts';
import { permits } from '../contracts/store-register.ts';
import { atom } from '../../src/formats/feeds/atom.ts';
import { rss } from '../../src/formats/feeds/rss.ts';
import { add, digests, folder, publish, storeOf } from './published.ts';

/** More pages than one thread makes alone. */
const MANY = 6550;

/** A store with so many, which no test changes. */
let store: ServiceStore;
beforeAll(async () => {
  store = await storeOf(MANY);
});
afterAll(() => store.close());

/** Where it does not matter what is in the files. */
const formats = [atom, rss];

/** The threads that were started since the test began. */
const started: Worker[] = [];
const watch = (worker: Worker): void => void started.push(worker);
process.on('worker', watch);
afterEach(() => void started.splice(0));

describe('threads', () => {
  it('give the same folder to the byte as one alone', async () => {
    const [alone, shared] = [await folder(), await folder()];
    await publish(store, alone, { formats, threads: 1 });
    expect(started).toHaveLength(0);
    await publish(store, shared, { formats, threads: 3 });
    expect(started).toHaveLength(3);
    expect(await digests(shared)).toEqual(await digests(alone));
    expect(await verifySnapshot(shared)).toMatchObject({ state: 'whole', records: MANY, findings: [] });
  });

  it('end at once when the run is cancelled', async () => {
    const out = await folder();
    const stop = new AbortController();
    process.once('worker', (worker: Worker) => {
      worker.once('message', () => {
        stop.abort();
      });
    });
    await expect(publish(store, out, { formats, threads: 2, signal: stop.signal })).rejects.toMatchObject({
      code: 'aborted',
    });
    expect(started.map(({ threadId }) => threadId)).toEqual([-1, -1]);
    expect(await verifySnapshot(out)).toMatchObject({ state: 'interrupted', findings: [] });
    await publish(store, out, { formats });
    expect((await verifySnapshot(out)).state).toBe('whole');
  });

  it('hand over a page that cannot be made with its own code', async () => {
    class Broken extends DelegatingStore {
      override async source(feedId: string): ReturnType<DelegatingStore['source']> {
        const source = await super.source(feedId);
        return {
          definition: source.definition,
          page: async (query) => {
            const page = await source.page(query);
            return { ...page, records: page.records.map((record) => ({ ...record, observed_at: 'never' })) };
          },
        };
      }
    }
    const broken = new Broken();
    await broken.createRegister(permits());
    await add(broken, 1, MANY);
    const failureOf = async (threads: number): Promise<{ readonly code: string; readonly message: string }> => {
      const error: unknown = await publish(broken, await folder(), { formats, threads }).catch(
        (reason: unknown) => reason,
      );
      return error as GazetteError;
    };
    const { code, message } = await failureOf(1);
    expect([code, message]).toEqual(['invalid_record', expect.stringContaining('"never"')]);
    // Which page fails first is up to the threads.
    expect(await failureOf(2)).toMatchObject({ code, message: expect.stringContaining('"never"') as string });
    expect(started).toHaveLength(2);
  });

  it('tell of a file that cannot be written, by its name; the next run writes it', async () => {
    const out = await folder();
    const inTheWay = join(out, 'permits/pages/000064.rss.tmp');
    await mkdir(inTheWay, { recursive: true });
    await expect(publish(store, out, { formats, threads: 2 })).rejects.toMatchObject({
      code: 'output_failed',
      message: expect.stringContaining('pages/000064.rss cannot be written') as string,
    });
    expect(await verifySnapshot(out)).toMatchObject({ state: 'interrupted', findings: [] });
    await publish(store, out, { formats, threads: 2 });
    expect(await verifySnapshot(out)).toMatchObject({ state: 'whole', records: MANY, findings: [] });
  });

  it('let a run say how far it is', async () => {
    const seen: SnapshotProgress[] = [];
    await publish(store, await folder(), {
      formats,
      threads: 2,
      onProgress: (progress) => void seen.push(progress),
    });
    expect(seen).toHaveLength(65);
    expect(seen.map(({ records }) => records)).toEqual(Array.from({ length: 65 }, (_, page) => (page + 1) * 100));
    expect(seen.at(-1)).toEqual({ feedId: 'permits', records: 6500, of: 6500 });
  });

  it('that cannot even start are told of in every page', async () => {
    const pool = new RenderPool(1, new URL('file:///nowhere/render-worker.ts'));
    for (let page = 0; page < 2; page++) {
      await expect(pool.make(undefined as never)).rejects.toMatchObject({ code: 'internal_error' });
    }
    await pool.close();
  });

  it('whose answer comes after another one has failed are not listened to any more', async () => {
    // One ends at its page; the other holds its page back until it hears of a register.
    const script = `import { parentPort } from 'node:worker_threads';
      let held;
      parentPort.on('message', ({ id, order }) => {
        if (order === 'end') process.exit(1);
        if (id === undefined) parentPort.postMessage({ id: held, files: [] });
        else held = id;
      });`;
    const pool = new RenderPool(2, new URL(`data:text/javascript,${encodeURIComponent(script)}`));
    const pages = await Promise.allSettled([pool.make('end' as never), pool.make('held' as never)]);
    expect(pages.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    const answer = once(started.at(-1)!, 'message');
    pool.open(undefined as never, []);
    expect(await answer).toEqual([{ id: 2, files: [] }]);
    await pool.close();
  });

  it.each([0, 1.5, NaN])('are refused where their number is %s', async (threads) => {
    const out = join(await folder(), 'site');
    await expect(publish(await storeOf(1), out, { threads })).rejects.toMatchObject({ code: 'invalid_option' });
    expect(existsSync(out)).toBe(false);
  });
});
