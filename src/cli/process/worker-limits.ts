// The workers of one machine share their limits through the first process, where the store counts none: they ask it over the
// connection that `node:cluster` gives them.
import cluster, { type Worker } from 'node:cluster';
import { MemoryLimitCounter } from '../../access/limits/memory-counter.ts';
import { isObject } from '../../checks.ts';
import { GazetteError } from '../../errors.ts';
import type { DrawnTokens, LimitCounter, LimitDraw, UnusedTokens } from '../../stores/contract/nodes/counter.ts';

/** What a worker asks: the question has a number that the answer repeats. */
interface CountAsked {
  readonly countAsked: number;
  readonly ask:
    | { readonly draw: LimitDraw }
    | { readonly giveBack: UnusedTokens }
    | { readonly meet: string }
    | { readonly leave: string };
}

/** What the first process answers. */
interface CountTold {
  readonly countTold: number;
  readonly answer: DrawnTokens | number | undefined;
}

/** In the first process: counts for all workers that ask. */
export function countForWorkers(): void {
  const counter = new MemoryLimitCounter();
  cluster.on('message', (worker: Worker, message: unknown) => {
    if (!isAsked(message)) return;
    void answered(counter, message.ask).then((answer) => {
      // One that was killed meanwhile waits for nothing.
      if (worker.isConnected())
        worker.send({ countTold: message.countAsked, answer } satisfies CountTold, () => undefined);
    });
  });
}

async function answered(counter: LimitCounter, ask: CountAsked['ask']): Promise<CountTold['answer']> {
  if ('draw' in ask) return counter.draw(ask.draw);
  if ('meet' in ask) return counter.meet(ask.meet);
  if ('giveBack' in ask) await counter.giveBack(ask.giveBack);
  else await counter.leave(ask.leave);
  return undefined;
}

/** In a worker: the counter of the first process. */
export class PrimaryLimitCounter implements LimitCounter {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>();
  #asked = 0;

  constructor(worker: Worker) {
    this.#worker = worker;
    worker.on('message', (message: unknown) => {
      if (!isTold(message)) return;
      this.#waiting.get(message.countTold)?.resolve(message.answer);
      this.#waiting.delete(message.countTold);
    });
    worker.on('disconnect', () => {
      for (const { reject } of this.#waiting.values()) reject(gone());
      this.#waiting.clear();
    });
  }

  async draw(draw: LimitDraw): Promise<DrawnTokens> {
    return (await this.#ask({ draw })) as DrawnTokens;
  }

  async giveBack(unused: UnusedTokens): Promise<void> {
    await this.#ask({ giveBack: unused });
  }

  async meet(node: string): Promise<number> {
    return (await this.#ask({ meet: node })) as number;
  }

  async leave(node: string): Promise<void> {
    await this.#ask({ leave: node });
  }

  #ask(ask: CountAsked['ask']): Promise<unknown> {
    if (!this.#worker.isConnected()) return Promise.reject(gone());
    const number = ++this.#asked;
    const waiting = Promise.withResolvers<unknown>();
    this.#waiting.set(number, waiting);
    this.#worker.send({ countAsked: number, ask } satisfies CountAsked, (error) => {
      if (error === null) return;
      this.#waiting.delete(number);
      waiting.reject(error);
    });
    return waiting.promise;
  }
}

function gone(): GazetteError {
  return new GazetteError('aborted', 'the first process, which counts for all, has ended');
}

function isAsked(message: unknown): message is CountAsked {
  return isObject(message) && typeof message.countAsked === 'number' && isObject(message.ask);
}

function isTold(message: unknown): message is CountTold {
  return isObject(message) && typeof message.countTold === 'number';
}
