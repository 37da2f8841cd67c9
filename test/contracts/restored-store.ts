// A store that is restored from an older state by the tools of its database, and `gazette doctor --restored` after it, as
// docs/operate.md says: through the real command line.
import { expect, it } from 'vitest';
import type { InspectedStore } from '../../src/stores/contract/inspection.ts';
import { gazette } from '../cli/run.ts';
import { inspected } from './overwrites.ts';
import { at, permits, say } from './store-register.ts';

/** A store that nobody has open, and its backups. */
export interface Installation {
  /** Its URL, for `--store`. */
  readonly url: string;
  /** Opens it for as long as `work` takes. */
  readonly use: <T>(work: (store: InspectedStore) => Promise<T>) => Promise<T>;
  /** Keeps its present state. */
  readonly backup: () => Promise<void>;
  /** Brings the kept state back. */
  readonly restore: () => Promise<void>;
}

/** Registers the suite for one database. */
export function restoredContract(install: () => Promise<Installation>): void {
  it('refuses change numbers of before the restore, and keeps ids and positions', { timeout: 60_000 }, async () => {
    const { url, use, backup, restore } = await install();
    const kept = await use(async (store) => {
      await store.createRegister(permits());
      await store.createRegister(permits('empty'));
      await store.apply('permits', [say('a'), say('b')], { recordedAt: at(0) });
      return (await store.register('permits'))!;
    });
    await backup();
    const lost = await use(async (store) => {
      await store.apply('permits', [say('c'), say('a', { title: 'Lost' })], { recordedAt: at(1) });
      return (await store.register('permits'))!;
    });
    await restore();
    await use(async (store) => {
      await store.apply('permits', [say('d'), say('e')], { recordedAt: at(2) });
      // Nobody can tell: to a mirror of c and the new title, d and e are missing.
      expect(await store.changes('permits', { since: 4, log: lost.log, limit: 9 })).toMatchObject({ versions: [] });
    });

    const asked = await gazette(['doctor', '--restored', '--store', url]);
    expect([asked.code, asked.stderr]).toEqual([2, expect.stringContaining('Give 2 registers of ')]);
    expect((await use((store) => store.register('permits')))!.log).toBe(kept.log);

    const told = 'gave 2 registers new logs: change numbers of before are refused (log_restarted)';
    const seconds = Math.floor(Date.now() / 1000);
    const first = await gazette(['doctor', '--restored', '--yes', '--json', '--store', url]);
    expect([first.code, first.stderr]).toEqual([0, `gazette: ${told}; ids and positions stay\n`]);
    const answer = JSON.parse(first.stdout.toString()) as { readonly new_logs: readonly { readonly log: string }[] };
    const log = answer.new_logs.at(-2)!.log;
    expect(answer).toMatchObject({
      ...{ found: 0, versions: 4 },
      new_logs: [{ feed_id: 'permits', before: kept.log, log }, { feed_id: 'empty' }],
    });
    await use(async (store) => {
      const entry = (await store.register('permits'))!;
      expect(entry).toMatchObject({ definition: kept.definition, top: 4, change: 4, total: 4, log });
      // No answer of before carried this date for conditional requests.
      expect(entry.lastModified).toBeGreaterThan(Math.max(seconds, lost.lastModified!));
      expect((await store.record('permits:a'))!.position).toBe(1);
      for (const old of [{ since: 4, log: lost.log }, { since: 2, log: kept.log }, { since: 2 }]) {
        const refused = store.changes('permits', { ...old, limit: 9 });
        await expect(refused, JSON.stringify(old)).rejects.toMatchObject({ code: 'log_restarted' });
      }
      expect((await store.changes('permits', { since: 0, limit: 9 })).versions).toHaveLength(4);
      expect((await store.changes('permits', { since: 2, log, limit: 9 })).versions).toHaveLength(2);
    });

    // A second time changes as much as the first one, and says that it came twice.
    const second = await gazette(['doctor', '--restored', '--yes', '--store', url]);
    expect(second.code).toBe(0);
    expect(second.stderr).toContain('had been given before, and nothing was written to them since: permits\n');
    await use(async (store) => {
      await expect(store.changes('permits', { since: 4, log, limit: 9 })).rejects.toThrow('restored from a backup');
      await store.apply('permits', [say('f')], { recordedAt: at(3) });
      const begun = await store.beginNewLogs({ at: at(4) });
      expect(begun.map(({ feedId, wasUnused }) => [feedId, wasUnused])).toEqual([
        ['permits', false],
        ['empty', false],
      ]);
      await store.apply('permits', [say('a', { title: 'Changed' })], { recordedAt: at(5) });
      expect(await inspected(store)).toEqual([]);
    });
  });
}
