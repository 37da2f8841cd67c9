// Holds the simulation against a real node with a real PostgreSQL, under a part of the target's load.
import { Random } from '../random.ts';
import { type Answered, atRandomTimes, Visitors } from './asked.ts';
import type { Measured } from './inputs.ts';
import type { Inputs, Load, Outcome } from './model.ts';
import { simulate } from './simulate.ts';
import { recordsOf, registerOf } from './site.ts';

/** How far what is measured may lie from what is simulated. */
const TOLERANCE = 0.15;

/** The node's way to PostgreSQL on one machine, in milliseconds. */
const NETWORK_MS = 0.05;

/** One figure, measured and simulated. */
export interface CheckedFigure {
  readonly name: string;
  readonly measured: number;
  readonly simulated: number;
  readonly met: boolean;
}

/** What came of the check. */
export interface Checked {
  readonly requests: number;
  /** Answers other than 200 and 304. */
  readonly failed: number;
  /** Those that are judged. */
  readonly figures: readonly CheckedFigure[];
  /** Those that are told: the asking side's own delays are in them. */
  readonly times: { readonly medianMs: number; readonly p99Ms: number };
  readonly simulated: Outcome;
}

/** Lets visitors and commits come for so long, and compares. */
export async function checkPart(
  options: Measured & {
    readonly inputs: Inputs;
    readonly load: Load;
    readonly seconds: number;
  },
): Promise<Checked> {
  const { asker, site, meters, inputs, load, seconds, onProgress } = options;
  onProgress(`scale: ${seconds} seconds of ${load.requestsASecond} requests a second`);
  const visitors = await Visitors.come(asker, site, load);
  const answers: Answered[] = [];
  let took = NaN;
  const spent = await meters.spent(async () => {
    const startedAt = performance.now();
    const visited = atRandomTimes(visits(load.requestsASecond * seconds), load.requestsASecond, async () => {
      answers.push(await visitors.ask());
    });
    await Promise.all([visited.then(() => (took = (performance.now() - startedAt) / 1000)), publish(options, seconds)]);
  });
  const { idle } = inputs;
  // The time until everything was counted, in which nobody asks.
  const rest = spent.seconds - took;
  const machines = { nodes: 1, postgresCores: 2, networkMs: NETWORK_MS };
  const simulated = simulate({ inputs, load, machines, seconds: Math.max(seconds, 300) });
  const ms = answers.map((answer) => answer.ms).toSorted((a, b) => a - b);
  const at = (part: number): number => ms[Math.floor((ms.length - 1) * part)]!;
  const figure = (name: string, key: keyof Outcome, measured: number): CheckedFigure => {
    const met = Math.abs(measured / simulated[key] - 1) <= TOLERANCE;
    return { name, measured, simulated: simulated[key], met };
  };
  const answered = answers.length;
  return {
    requests: answered,
    failed: answers.filter(({ status }) => status !== 200 && status !== 304).length,
    figures: [
      figure('cores of the node', 'nodeCores', (spent.node - idle.nodeCores * rest) / took),
      figure('cores of PostgreSQL', 'postgresCores', (spent.postgres - idle.postgresCores * rest) / took),
      figure('transactions a second', 'transactionsASecond', (spent.transactions - idle.transactions * rest) / took),
      figure('answered with 304', 'notModified', answers.filter(({ status }) => status === 304).length / answered),
    ],
    times: { medianMs: at(0.5), p99Ms: at(0.99) },
    simulated,
  };
}

function* visits(count: number): Generator<number> {
  for (let nth = 0; nth < count; nth++) yield nth;
}

/** Commits to registers at random, as often as the load says. */
async function publish({ store, site, load }: Measured & { readonly load: Load }, seconds: number): Promise<void> {
  const random = new Random(4);
  // Records that no run before this one has committed.
  let next = Math.floor(Date.now() / 1000);
  const commits = Math.round(load.commitsASecond * seconds);
  await atRandomTimes(visits(commits), load.commitsASecond, async () => {
    const number = random.below(site.registers);
    const register = registerOf(number);
    const recordedAt = new Date().toISOString();
    const batch = recordsOf(register, next, load.recordsACommit);
    next += load.recordsACommit;
    await store.apply(register.id, batch, { recordedAt });
  });
}
