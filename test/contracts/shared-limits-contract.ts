// What limits promise that four nodes share through one counter, over the whole service.
import { expect, it, onTestFinished } from 'vitest';
import { createGazette, type Gazette } from '../../src/service/create-gazette.ts';
import type { ServiceStore } from '../../src/stores/contract/accounts.ts';
import type { LimitCounter } from '../../src/stores/contract/nodes/counter.ts';
import { until } from '../until.ts';

/** Nodes that nobody has met yet. */
export interface CountedNodes {
  /** Opens what a node has for itself. Its counter is that of its store, unless it has another one. */
  readonly openNode: () => Promise<{
    readonly store: ServiceStore;
    readonly limitCounter?: LimitCounter;
    readonly close: () => Promise<void>;
  }>;
  /** Makes the counter answer nobody, in one of the ways. @returns a function that brings it back */
  readonly takeAway: (way: string) => Promise<() => Promise<unknown>>;
}

/** Four nodes that know each other, and a way to ask them in turn. */
interface FourNodes {
  /** How many of so many requests were let through. */
  readonly burst: (requests: number, headers?: Record<string, string>) => Promise<number>;
  readonly nodes: readonly Gazette[];
  readonly errors: unknown[];
}

async function fourNodes({ openNode }: CountedNodes): Promise<FourNodes> {
  const errors: unknown[] = [];
  const nodes = await Promise.all(
    Array.from({ length: 4 }, async () => {
      const { close, ...parts } = await openNode();
      const gazette = createGazette({
        ...parts,
        limits: { perAddress: { limit: 120, windowSeconds: 3600 }, failures: { limit: 20, windowSeconds: 3600 } },
        logger: { info: () => undefined, error: (fields) => errors.push((fields as { err: unknown }).err) },
      });
      onTestFinished(async () => {
        await gazette.close();
        await close();
      });
      return gazette;
    }),
  );
  const ask = (node: Gazette, remoteAddress: string, headers: Record<string, string> = {}): Promise<Response> =>
    node.fetch(new Request('https://example.org/api/v1/feeds', { headers }), { remoteAddress });
  let asked = 0;
  // Each draw says how many nodes there are.
  await until('four nodes', async () => {
    const answers = await Promise.all(nodes.map((node) => ask(node, `192.0.2.${++asked}`)));
    for (const { status } of answers) expect(status).toBe(200);
    return (await Promise.all(nodes.map((node) => figureOf(node, 'gazette_limit_nodes')))).every((told) => told === 4);
  });
  const burst = async (requests: number, headers: Record<string, string> = {}): Promise<number> => {
    const answers = await Promise.all(
      Array.from({ length: requests }, (_, n) => ask(nodes[n % 4]!, '203.0.113.7', headers)),
    );
    const limited = answers.filter(({ status }) => status === 429);
    for (const { headers } of limited) expect(Number(headers.get('retry-after'))).toBeGreaterThan(3500);
    return requests - limited.length;
  };
  return { burst, nodes, errors };
}

/** What a node tells its operator. */
async function figureOf(node: Gazette, figure: string): Promise<number> {
  const lines = (await node.metrics.registry.metrics()).split('\n');
  return Number(
    lines
      .find((line) => line.startsWith(`${figure} `))!
      .split(' ')
      .at(-1),
  );
}

/** Registers the suite. @param ways in which the counter may be away */
export function sharedLimitsContract(open: () => Promise<CountedNodes>, ways: readonly string[]): void {
  it('lets 114 to 120 of a burst of 520 through four nodes', async () => {
    const { burst, nodes, errors } = await fourNodes(await open());
    const sumOf = async (figure: string): Promise<number> =>
      (await Promise.all(nodes.map((node) => figureOf(node, figure)))).reduce((sum, one) => sum + one, 0);
    const through = await burst(520);
    expect(through).toBeGreaterThanOrEqual(114);
    expect(through).toBeLessThanOrEqual(120);
    expect(await sumOf('gazette_limit_counter_away')).toBe(0);
    expect(errors).toEqual([]);
    expect(await sumOf('gazette_limit_nodes')).toBe(16);
    expect(await sumOf('gazette_limit_refusals_total{policy="address"}')).toBe(520 - through);
    expect(await sumOf('gazette_limit_draws_total{outcome="answered"}')).toBeGreaterThan(0);
    expect(await sumOf('gazette_limit_draws_total{outcome="failed"}')).toBe(0);
  });

  it('counts keys that do not work over all nodes', async () => {
    const { burst } = await fourNodes(await open());
    const through = await burst(120, { authorization: `Bearer gz_${'a'.repeat(38)}` });
    expect(through).toBeGreaterThanOrEqual(17);
    expect(through).toBeLessThanOrEqual(20);
  });

  it.each(ways)('lets at most 120 through while %s, says so, and counts again afterwards', async (way) => {
    const counted = await open();
    const { burst, nodes, errors } = await fourNodes(counted);
    const awayOn = (node: Gazette): Promise<number> => figureOf(node, 'gazette_limit_counter_away');
    const bringBack = await counted.takeAway(way);
    const through = await burst(520);
    expect(through).toBeLessThanOrEqual(120);
    expect(through).toBeGreaterThanOrEqual(100);
    expect(await Promise.all(nodes.map(awayOn))).toEqual([1, 1, 1, 1]);
    expect(errors.length).toBeGreaterThanOrEqual(4);
    for (const error of errors) expect(String(error)).toMatch(/counter of limits/);
    await bringBack();
    for (const node of nodes) await until('the counter', async () => (await awayOn(node)) === 0);
    expect(await burst(520)).toBeLessThanOrEqual(120 - through * 0.75);
  });
}
