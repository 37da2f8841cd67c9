// `gazette snapshot` through the real command line, killed at any moment.
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { writeSnapshot } from '../../src/snapshot/run.ts';
import { verifySnapshot } from '../../src/snapshot/verify.ts';
import { SqliteStore } from '../../src/stores/sqlite/store.ts';
import { sign } from '../wings/proofs/signing.ts';
import { tried, tries } from '../effort.ts';
import { digests } from '../snapshot/published.ts';
import { prove, provedSizes } from '../wings/proofs/snapshot/read-log.ts';
import { letPass, until } from '../until.ts';
import { ending, folder, gazette, start } from './run.ts';
import { makeStore } from './served.ts';
import { argumentsOf, change, SITE } from './snapshots.ts';
import { logsOf } from '../wings/proofs/logs-of.ts';

/** How many runs are killed, each at a random moment. */
const KILLS = tries(8, 200);

/** The same, of a register that is large enough for threads. */
const KILLS_OF_THREADS = tries(2, 40);

describe('gazette snapshot', () => {
  it.each([
    [' as whole files too', { whole: true }],
    [' with a search', { search: true }],
  ])(
    'killed at any moment%s leaves old and new files, none torn, is known as what it is, and is completed',
    async (_, options) => {
      const { path } = await makeStore(2000);
      const out = join(await folder(), 'site');
      const complete = async (): Promise<void> => {
        const store = SqliteStore.open(path);
        await writeSnapshot({ store, out, baseUrl: SITE, tier: 'pro', ...options });
        await store.close();
      };
      const written = (to: string): readonly string[] => {
        return [...argumentsOf(path, to), '--tier', 'pro', ...Object.keys(options).map((name) => `--${name}`)];
      };
      const isBegun = (): boolean => existsSync(join(out, 'manifest.next.json'));
      let interruptions = 0;
      for (let round = 0; round < KILLS; round++) {
        // In every other round there are old files under the new ones.
        if (round % 2 === 1) {
          await complete();
          const all = Array.from({ length: 20 }, (_, page) => page * 100 + 1);
          await change(path, all, new Date(Date.UTC(2026, 9, 10 + round, 10)).toISOString().replace('.000', ''));
        }
        const child = start(written(out));
        const ended = ending(child);
        // Where a run before was killed, its journal stands already: a process takes as long as this to start.
        if (isBegun()) await letPass(250, 'a journal says nothing of when this process began');
        await until('the journal', () => isBegun() || child.exitCode !== null);
        await letPass(Math.random() * 250, 'the moment is drawn at random');
        child.kill('SIGKILL');
        await ended;
        const isInterrupted = isBegun() || existsSync(join(out, 'permits/manifest.next.json'));
        if (isInterrupted) interruptions++;
        const state = isInterrupted ? 'interrupted' : 'whole';
        expect(await verifySnapshot(out)).toMatchObject({ state, tier: 'pro', findings: [] });
      }
      tried(KILLS);
      expect(interruptions).toBeGreaterThanOrEqual(KILLS / 5);
      await complete();
      expect(await verifySnapshot(out)).toMatchObject({ state: 'whole', findings: [] });
      // To the byte what a run gives that nobody interrupted.
      const fresh = join(await folder(), 'site');
      expect((await gazette(written(fresh))).code).toBe(0);
      expect(await digests(out)).toEqual(await digests(fresh));
    },
  );

  it('killed while threads make its pages leaves no torn file, and is completed to the byte by the next run', async () => {
    const { path } = await makeStore(6600);
    const out = join(await folder(), 'site');
    for (let round = 0; round < KILLS_OF_THREADS; round++) {
      const child = start(argumentsOf(path, out));
      const ended = ending(child);
      const isAtPages = (): boolean => existsSync(join(out, 'permits/pages/000001.atom.tmp'));
      if (round === 0) await until('the pages', () => isAtPages() || child.exitCode !== null);
      await letPass((round === 0 ? 0 : 400) + Math.random() * 600, 'the moment is drawn at random');
      child.kill('SIGKILL');
      await ended;
      const { state, findings } = await verifySnapshot(out);
      expect(findings).toEqual([]);
      expect(state).toBe(existsSync(join(out, 'manifest.next.json')) ? 'interrupted' : 'whole');
    }
    tried(KILLS_OF_THREADS);
    expect((await gazette(argumentsOf(path, out))).code).toBe(0);
    expect(await verifySnapshot(out)).toMatchObject({ state: 'whole', records: 6600, findings: [] });
    const fresh = join(await folder(), 'site');
    const store = SqliteStore.open(path);
    await writeSnapshot({ store, out: fresh, baseUrl: SITE, threads: 1 });
    await store.close();
    expect(await digests(out)).toEqual(await digests(fresh));
  });

  it('killed at any moment leaves all tiles of every checkpoint that is there, no checkpoint that goes back, and words that are proved or said to be unfinished', async () => {
    const { path } = await makeStore(600);
    const out = join(await folder(), 'site');
    const register = join(out, 'permits');
    /** Signs what the store has. @returns the checkpoint */
    const signed = async (): Promise<string> => {
      const store = SqliteStore.open(path);
      await sign(store, 'permits');
      const { checkpoint, name } = await logsOf(store).of('permits');
      await store.close();
      log = join(register, `log/${name}`);
      return checkpoint!;
    };
    const written = (to: string): readonly string[] => [...argumentsOf(path, to), '--tier', 'pro'];
    /** What `verify` says of the words, and how it ends. */
    const words = async (): Promise<readonly [number | null, string]> => {
      const store = SqliteStore.open(path);
      const { vkey } = await logsOf(store).of('permits');
      await store.close();
      const { code, stdout, stderr } = await gazette(['verify', out, '--vkey', vkey!]);
      return [code, code === 0 ? stdout.toString().split('\n')[1]! : stderr];
    };
    let log = '';
    const published = new Set<string>();
    let last = 0;
    for (let round = 0; round < KILLS; round++) {
      const all = Array.from({ length: 90 }, (_, index) => index * 6 + 1);
      await change(path, all, new Date(Date.UTC(2026, 9, 10 + round, 10)).toISOString().replace('.000', ''));
      await signed();
      const child = start(written(out));
      const ended = ending(child);
      const isBegun = (): boolean => existsSync(join(register, 'manifest.next.json'));
      if (isBegun()) await letPass(250, 'a journal says nothing of when this process began');
      await until('the journal', () => isBegun() || child.exitCode !== null);
      await letPass(Math.random() * 250, 'the moment is drawn at random');
      child.kill('SIGKILL');
      await ended;
      const { state, findings } = await verifySnapshot(out);
      expect(findings).toEqual([]);
      expect(await words()).toEqual(
        state === 'whole'
          ? [0, '600 records: every word as signed']
          : [1, expect.stringContaining('(interrupted_snapshot)')],
      );
      if (!existsSync(join(log, 'checkpoint'))) continue;
      published.add(await readFile(join(log, 'checkpoint'), 'utf8'));
      const [size] = await provedSizes(register);
      expect(size).toBeGreaterThanOrEqual(last);
      last = size!;
      // Those that were there before can be read to their end.
      for (const note of published) await prove(log, note);
    }
    tried(KILLS);
    expect((await gazette(written(out))).code).toBe(0);
    expect(await verifySnapshot(out)).toMatchObject({ state: 'whole', findings: [] });
    expect(await words()).toEqual([0, '600 records: every word as signed']);
    const fresh = join(await folder(), 'site');
    expect((await gazette(written(fresh))).code).toBe(0);
    const [resumed, straight] = [await digests(out), await digests(fresh)];
    // The tiles of earlier checkpoints, and what names them, are of the runs before.
    const isOfPages = (name: string): boolean => /^permits\/(?:index|pages\/)/.test(name);
    for (const name of straight.keys()) if (isOfPages(name)) expect(resumed.get(name)).toBe(straight.get(name));
    expect([...resumed.keys()].filter(isOfPages)).toHaveLength([...straight.keys()].filter(isOfPages).length);
    expect(await readFile(join(log, 'checkpoint'), 'utf8')).toBe(await signed());
    for (const note of published) await prove(log, note);
  });
});
