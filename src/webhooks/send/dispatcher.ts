// Sends claimed deliveries. Each endpoint has its own queue, so that a slow one delays only itself, and slots.ts says
// whose attempt is next. What a delivery became is recorded before its slot is free again. It claims nothing itself.
import { setTimeout as sleep } from 'node:timers/promises';
import type { ClaimOptions } from '../../stores/contract/sending.ts';
import type { ClaimedDelivery, DeliveryOutcome } from '../../stores/contract/deliveries.ts';
import { deliver, type DeliverOptions } from './delivery.ts';
import { EndpointQueue, type Waiting } from './endpoint-queue.ts';
import { OutcomeWriter } from './outcome-writer.ts';
import { type Attempt, DOUBTFUL_SLOTS, SendingSlots, TICK_MS } from './slots.ts';

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

/** The same for endpoints whose last attempt hung or failed: no more than are soon sent. */
const DOUBTFUL_HELD = 2 * DOUBTFUL_SLOTS;

/** Sends claimed deliveries. */
export class Dispatcher {
  readonly #options: DispatchOptions;
  readonly #outcomes: OutcomeWriter;
  readonly #slots = new SendingSlots();
  readonly #queues = new Map<string, EndpointQueue>();
  #ticks: NodeJS.Timeout | undefined;
  #held = 0;

  constructor(options: DispatchOptions) {
    this.#options = options;
    this.#outcomes = new OutcomeWriter(options.settle, options.onError);
  }

  /** Whether a delivery is waiting or running, or its outcome is not recorded. */
  get isBusy(): boolean {
    return this.#held > 0;
  }

  /** Whether the store still has claims of this sender. */
  get hasClaims(): boolean {
    return this.isBusy || this.#outcomes.hasDropped;
  }

  /** How much may be claimed. */
  get room(): Required<Omit<ClaimOptions, 'now' | 'lease' | 'until'>> {
    const queues = [...this.#queues];
    const isDoubtful = (queue: EndpointQueue): boolean => queue.standing === 'doubtful';
    const [doubtful = [], others = []] = [true, false].map((is) =>
      queues.map(([, queue]) => queue).filter((queue) => isDoubtful(queue) === is),
    );
    return {
      ...roomOf(HELD, others),
      room: new Map(queues.map(([id, queue]) => [id, queue.room])),
      limitPerEndpoint: 1,
      doubtful: {
        ...roomOf(DOUBTFUL_HELD, doubtful),
        endpoints: new Map(queues.map(([id, queue]) => [id, isDoubtful(queue)])),
      },
    };
  }

  /** Begins to send. @param until when the lease ends, in milliseconds since 1970 */
  add(claimed: readonly ClaimedDelivery[], lease: string, until: number): void {
    for (const delivery of claimed) {
      const { id, accountId, failingSince } = delivery.endpoint;
      let queue = this.#queues.get(id);
      if (queue === undefined) {
        const { concurrency } = this.#options;
        queue = new EndpointQueue(accountId, { concurrency, isFailing: failingSince !== null });
        this.#queues.set(id, queue);
      }
      queue.add({ delivery, lease, until });
      this.#slots.wait(queue);
      this.#held++;
    }
    this.#start();
  }

  /**
   * Gives back what waits, and resolves once running attempts are recorded. After `graceMs` they are aborted and given back.
   */
  async stop(graceMs: number): Promise<void> {
    for (const [queue, waiting] of this.#slots.takeAll()) void this.#giveBack(queue, waiting);
    const deadline = performance.now() + graceMs;
    while (this.isBusy && performance.now() < deadline) await sleep(10);
    this.#options.poster.cut();
    // A store that does not respond must not delay a stop: deliveries whose outcome is not recorded are sent again.
    this.#outcomes.stop();
    while (this.isBusy) await sleep(10);
  }

  /** Starts as many attempts as there are slots for. */
  #start(): void {
    const { timeoutMs, now } = this.#options;
    for (let attempt = this.#slots.next(); attempt !== null; attempt = this.#slots.next()) {
      // A delivery that could outlast its lease is given back, to be claimed again.
      if (attempt.next.until - now() < timeoutMs) {
        this.#slots.unsent(attempt);
        void this.#giveBack(attempt.queue, [attempt.next]);
      } else {
        void this.#send(attempt);
      }
    }
  }

  async #send(attempt: Attempt): Promise<void> {
    const { queue, next, brokenOff } = attempt;
    this.#ticks ??= setInterval(() => {
      this.#tick();
    }, TICK_MS);
    let outcome: DeliveryOutcome | null = null;
    let isAborted = false;
    try {
      outcome = await deliver(next.delivery, next.lease, brokenOff.signal, this.#options);
      isAborted = outcome === null;
    } catch (error) {
      this.#options.onError(error);
    }
    // A delivery that could not even be signed counts as a failure: the next ones will fail too.
    const isSuccess = outcome !== null && (outcome.attempt === null || outcome.state === 'acknowledged');
    this.#slots.leave(attempt, isAborted ? null : isSuccess);
    this.#giveBackOf(queue);
    this.#start();
    if (isAborted) outcome = released(next.delivery, next.lease);
    if (outcome !== null) await this.#outcomes.write([outcome]);
    this.#release(queue, 1);
  }

  /** Attempts that take long leave their slots to others. */
  #tick(): void {
    for (const queue of this.#slots.tick()) this.#giveBackOf(queue);
    this.#start();
    if (this.#slots.isBusy) return;
    clearInterval(this.#ticks);
    this.#ticks = undefined;
  }

  /** Gives back what waits for an endpoint, if it fails or is slow. */
  #giveBackOf(queue: EndpointQueue): void {
    const waiting = queue.takeBack();
    this.#slots.wait(queue);
    void this.#giveBack(queue, waiting);
  }

  /** Makes deliveries that were not tried due again, unchanged. */
  async #giveBack(queue: EndpointQueue, waiting: readonly Waiting[]): Promise<void> {
    if (waiting.length === 0) return;
    await this.#outcomes.write(waiting.map(({ delivery, lease }) => released(delivery, lease)));
    this.#release(queue, waiting.length);
  }

  #release(queue: EndpointQueue, count: number): void {
    queue.release(count);
    this.#held -= count;
    // An account that has all its slots would only wait for more of them.
    if (queue.room > 0 && this.#slots.hasRoom(queue)) this.#options.onRoom();
  }
}

/**
 * How much may be claimed of what some endpoints share: at most half of what is free, and by an account at most as much as
 * then remains free, so that there is room for others whatever one account holds.
 */
function roomOf(most: number, queues: readonly EndpointQueue[]): Pick<ClaimOptions, 'limit' | 'accountRoom'> {
  const held = new Map<string, number>();
  for (const queue of queues) held.set(queue.accountId, (held.get(queue.accountId) ?? 0) + queue.held);
  const free = most - queues.reduce((sum, queue) => sum + queue.held, 0);
  return {
    limit: Math.max(0, Math.floor(free / 2)),
    accountRoom: new Map([...held].map(([id, own]) => [id, Math.max(0, Math.floor((free - own) / 2))])),
  };
}

/** The outcome of a delivery that was not tried: due as before. */
function released({ id, dueAt }: ClaimedDelivery, lease: string): DeliveryOutcome {
  return { id, lease, state: 'pending', reason: null, attempt: null, nextAttemptAt: dueAt, isGone: false };
}
