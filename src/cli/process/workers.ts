// The processes that `gazette serve --workers` starts, replaces when they end, and stops. On Linux each listens for itself:
// a connection then waits in the system for the process that will answer it, and is reset when that process is killed.
// Elsewhere they share one listener. The first process hands no connection over: one that is lost on its way is never reset.
import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { checkPort, SHARES_PORTS } from '../../adapters/server.ts';
import { isObject } from '../../checks.ts';
import { GazetteError } from '../../errors.ts';

/**
 * The message with which the first process ends the others. Not SIGTERM, which a supervisor may send to all of them at
 * once: a second one would end them in the middle of an answer.
 */
const STOP = 'SIGHUP';

/** A process that always fails at its start must fill neither the log nor the processor. */
const RETRY_MS = 1000;

/** The variable that tells a process which port the others have; the port that was asked for may be 0. */
const PORT_VARIABLE = 'GAZETTE_WORKER_PORT';

/** Where the processes listen, and how many there are. */
export interface WorkersOptions {
  readonly workers: number;
  /** 0 for any free port, the same for all. */
  readonly port: number;
  readonly host: string;
}

/** In a worker: how it listens. */
export function workersPort(port: number): { readonly port: number; readonly sharesPort: boolean } {
  return { port: Number(process.env[PORT_VARIABLE] ?? port), sharesPort: SHARES_PORTS };
}

/** In a worker: tells the first process that it serves, and where. */
export function reportServing(url: string): void {
  cluster.worker!.send({ url });
}

/**
 * In a worker that listens no more: waits until no other one does. A client that is told that its connection ends opens another
 * one, and would be reset by the next process that closes its port.
 */
export async function untilNoneListens(): Promise<void> {
  const worker = cluster.worker!;
  const told = Promise.withResolvers<undefined>();
  worker.on('message', (message: unknown) => {
    if (isObject(message) && message.noneListens === true) told.resolve(undefined);
  });
  worker.once('disconnect', () => {
    told.resolve(undefined);
  });
  if (!worker.isConnected()) return;
  worker.send({ listens: false });
  await told.promise;
}

/** The processes, as the first one sees them. */
export class Workers {
  readonly #options: WorkersOptions;
  readonly #stopping = new AbortController();
  /** Fires when no process is to be replaced any more. */
  readonly #end: AbortSignal;
  /** Where they serve; null until one does. */
  #url: string | null = null;
  /** The ids of those that have said that they listen no more. */
  readonly #closed = new Set<number>();
  #isStarting = true;

  constructor(options: WorkersOptions, signal: AbortSignal) {
    this.#options = options;
    this.#end = AbortSignal.any([signal, this.#stopping.signal]);
  }

  /**
   * Starts them, and keeps that many running until the signal fires or `stop()` is called.
   *
   * @returns the address at which they serve, once all of them do
   * @throws GazetteError `listen_failed` if the port is taken, or one ends by itself before it serves; it has said why
   */
  async start(): Promise<string> {
    const { workers, port, host } = this.#options;
    if (!SHARES_PORTS) cluster.schedulingPolicy = cluster.SCHED_NONE;
    else if (port !== 0) await checkPort(port, host);
    // The first one has the port that the others share.
    const url = await this.#fork();
    await Promise.all(Array.from({ length: workers - 1 }, () => this.#fork()));
    this.#isStarting = false;
    return url;
  }

  /** Ends them all, as soon as they have answered. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(Object.values(cluster.workers ?? {}).map(stopWorker));
  }

  /**
   * Starts one.
   *
   * @param replacedId the worker that it replaces, if it replaces one
   * @returns the address at which it or, if it is killed before, another one serves
   */
  #fork(replacedId?: number): Promise<string> {
    return new Promise((resolve, reject) => {
      // Cluster gives all that ask for port 0 the same one.
      const { port: asked } = this.#options;
      const port = SHARES_PORTS && this.#url !== null ? Number(new URL(this.#url).port || '80') : asked;
      const worker = cluster.fork({ [PORT_VARIABLE]: String(port) });
      let serves = false;
      worker.on('message', (message: unknown) => {
        if (!isObject(message)) return;
        if (message.listens === false) {
          this.#closed.add(worker.id);
          this.#tellIfNoneListens();
        }
        if (typeof message.url !== 'string') return;
        serves = true;
        this.#url ??= message.url;
        if (replacedId !== undefined) {
          process.stderr.write(`gazette: worker ${worker.id} serves in the place of worker ${replacedId}\n`);
        }
        resolve(message.url);
      });
      // A question about figures can reach a process that has just been killed.
      worker.on('error', ({ message }) => {
        process.stderr.write(`gazette: worker ${worker.id} cannot be reached: ${message}\n`);
      });
      worker.once('exit', (code: number | null, name: string | null) => {
        this.#tellIfNoneListens();
        const failed = !serves && name === null;
        if (this.#end.aborted || (failed && this.#isStarting)) {
          reject(new GazetteError('listen_failed', 'a worker ended before it could serve'));
          return;
        }
        process.stderr.write(
          `gazette: worker ${worker.id} ended (${name ?? code ?? 'unknown'}); starting another one\n`,
        );
        this.#replace(worker.id, failed ? RETRY_MS : 0).then(resolve, reject);
      });
    });
  }

  /** Tells those that wait for it; one that is stopped alone, while the others serve on, at once. */
  #tellIfNoneListens(): void {
    const connected = Object.values(cluster.workers ?? {}).filter((worker) => worker?.isConnected() === true);
    const waiting = connected.filter((worker) => this.#closed.has(worker!.id));
    if (this.#end.aborted && waiting.length < connected.length) return;
    for (const worker of waiting) worker!.send({ noneListens: true });
  }

  async #replace(endedId: number, delayMs: number): Promise<string> {
    await wait(delayMs, undefined, { signal: this.#end });
    return this.#fork(endedId);
  }
}

async function stopWorker(worker: Worker | undefined): Promise<void> {
  if (worker === undefined || worker.isDead()) return;
  const ended = once(worker, 'exit');
  worker.process.kill(STOP);
  await ended;
}
