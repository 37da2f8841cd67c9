// Work on a register under a lease: the second one is refused or waits, and a killed process holds nobody up.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { LEASE_MS, type LeaseHolder } from '../../../src/stores/contract/leases.ts';
import { type HoldOptions, holdRegister, isHeld } from '../../../src/stores/lease/hold-register.ts';
import { SqliteStore } from '../../../src/stores/sqlite/store.ts';
import { at, permits, say } from '../../contracts/store-register.ts';

/** A store in a file with the register `permits`. */
async function openStore(): Promise<{ readonly store: SqliteStore; readonly path: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'gazette-lease-'));
  const path = join(folder, 'store.db');
  const store = SqliteStore.open(path);
  onTestFinished(async () => {
    await store.close();
    await rm(folder, { recursive: true });
  });
  await store.createRegister(permits());
  return { store, path };
}

const nothing = async (): Promise<void> => undefined;

/** Work that begins this many minutes after `at(0)`. */
const work = (what: string, minute = 0, more: Partial<HoldOptions> = {}): HoldOptions => {
  return { what, now: () => Date.parse(at(minute)), ...more };
};

it('refuses a second one, and names the first', async () => {
  const { store } = await openStore();
  await holdRegister(store, 'permits', work('import a.csv'), async () => {
    const message = `register "permits" is in use by "import a.csv" (process ${process.pid} on ${hostname()}, since ${at(0)}); run the command again when that has ended, or with --wait`;
    const second = holdRegister(store, 'permits', work('import b.csv'), nothing);
    await expect(second).rejects.toMatchObject({ code: 'register_busy', message });
  });
});

it('ends the lease with the work, whether it is done or fails', async () => {
  const { store } = await openStore();
  expect(await holdRegister(store, 'permits', work('a'), async () => 7)).toBe(7);
  const fails = holdRegister(store, 'permits', work('a'), () => Promise.reject(new Error('no more')));
  await expect(fails).rejects.toThrow('no more');
  expect(await store.leases.find('permits')).toBeNull();
});

it('lets a second one wait until the first is done, and an interruption end the wait', async () => {
  const { store } = await openStore();
  const order: string[] = [];
  const isWaiting = Promise.withResolvers<string>();
  const interruption = new AbortController();
  const wait = { wait: true, onWait: (holder: LeaseHolder) => { isWaiting.resolve(holder.what); } }; // prettier-ignore
  let second: Promise<unknown> = Promise.resolve();
  await holdRegister(store, 'permits', work('first'), async () => {
    second = holdRegister(store, 'permits', work('second', 0, wait), async () => order.push('second'));
    expect(await isWaiting.promise).toBe('first');
    const third = holdRegister(
      store,
      'permits',
      work('third', 0, { wait: true, signal: interruption.signal }),
      nothing,
    );
    interruption.abort();
    await expect(third).rejects.toMatchObject({ code: 'aborted' });
    order.push('first');
  });
  await second;
  expect(order).toEqual(['first', 'second']);
});

it('takes over after thirty seconds without a renewal, and then no write of the first one gets in', async () => {
  const { store } = await openStore();
  const seconds = (count: number): number => count / 60;
  await holdRegister(store, 'permits', work('first'), async (lease) => {
    const early = holdRegister(store, 'permits', work('second', seconds(LEASE_MS / 1000 - 0.001)), nothing);
    await expect(early).rejects.toMatchObject({ code: 'register_busy' });
    await holdRegister(store, 'permits', work('second', seconds(LEASE_MS / 1000)), nothing);
    const late = store.apply('permits', [say('a')], { recordedAt: at(1), lease });
    await expect(late).rejects.toMatchObject({ code: 'import_superseded' });
  });
  expect(await store.register('permits')).toMatchObject({ top: 0 });
});

/** Starts a process that holds the register, and kills it. */
async function killHolder(path: string, place: string): Promise<void> {
  const program = join(import.meta.dirname, 'holding.ts');
  const child = spawn(process.execPath, [program, path, at(0)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, TMPDIR: place },
  });
  await once(child.stdout, 'data');
  child.kill('SIGKILL');
  await once(child, 'exit');
}

it('takes over at once from a killed process of this host', async () => {
  const { store, path } = await openStore();
  await killHolder(path, tmpdir());
  const { token } = (await store.leases.find('permits'))!;
  const mark = join(tmpdir(), `gazette-${token}.lock`);
  expect(existsSync(mark)).toBe(true);
  expect(isHeld((await store.leases.find('permits'))!, Date.parse(at(0)))).toBe(false);
  await holdRegister(store, 'permits', work('second'), nothing);
  expect(existsSync(mark)).toBe(false);
});

it('takes over from a killed process of another host after thirty seconds', async () => {
  const { store, path } = await openStore();
  // Another host has another folder for temporary files.
  await killHolder(path, dirname(path));
  const lease = (await store.leases.find('permits'))!;
  expect([0.49, 0.5].map((minute) => isHeld(lease, Date.parse(at(minute))))).toEqual([true, false]);
  const early = holdRegister(store, 'permits', work('second', 0.49), nothing);
  await expect(early).rejects.toMatchObject({ code: 'register_busy' });
  await holdRegister(store, 'permits', work('second', 0.5), nothing);
});
