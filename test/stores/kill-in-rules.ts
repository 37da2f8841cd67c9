// What a plugin keeps is changed with the registers or not at all, wherever inside its rules a process ends.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { InspectedStore } from '../../src/stores/contract/inspection.ts';
import type { StorePlugin } from '../../src/stores/logic/plugins/plugin.ts';
import { entriesOf, expectTree } from '../wings/proofs/contracts/log-contract.ts';
import { inspected } from '../contracts/overwrites.ts';
import { at, permits, say } from '../contracts/store-register.ts';
import { tried, tries } from '../effort.ts';

const PROGRAM = join(import.meta.dirname, 'killed-in-rule.ts');
/** How many processes are killed. */
export const KILLS: number = tries(8, 200);

/** Kills processes that change a store, and finds it whole after each. */
export async function expectWhole(open: () => Promise<InspectedStore>, ...place: string[]): Promise<void> {
  const store = await open();
  await store.createRegister(permits());
  let entries = await entriesOf(store);
  const endings: unknown[] = [];
  for (let seed = 1; seed <= KILLS; seed++) {
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', PROGRAM, ...place, String(seed)], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
    endings.push(signal ?? code);
    expect(await inspected(store)).toEqual([]);
    const later = await entriesOf(store);
    expect(later.slice(0, entries.length)).toEqual(entries);
    await expectTree(store, later);
    entries = later;
  }
  await store.close();
  tried(KILLS);
  // Few redactions may be drawn.
  expect(endings.filter((ending) => ending === 'SIGKILL').length, endings.join(' ')).toBeGreaterThan(KILLS / 2);
  expect(endings.filter((ending) => ending !== 'SIGKILL' && ending !== 0)).toEqual([]);
}

/** Opens a store with a history of 10,000 versions, some of them erased, that was kept without the log of its registers. */
export async function expectJoined(open: (plugins?: readonly StorePlugin[]) => Promise<InspectedStore>): Promise<void> {
  const before = await open([]);
  await before.createRegister(permits());
  for (const [minute, title] of ['One', 'Another'].entries()) {
    const batch = Array.from({ length: 4995 }, (_, n) => say(`k${n}`, { title }));
    await before.apply('permits', batch, { recordedAt: at(minute) });
  }
  for (let n = 0; n < 10; n++) await before.redact(`permits:k${n * 499}`, { recordedAt: at(2) });
  const store = await open();
  const entries = await entriesOf(store);
  expect(entries).toHaveLength(10_000);
  await expectTree(store, entries);
  expect(await inspected(store)).toEqual([]);
  await store.close();
  await before.close();
}
