// Measures one table: a process for the check, then one per contestant, which take turns.
import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import { nextMessage } from './next-message.ts';
import { loadTable } from './formats.ts';
import { columnsOf, PAGE_RECORDS } from './formats/table.ts';
import {
  type Goal,
  type GoalResult,
  judge,
  judgeFirstByte,
  measure,
  type Run,
  type Runner,
  type Timing,
} from './harness.ts';
import type { TableResult } from './result.ts';
import type { Entry, Order } from './run-contestant.ts';

/** What to measure. */
export interface TableOptions {
  readonly table: string;
  /** Records. */
  readonly size: number;
  readonly rounds: number;
  /** Names of contestants to leave out. */
  readonly without: readonly string[];
  readonly onProgress: (text: string) => void;
}

/** Rounds before those that count: enough for V8 to have compiled the loops. The first ones of pages are very short. */
const WARM_UPS = { whole: 3, pages: 5 } as const;

/** A timed run lasts at least about this long, so that the clock's grain and one garbage collection are small in it. */
const MIN_RUN_MS = { whole: 400, pages: 150 } as const;

/** How many documents of a process are its first ones: as many as a command or a start that is soon over writes. */
const FIRST = 20;

/**
 * Checks and measures a table.
 *
 * @throws Error when a contestant's document is not what it should be, or its process ends.
 */
export async function runTable(options: TableOptions): Promise<readonly TableResult[]> {
  const { table: id, size, rounds, without, onProgress } = options;
  const table = await loadTable(id);
  onProgress(`${id} ${size}: checking documents`);
  const entries = await entriesOf({ table: id, size, contestant: null });
  const taking = entries.filter(({ name, upTo }) => !without.includes(name) && size <= (upTo ?? size));
  const runners: RemoteRunner[] = [];
  try {
    for (const entry of taking) {
      onProgress(`${id} ${size}: starting ${entry.name}`);
      runners.push(await RemoteRunner.start(entry, { table: id, size, contestant: entry.name }));
    }
    const timings = await measure(runners, {
      rounds,
      warmUps: WARM_UPS[table.shape],
      minRunMs: MIN_RUN_MS[table.shape],
      onRun: ({ name }, round) => {
        onProgress(`${id} ${size}: round ${round + 1}/${rounds}, ${name}`);
      },
    });
    const names = new Set(timings.map(({ name }) => name));
    const left = entries.filter(({ name }) => !names.has(name)).map(({ name }) => name);
    const reached = (goals: readonly Goal[], of: readonly Timing[]): readonly GoalResult[] =>
      judge(
        goals.filter(({ against }) => against.some((name) => names.has(name))),
        of,
      );
    const { firstByte } = table;
    const result: TableResult = {
      id: table.sizes.full.length > 1 ? `${id}-${size}` : id,
      title: table.title,
      records: table.shape === 'pages' ? PAGE_RECORDS : size,
      columns: columnsOf(table),
      pages: table.shape === 'pages',
      timings,
      left,
      goals: [
        ...reached(table.goals, timings),
        ...(firstByte === undefined || size < firstByte.fromRecords
          ? []
          : [judgeFirstByte('the first byte as a part of the whole time', firstByte.share, timings)]),
      ],
    };
    if (table.firstGoals === undefined) return [result];
    const first = await measure(
      taking.map((entry) => new FirstRunner(entry, { table: id, size, contestant: entry.name })),
      {
        ...{ rounds, warmUps: 0, minRunMs: 0 },
        onRun: ({ name }, round) => {
          onProgress(`${id}, first ${FIRST}: round ${round + 1}/${rounds}, ${name}`);
        },
      },
    );
    const title = `${table.title}, the first ${FIRST} of a process`;
    return [
      result,
      { ...result, id: `${result.id}-first`, title, timings: first, goals: reached(table.firstGoals, first) },
    ];
  } finally {
    for (const runner of runners) runner.stop();
    onProgress('');
  }
}

async function entriesOf(order: Order): Promise<readonly Entry[]> {
  const { entries } = await nextMessage<{ readonly entries: readonly Entry[] }>(start(order), 'the check of documents');
  return entries;
}

/** A contestant in a process that is new each time. */
class FirstRunner implements Runner {
  readonly name: string;
  readonly role: Runner['role'];
  readonly version: string | null;
  readonly note: string;
  readonly #entry: Entry;
  readonly #order: Order;

  constructor(entry: Entry, order: Order) {
    this.name = entry.name;
    this.role = entry.role;
    this.version = entry.version;
    this.note = entry.note ?? '';
    this.#entry = entry;
    this.#order = order;
  }

  async run(): Promise<Run> {
    const runner = await RemoteRunner.start(this.#entry, this.#order);
    try {
      return await runner.run(FIRST);
    } finally {
      runner.stop();
    }
  }
}

/** A contestant in a process of its own. */
class RemoteRunner implements Runner {
  readonly name: string;
  readonly role: Runner['role'];
  readonly version: string | null;
  readonly note: string;
  readonly #child: ChildProcess;

  private constructor({ name, role, version, note }: Entry, child: ChildProcess) {
    this.name = name;
    this.role = role;
    this.version = version;
    this.note = note ?? '';
    this.#child = child;
  }

  /** Resolves once the records are made. */
  static async start(entry: Entry, order: Order): Promise<RemoteRunner> {
    const child = start(order);
    await nextMessage(child, entry.name);
    return new RemoteRunner(entry, child);
  }

  async run(repeats: number): Promise<Run> {
    this.#child.send({ repeats });
    return nextMessage<Run>(this.#child, this.name);
  }

  stop(): void {
    this.#child.kill();
  }
}

function start(order: Order): ChildProcess {
  return fork(join(import.meta.dirname, 'run-contestant.ts'), [JSON.stringify(order)], {
    // Whole registers are held in memory, so that no contestant waits for a disk.
    execArgv: ['--max-old-space-size=6144', '--disable-warning=ExperimentalWarning'],
  });
}
