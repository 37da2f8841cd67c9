// Work on a register under a lease, in a file: the second one is refused or waits, a killed process holds nobody up, and no
// clock matters.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { LeaseHolder } from '../../../src/stores/contract/leases.ts';
import { type HoldOptions, holdRegister } from '../../../src/stores/lease/hold-register.ts';
import { isHeld } from '../../../src/stores/lease/take-lease.ts';
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
    const message = `register "permits" is in use by "import a.csv" (process ${process.pid} on ${hostname()}, since ${at(0)}); run the command again when that has ended`;
    const second = holdRegister(store, 'permits', work('mirror b'), nothing);
    await expect(second).rejects.toMatchObject({ code: 'register_busy', message });
    const third = holdRegister(store, 'permits', work('import b.csv', 0, { wait: false }), nothing);
    await expect(third).rejects.toMatchObject({ message: `${message}, or with --wait` });
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

it('refuses a second one as long as the first runs, whatever the clocks say and by whichever path it comes', async () => {
  const { store, path } = await openStore();
  const place = await mkdtemp(join(tmpdir(), 'gazette-link-'));
  onTestFinished(() => rm(place, { recursive: true }));
  await symlink(path, join(place, 'store.db'));
  const linked = SqliteStore.open(join(place, 'store.db'));
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
  const direct = new DatabaseSync(path);
  await holdRegister(store, 'permits', work('first'), async (hold) => {
    for (const until of ['2026-01-01T00:00:00.000Z', '2099-01-01T00:00:00.000Z']) {
      direct.prepare('UPDATE leases SET ends_at = ?').run(until);
      for (const minute of [-60, 60]) {
        const second = holdRegister(linked, 'permits', work('second', minute), nothing);
        await expect(second).rejects.toMatchObject({ code: 'register_busy', details: { what: 'first' } });
      }
    }
    await hold.write((under) => store.apply('permits', [say('a')], { recordedAt: at(1), ...under }));
  });
  direct.close();
  await linked.close();
  expect(await store.register('permits')).toMatchObject({ top: 1 });
});

it('keeps every write out whose lease is another’s', async () => {
  const { store } = await openStore();
  await holdRegister(store, 'permits', work('first'), async (hold) => {
    const { token } = (await store.leases.find('permits'))!;
    await store.leases.release(token);
    await holdRegister(store, 'permits', work('second'), nothing);
    const late = hold.write((under) => store.apply('permits', [say('a')], { recordedAt: at(1), ...under }));
    await expect(late).rejects.toMatchObject({ code: 'import_superseded' });
  });
  expect(await store.register('permits')).toMatchObject({ top: 0 });
});

it('takes over at once from a killed process', async () => {
  const { store, path } = await openStore();
  const child = spawn(process.execPath, [join(import.meta.dirname, 'holding.ts'), path], {
    stdio: ['ignore', 'pipe', 'inherit'],
    // As a service that has a folder of its own for temporary files.
    env: { ...process.env, TMPDIR: dirname(path) },
  });
  await once(child.stdout, 'data');
  const lease = (await store.leases.find('permits'))!;
  expect(isHeld(store.leases, lease)).toBe(true);
  child.kill('SIGKILL');
  await once(child, 'exit');
  const mark = join(dirname(path), `gazette-${lease.token}.lock`);
  expect(existsSync(mark)).toBe(true);
  expect(isHeld(store.leases, lease)).toBe(false);
  await holdRegister(store, 'permits', work('second'), nothing);
  expect(existsSync(mark)).toBe(false);
});
