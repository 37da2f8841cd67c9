// Leases of processes of one host, while its clock jumps by up to an hour. Only the distance of a lease's end from the clock
// could matter: a clock that is put forward is one before which all leases end earlier.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { SqliteStore } from '../../../src/stores/sqlite/store.ts';
import { type Happened, runSchedule } from '../../contracts/lease-schedules.ts';
import { permits } from '../../contracts/store-register.ts';
import { tried, tries } from '../../effort.ts';

const SCHEDULES = tries(10, 1000);

it(`in ${SCHEDULES} schedules, nobody supersedes one that lives`, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gazette-leases-'));
  const path = join(folder, 'store.db');
  const store = SqliteStore.open(path);
  await store.createRegister(permits());
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
  const direct = new DatabaseSync(path);
  const end = direct.prepare('SELECT ends_at FROM leases');
  const move = direct.prepare('UPDATE leases SET ends_at = ?');
  let clock = 0;
  const setClock = (ms: number): void => {
    const [passed, lease] = [ms - clock, end.get()];
    clock = ms;
    if (lease !== undefined) move.run(new Date(Date.parse(String(lease.ends_at)) - passed).toISOString());
  };
  const happened: Happened = { taken: 0, refused: 0, overGone: 0, overPaused: 0, lateWrites: 0 };
  const world = { store, hosts: [folder], setClock, jump: 3600, jumpsEvery: 5 };
  for (let number = 0; number < SCHEDULES; number++) await runSchedule(world, number, happened);
  tried(SCHEDULES);
  expect(happened).toMatchObject({ overPaused: 0, lateWrites: 0 });
  for (const what of ['taken', 'refused', 'overGone'] as const) expect(happened[what], what).toBeGreaterThan(0);
  direct.close();
  await store.close();
  await rm(folder, { recursive: true });
});
