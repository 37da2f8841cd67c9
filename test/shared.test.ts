// What is made once for all: what is kept and for how long, who waits for whom, and that nothing stale is kept.
import { describe, expect, it } from 'vitest';
import { type Made, Shared } from '../src/shared.ts';

const lasting = <T>(value: T): Made<T> => ({ value, isLasting: true });

/** Something that is made when it is told to be. */
interface Gated<T> {
  readonly signals: AbortSignal[];
  readonly make: (signal: AbortSignal) => Promise<Made<T>>;
  readonly resolve: (made: Made<T>) => void;
}

function gated<T>(): Gated<T> {
  const { promise, resolve } = Promise.withResolvers<Made<T>>();
  const signals: AbortSignal[] = [];
  const make: Gated<T>['make'] = (signal) => {
    signals.push(signal);
    return promise;
  };
  return { signals, make, resolve };
}

describe('what is kept', () => {
  it('takes no more than the capacity, and the oldest goes that nobody asked for again', () => {
    const shared = new Shared<string, number, null>({ capacity: 1000, weigh: (size) => size });
    for (let i = 0; i < 10; i++) shared.keep(`${i}`, null, 100);
    expect(shared.get('0', null)).toBe(100);
    shared.keep('10', null, 50);
    expect(['0', '1', '2', '10'].map((key) => shared.get(key, null))).toEqual([100, undefined, 100, 50]);
    for (const key of ['3', '4', '5', '6', '7', '8', '9']) expect(shared.get(key, null)).toBe(100);
    shared.keep('next', null, 100);
    // All of them were asked for: the oldest goes.
    expect(['0', '2', '10', 'next'].map((key) => shared.get(key, null))).toEqual([100, undefined, 50, 100]);
    shared.keep('large', null, 1001);
    expect(['10', 'large'].map((key) => shared.get(key, null))).toEqual([50, undefined]);
  });

  it('is weighed once, however often it is kept, and nothing after it was deleted', () => {
    const shared = new Shared<string, number, null>({ capacity: 1000, weigh: (size) => size });
    for (let i = 0; i < 50; i++) shared.keep('same', null, 100);
    shared.keep('deleted', null, 500);
    shared.delete('deleted');
    shared.delete('deleted');
    for (let i = 0; i < 9; i++) shared.keep(`${i}`, null, 100);
    expect([shared.get('same', null), shared.get('0', null)]).toEqual([100, 100]);
    shared.deleteWhere((size) => size === 100);
    expect([shared.get('same', null), shared.get('8', null)]).toEqual([undefined, undefined]);
  });

  it('holds under its stamp, and under a later one if nothing has changed since', async () => {
    const unchanged = new Set<string>();
    const stillHolds = (key: string, since: number): boolean => unchanged.has(`${key} ${since}`);
    const shared = new Shared<string, string, number>({ capacity: 9, stillHolds });
    const { value } = await shared.of('a', 1, async () => lasting('first'));
    expect([value, shared.get('a', 1), shared.get('a', 2), shared.get('b', 1)]).toEqual([
      ...['first', 'first'],
      ...[undefined, undefined],
    ]);
    unchanged.add('a 1');
    expect((await shared.of('a', 2, async () => lasting('second'))).value).toBe('first');
    unchanged.clear();
    expect((await shared.of('a', 2, async () => lasting('second'))).value).toBe('second');
  });

  it('is nothing that may have changed while it was made', async () => {
    const shared = new Shared<string, string, number>({ capacity: 9 });
    expect((await shared.of('a', 1, async () => ({ value: 'newer', isLasting: false }))).value).toBe('newer');
    expect(shared.get('a', 1)).toBeUndefined();
  });

  it('is not replaced by what was begun under an earlier stamp and ends later', async () => {
    const shared = new Shared<string, string, number>({ capacity: 9 });
    const [early, late] = [gated<string>(), gated<string>()];
    const before = shared.of('a', 1, early.make);
    const after = shared.of('a', 2, late.make);
    late.resolve(lasting('late'));
    expect((await after).value).toBe('late');
    early.resolve(lasting('early'));
    expect((await before).value).toBe('early');
    expect([shared.get('a', 1), shared.get('a', 2)]).toEqual([undefined, 'late']);
  });
});

describe('who asks at the same time', () => {
  it('waits for one that makes it, if the stamp is the same', async () => {
    const shared = new Shared<string, string, number>({ capacity: 0 });
    const { make, resolve, signals } = gated<string>();
    const asked = [1, 1, 2, 1].map((stamp) => shared.of('a', stamp, make));
    resolve(lasting('made'));
    expect((await Promise.all(asked)).map(({ hasWaited }) => hasWaited)).toEqual([false, true, false, false]);
    expect([signals.length, shared.get('a', 1)]).toEqual([3, undefined]);
  });

  it('makes it again when that one fails, one for all, and shares the third error', async () => {
    const shared = new Shared<string, string, null>({ capacity: 9 });
    let made = 0;
    const failing = (until: number) => async (): Promise<Made<string>> => {
      if (++made <= until) throw new Error(`failure ${made}`);
      return lasting(`made ${made}`);
    };
    const all = (until: number): Promise<PromiseSettledResult<unknown>[]> =>
      Promise.allSettled(Array.from({ length: 5 }, () => shared.of('a', null, failing(until))));
    const told = (results: readonly PromiseSettledResult<unknown>[]): unknown[] =>
      results.map((one) => (one.status === 'fulfilled' ? one.value : (one.reason as Error).message));
    expect(told(await all(1))).toEqual([
      'failure 1',
      ...Array.from({ length: 4 }, () => ({ value: 'made 2', hasWaited: true })),
    ]);
    shared.delete('a');
    made = 0;
    expect(told(await all(9))).toEqual(['failure 1', 'failure 2', ...['failure 3', 'failure 3', 'failure 3']]);
    expect(made).toBe(3);
  });

  it('is told to stop when all have gone away, and who comes then has it made anew', async () => {
    const shared = new Shared<string, string, null>({ capacity: 9 });
    const { make, resolve, signals } = gated<string>();
    const gone = [new AbortController(), new AbortController()];
    const left = gone.map(({ signal }) => shared.of('a', null, make, signal));
    await Promise.resolve();
    gone[0]!.abort();
    expect(signals[0]!.aborted).toBe(false);
    gone[1]!.abort();
    expect(signals[0]!.aborted).toBe(true);
    const late = shared.of('a', null, async () => lasting('late'));
    resolve(lasting('abandoned'));
    expect((await late).value).toBe('late');
    expect(shared.get('a', null)).toBe('late');
    await Promise.all(left);
    await expect(shared.of('b', null, make, AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone');
  });
});
