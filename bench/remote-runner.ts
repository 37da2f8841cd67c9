// A contestant in a process of its own, as the stop-watch sees it, and a table of such contestants.
import { type ChildProcess, fork } from 'node:child_process';
import { memoryFlags } from '../src/cli/process/node/memory-flags.ts';
import { measure, type Run, type Runner, type Timing } from './harness.ts';
import { nextMessage } from './next-message.ts';

/** The flags that the command line gives itself for exports. */
export const EXPORT_FLAGS: readonly string[] = memoryFlags(['export'], []);

/** Those for imports. */
export const IMPORT_FLAGS: readonly string[] = memoryFlags(['import'], []);

type About = Pick<Runner, 'role' | 'version' | 'note'>;

/** A process that runs `serveRunner()`. */
export class RemoteRunner implements Runner {
  readonly name: string;
  readonly role: Runner['role'];
  readonly version: string | null;
  readonly note: string;
  readonly #child: ChildProcess;

  private constructor(name: string, { role, version, note }: About, child: ChildProcess) {
    this.name = name;
    this.role = role;
    this.version = version;
    this.note = note ?? '';
    this.#child = child;
  }

  /** @param order what the script reads from its first argument, as JSON */
  static async start(
    script: string,
    name: string,
    order: object,
    flags: readonly string[] = EXPORT_FLAGS,
  ): Promise<RemoteRunner> {
    const child = fork(script, [JSON.stringify(order)], {
      execArgv: [...flags, '--max-old-space-size=6144', '--disable-warning=ExperimentalWarning'],
    });
    return new RemoteRunner(name, await nextMessage<About>(child, name), child);
  }

  async run(repeats: number): Promise<Run> {
    this.#child.send({ repeats });
    return nextMessage<Run>(this.#child, this.name);
  }

  stop(): void {
    this.#child.kill();
  }
}

/** A table whose contestants work on a stage, each in a process of its own. */
export interface RemoteTable {
  readonly id: string;
  /** Those that take part. */
  readonly names: readonly string[];
  /** Whole files are measured one by one, pages many at a time. */
  readonly shape: 'whole' | 'pages';
  /** What runs in the processes. Its first argument has the ids of the table and the contestant, and the stage. */
  readonly script: string;
  readonly stage: object;
  /** What Node.js is started with. Default: as for exports. */
  readonly flags?: readonly string[];
  /** Rounds before those that count. */
  readonly warmUps: Readonly<Record<'whole' | 'pages', number>>;
  readonly rounds: number;
  readonly onProgress: (text: string) => void;
}

/** A timed run of pages lasts about this long. */
const MIN_RUN_MS = 150;

/** Lets the contestants of a table take turns. @throws Error when a contestant's process ends. */
export async function measureRemotely(table: RemoteTable): Promise<readonly Timing[]> {
  const { id, names, shape, script, stage, flags, warmUps, rounds, onProgress } = table;
  const runners: RemoteRunner[] = [];
  try {
    for (const name of names) {
      onProgress(`${id}: starting ${name}`);
      runners.push(await RemoteRunner.start(script, name, { table: id, contestant: name, stage }, flags));
    }
    return await measure(runners, {
      rounds,
      warmUps: warmUps[shape],
      minRunMs: shape === 'pages' ? MIN_RUN_MS : 0,
      onRun: ({ name }, round) => {
        onProgress(`${id}: round ${round + 1}/${rounds}, ${name}`);
      },
    });
  } finally {
    for (const runner of runners) runner.stop();
  }
}
