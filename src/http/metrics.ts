// Figures for the operator's monitoring: requests and their durations by route, in the service's own registry. They do
// not identify consumers. The program that owns the process adds figures about the process.
import type { SentAnswer } from '../web/representation.ts';
import type { SharedLimitFigures } from '../access/limits/hold.ts';
import type { KnowledgeFigures, ReplicaFigures } from '../stores/contract/nodes/figures.ts';
import { answerFigures } from './cluster-metrics.ts';
import {
  addRegisterFigure,
  ASKING_PATIENCE_MS,
  type MetricsSource,
  Question,
  type RegisterFigure,
} from './metrics-source.ts';
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
  /** The limits that several processes share; null: this process counts for itself. */
  readonly sharedLimits?: (() => SharedLimitFigures) | null;
  /** What the store knows without asking; undefined, once the service starts: it has nobody to ask. */
  readonly knowledge?: () => KnowledgeFigures | undefined;
  /** How the store reads from a replica; undefined, once the service starts: it has none. */
  readonly replica?: () => ReplicaFigures | undefined;
  /** How far the replica is behind, in seconds; null: it does not say. */
  readonly replicaLag?: () => Promise<number | null>;
  /** Figures of single registers. */
  readonly registers?: readonly RegisterFigure[];
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
  readonly #refusals: Counter<'policy'>;

  constructor({
    indexing,
    sharedLimits = null,
    knowledge,
    replica,
    replicaLag,
    registers: figures = [],
  }: MetricsOptions = {}) {
    const registers = [this.#registry];
    if (sharedLimits !== null) addLimitFigures(this.#registry, sharedLimits);
    if (knowledge?.() !== undefined) addKnowledgeFigures(this.#registry, () => knowledge()!);
    for (const figure of figures) addRegisterFigure(this.#registry, figure);
    if (replica?.() !== undefined) addReplicaFigures(this.#registry, () => replica()!, replicaLag);
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
    this.#refusals = new Counter({
      name: 'gazette_limit_refusals_total',
      help: 'Requests refused because of a limit, by the policy.',
      labelNames: ['policy'],
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
  note({ route, request, access, standing }: RequestContext, { status, bytes }: SentAnswer, durationMs: number): void {
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
    tally.bytes += bytes;
    this.#durations.observe({ route: known }, durationMs / 1000);
    // After a 304, what stands there is about the next request.
    if (standing?.isAllowed === false && status !== 304) this.#refusals.inc({ policy: standing.policy });
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

/** Figures of limits that several processes share. */
function addLimitFigures(registry: Registry, figures: () => SharedLimitFigures): void {
  const registers = [registry];
  const away = new Gauge({
    name: 'gazette_limit_counter_away',
    help: 'Whether the counter of limits does not answer, and each process lets its part of each limit through.',
    aggregator: 'max',
    registers,
    collect() {
      away.set(figures().isAway ? 1 : 0);
    },
  });
  const nodes = new Gauge({
    name: 'gazette_limit_nodes',
    help: 'Processes that share the limits, as the counter last said.',
    // Each process tells of all.
    aggregator: 'max',
    registers,
    collect() {
      nodes.set(figures().nodes);
    },
  });
  addTotals(registry, 'gazette_limit_draws_total', 'Questions for tokens to the counter of limits.', () => {
    const { answered, failed } = figures();
    return { answered, failed };
  });
}

/** Figures of a node that answers from memory. */
function addKnowledgeFigures(registry: Registry, figures: () => KnowledgeFigures): void {
  const age = new Gauge({
    name: 'gazette_knowledge_age_seconds',
    help: 'Since the last question to the database was sent that told whether anything had changed.',
    aggregator: 'max',
    registers: [registry],
    collect() {
      const { ageMs } = figures();
      // Without an answer there is no age.
      if (ageMs === null) age.remove();
      else age.set(ageMs / 1000);
    },
  });
  addTotals(registry, 'gazette_knowledge_questions_total', 'Questions to the database about changes.', () => {
    const { answered, failed } = figures();
    return { answered, failed };
  });
  const uses = 'Times that what was read was known to be current (known), or the database had to be asked (unknown).';
  addTotals(registry, 'gazette_knowledge_uses_total', uses, () => {
    const { known, unknown } = figures();
    return { known, unknown };
  });
}

/** Figures of a node that reads from a replica. */
function addReplicaFigures(
  registry: Registry,
  figures: () => ReplicaFigures,
  lag: () => Promise<number | null> = () => Promise.resolve(null),
): void {
  // The reads that failed are counted: that tells that it is away.
  const question = new Question(lag, ASKING_PATIENCE_MS, () => undefined);
  const behind = new Gauge({
    name: 'gazette_replica_lag_seconds',
    help: 'How far the replica is behind the primary; absent while one of them does not say.',
    aggregator: 'max',
    registers: [registry],
    async collect() {
      const seconds = await question.answer();
      if (seconds === null) behind.remove();
      else behind.set(seconds);
    },
  });
  const reads =
    'Reads that the replica answered (answered), or the primary because the replica was behind (behind) or failed (failed); and waits for a replica that was behind (waited).';
  addTotals(registry, 'gazette_replica_reads_total', reads, () => ({ ...figures() }));
}

/** A counter of totals that something else counts, by what became of it. */
function addTotals(
  registry: Registry,
  name: string,
  help: string,
  totals: () => Readonly<Record<string, number>>,
): void {
  const seen = new Map<string, number>();
  const counter = new Counter({
    name,
    help,
    labelNames: ['outcome'],
    registers: [registry],
    collect() {
      for (const [outcome, total] of Object.entries(totals())) {
        counter.inc({ outcome }, total - (seen.get(outcome) ?? 0));
        seen.set(outcome, total);
      }
    },
  });
}
