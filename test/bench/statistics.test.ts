import { describe, expect, it } from 'vitest';
import type { Timing } from '../../bench/harness.ts';
import { Destination, documentOf, judge, judgeFirstByte, measure, type Run, type Runner } from '../../bench/harness.ts';
import { median, ratiosOf, spreadOf } from '../../bench/statistics.ts';

/** Twice the clock's time is processor time, unless `cpu` says otherwise. */
const timing = (
  name: string,
  role: Timing['role'],
  rounds: number[],
  firstBytes = rounds,
  cpu = rounds.map((ms) => ms * 2),
): Timing => ({
  name,
  role,
  version: null,
  note: null,
  cpu: spreadOf(cpu),
  time: spreadOf(rounds),
  firstByteMs: median(firstBytes),
  bytes: 1,
  repeats: 1,
  runs: rounds.map((ms, round) => ({ ms, cpuMs: cpu[round]!, firstByteMs: firstBytes[round]!, bytes: 1 })),
});

describe('the statistics of the benchmarks', () => {
  it.each([
    [[5], 5],
    [[3, 1, 2], 2],
    [[4, 1, 3, 2], 2.5],
    [[10, 9, 2], 9],
  ])('take %j to have the median %d', (values, expected) => {
    expect(median(values)).toBe(expected);
  });

  it('leave the values in their order', () => {
    const values = [3, 1, 2];
    spreadOf(values);
    expect(values).toEqual([3, 1, 2]);
  });

  it('refuse to speak about nothing', () => {
    expect(() => median([])).toThrow(RangeError);
  });

  it('give the spread with and without outliers', () => {
    expect(spreadOf([10, 11, 12, 13, 100])).toEqual({ median: 12, min: 10, max: 100, deviation: 1, n: 5 });
  });

  it('take ratios within a round, so that a busy machine weighs on both sides', () => {
    const ours = [10, 10, 50, 10, 10];
    const theirs = [20, 20, 100, 20, 20];
    expect(ratiosOf(theirs, ours)).toMatchObject({ median: 2, min: 2, max: 2 });
  });

  it('refuse rounds that do not belong together', () => {
    expect(() => ratiosOf([1, 2], [1])).toThrow('2 and 1');
  });
});

describe('the goals of a table', () => {
  const timings = [
    timing('gazette', 'native', [10, 12, 11], [0.1, 0.12, 0.5]),
    timing('slow', 'peer', [40, 48, 44]),
    timing('fast', 'peer', [20, 24, 22]),
  ];

  it('are judged by processor time: who has many threads takes no less of it', () => {
    const threads = timing('threads', 'peer', [5, 6, 5.5], undefined, [60, 72, 66]);
    const [goal] = judge([{ label: 'best', atLeast: 2, against: ['threads', 'fast'] }], [...timings, threads]);
    expect(goal).toMatchObject({ against: 'fast', measured: { median: 2 }, met: true });
    const [alone] = judge([{ label: 'best', atLeast: 3, against: ['threads'] }], [...timings, threads]);
    expect(alone).toMatchObject({ measured: { median: 3 }, clock: 0.5, met: true });
  });

  it('are measured against the best of those they name', () => {
    const [goal] = judge([{ label: 'best', atLeast: 2, against: ['slow', 'fast'] }], timings);
    expect(goal).toMatchObject({ against: 'fast', measured: { median: 2 }, met: true });
  });

  it('fail by the smallest amount', () => {
    const [goal] = judge([{ label: 'best', atLeast: 2.01, against: ['fast'] }], timings);
    expect(goal!.met).toBe(false);
  });

  it('may be about another one of ours, and about the part of somebody’s time that it takes', () => {
    const both = [...timings, timing('gazette too', 'native', [30, 36, 33])];
    const goal = { label: 'part', against: ['fast'], of: 'gazette too' };
    expect(judge([{ ...goal, atMost: 1.5 }], both)[0]).toMatchObject({ measured: { median: 1.5 }, met: true });
    expect(judge([{ ...goal, atMost: 1.49 }], both)[0]!.met).toBe(false);
    expect(() => judge([{ ...goal, of: 'nobody', atMost: 1 }], both)).toThrow('nobody');
  });

  it('are refused when nobody they name was measured', () => {
    expect(() => judge([{ label: 'best', atLeast: 2, against: ['nobody'] }], timings)).toThrow('nobody');
  });

  it('tell the first byte as a share of the whole time of its round', () => {
    expect(judgeFirstByte('first', 0.01, timings)).toMatchObject({ measured: { median: 0.01 }, met: true });
    expect(judgeFirstByte('first', 0.009, timings).met).toBe(false);
  });
});

describe('the rounds of a measurement', () => {
  const calls: string[] = [];
  const runner = (name: string, ms: number): Runner => ({
    name,
    role: 'peer',
    version: null,
    run: async (repeats): Promise<Run> => {
      calls.push(`${name}×${repeats}`);
      return { ms, cpuMs: ms, firstByteMs: 1, bytes: 10 };
    },
  });

  it('let everybody run once a round, begin with another each time, and leave the warm-ups out', async () => {
    calls.length = 0;
    const timings = await measure([runner('a', 40), runner('b', 300)], { rounds: 2, warmUps: 1, minRunMs: 100 });
    expect(calls).toEqual(['a×1', 'b×1', 'b×1', 'a×3', 'a×3', 'b×1']);
    expect(timings.map(({ name, repeats, runs }) => [name, repeats, runs.length])).toEqual([
      ['a', 3, 2],
      ['b', 1, 2],
    ]);
  });
});

describe('the destination of a contestant', () => {
  it('counts bytes of UTF-8 and notes the first', () => {
    const out = new Destination();
    expect(out.firstByteAt).toBeNull();
    out.text('aé水');
    expect(out.bytes).toBe(6);
    expect(out.firstByteAt).not.toBeNull();
  });

  it('keeps a copy of what a package may write over', async () => {
    const document = await documentOf({
      name: 'a package that uses its buffer again',
      role: 'peer',
      version: null,
      run(out) {
        const buffer = Buffer.from('abc');
        out.write(buffer);
        buffer.fill('x');
        out.write(buffer);
      },
    });
    expect(document.toString()).toBe('abcxxx');
  });

  it('takes what a stream is given', async () => {
    const out = new Destination(true);
    const stream = out.stream();
    stream.write('水');
    await new Promise<void>((resolve) => stream.end(Buffer.from('!'), resolve));
    expect(out.document().toString()).toBe('水!');
  });
});
