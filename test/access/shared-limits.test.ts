// Limits that several processes share: tokens in hand, what goes back, and what holds while the counter is away.
import { expect, it, onTestFinished } from 'vitest';
import type { RateLimitOptions, RateState } from '../../src/access/rate-limits.ts';
import { Limits } from '../../src/access/limits/limits.ts';
import { MemoryLimitCounter } from '../../src/access/limits/memory-counter.ts';
import { GazetteError } from '../../src/errors.ts';
import type { LimitCounter, LimitDraw } from '../../src/stores/contract/nodes/counter.ts';
import { limitCounterContract } from '../contracts/limit-counter-contract.ts';
import { until } from '../until.ts';

const LIMIT = { perKey: { limit: 120, windowSeconds: 3600 } };

limitCounterContract(() => Promise.resolve(new MemoryLimitCounter()));

/** A counter in memory that can be cut off, and whose draws are noted. */
class CutCounter implements LimitCounter {
  readonly draws: LimitDraw[] = [];
  isCut = false;
  readonly #counter = new MemoryLimitCounter();

  draw: LimitCounter['draw'] = (draw) => {
    this.draws.push(draw);
    return this.#reached(() => this.#counter.draw(draw));
  };
  giveBack: LimitCounter['giveBack'] = (unused) => this.#reached(() => this.#counter.giveBack(unused));
  meet: LimitCounter['meet'] = (node) => this.#reached(() => this.#counter.meet(node));
  leave: LimitCounter['leave'] = (node) => this.#counter.leave(node);

  async #reached<T>(ask: () => Promise<T>): Promise<T> {
    if (this.isCut) throw new GazetteError('store_unavailable', 'the counter is away');
    return ask();
  }
}

/** Nodes that know each other. */
async function nodesOn(counter: LimitCounter, number: number, options: RateLimitOptions = LIMIT): Promise<Limits[]> {
  const nodes = Array.from({ length: number }, () => new Limits(counter, options));
  onTestFinished(async () => {
    await Promise.all(nodes.map((node) => node.close()));
  });
  // The first time each says that it is there.
  for (let round = 0; round < 2; round++) await Promise.all(nodes.map((node) => node.meet()));
  return nodes;
}

/** How many of a burst over the nodes are let through. */
async function letThrough(nodes: readonly Limits[], requests: number, times = 1): Promise<number> {
  const states = await Promise.all(
    Array.from({ length: requests }, async (_, n): Promise<RateState> =>
      nodes[n % nodes.length]!.take('key', 'a', { times }),
    ),
  );
  return states.filter(({ isAllowed }) => isAllowed).length;
}

it('lets a burst over four nodes through up to the limit', async () => {
  const nodes = await nodesOn(new CutCounter(), 4);
  const through = await letThrough(nodes, 520);
  expect(through).toBeGreaterThanOrEqual(114);
  expect(through).toBeLessThanOrEqual(120);
  expect(await nodes[0]!.take('key', 'b')).toMatchObject({ isAllowed: true, remaining: 119, resetSeconds: 3600 });
});

it('asks once for who asks seldom, and more at a time for who asks often', async () => {
  const counter = new CutCounter();
  const [node] = await nodesOn(counter, 1);
  await node!.take('key', 'a');
  expect(counter.draws.map(({ wanted }) => wanted)).toEqual([1]);
  for (let n = 0; n < 60; n++) expect(await node!.take('key', 'a')).toMatchObject({ isAllowed: true });
  expect(counter.draws.length).toBeLessThan(15);
});

it('gives back what is not used, so that the last token is had on any node', async () => {
  const nodes = await nodesOn(new CutCounter(), 4);
  let through = await letThrough(nodes.slice(0, 1), 7);
  await until('the whole limit', async () => {
    through += await letThrough(nodes.slice(1, 2), 30);
    expect(through).toBeLessThanOrEqual(120);
    return through === 120;
  });
});

it('keeps the token of a 304 for the next request, in its window alone', async () => {
  const counter = new CutCounter();
  const [node] = await nodesOn(counter, 1, { perKey: { limit: 2, windowSeconds: 1 } });
  const take = async (): Promise<RateState> => node!.take('key', 'a');
  const give = ({ window }: RateState): RateState => node!.giveBack('key', 'a', { window });
  const first = await take();
  for (let n = 0; n < 5; n++) expect(give(await take())).toMatchObject({ isAllowed: true, remaining: 1 });
  expect(counter.draws).toHaveLength(2);
  expect(await letThrough([node!], 5)).toBe(1);
  await until('the next window', async () => (await take()).isAllowed);
  give(first);
  expect(await letThrough([node!], 5)).toBe(1);
});

it('takes two for what counts twice, or none', async () => {
  const nodes = await nodesOn(new CutCounter(), 2, { perKey: { limit: 5, windowSeconds: 3600 } });
  expect(await letThrough(nodes, 9, 2)).toBe(2);
  expect(await letThrough(nodes.slice(0, 1), 9)).toBe(1);
});

it('lets its part of the limit through while the counter is away, says so, and has it counted later', async () => {
  const counter = new CutCounter();
  const nodes = await nodesOn(counter, 4);
  counter.isCut = true;
  expect(await letThrough(nodes, 520)).toBe(120);
  expect(nodes.map(({ figures }) => figures.isAway)).toEqual([true, true, true, true]);
  counter.isCut = false;
  for (const node of nodes) await node.meet();
  expect(nodes.map(({ figures }) => figures.isAway)).toEqual([false, false, false, false]);
  // Each node says what it let through with its first draw.
  expect(await letThrough(nodes, 520)).toBeLessThanOrEqual(90);
  expect(await letThrough(nodes, 520)).toBe(0);
});

it('lets nothing more through than was left when the counter goes away', async () => {
  const counter = new CutCounter();
  const [node] = await nodesOn(counter, 1);
  expect(await letThrough([node!], 100)).toBe(100);
  counter.isCut = true;
  expect(await letThrough([node!], 100)).toBe(20);
});

it('remembers so many callers, and has no limit where there is none', async () => {
  const [node] = await nodesOn(new CutCounter(), 1, { ...LIMIT, perAddress: null, maxCallers: 2 });
  expect(await node!.take('address', '192.0.2.1')).toMatchObject({ isAllowed: true, limit: Infinity });
  expect(node!.giveBack('address', '192.0.2.1', { window: 0 })).toMatchObject({ limit: Infinity });
  for (const caller of ['a', 'b', 'c', 'a']) {
    expect(await node!.take('key', caller)).toMatchObject({ isAllowed: true });
  }
  expect(await node!.take('key', 'a')).toMatchObject({ remaining: 117 });
});
