// The simulation of many machines, where what must come of it is known.
import { describe, expect, it } from 'vitest';
import { type Cost, type Inputs, type Load, partOf, SHARES, TARGET } from '../../bench/scale/model.ts';
import { fewestNodes, Queue, simulate } from '../../bench/scale/simulate.ts';

const NOTHING: Cost = { nodeMs: 0, postgresMs: 0, transactions: 0 };
const ASKING: Cost = { nodeMs: 1, postgresMs: 2, transactions: 3 };

const INPUTS: Inputs = {
  costs: {
    ...{ repeat: { ...NOTHING, nodeMs: 0.5 }, rendered: { ...NOTHING, nodeMs: 0.6 } },
    ...{ page: ASKING, list: ASKING, record: ASKING, search: ASKING, feeds: ASKING },
  },
  look: { nodeMs: 0.25, postgresMs: 0.5, transactions: 1 },
  commit: { nodeMs: 0, postgresMs: 5, transactions: 1 },
  idle: { nodeCores: 0.01, postgresCores: 0.001, transactions: 1 },
  questions: { postgresCores: 0.001, transactions: 2 },
};

const ONLY_REPEATS = { repeat: 1, page: 0, list: 0, record: 0, search: 0, feeds: 0 };

const LOAD: Load = {
  ...{ requestsASecond: 1000, registers: 50, clients: 10, shares: ONLY_REPEATS },
  ...{ commitsASecond: 0, recordsACommit: 1 },
};

const ONE = { nodes: 1, postgresCores: 2, networkMs: 0.1 };

describe('the simulation of many machines', () => {
  it('serves who comes first first, by the server that is free first', () => {
    const queue = new Queue(2);
    expect([queue.serve(0, 10), queue.serve(1, 2), queue.serve(2, 4), queue.serve(30, 1)]).toEqual([10, 3, 7, 31]);
    expect(queue.busyMs).toBe(17);
  });

  it('has the waits of a queue with exponential times (M/M/1: times are exponential with the mean s / (1 - load))', () => {
    const { medianMs, p99Ms, nodeCores } = simulate({ inputs: INPUTS, load: LOAD, machines: ONE, seconds: 200 });
    const mean = 0.5 / (1 - 0.5);
    expect(nodeCores).toBeCloseTo(0.5 + 0.01, 1);
    expect(Math.abs(medianMs / (mean * Math.log(2)) - 1)).toBeLessThan(0.05);
    expect(Math.abs(p99Ms / (mean * Math.log(100)) - 1)).toBeLessThan(0.1);
  });

  it('asks PostgreSQL nothing while nothing is committed and all requests repeat', () => {
    const machines = { ...ONE, nodes: 4 };
    const outcome = simulate({ inputs: INPUTS, load: LOAD, machines, seconds: 20 });
    expect(outcome).toMatchObject({ notModified: 1, asking: 0, transactionsASecond: 4 * 3 });
    expect(outcome.postgresCores).toBeCloseTo(4 * 0.002);
  });

  // So many requests that every node and client asks for everything between two commits.
  const often = { ...LOAD, requestsASecond: 2000, registers: 5, clients: 4, commitsASecond: 0.2 };
  const quick = { ...INPUTS, costs: { ...INPUTS.costs, repeat: { ...NOTHING, nodeMs: 0.1 } } };
  const seconds = 1000;
  /** The number of commits is random, with a standard deviation of a fourteenth. */
  const expectFor = (commits: number, seen: number, each: number): void => {
    expect(Math.abs(seen / (commits * each) - 1)).toBeLessThan(0.3);
  };

  it('has each node look once at a register that has changed', () => {
    const nodes = 4;
    // So many that the first who asks a node for the register has the page of before, and gets the new one.
    const load = { ...often, clients: 200 };
    const outcome = simulate({ inputs: quick, load, machines: { ...ONE, nodes }, seconds });
    const commits = often.commitsASecond * seconds;
    expectFor(commits, outcome.asking * often.requestsASecond * seconds, nodes);
    // It then makes its page.
    expectFor(commits, (outcome.transactionsASecond - nodes * 3) * seconds, nodes * (1 + 3) + 1);
  });

  it('has each client get each new page once from one node', () => {
    const outcome = simulate({ inputs: quick, load: often, machines: ONE, seconds });
    const renewed = (1 - outcome.notModified) * often.requestsASecond * seconds;
    expectFor(often.commitsASecond * seconds, renewed, often.clients);
  });

  it('takes of each request what was measured (utilisation law)', () => {
    const load = { ...LOAD, shares: SHARES, requestsASecond: 200 };
    const outcome = simulate({ inputs: INPUTS, load, machines: ONE, seconds: 300 });
    expect(outcome.nodeCores).toBeCloseTo(200 * (0.95 * 0.0005 + 0.05 * 0.001) + 0.01, 2);
    expect(outcome.postgresCores).toBeCloseTo(200 * 0.05 * 0.002 + 0.002, 2);
    expect(outcome.transactionsASecond).toBeGreaterThan(200 * 0.05 * 3 * 0.9);
    expect(outcome.notModified).toBeCloseTo(0.95, 2);
  });

  it('finds the fewest nodes that are not busier than wanted', () => {
    const load = { ...LOAD, requestsASecond: 5000 };
    const options = { inputs: INPUTS, load, machines: ONE, seconds: 10, utilisation: 0.7 };
    const { nodes, outcome } = fewestNodes(options);
    expect(nodes).toBe(Math.ceil(outcome.nodeCores / 0.7));
    expect(simulate({ ...options, machines: { ...ONE, nodes: nodes - 1 } }).nodeCores / (nodes - 1)).toBeGreaterThan(
      0.7,
    );
  });

  it('is checked on a part of the target in which each client asks as often for each register', () => {
    const part = partOf(1 / 50);
    expect(part).toMatchObject({ records: 10_000_000, requestsASecond: 1000, registers: 200, commitsASecond: 0.2 });
    expect(part.requestsASecond / part.registers).toBe(TARGET.requestsASecond / TARGET.registers);
    expect(Object.values(SHARES).reduce((all, share) => all + share, 0)).toBeCloseTo(1);
  });
});
