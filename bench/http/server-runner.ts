// A server in a process of its own, and the connections to it: a contestant that is measured by asking it.
import { type ChildProcess, fork } from 'node:child_process';
import { LoadGenerator } from './load.ts';
import type { Role, Run, Runner } from '../harness.ts';
import { nextMessage } from '../next-message.ts';

/** Requests in work at once: enough to keep one process busy, whatever it waits for. */
const CONNECTIONS = 8;

/** What a server's process says once it listens. */
export interface ServerReady {
  readonly port: number;
  /** To be sent in turn. */
  readonly requests: readonly string[];
}

/** A server to be started. */
export interface ServerOptions {
  readonly name: string;
  readonly role: Role;
  readonly version?: string;
  /** What every answer has to say. */
  readonly status: number;
  /** What its process runs: it sends a {@link ServerReady}, and its processor time at every message. */
  readonly script: string;
  /** What the process is told: a plain value. */
  readonly order: object;
}

/** Asks a server. */
export class ServerRunner implements Runner {
  readonly name: string;
  readonly role: Role;
  readonly version: string | null;
  readonly #child: ChildProcess;
  readonly #load: LoadGenerator;
  readonly #requests: readonly string[];
  readonly #status: number;

  private constructor({ name, role, version, status }: ServerOptions, child: ChildProcess, ready: ServerReady) {
    this.name = name;
    this.role = role;
    this.version = version ?? null;
    this.#child = child;
    this.#load = new LoadGenerator(ready.port);
    this.#requests = ready.requests;
    this.#status = status;
  }

  /** @throws Error when the process ends before it listens */
  static async start(options: ServerOptions): Promise<ServerRunner> {
    const child = fork(options.script, [JSON.stringify(options.order)], {
      execArgv: ['--disable-warning=ExperimentalWarning'],
    });
    return new ServerRunner(options, child, await nextMessage<ServerReady>(child, options.name));
  }

  async run(repeats: number): Promise<Run> {
    const before = await this.#cpu();
    const startedAt = performance.now();
    const { statuses, bytes, firstByteMs } = await this.#load.run(this.#requests, repeats, CONNECTIONS);
    const ms = performance.now() - startedAt;
    const after = await this.#cpu();
    if (statuses.get(this.#status) !== repeats) {
      throw new Error(`${this.name} answered ${JSON.stringify([...statuses])}, not ${this.#status} alone`);
    }
    const cpuMs = (after.user + after.system - before.user - before.system) / 1000;
    return { ms: ms / repeats, cpuMs: cpuMs / repeats, firstByteMs, bytes: Math.round(bytes / repeats) };
  }

  stop(): void {
    this.#load.close();
    this.#child.kill();
  }

  async #cpu(): Promise<NodeJS.CpuUsage> {
    this.#child.send('cpu');
    return nextMessage<NodeJS.CpuUsage>(this.#child, this.name);
  }
}
