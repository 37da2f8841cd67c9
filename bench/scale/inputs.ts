// Measures what requests, looks and commits cost one node and PostgreSQL: each kind alone, beside as many repeats as a node
// answers, because a process that seldom sleeps takes less for each request than one that is woken for it.
import { setTimeout as sleep } from 'node:timers/promises';
import type { PostgresStore } from '../../src/stores/postgres/store.ts';
import { Random } from '../random.ts';
import { type Asked, type Asker, asking, atRandomTimes, firstPage, firstTags, type Site } from './asked.ts';
import { type Cost, type Inputs, type Kind, KINDS } from './model.ts';
import { type MeterReader, recordsOf, registerOf, type Spent } from './site.ts';

/** What is measured. */
export interface Measured {
  readonly asker: Asker;
  readonly site: Site;
  readonly meters: MeterReader;
  readonly store: PostgresStore;
  readonly recordsACommit: number;
  readonly onProgress: (text: string) => void;
}

/** Repeats a second, and requests of the kind that is measured beside them. */
const BESIDE = 900;
const A_SECOND = 100;

/** How long each kind is measured, in seconds, how many commits, and how often a commit to every register. */
const SECONDS = 20;
const COMMITS = 200;
const LOOKED = 5;

/** Until the node has seen a commit, in milliseconds. */
const SEEN_MS = 600;

/** Requests of each kind before anything is measured. */
const WARM_UP = 1000;

/** Measures one after the other. @throws Error when an answer is not a 200 or 304 */
export async function measureInputs(measured: Measured): Promise<Inputs> {
  const { asker, site, meters, onProgress } = measured;
  onProgress('scale: warming up');
  const tags = await firstTags(asker, site);
  const random = new Random(1);
  const requestsOf = (kind: Kind, count: number): Asked[] =>
    Array.from({ length: count }, () => (kind === 'repeat' ? repeatOf(tags, 0) : asking(kind, site, random)));
  for (const kind of KINDS) await atRandomTimes(requestsOf(kind, WARM_UP), 2 * A_SECOND, (each) => asker.ok(each));

  onProgress('scale: measuring, idle');
  const idle = aSecondOf(await meters.spent(() => sleep(SECONDS * 1000)));
  /** What is spent besides what an idle node and PostgreSQL take, while a node answers repeats. @returns the repeats too */
  const beside = async (
    act: (over: AbortSignal) => Promise<unknown>,
  ): Promise<Spent & { readonly repeats: number }> => {
    const over = new AbortController();
    let repeats = 0;
    const all = await meters.spent(async () => {
      const repeated = atRandomTimes(until(over.signal), BESIDE, async () => {
        repeats++;
        await asker.ok(repeatOf(tags, 0));
      });
      await act(over.signal).finally(() => {
        over.abort();
      });
      await repeated;
    });
    return { ...less(all, idle), repeats };
  };

  onProgress('scale: measuring, repeat');
  const repeats = await beside(() => sleep(SECONDS * 1000));
  const standing = aSecondOf(repeats);
  const repeat: Cost = { nodeMs: (repeats.node * 1000) / repeats.repeats, ...ASKS_NOTHING };
  const costOf = (all: Spent & { readonly repeats: number }, count: number): Cost => {
    const { node, postgres, transactions } = less(all, { ...standing, node: 0 });
    const each = (number: number): number => Math.max(0, number / count);
    return {
      nodeMs: each(node * 1000 - all.repeats * repeat.nodeMs),
      postgresMs: each(postgres * 1000),
      transactions: each(transactions),
    };
  };
  const costs: Partial<Record<Kind, Cost>> = { repeat };
  for (const kind of KINDS.filter((each) => each !== 'repeat')) {
    onProgress(`scale: measuring, ${kind}`);
    const asked = requestsOf(kind, A_SECOND * SECONDS);
    const cost = costOf(await beside(() => atRandomTimes(asked, A_SECOND, (each) => asker.ok(each))), asked.length);
    costs[kind] = kind === 'rendered' ? { ...cost, ...ASKS_NOTHING } : cost;
  }
  onProgress('scale: measuring, commits');
  const committing = async (count: number): Promise<void> => {
    for (let nth = 0; nth < count; nth++) await commit(measured, random.below(site.registers));
  };
  const committed = less(await meters.spent(() => committing(COMMITS)), idle);
  const perCommit = {
    nodeMs: 0,
    postgresMs: (committed.postgres * 1000) / COMMITS,
    transactions: committed.transactions / COMMITS,
  };
  onProgress('scale: measuring, looks');
  // Each is the first to ask for a register that has changed, and gets a page.
  const looked = costOf(await beside(() => lookAfterCommits(measured, tags, LOOKED)), LOOKED * site.registers);
  const page = costs.page!;
  return {
    costs: costs as Inputs['costs'],
    look: {
      nodeMs: Math.max(0, looked.nodeMs - page.nodeMs),
      postgresMs: Math.max(0, looked.postgresMs - page.postgresMs - perCommit.postgresMs),
      transactions: Math.max(0, looked.transactions - page.transactions - perCommit.transactions),
    },
    commit: perCommit,
    idle: { nodeCores: idle.node, postgresCores: idle.postgres, transactions: idle.transactions },
    questions: { postgresCores: standing.postgres, transactions: standing.transactions },
  };
}

/** What a node has in memory asks PostgreSQL for nothing. */
const ASKS_NOTHING = { postgresMs: 0, transactions: 0 } as const;

/** Commits to each register, and then asks for the first page of each, so many times. */
async function lookAfterCommits(measured: Measured, tags: readonly string[], times: number): Promise<void> {
  const { asker, site } = measured;
  for (let nth = 0; nth < times; nth++) {
    for (let register = 0; register < site.registers; register++) await commit(measured, register);
    await sleep(SEEN_MS);
    const each = tags.map((_, register) => repeatOf(tags, register));
    await atRandomTimes(each, site.registers, (one) => asker.ok(one));
  }
}

function repeatOf(tags: readonly string[], register: number): Asked {
  return { path: firstPage(register), etag: tags[register]! };
}

function* until(signal: AbortSignal): Generator<number> {
  for (let nth = 0; !signal.aborted; nth++) yield nth;
}

/** Records that no run before this one has committed, nor the check after it. */
let nextCommitted = Math.floor(Date.now() / 1000) - 1_000_000_000;

/** Commits a batch to a register. */
async function commit({ store, recordsACommit }: Measured, number: number): Promise<void> {
  const register = registerOf(number);
  const batch = recordsOf(register, nextCommitted, recordsACommit);
  nextCommitted += recordsACommit;
  await store.apply(register.id, batch, { recordedAt: new Date().toISOString() });
}

/** What a second of it spent. */
function aSecondOf({ seconds, node, postgres, transactions }: Spent): Spent {
  return { seconds: 1, node: node / seconds, postgres: postgres / seconds, transactions: transactions / seconds };
}

/** What is left of it without what each second takes anyway. */
function less<T extends Spent>(all: T, aSecond: Spent): T {
  const { seconds } = all;
  return {
    ...all,
    node: all.node - aSecond.node * seconds,
    postgres: all.postgres - aSecond.postgres * seconds,
    transactions: all.transactions - aSecond.transactions * seconds,
  };
}
