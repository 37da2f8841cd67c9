// A witness that is killed at any moment, while histories that part are sent to it, has signed one of them.
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { originHash } from '../../../../src/wings/proofs/tlog/checkpoint.ts';
import { parseNote, verifyNote } from '../../../../src/wings/proofs/tlog/note.ts';
import { folder } from '../../../cli/run.ts';
import { tried, tries } from '../../../effort.ts';
import { hex } from '../tlog/naive-tree.ts';
import { letPass, until } from '../../../until.ts';
import { KnownLog } from './known-log.ts';
import { startWitness, WITNESS } from './serving.ts';

const LONGEST = 400;

/** How often a witness is killed before it would come to the end. */
const KILLS_OF_ONE = 8;

it('signs one history, however often it is killed', async () => {
  const logs = [0, 3, 40].map((size, at) => new KnownLog().grow(size).grow(LONGEST - size, `fork ${at}`));
  const { key } = logs[0]!;
  let state = '';
  /** What somebody got a signature of. */
  const signed = new Map<number, string>();
  let largest = 0;
  const kills = tries(3, 200);
  for (let kill = 0; kill < kills; kill++) {
    if (kill % KILLS_OF_ONE === 0) {
      state = join(await folder(), 'state.db');
      signed.clear();
      largest = 0;
    }
    const { child, url } = await startWitness(state, [key]);
    const ended = once(child, 'exit');
    const ask = async (log: KnownLog, before: number, size: number): Promise<number> => {
      const body = log.request(before, size);
      const response = await fetch(`${url}/add-checkpoint`, { method: 'POST', body });
      const text = await response.text();
      if (response.status === 409) return Number(text);
      if (response.status !== 200) return before;
      verifyNote(parseNote(log.checkpoint(size) + text), [WITNESS]);
      const root = hex([log.head(size).root])[0]!;
      expect(signed.get(size) ?? root).toBe(root);
      signed.set(size, root);
      largest = Math.max(largest, size);
      return size;
    };
    let isKilled = false;
    const asking = logs.map(async (log) => {
      for (let at = 0; !isKilled && at < LONGEST;) {
        // Nobody answers any more once it is killed.
        at = await ask(log, at, Math.min(at + 1 + (kill % 2), LONGEST)).catch((error: unknown) => {
          if (error instanceof TypeError) return LONGEST;
          throw error;
        });
      }
    });
    await until('the first signature', () => signed.size > 0);
    await letPass(Math.random() * 60, 'a moment drawn at random');
    child.kill('SIGKILL');
    isKilled = true;
    await Promise.all([...asking, ended]);
    const again = await startWitness(state, [key]);
    const last = await (await fetch(`${again.url}/${originHash(key.name)}/checkpoint`)).text();
    expect(Number(last.split('\n')[1])).toBeGreaterThanOrEqual(largest);
    again.child.kill('SIGKILL');
    tried(1);
    // All that was signed is of one history.
    expect(signed.size).toBeGreaterThan(0);
    expect(logs.some((log) => [...signed].every(([size, root]) => hex([log.head(size).root])[0] === root))).toBe(true);
  }
});
