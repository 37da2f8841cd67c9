// A contestant in a process of its own, as the stop-watch sees it.
import { type ChildProcess, fork } from 'node:child_process';
import { memoryFlags } from '../src/cli/process/memory-flags.ts';
import type { Run, Runner } from './harness.ts';
import { nextMessage } from './next-message.ts';

/** The flags that the command line gives itself for imports and exports. */
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
  static async start(script: string, name: string, order: object): Promise<RemoteRunner> {
    const child = fork(script, [JSON.stringify(order)], {
      execArgv: [...IMPORT_FLAGS, '--max-old-space-size=6144', '--disable-warning=ExperimentalWarning'],
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
