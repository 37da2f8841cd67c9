import { describe, expect, it } from 'vitest';
import { Progress } from '../../src/cli/io/progress.ts';

/** A terminal that remembers, and a clock that is set by hand. */
function stage(
  isTTY: boolean,
  totalBytes: number | null,
): { drawn: string[]; progress: Progress; set: (ms: number) => void } {
  const drawn: string[] = [];
  let now = 1000;
  const progress = new Progress({ isTTY, write: (text) => drawn.push(text) }, totalBytes, () => now);
  return {
    drawn,
    progress,
    set: (ms) => {
      now = 1000 + ms;
    },
  };
}

describe('progress', () => {
  it('is records, rate, share and time left on one line of a terminal', () => {
    const { drawn, progress, set } = stage(true, 1_000_000);
    set(2000);
    progress.update({ records: 12_345, bytesRead: 250_000 });
    set(70_000);
    progress.update({ records: 50_000, bytesRead: 500_000 });
    progress.clear();
    expect(drawn).toEqual([
      '\r\u001b[K12,345 records, 6,173/s, 25 %, 6 s left',
      '\r\u001b[K50,000 records, 714/s, 50 %, 1 min 10 s left',
      '\r\u001b[K',
    ]);
  });

  it('says no time left where the size is not known', () => {
    const { drawn, progress, set } = stage(true, null);
    set(1000);
    progress.update({ records: 10, bytesRead: 250_000 });
    expect(drawn).toEqual(['\r\u001b[K10 records, 10/s']);
  });

  it('is drawn five times a second at most', () => {
    const { drawn, progress, set } = stage(true, null);
    for (let ms = 0; ms <= 1000; ms += 10) {
      set(ms);
      progress.update({ records: ms, bytesRead: ms });
    }
    expect(drawn).toHaveLength(5);
  });

  it('says at once why it does not move, and takes that away', () => {
    const { drawn, progress } = stage(true, null);
    progress.say('asking again in 4 s');
    progress.clear();
    expect(drawn).toEqual(['\r\u001b[Kasking again in 4 s', '\r\u001b[K']);
  });

  it('is silent where there is no terminal', () => {
    const { drawn, progress, set } = stage(false, 10);
    set(5000);
    progress.say('asking again in 4 s');
    progress.update({ records: 1, bytesRead: 1 });
    progress.clear();
    expect(drawn).toEqual([]);
  });
});
