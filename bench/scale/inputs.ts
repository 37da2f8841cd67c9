// Measures what requests, looks and commits cost one node and PostgreSQL, each kind alone.
import { setTimeout as sleep } from 'node:timers/promises';
import { defineRegister } from '../../src/register/definition.ts';
import type { PostgresStore } from '../../src/stores/postgres/store.ts';
import { DEFINITION } from '../data.ts';
import { Random } from '../random.ts';
import { type Asked, type Asker, asking, firstPage, firstTags, type Pace, type Site } from './asked.ts';
import { type Cost, type Inputs, type Kind, KINDS } from './model.ts';
import { type MeterReader, recordsOf, type Spent } from './site.ts';

/** What is measured. */
export interface Measured {
  readonly asker: Asker;
  readonly site: Site;
  readonly meters: MeterReader;
  readonly store: PostgresStore;
  readonly recordsACommit: number;
  readonly onProgress: (text: string) => void;
}

/** How requests come, and how many of each kind. */
const PACES = {
  spread: { pace: { aSecond: 100 }, requests: 1000 },
  dense: { pace: 'dense', requests: 3000 },
} as const satisfies Readonly<Record<string, { pace: Pace; requests: number }>>;

/** Commits that are measured, and those after which nodes look. */
const COMMITS = 50;
const LOOKS_AFTER = 15;

/** Until every node has seen a commit, in milliseconds, and how often it is asked meanwhile. */
const SEEN_MS = 800;
const KEPT_AWAKE_MS = 50;

/** How long nobody asks, in milliseconds. */
const IDLE_MS = 10_000;

/** Measures with requests that come at random times, and with such that come densely. */
export async function measureInputs(measured: Measured): Promise<{ readonly spread: Inputs; readonly dense: Inputs }> {
  const { asker, site, store, onProgress } = measured;
  // Everything is compiled, and in PostgreSQL's memory as far as it fits.
  onProgress('scale: warming up');
  const random = new Random(3);
  for (const kind of KINDS)
    await asker.all(requestsOf(kind, await firstTags(asker, site), site, 1000, random), 'dense');
  await store.createRegister(COMMITTED);
  return { spread: await measureWith(measured, 'spread'), dense: await measureWith(measured, 'dense') };
}

async function measureWith(measured: Measured, name: keyof typeof PACES): Promise<Inputs> {
  const { asker, site, meters, onProgress } = measured;
  const { pace, requests } = PACES[name];
  const random = new Random(name.length);
  const say = (what: string): void => {
    onProgress(`scale: measuring, ${name}, ${what}`);
  };
  const tags = await firstTags(asker, site);
  say('idle');
  const idle = aSecondOf(await meters.spent(() => sleep(IDLE_MS)));
  /** What was spent besides what an idle node and PostgreSQL take. */
  const over = async (act: () => Promise<unknown>): Promise<Spent> => less(await meters.spent(act), idle);
  say('repeat');
  const asked = requestsOf('repeat', tags, site, requests, random);
  let repeated = 0;
  const repeats = await over(async () => {
    // The same time at each pace: a node that is asked asks PostgreSQL so often a second, however often it is asked.
    const startedAt = performance.now();
    for (; performance.now() - startedAt < IDLE_MS; repeated += asked.length) await asker.all(asked, pace);
  });
  const questions = { ...aSecondOf(repeats), node: 0 };
  const costOf = (all: Spent, count: number): Cost => {
    const { node, postgres, transactions } = less(all, questions);
    const each = (number: number): number => Math.max(0, number / count);
    return { nodeMs: each(node * 1000), postgresMs: each(postgres * 1000), transactions: each(transactions) };
  };
  const costs: Partial<Record<Kind, Cost>> = { repeat: { ...costOf(repeats, repeated), ...ASKS_NOTHING } };
  for (const kind of KINDS.filter((each) => each !== 'repeat')) {
    say(kind);
    const all = requestsOf(kind, tags, site, requests, random);
    const cost = costOf(await over(() => asker.all(all, pace)), all.length);
    costs[kind] = kind === 'rendered' ? { ...cost, ...ASKS_NOTHING } : cost;
  }
  say('commits');
  const commits = await over(() => commit(measured, COMMITS));
  const perCommit = {
    nodeMs: 0,
    postgresMs: (commits.postgres * 1000) / COMMITS,
    transactions: commits.transactions / COMMITS,
  };
  say('looks');
  const look = await measureLooks(measured, { tags, pace, over, perCommit, repeat: costs.repeat!, costOf });
  return {
    costs: costs as Inputs['costs'],
    ...{ look, commit: perCommit },
    idle: { nodeCores: idle.node, postgresCores: idle.postgres, transactions: idle.transactions },
    questions: { postgresCores: questions.postgres, transactions: questions.transactions },
  };
}

