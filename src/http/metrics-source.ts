// Where figures for the operator's monitoring come from, and several sources as one.
import { GazetteError } from '../errors.ts';
import { Gauge, type Registry } from './prom-client.ts';

/**
 * How long a source waits for others, in milliseconds, before it goes without their figures. Prometheus waits ten
 * seconds for all of them.
 */
export const METRICS_PATIENCE_MS = 2000;

/** A source of figures in Prometheus text format. */
export interface MetricsSource {
  /** The media type of the text. */
  readonly contentType: string;
  /** The current figures. */
  metrics(): Promise<string>;
}

/** Several sources as one. No two of them may have a figure of the same name. */
export function joinMetrics(first: MetricsSource, ...others: readonly MetricsSource[]): MetricsSource {
  return {
    contentType: first.contentType,
    async metrics() {
      return (await Promise.all([first, ...others].map((source) => source.metrics()))).join('\n');
    },
  };
}

/** A question to another program, which a reader of figures waits for as long as it can. */
export class Question<T> {
  readonly #ask: () => Promise<T>;
  readonly #patienceMs: number;
  readonly #onError: (error: unknown) => void;
  /** One at a time, however often the figures are read. */
  #asking: Promise<T | null> | null = null;

  /** @param onError called when it fails, and when the answer does not come in time */
  constructor(ask: () => Promise<T>, patienceMs: number, onError: (error: unknown) => void) {
    this.#ask = ask;
    this.#patienceMs = patienceMs;
    this.#onError = onError;
  }

  /** The answer; null if it failed, or did not come in time. */
  async answer(): Promise<T | null> {
    this.#asking ??= this.#asked().finally(() => {
      this.#asking = null;
    });
    const { promise: late, resolve } = Promise.withResolvers<null>();
    const timer = setTimeout(() => {
      this.#onError(new GazetteError('store_unavailable', `the store did not answer within ${this.#patienceMs} ms`));
      resolve(null);
    }, this.#patienceMs);
    try {
      return await Promise.race([this.#asking, late]);
    } finally {
      clearTimeout(timer);
    }
  }

  async #asked(): Promise<T | null> {
    try {
      return await this.#ask();
    } catch (error) {
      this.#onError(error);
      return null;
    }
  }
}

/** A figure of registers. */
export interface RegisterFigure {
  /** As Prometheus has names. */
  readonly name: string;
  readonly help: string;
  /** By the ids of registers. */
  readonly read: () => Promise<ReadonlyMap<string, number>>;
  /** Called when it fails, and when it does not come in time. Default: nobody is told. */
  readonly onError?: (error: unknown) => void;
}

/**
 * How long the replica, and the store, are waited for, in milliseconds: less than a worker is, whose figures would all be missing.
 */
export const ASKING_PATIENCE_MS = 1500;

/** Adds a figure to a registry. */
export function addRegisterFigure(
  registry: Registry,
  { name, help, read, onError = () => undefined }: RegisterFigure,
): void {
  const question = new Question(read, ASKING_PATIENCE_MS, onError);
  const gauge = new Gauge({
    ...{ name, help, labelNames: ['register'] },
    // Each worker asks the same store.
    aggregator: 'max',
    registers: [registry],
    async collect() {
      const found = await question.answer();
      gauge.reset();
      for (const [register, value] of found ?? []) gauge.set({ register }, value);
    },
  });
}
