// A text takes work in the measure of its length, however often something in it is written otherwise: in every format, from
// a store's bytes and from its records.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';
import { FORMATS } from '../../src/formats/index.ts';
import type { LongTextsQuestion } from './long-texts-work.ts';

/** How much more each character of a longer text may take: buffers grow by doubling. */
const MORE = 1.5;

/** @param postgresUrl null: on SQLite */
export function longTextsContract(postgresUrl: string | null): void {
  it.each(Object.values(FORMATS).map((format) => format.name))(
    'takes no more work for each character of a longer text: %s',
    async (format) => {
      const workerData: LongTextsQuestion = { format, postgresUrl };
      const worker = new Worker(new URL('./long-texts-work.ts', import.meta.url), { workerData });
      // Both are listened for at once: one that has ended before its message is taken says both in one turn.
      const [[each]] = (await Promise.all([once(worker, 'message'), once(worker, 'exit')])) as [
        [readonly number[]],
        unknown,
      ];
      // That it is counted at all: what a database writes itself is not.
      expect(Math.max(...each)).toBeGreaterThan(0);
      for (const [at, work] of each.entries()) {
        if (at > 0) expect(work).toBeLessThan(MORE * Math.max(1, ...each.slice(0, at)));
      }
    },
  );
}
