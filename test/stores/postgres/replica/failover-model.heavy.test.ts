// Random histories in which the replica lags, is cut off, and takes the place of the primary: with commits that wait for it
// and with commits that do not, after a loss and in a planned exchange. Meanwhile readers see what is current or are told
// that the store is away, and writes are refused; what was acknowledged with the replica's word is there afterwards.
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { isGazetteError } from '../../../../src/errors.ts';
import { PostgresStore } from '../../../../src/stores/postgres/store.ts';
import { tries } from '../../../effort.ts';
import { letPass, until } from '../../../until.ts';
import { History } from './history.ts';
import { Pair } from './pair.ts';
import { changes, lags, NODES, reads, recordName } from './steps.ts';

let pair: Pair;

beforeAll(async () => {
  pair = await Pair.start();
});
afterAll(() => pair.stop());

/** Nodes that are asked, each after so many milliseconds, for the register or for something else. */
const asked = fc.array(
  fc.record({
    node: fc.nat({ max: NODES - 1 }),
    after: fc.constantFrom(0, 0, 30, 400, 1000),
    isElsewhere: fc.boolean(),
  }),
  { maxLength: 4 },
);

const failover = fc.record({
  do: fc.constant('failover' as const),
  isPlanned: fc.boolean(),
  /**
   * What is written when the primary is lost: nothing, or something that the replica may not have received, or something that it
   * never receives.
   */
  write: fc.constantFrom('none' as const, 'racing' as const, 'unsent' as const),
  name: recordName,
  /** What becomes of the primary: a replica, with all that it has; nothing, and there is a new replica or none for now. */
  before: fc.constantFrom('turned' as const, 'replaced' as const, 'gone' as const),
  /** Who asks before it, while there is no primary, while its name leads to a replica, when that is promoted, and after it. */
  asked: fc.tuple(asked, asked, asked, asked, asked),
});

type Failover = typeof failover extends fc.Arbitrary<infer T> ? T : never;
type Asked = Failover['asked'][number];

const cuts = fc.constantFrom({ do: 'cut' as const }, { do: 'mend' as const });

const histories = fc.record({
  /** Whether commits wait for the replica. */
  isSynchronous: fc.boolean(),
  steps: fc.array(
    fc.oneof(...[...changes, ...lags, ...reads], { weight: 2, arbitrary: cuts }, { weight: 2, arbitrary: failover }),
    { minLength: 8, maxLength: 30 },
  ),
});

type Steps = typeof histories extends fc.Arbitrary<infer T extends { readonly steps: unknown }> ? T['steps'] : never;

const now = { node: 0, after: 0, isElsewhere: false } as const;

/** A replica that was the primary has a commit that no client was told of: the new primary gives its number to another. */
const forked: Failover = {
  ...{ do: 'failover', isPlanned: false, write: 'unsent', name: 'b', before: 'turned' },
  asked: [[now], [], [], [{ ...now, after: 1000 }], [now]],
};
/** After it, the new primary counts as many transactions as the old one had when a node asked it last. */
const counted: Failover = {
  ...{ do: 'failover', isPlanned: false, write: 'unsent', name: 'b', before: 'gone' },
  asked: [
    [
      { node: 1, after: 0, isElsewhere: true },
      { node: 1, after: 400, isElsewhere: false },
    ],
    [],
    [],
    [],
    [
      { node: 1, after: 0, isElsewhere: true },
      { node: 1, after: 1000, isElsewhere: true },
      { node: 1, after: 30, isElsewhere: false },
    ],
  ],
};

const afterwards: Steps = [
  { do: 'apply', name: 'c' },
  { do: 'read', node: 0 },
  { do: 'read', node: 1 },
];
const examples: [{ isSynchronous: boolean; steps: Steps }][] = [
  [{ isSynchronous: true, steps: [forked, ...afterwards] }],
  [{ isSynchronous: false, steps: [forked, ...afterwards] }],
  [{ isSynchronous: false, steps: [counted, ...afterwards] }],
];

let schemas = 0;

it('answers no older than its tag says, and loses nothing that the replica had to have, while the servers change places', async () => {
  await fc.assert(
    fc.asyncProperty(histories, async ({ isSynchronous, steps }) => {
      await pair.mend();
      const run = await Run.begin(isSynchronous, `model_${++schemas}`);
      for (const step of steps) {
        if (step.do === 'pause') await pair.pause();
        else if (step.do === 'resume') run.resume(step.after);
        else if (step.do === 'wait') await letPass(step.for, 'readers come at any time');
        else if (step.do === 'read') await run.history.read(step.node);
        else if (step.do === 'walk') await run.history.walk(step.node, run.local);
        else if (step.do === 'mend') await run.mend();
        else if (step.do === 'cut') run.cut();
        else if (step.do === 'failover') await run.failover(step);
        else await run.history.change(run.writer, step);
      }
      await run.end();
    }),
    { numRuns: tries(3, 200), endOnFailure: true, examples },
  );
});

