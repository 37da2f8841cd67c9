// Figures for the operator's monitoring: requests and their durations by route, in the service's own registry. They do
// not identify consumers. The program that owns the process adds figures about the process.
import type { HttpResponse } from '../web/representation.ts';
import { answerFigures } from './cluster-metrics.ts';
import type { MetricsSource } from './metrics-source.ts';
import type { IndexProgress } from '../stores/contract/finding.ts';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from './prom-client.ts';
import type { RequestContext } from './request-context.ts';

/** In seconds, from half a millisecond (a 304) to durations that users complain about. */
const DURATION_BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5];

/** Answers with the same labels. */
interface Tally {
  readonly labels: Readonly<Record<'route' | 'method' | 'status' | 'tier', string>>;
  requests: number;
  bytes: number;
}

/** The service's figures, and methods for the program that runs it. */
export interface ServiceMetrics {
  /** The figures, as `operatorHandler` serves them. */
  readonly registry: MetricsSource;
  /**
   * Adds Node's figures about the whole process: processor time, memory, open files, the event loop, garbage
   * collection. The program that owns the process calls it once.
   */
  addProcess(): void;
  /**
   * Call once in a worker of `node:cluster`: it then reports its figures when the primary process asks for those of all
   * workers.
   */
  shareWithCluster(): void;
}

/** What the figures are also made of. */
export interface MetricsOptions {
  /** The indexes that are being completed, by the register's id. */
  readonly indexing?: () => ReadonlyMap<string, IndexProgress> | undefined;
  /** Whether the counter that several processes share does not answer; null: this process counts for itself. */
  readonly isCounterAway?: (() => boolean) | null;
}

/** Counts answers. */
export class Metrics implements ServiceMetrics {
  readonly #registry = new Registry();
  /**
   * Answers since the figures were last read. A counter looks up its labels on each call, which would slow every
   * answer.
   */
  readonly #tallies = new Map<string, Tally>();
  readonly #requests: Counter<'route' | 'method' | 'status' | 'tier'>;
  readonly #durations: Histogram<'route'>;
  readonly #bytes: Counter<'route'>;

  constructor({ indexing, isCounterAway = null }: MetricsOptions = {}) {
    const registers = [this.#registry];
    if (isCounterAway !== null) {
      const away = new Gauge({
        name: 'gazette_limit_counter_away',
        help: 'Whether the counter of limits does not answer, and each process lets its part of each limit through.',
        aggregator: 'max',
        registers,
        collect() {
          away.set(isCounterAway() ? 1 : 0);
        },
      });
    }
    const waiting = new Gauge({
      name: 'gazette_index_positions_waiting',
      help: 'Positions of registers whose records are not indexed yet.',
      // Each worker takes part in the same work.
      aggregator: 'max',
      registers,
      collect() {
        const all = [...(indexing?.()?.values() ?? [])];
        waiting.set(all.reduce((sum, { done, all: positions }) => sum + positions - done, 0));
      },
    });
    const collect = (): void => {
      this.#count();
    };
    this.#requests = new Counter({
      name: 'gazette_http_requests_total',
      help: 'Requests answered.',
      labelNames: ['route', 'method', 'status', 'tier'],
      registers,
      collect,
    });
    this.#durations = new Histogram({
      name: 'gazette_http_request_duration_seconds',
      help: 'How long the answer took to make.',
      labelNames: ['route'],
      buckets: DURATION_BUCKETS,
      registers,
    });
    this.#bytes = new Counter({
      name: 'gazette_http_response_bytes_total',
      help: 'Bytes of bodies answered.',
      labelNames: ['route'],
      registers,
      collect,
    });
  }

  get registry(): MetricsSource {
    return this.#registry;
  }

  addProcess(): void {
    collectDefaultMetrics({ register: this.#registry });
  }

  shareWithCluster(): void {
    answerFigures(this.#registry);
  }

  /** Counts one answer. All label values come from fixed sets, whatever the request is. */
  note({ route, request, access }: RequestContext, { status, body }: HttpResponse, durationMs: number): void {
    const known = route ?? 'none';
    const method = METHODS.has(request.method) ? request.method : 'other';
    const kind = `${known} ${method} ${status} ${access.tier}`;
    let tally = this.#tallies.get(kind);
    if (tally === undefined) {
      const labels = { route: known, method, status: String(status), tier: access.tier };
      tally = { labels, requests: 0, bytes: 0 };
      this.#tallies.set(kind, tally);
    }
    tally.requests++;
    tally.bytes += body?.length ?? 0;
    this.#durations.observe({ route: known }, durationMs / 1000);
  }

  #count(): void {
    for (const { labels, requests, bytes } of this.#tallies.values()) {
      this.#requests.inc(labels, requests);
      if (bytes > 0) this.#bytes.inc({ route: labels.route }, bytes);
    }
    this.#tallies.clear();
  }
}

const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE']);
