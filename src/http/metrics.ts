// What the operator's monitoring reads: requests and their durations by route, in a registry of the service's own.
// Nothing in it tells one consumer from another. What is to be said of the process is for whoever owns it to add.
import type { HttpResponse } from '../web/representation.ts';
import { AggregatorRegistry, collectDefaultMetrics, Counter, Histogram, Registry } from './prom-client.ts';
import type { RequestContext } from './request-context.ts';

/** From half a millisecond, a 304, to where somebody will complain. */
const DURATION_BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5];

/** Answers of one kind. */
interface Tally {
  readonly labels: Readonly<Record<'route' | 'method' | 'status' | 'tier', string>>;
  requests: number;
  bytes: number;
}

/** Where figures are read, in the text format of Prometheus. */
export interface MetricsSource {
  /** The media type of the text. */
  readonly contentType: string;
  /** The figures of this moment. */
  metrics(): Promise<string>;
}

/** The service's figures, and what the program that runs it may add to them. */
export interface ServiceMetrics {
  /** The figures, as `operatorHandler` serves them. */
  readonly registry: MetricsSource;
  /**
   * Adds what Node tells of the whole process: processor time, memory, open files, the event loop, garbage collection.
   * For the program that owns the process, once.
   */
  addProcess(): void;
  /** In a worker of `node:cluster`: answers the first process when it asks for the figures of all. Once. */
  shareWithCluster(): void;
}

/** In the first process of `node:cluster`: the figures of all workers that share theirs, added up. */
export function clusterMetrics(): MetricsSource {
  const figures = new AggregatorRegistry();
  return { contentType: figures.contentType, metrics: () => figures.clusterMetrics() };
}

/** Counts answers. */
export class Metrics implements ServiceMetrics {
  readonly #registry = new Registry();
  /** Those since the figures were last read: a counter finds its labels anew each time, which all answers would pay. */
  readonly #tallies = new Map<string, Tally>();
  readonly #requests: Counter<'route' | 'method' | 'status' | 'tier'>;
  readonly #durations: Histogram<'route'>;
  readonly #bytes: Counter<'route'>;

  constructor() {
    const registers = [this.#registry];
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
    AggregatorRegistry.setRegistries(this.#registry);
    // It listens for the first process's questions from here on.
    new AggregatorRegistry();
  }

  /** Counts one answer. Labels come from closed sets, whatever is asked for. */
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
