// Sends claimed deliveries: each endpoint has its own queue, so that a slow one delays only itself. What a delivery
// became is recorded before its place is free again. It claims nothing itself.
import { setTimeout as sleep } from 'node:timers/promises';
import type { ClaimedDelivery, ClaimOptions, DeliveryOutcome } from '../../stores/contract/deliveries.ts';
import { deliver, type DeliverOptions } from './delivery.ts';
import { EndpointQueue, type Waiting } from './endpoint-queue.ts';
import { OutcomeWriter } from './outcome-writer.ts';

/** What a dispatcher needs. */
export interface DispatchOptions extends Omit<DeliverOptions, 'signal'> {
  /** The number of simultaneous attempts to one endpoint. */
  readonly concurrency: number;
  /** The time limit of an attempt, in milliseconds. */
  readonly timeoutMs: number;
  /** Records outcomes. */
  readonly settle: (outcomes: readonly DeliveryOutcome[]) => Promise<void>;
  /** Called with failures that do not belong to one delivery. */
  readonly onError: (error: unknown) => void;
  /** Called when more may be claimed. */
  readonly onRoom: () => void;
}

/** The maximum number of deliveries that one sender holds for all endpoints: it limits memory and connections. */
const HELD = 8192;

/** Sends claimed deliveries. */
export class Dispatcher {
  readonly #options: DispatchOptions;
  readonly #outcomes: OutcomeWriter;
  readonly #queues = new Map<string, EndpointQueue>();
  /** Aborts running attempts. */
  readonly #cut = new AbortController();

  constructor(options: DispatchOptions) {
    this.#options = options;
    this.#outcomes = new OutcomeWriter(options.settle, options.onError);
  }

  /** Whether a delivery is waiting or running, or its outcome is not recorded. */
  get isBusy(): boolean {
    return [...this.#queues.values()].some(({ held }) => held > 0);
  }

  /** How much may be claimed. */
  get room(): Pick<ClaimOptions, 'limit' | 'room' | 'limitPerEndpoint'> {
    const queues = [...this.#queues];
    return {
      limit: HELD - queues.reduce((sum, [, { held }]) => sum + held, 0),
      room: new Map(queues.map(([id, queue]) => [id, queue.room])),
      limitPerEndpoint: new EndpointQueue(this.#options.concurrency).room,
    };
  }

  /** Begins to send. @param until when the lease ends, in milliseconds since 1970 */
  add(claimed: readonly ClaimedDelivery[], lease: string, until: number): void {
    for (const delivery of claimed) {
      const { id } = delivery.endpoint;
      let queue = this.#queues.get(id);
      if (queue === undefined) this.#queues.set(id, (queue = new EndpointQueue(this.#options.concurrency)));
      queue.add({ delivery, lease, until });
    }
    for (const queue of this.#queues.values()) this.#pump(queue);
  }

  /**
   * Gives back what waits, and resolves once running attempts are recorded. After `graceMs` they are aborted: they are
   * sent again once their lease ends.
   */
  async stop(graceMs: number): Promise<void> {
    for (const queue of this.#queues.values()) void this.#giveBack(queue, queue.takeAll());
    const deadline = performance.now() + graceMs;
    while (this.isBusy && performance.now() < deadline) await sleep(10);
    this.#cut.abort();
    // A store that does not respond must not delay a stop: deliveries whose outcome is not recorded are sent again.
    this.#outcomes.stop();
    while (this.isBusy) await sleep(10);
  }

  /** Starts as many attempts as the queue allows at once. */
  #pump(queue: EndpointQueue): void {
    for (let next = queue.next(); next !== null; next = queue.next()) {
      const { timeoutMs, now } = this.#options;
      // A delivery that could outlast its lease is given back, to be claimed again.
      if (next.until - now() < timeoutMs) {
        queue.unsent();
        void this.#giveBack(queue, [next]);
      } else {
        void this.#send(queue, next);
      }
    }
  }

  async #send(queue: EndpointQueue, { delivery, lease }: Waiting): Promise<void> {
    let outcome: DeliveryOutcome | null = null;
    try {
      outcome = await deliver(delivery, lease, { ...this.#options, signal: this.#cut.signal });
    } catch (error) {
      this.#options.onError(error);
    }
    const attempt = outcome?.attempt ?? null;
    // A delivery that could not even be signed counts as a failure: the next ones will fail too.
    const isSuccess = outcome !== null && (attempt === null || outcome.state === 'acknowledged');
    queue.sent({ isSuccess, durationMs: attempt?.durationMs ?? 0 });
    void this.#giveBack(queue, queue.takeBack());
    this.#pump(queue);
    if (outcome !== null) await this.#outcomes.write([outcome]);
    this.#release(queue, 1);
  }

  /** Makes deliveries that were not tried due again, unchanged. */
  async #giveBack(queue: EndpointQueue, waiting: readonly Waiting[]): Promise<void> {
    await this.#outcomes.write(waiting.map(({ delivery, lease }) => released(delivery, lease)));
    this.#release(queue, waiting.length);
  }

  #release(queue: EndpointQueue, count: number): void {
    queue.release(count);
    if (queue.room > 0) this.#options.onRoom();
  }
}

/** The outcome of a delivery that was not tried: due as before. */
function released({ id, dueAt }: ClaimedDelivery, lease: string): DeliveryOutcome {
  return { id, lease, state: 'pending', reason: null, attempt: null, nextAttemptAt: dueAt, isGone: false };
}
