// What every counter of limits promises, no matter which node or worker asks it.
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { LimitCounter, LimitDraw } from '../../src/stores/contract/nodes/counter.ts';
import { tries } from '../effort.ts';
import { until } from '../until.ts';

let callers = 0;

/** A draw of a caller that nobody knows. */
function drawOf(some: Partial<LimitDraw> = {}): LimitDraw {
  const caller = `key c${++callers}`;
  return { caller, isKept: false, limit: 120, windowSeconds: 3600, needed: 1, wanted: 1, spent: 0, ...some };
}

/** Registers the suite for one counter. */
export function limitCounterContract(open: () => Promise<LimitCounter>): void {
  let counter: LimitCounter;

  beforeAll(async () => {
    counter = await open();
  });
  afterAll(async () => {
    for (const node of ['a', 'b', 'c', 'd']) await counter.leave(node);
  });

  it('gives what is wanted, at most 1/(4 × nodes) of what is left, and at least what is needed', async () => {
    expect(await counter.meet('a')).toBe(1);
    const draw = drawOf({ wanted: 1000 });
    expect(await counter.draw(draw)).toMatchObject({ granted: 30, left: 90, nodes: 1 });
    for (const node of ['b', 'c', 'd', 'd']) await counter.meet(node);
    expect(await counter.draw(draw)).toMatchObject({ granted: 5, left: 85, nodes: 4 });
    expect(await counter.draw({ ...draw, wanted: 3 })).toMatchObject({ granted: 3, left: 82 });
    expect(await counter.draw({ ...draw, needed: 80 })).toMatchObject({ granted: 80, left: 2 });
    expect(await counter.draw({ ...draw, needed: 3 })).toMatchObject({ granted: 0, left: 2 });
    expect(await counter.draw(draw)).toMatchObject({ granted: 1, left: 1 });
    expect(await counter.draw(draw)).toMatchObject({ granted: 1, left: 0 });
    expect(await counter.draw(draw)).toMatchObject({ granted: 0, left: 0 });
    await counter.leave('d');
    expect(await counter.meet('a')).toBe(3);
  });

  it('takes tokens back in their window alone, and counts first what was let through without it', async () => {
    for (const isKept of [false, true]) {
      const draw = drawOf({ isKept, needed: 100, wanted: 100 });
      const { endsAt, endsInMs } = await counter.draw(draw);
      expect(endsInMs).toBeGreaterThan(3_590_000);
      expect(endsInMs).toBeLessThanOrEqual(3_600_000);
      await counter.giveBack({ ...draw, endsAt: endsAt - 1, tokens: 50 });
      await counter.giveBack({ ...draw, isKept, endsAt, tokens: 10 });
      expect(await counter.draw({ ...draw, needed: 5, spent: 20 })).toMatchObject({ granted: 5, left: 5, endsAt });
      expect(await counter.draw({ ...draw, needed: 5, spent: 7 })).toMatchObject({ granted: 0, left: 0, endsAt });
      // However many come back, there are no more than the limit.
      await counter.giveBack({ ...draw, endsAt, tokens: 500 });
      expect(await counter.draw({ ...draw, needed: 120, wanted: 120 })).toMatchObject({ granted: 120, left: 0 });
    }
  });

  it('begins a window by its own clock when one is over, and then removes the old', async () => {
    const draw = drawOf({ limit: 1, windowSeconds: 1 });
    const { endsAt } = await counter.draw(draw);
    expect(await counter.draw(draw)).toMatchObject({ granted: 0, endsAt });
    const next = await until('the next window', async () => {
      const drawn = await counter.draw(draw);
      return drawn.granted === 1 ? drawn : null;
    });
    expect(next.endsAt).toBeGreaterThanOrEqual(endsAt + 1000);
    await counter.giveBack({ ...draw, endsAt, tokens: 1 });
    expect(await counter.draw(draw)).toMatchObject({ granted: 0 });
    await counter.meet('a');
  });

  it('never gives more than the limit in a window, however many ask at a time', async () => {
    const ask = fc.record({ needed: fc.integer({ min: 1, max: 9 }), more: fc.nat(40), back: fc.nat(60) });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 200 }), fc.array(ask, { maxLength: 40 }), async (limit, asks) => {
        const draw = drawOf({ limit });
        let out = 0;
        const held = await Promise.all(
          asks.map(async ({ needed, more, back }) => {
            const { granted, left, endsAt } = await counter.draw({ ...draw, needed, wanted: needed + more });
            if (granted > 0) expect(granted).toBeGreaterThanOrEqual(needed);
            expect(left).toBeGreaterThanOrEqual(0);
            const tokens = Math.min(back, granted);
            if (tokens > 0) await counter.giveBack({ ...draw, endsAt, tokens });
            return granted - tokens;
          }),
        );
        for (const tokens of held) out += tokens;
        expect(out).toBeLessThanOrEqual(limit);
        // Exactly what is not out is left.
        expect(await counter.draw(draw)).toMatchObject({ granted: Math.min(1, limit - out) });
      }),
      { numRuns: tries(3, 200) },
    );
  });
}