/** What a node has in memory asks PostgreSQL for nothing. */
const ASKS_NOTHING = { postgresMs: 0, transactions: 0 } as const;

/** Has each register asked for once after each commit, and takes away what was there without. */
async function measureLooks(
  measured: Measured,
  given: {
    readonly tags: readonly string[];
    readonly pace: Pace;
    readonly over: (act: () => Promise<unknown>) => Promise<Spent>;
    readonly perCommit: Cost;
    readonly repeat: Cost;
    readonly costOf: (spent: Spent, count: number) => Cost;
  },
): Promise<Cost> {
  const { asker, site } = measured;
  const { tags, pace, over, perCommit, repeat, costOf } = given;
  const each = tags.map((etag, register) => ({ path: firstPage(register), etag }));
  let others = 0;
  const looks = await over(async () => {
    for (let nth = 0; nth < LOOKS_AFTER; nth++) {
      await commit(measured, 1);
      for (const startedAt = performance.now(); performance.now() - startedAt < SEEN_MS; others++) {
        await asker.get(each[0]!);
        await sleep(KEPT_AWAKE_MS);
      }
      await asker.all(each, pace === 'dense' ? pace : { aSecond: site.registers });
    }
  });
  const count = LOOKS_AFTER * each.length;
  const without: Spent = {
    ...looks,
    node: looks.node - ((count + others) * repeat.nodeMs) / 1000,
    postgres: looks.postgres - (LOOKS_AFTER * perCommit.postgresMs) / 1000,
    transactions: looks.transactions - LOOKS_AFTER * perCommit.transactions,
  };
  return costOf(without, count);
}

function requestsOf(kind: Kind, tags: readonly string[], site: Site, count: number, random: Random): Asked[] {
  return Array.from({ length: count }, () => {
    if (kind !== 'repeat') return asking(kind, site, random);
    const register = random.below(site.registers);
    return { path: firstPage(register), etag: tags[register]! };
  });
}

/** A register that nobody asks for, of this run. */
const COMMITTED = defineRegister({ ...DEFINITION, id: `commits-${Date.now()}`, title: 'What is committed' });

let committed = 0;

/** Commits so many batches, one after the other. */
async function commit({ store, recordsACommit }: Measured, count: number): Promise<void> {
  for (let nth = 0; nth < count; nth++, committed++) {
    const batch = recordsOf(COMMITTED, 1 + committed * recordsACommit, recordsACommit);
    await store.apply(COMMITTED.id, batch, { recordedAt: new Date().toISOString() });
  }
}

/** What a second of it spent. */
function aSecondOf({ seconds, node, postgres, transactions }: Spent): Spent {
  return { seconds: 1, node: node / seconds, postgres: postgres / seconds, transactions: transactions / seconds };
}

/** What is left of it without what each second takes anyway. */
function less(all: Spent, aSecond: Spent): Spent {
  const { seconds } = all;
  return {
    seconds,
    node: all.node - aSecond.node * seconds,
    postgres: all.postgres - aSecond.postgres * seconds,
    transactions: all.transactions - aSecond.transactions * seconds,
  };
}