/** One history, with its stores. */
class Run {
  readonly history: History;
  /** Writes, and waits for no replica. */
  readonly local: PostgresStore;
  readonly #synchronous: PostgresStore | null;
  readonly #schema: string;
  readonly #later: Promise<void>[] = [];

  private constructor(
    schema: string,
    {
      local,
      synchronous,
      readers,
    }: { local: PostgresStore; synchronous: PostgresStore | null; readers: PostgresStore[] },
  ) {
    this.#schema = schema;
    this.local = local;
    this.#synchronous = synchronous;
    this.history = new History(readers);
  }

  static async begin(isSynchronous: boolean, schema: string): Promise<Run> {
    const { pool, localPool, replicaPool: replica } = pair;
    const local = await PostgresStore.open(localPool, { schema });
    const synchronous = isSynchronous ? await PostgresStore.open(pool, { schema }) : null;
    const readers = [
      await PostgresStore.open(pool, { schema, replica }),
      await PostgresStore.open(pool, { schema, replica, answersFromMemory: true }),
    ];
    const run = new Run(schema, { local, synchronous, readers });
    await run.history.begin(local);
    await pair.caughtUp();
    return run;
  }

  async end(): Promise<void> {
    await this.#settle();
    await pair.localPool.query(`DROP SCHEMA ${this.#schema} CASCADE`);
  }

  /** Who publishes: where there is no replica that follows, its operator has commits wait for none. */
  get writer(): PostgresStore {
    return pair.isSound ? (this.#synchronous ?? this.local) : this.local;
  }

  resume(afterMs: number): void {
    this.#later.push(letPass(afterMs, 'the lag of the replica').then(() => pair.resume()));
  }

  async mend(): Promise<void> {
    await this.#settle();
    await pair.mend();
  }

  /** What is to be asked later of a server that may be discarded now. */
  async #settle(): Promise<void> {
    await Promise.all(this.#later.splice(0));
  }

  /** Commits that wait for a replica would wait for ever. */
  cut(): void {
    if (this.writer === this.local) pair.cut();
  }

  async failover(step: Failover): Promise<void> {
    await this.#settle();
    // Only a replica that follows may take the place of the primary.
    if (!pair.isSound) await pair.mend();
    const { history } = this;
    const [before, lost, unpromoted, promoted, after] = step.asked;
    const { last } = history;
    const isAcknowledged = step.isPlanned ? await this.#exchange(before) : await this.#lose(step, before);
    await this.#ask(lost, true);
    await this.#isRefused();
    pair.lead();
    await this.#ask(unpromoted, true);
    await this.#isRefused();
    const old = await pair.promote();
    await this.#isBack();
    const shown = await history.note(this.local);
    if (step.isPlanned) expect(shown.revision).toBe(last.revision);
    else if (this.#synchronous !== null) {
      expect(shown.change, 'acknowledged and lost').toBeGreaterThanOrEqual(last.change + (isAcknowledged ? 1 : 0));
      if (shown.change === last.change) expect(shown.revision).toBe(last.revision);
    }
    if (step.before === 'turned') await pair.turn(old, step.isPlanned);
    else await pair.discard(old);
    await this.#ask(promoted);
    // As after the restore of a backup: what was acknowledged last may be lost.
    if (!step.isPlanned && this.#synchronous === null) {
      await this.local.beginNewLogs({ at: history.next() });
      await history.note(this.local);
    }
    if (step.before === 'replaced') await pair.mend();
    await this.#ask(after);
  }

  async #exchange(before: Asked): Promise<boolean> {
    await this.#ask(before);
    await pair.halt();
    return true;
  }

  /** Loses the primary. @returns whether something that was not noted was acknowledged */
  async #lose({ write, name }: Failover, before: Asked): Promise<boolean> {
    const { history, writer } = this;
    if (write === 'unsent') pair.cut();
    const publish = (): Promise<boolean> => isDone(history.publish(writer, name).written);
    let written = Promise.resolve(false);
    if (write === 'unsent') {
      written = publish();
      if (writer === this.local) {
        expect(await written).toBe(true);
        await history.note(this.local);
      } else await pair.commitsWait(1);
    }
    await this.#ask(before);
    if (write === 'racing') written = publish();
    await pair.lose();
    return (await written) && write === 'racing';
  }

  async #ask(asked: Asked, isAway = false): Promise<void> {
    for (const { node, after, isElsewhere } of asked) {
      await letPass(after, 'readers come at any time');
      if (isElsewhere) this.history.glance(node);
      else if (isAway) await isDone(this.history.read(node));
      else await this.history.read(node);
    }
  }

  /** A write is refused as long as there is no primary. */
  async #isRefused(): Promise<void> {
    expect(await isDone(this.history.publish(this.writer, 'a').written)).toBe(false);
  }

  async #isBack(): Promise<void> {
    await until('the store is there again', () => isDone(this.local.register('permits')));
  }
}

/** Whether a store did what it was asked for; it may be away. */
async function isDone(asked: Promise<unknown>): Promise<boolean> {
  try {
    await asked;
    return true;
  } catch (error) {
    if (!isGazetteError(error, 'store_unavailable')) throw error;
    return false;
  }
}
