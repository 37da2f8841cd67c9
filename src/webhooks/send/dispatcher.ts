// Sends claimed deliveries. Each endpoint has its own queue, so that a slow one delays only itself, and places.ts says
// whose attempt is next. What a delivery became is recorded before its place is free again. It claims nothing itself.
import { setTimeout as sleep } from 'node:timers/promises';
import type { ClaimOptions } from '../../stores/contract/sending.ts';
import type { ClaimedDelivery, DeliveryOutcome } from '../../stores/contract/deliveries.ts';
import { deliver, type DeliverOptions } from './delivery.ts';
import { EndpointQueue, type Waiting } from './endpoint-queue.ts';
import { OutcomeWriter } from './outcome-writer.ts';
import { type AccountLine, Places } from './places.ts';

/** What a dispatcher needs. */
export interface DispatchOptions extends DeliverOptions {
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

/** The maximum number of deliveries that one sender holds for all endpoints: it limits memory. */
const HELD = 8192;

/** Sends claimed deliveries. */
export class Dispatcher {
  readonly #options: DispatchOptions;
  readonly #outcomes: OutcomeWriter;
  readonly #places = new Places();
  readonly #queues = new Map<string, EndpointQueue>();
  #held = 0;

  constructor(options: DispatchOptions) {
    this.#options = options;
    this.#outcomes = new OutcomeWriter(options.settle, options.onError);
  }

  /** Whether a delivery is waiting or running, or its outcome is not recorded. */
  get isBusy(): boolean {
    return this.#held > 0;
  }

  /**
   * How much may be claimed: at most half of what is free, and by an account at most as much as then remains free, so
   * that there is room for others whatever one account holds.
   */
  get room(): Pick<ClaimOptions, 'limit' | 'room' | 'limitPerEndpoint' | 'accountRoom'> {
    const free = HELD - this.#held;
    return {
      limit: Math.floor(free / 2),
      room: new Map([...this.#queues].map(([id, queue]) => [id, queue.room])),
      limitPerEndpoint: new EndpointQueue(this.#options.concurrency).room,
      accountRoom: new Map(
        [...this.#places.accounts].map(([id, { held }]) => [id, Math.max(0, Math.floor((free - held) / 2))]),
      ),
    };
  }

  /** Begins to send. @param until when the lease ends, in milliseconds since 1970 */
  add(claimed: readonly ClaimedDelivery[], lease: string, until: number): void {
    for (const delivery of claimed) {
      const { id, accountId } = delivery.endpoint;
      let queue = this.#queues.get(id);
      if (queue === undefined) this.#queues.set(id, (queue = new EndpointQueue(this.#options.concurrency)));
      queue.add({ delivery, lease, until });
      const line = this.#places.lineOf(accountId);
      line.waiting.add(queue);
      line.held++;
      this.#held++;
    }
    this.#start();
  }

  /**
   * Gives back what waits, and resolves once running attempts are recorded. After `graceMs` they are aborted: they are
   * sent again once their lease ends.
   */
  async stop(graceMs: number): Promise<void> {
    for (const line of this.#places.accounts.values()) {
      for (const queue of line.waiting) void this.#giveBack(line, queue, queue.takeAll());
      line.waiting.clear();
    }
    const deadline = performance.now() + graceMs;
    while (this.isBusy && performance.now() < deadline) await sleep(10);
    this.#options.poster.cut();
    // A store that does not respond must not delay a stop: deliveries whose outcome is not recorded are sent again.
    this.#outcomes.stop();
    while (this.isBusy) await sleep(10);
  }

  /** Starts as many attempts as there are places for. */
  #start(): void {
    const { timeoutMs, now } = this.#options;
    for (let turn = this.#places.next(); turn !== null; turn = this.#places.next()) {
      const { line, queue, next } = turn;
      // A delivery that could outlast its lease is given back, to be claimed again.
      if (next.until - now() < timeoutMs) {
        queue.unsent();
        this.#places.leave(line);
        void this.#giveBack(line, queue, [next]);
      } else {
        void this.#send(line, queue, next);
      }
    }
  }

  async #send(line: AccountLine, queue: EndpointQueue, { delivery, lease }: Waiting): Promise<void> {
    let outcome: DeliveryOutcome | null = null;
    try {
      outcome = await deliver(delivery, lease, this.#options);
    } catch (error) {
      this.#options.onError(error);
    }
    const attempt = outcome?.attempt ?? null;
    // A delivery that could not even be signed counts as a failure: the next ones will fail too.
    const isSuccess = outcome !== null && (attempt === null || outcome.state === 'acknowledged');
    queue.sent({ isSuccess, durationMs: attempt?.durationMs ?? 0 });
    this.#places.leave(line);
    void this.#giveBack(line, queue, queue.takeBack());
    this.#start();
    if (outcome !== null) await this.#outcomes.write([outcome]);
    this.#release(line, queue, 1);
  }

  /** Makes deliveries that were not tried due again, unchanged. */
  async #giveBack(line: AccountLine, queue: EndpointQueue, waiting: readonly Waiting[]): Promise<void> {
    if (waiting.length === 0) return;
    await this.#outcomes.write(waiting.map(({ delivery, lease }) => released(delivery, lease)));
    this.#release(line, queue, waiting.length);
  }

  #release(line: AccountLine, queue: EndpointQueue, count: number): void {
    queue.release(count);
    line.held -= count;
    this.#held -= count;
    if (line.held === 0) this.#places.forget(line);
    // An account that has all its places would only wait for more of them.
    if (queue.room > 0 && this.#places.left(line) > 0) this.#options.onRoom();
  }
}

/** The outcome of a delivery that was not tried: due as before. */
function released({ id, dueAt }: ClaimedDelivery, lease: string): DeliveryOutcome {
  return { id, lease, state: 'pending', reason: null, attempt: null, nextAttemptAt: dueAt, isGone: false };
}
