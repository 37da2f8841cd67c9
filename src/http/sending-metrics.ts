// Figures about the sending of webhooks: what waits in the store, which all senders share, and what became of the attempts
// of this process. If the store does not answer, the figures of what waits are left out.
import { type Backlog, BACKLOG_COUNTED } from '../stores/contract/sending.ts';
import type { ServiceStore } from '../stores/contract/accounts.ts';
import type { DeliveryOutcome } from '../stores/contract/deliveries.ts';
import { METRICS_PATIENCE_MS, type MetricsSource, Question } from './metrics-source.ts';
import { Counter, Gauge, Registry } from './prom-client.ts';

/** What became of a delivery: `retried` is an attempt that failed and will be repeated. */
const OUTCOMES = ['acknowledged', 'retried', 'failed', 'skipped'] as const;

/**
 * Figures about sending.
 *
 * @example
 * const figures = new SendingMetrics(store);
 * const sender = new WebhookSender({ ...options, onOutcomes: (outcomes) => figures.note(outcomes) });
 * http.createServer(toNodeListener(operatorHandler(figures))).listen(9091, '127.0.0.1');
 */
export class SendingMetrics implements MetricsSource {
  readonly #backlog: Question<Backlog>;
  readonly #now: () => number;
  readonly #registry = new Registry();
  readonly #outcomes: Counter<'outcome'>;

  /**
   * @param options.onError called when the store does not tell what waits. Default: written to standard error
   * @param options.patienceMs how long the store is waited for, in milliseconds. Default 2,000
   * @param options.now milliseconds since 1970. Default `Date.now`
   */
  constructor(
    { deliveries }: Pick<ServiceStore, 'deliveries'>,
    options: {
      readonly onError?: (error: unknown) => void;
      readonly patienceMs?: number;
      readonly now?: () => number;
    } = {},
  ) {
    const { onError = writeError, patienceMs = METRICS_PATIENCE_MS, now = Date.now } = options;
    const ask = (): Promise<Backlog> => deliveries.backlog({ now: new Date(now()).toISOString() });
    this.#backlog = new Question(ask, patienceMs, onError);
    this.#now = now;
    this.#outcomes = new Counter({
      name: 'gazette_webhook_outcomes_total',
      help: 'What became of the deliveries that this process had to send.',
      labelNames: ['outcome'],
      registers: [this.#registry],
    });
    for (const outcome of OUTCOMES) this.#outcomes.inc({ outcome }, 0);
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  /** Counts outcomes: what a sender's `onOutcomes` is called with. */
  note(outcomes: readonly DeliveryOutcome[]): void {
    for (const { state, attempt } of outcomes) {
      // One that was given back was not tried.
      if (state !== 'pending') this.#outcomes.inc({ outcome: state });
      else if (attempt !== null) this.#outcomes.inc({ outcome: 'retried' });
    }
  }

  async metrics(): Promise<string> {
    const backlog = await this.#backlog.answer();
    const waiting = backlog === null ? '' : await waitingText(backlog, this.#now());
    return `${waiting}${await this.#registry.metrics()}`;
  }
}

/** The figures of what waits at one moment. */
async function waitingText(
  { deliveries, changes, oldestDueAt, disabledEndpoints }: Backlog,
  nowMs: number,
): Promise<string> {
  const registry = new Registry();
  const gauge = <Label extends string>(name: string, help: string, labelNames: Label[]): Gauge<Label> => {
    return new Gauge({ name: `gazette_webhook_${name}`, help, labelNames, registers: [registry] });
  };
  const counted = BACKLOG_COUNTED.toLocaleString('en');
  gauge('backlog', `Deliveries that wait to be sent, now or later, counted up to ${counted}.`, []).set(deliveries);
  gauge('changes_behind', 'Changes of registers for which no deliveries have been created yet.', []).set(changes);
  const dueMs = oldestDueAt === null ? 0 : Math.max(0, nowMs - Date.parse(oldestDueAt));
  gauge('oldest_due_seconds', 'For how long the oldest delivery has been due; 0 if none is.', []).set(dueMs / 1000);
  const disabled = gauge('disabled_endpoints', 'Endpoints that are disabled, by the reason.', ['reason']);
  for (const [reason, count] of Object.entries(disabledEndpoints)) disabled.set({ reason }, count);
  return `${await registry.metrics()}\n`;
}

function writeError(error: unknown): void {
  console.error('gazette: the store does not tell which webhooks wait', error);
}
