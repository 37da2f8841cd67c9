// Threads that make pages over several runs, registers and failures: many whole snapshots, which take a while.
import type { Worker } from 'node:worker_threads';
import { afterEach, describe, expect, it } from 'vitest';
import { SnapshotWriter } from '../../src/snapshot/run.ts';
import { verifySnapshot } from '../../src/snapshot/verify.ts';
import { at, permits, say } from '../contracts/store-register.ts';
import { add, correct, digests, folder, publish, SITE, storeOf } from './published.ts';

/** More pages than one thread makes alone. */
const MANY = 6550;

/** The threads that were started since the test began. */
const started: Worker[] = [];
const watch = (worker: Worker): void => void started.push(worker);
process.on('worker', watch);
afterEach(() => void started.splice(0));

describe('threads', () => {
  it('give the same folder to the byte as one alone, of all formats and of what payers read', async () => {
    const store = await storeOf(MANY);
    const [alone, shared] = [await folder(), await folder()];
    await publish(store, alone, { tier: 'pro', threads: 1 });
    await publish(store, shared, { tier: 'pro', threads: 3 });
    expect(started).toHaveLength(3);
    expect(await digests(shared)).toEqual(await digests(alone));
  });

  it('are started once for several registers, and are gone when the run is', async () => {
    const store = await storeOf(MANY);
    await store.createRegister(permits('notices'));
    const batch = Array.from({ length: MANY }, (_, index) =>
      say(`n${index}`, { feed_id: 'notices', id: `notices:n${index}` }),
    );
    await store.apply('notices', batch, { recordedAt: at(1) });
    const out = await folder();
    await publish(store, out, { threads: 2 });
    expect(started).toHaveLength(2);
    expect(started.map(({ threadId }) => threadId)).toEqual([-1, -1]);
    expect(await verifySnapshot(out)).toMatchObject({ state: 'whole', registers: 2, records: 2 * MANY, findings: [] });
  });

  it('are not started for a small register, nor for a few changed pages of a large one', async () => {
    const out = await folder();
    await publish(await storeOf(1000), out);
    expect(started).toHaveLength(0);
    const large = await folder();
    const store = await storeOf(MANY);
    await publish(store, large, { threads: 2 });
    started.splice(0);
    await correct(store, 5, 2000, 4000);
    await add(store, MANY + 1, MANY + 100);
    await publish(store, large, { threads: 2 });
    expect(started).toHaveLength(0);
    const fresh = await folder();
    await publish(store, fresh, { threads: 2 });
    expect(await digests(large)).toEqual(await digests(fresh));
  });

  it('stand ready from run to run of a writer, for a few pages too, and are gone once it is closed', async () => {
    const store = await storeOf(MANY);
    const out = await folder();
    const writer = await SnapshotWriter.open({ store, out, baseUrl: SITE, threads: 2 });
    await writer.write();
    const [first] = started;
    const made: unknown[] = [];
    first!.on('message', (answer) => made.push(answer));
    await correct(store, 5, 2000, 4000);
    await writer.write();
    expect(made.length).toBeGreaterThan(0);
    expect(started).toHaveLength(2);
    await writer.close();
    expect(started.map(({ threadId }) => threadId)).toEqual([-1, -1]);
    const fresh = await folder();
    await publish(store, fresh, { threads: 1 });
    expect(await digests(out)).toEqual(await digests(fresh));
  });

  it('are others after a run that failed', async () => {
    const store = await storeOf(MANY);
    const out = await folder();
    process.once('worker', (worker: Worker) => {
      worker.once('message', () => void worker.terminate());
    });
    const writer = await SnapshotWriter.open({ store, out, baseUrl: SITE, threads: 2 });
    await expect(writer.write()).rejects.toMatchObject({ code: 'internal_error' });
    await writer.write();
    expect(started).toHaveLength(4);
    await writer.close();
    expect(await verifySnapshot(out)).toMatchObject({ state: 'whole', records: MANY, findings: [] });
  });

  it('that end by themselves end the run with a code; it is known as interrupted, and completed by the next one', async () => {
    const store = await storeOf(MANY);
    const out = await folder();
    process.once('worker', (worker: Worker) => {
      worker.once('message', () => void worker.terminate());
    });
    await expect(publish(store, out, { threads: 2 })).rejects.toMatchObject({
      code: 'internal_error',
      message: expect.stringContaining('a thread of the snapshot') as string,
    });
    expect(started.map(({ threadId }) => threadId)).toEqual([-1, -1]);
    expect(await verifySnapshot(out)).toMatchObject({ state: 'interrupted', findings: [] });
    await publish(store, out, { threads: 2 });
    const fresh = await folder();
    await publish(store, fresh, { threads: 1 });
    expect(await digests(out)).toEqual(await digests(fresh));
  });
});
