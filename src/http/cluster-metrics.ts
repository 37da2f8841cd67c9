// Several processes of `node:cluster` as one source of figures. Workers end at any moment: one that ends while it is asked,
// or that does not answer in time, is left out, and the figures say how many are in them.
import cluster, { type Worker } from 'node:cluster';
import { isObject } from '../checks.ts';
import { METRICS_PATIENCE_MS, type MetricsSource } from './metrics-source.ts';
import { AggregatorRegistry, Gauge, Registry } from './prom-client.ts';

/** What the primary process sends: a number that the answer repeats. */
interface FiguresAsked {
  readonly figuresAsked: number;
}

/** What a worker answers. */
interface FiguresTold {
  readonly figuresTold: number;
  /** As prom-client gives and adds them. */
  readonly figures: object[];
}

/** In a worker of `node:cluster`: from now on it answers the primary process, which asks for its figures. */
export function answerFigures(registry: Registry): void {
  const worker = cluster.worker!;
  worker.on('message', (message: unknown) => {
    if (!isAsked(message)) return;
    void registry.getMetricsAsJSON().then((figures) => {
      // Without a primary process nobody waits for them.
      if (worker.isConnected()) worker.send({ figuresTold: message.figuresAsked, figures } satisfies FiguresTold);
    });
  });
}

/** In the primary process: the sum of the figures of all workers that answer. */
export class ClusterMetrics implements MetricsSource {
  readonly contentType: string = Registry.PROMETHEUS_CONTENT_TYPE;
  readonly #patienceMs: number;
  readonly #own = new Registry();
  readonly #workers: Gauge<'figures'>;
  #asked = 0;

  /** @param options.patienceMs how long workers are waited for */
  constructor({ patienceMs = METRICS_PATIENCE_MS }: { readonly patienceMs?: number } = {}) {
    this.#patienceMs = patienceMs;
    this.#workers = new Gauge({
      name: 'gazette_workers',
      help: 'Processes that serve, and whether their figures are part of these.',
      labelNames: ['figures'],
      registers: [this.#own],
    });
  }

  async metrics(): Promise<string> {
    const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
    const told = (await Promise.all(workers.map((worker) => this.#ask(worker)))).filter((figures) => figures !== null);
    this.#workers.set({ figures: 'counted' }, told.length);
    this.#workers.set({ figures: 'missing' }, workers.length - told.length);
    return `${await this.#own.metrics()}\n${await AggregatorRegistry.aggregate(told).metrics()}`;
  }

  /** The figures of a worker; null if it ends or does not answer in time. */
  async #ask(worker: Worker): Promise<object[] | null> {
    const number = ++this.#asked;
    const { promise, resolve } = Promise.withResolvers<object[] | null>();
    const onMessage = (message: unknown): void => {
      if (isTold(message) && message.figuresTold === number) resolve(message.figures);
    };
    const onEnd = (): void => {
      resolve(null);
    };
    const timer = setTimeout(onEnd, this.#patienceMs);
    worker.on('message', onMessage).once('exit', onEnd);
    // It may have ended since, and then it cannot be asked.
    worker.send({ figuresAsked: number } satisfies FiguresAsked, (error) => {
      if (error !== null) resolve(null);
    });
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      worker.off('message', onMessage).off('exit', onEnd);
    }
  }
}

function isAsked(message: unknown): message is FiguresAsked {
  return isObject(message) && typeof message.figuresAsked === 'number';
}

function isTold(message: unknown): message is FiguresTold {
  return isObject(message) && typeof message.figuresTold === 'number' && Array.isArray(message.figures);
}
