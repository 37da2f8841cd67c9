// What a sender holds for one endpoint: waiting deliveries, running attempts, outcomes not yet recorded. It claims
// ahead only for an endpoint that has proved fast, and an endpoint that keeps failing gets one attempt at a time, so
// that neither takes capacity from the others.
import type { ClaimedDelivery } from '../../stores/contract/deliveries.ts';

/** A delivery in a queue. */
export interface Waiting {
  readonly delivery: ClaimedDelivery;
  readonly lease: string;
  /** When the lease ends, in milliseconds since 1970. */
  readonly until: number;
}

/** How many deliveries are claimed ahead for each running attempt, so that claims and records are shared. */
const AHEAD = 16;

/** After this many failures in a row an endpoint counts as failing. */
const FAILING = 3;

/** An attempt that takes less, in milliseconds, is fast. */
const QUICK_MS = 1000;

/** The queue of one endpoint. */
export class EndpointQueue {
  readonly #concurrency: number;
  #waiting: Waiting[] = [];
  #underWay = 0;
  #held = 0;
  #failures = 0;
  #isQuick = false;

  constructor(concurrency: number) {
    this.#concurrency = concurrency;
  }

  /** The number of deliveries that are waiting or running, or whose outcome is not recorded. */
  get held(): number {
    return this.#held;
  }

  /** How many more may be claimed: none until half of the capacity is free. */
  get room(): number {
    if (this.#isFailing) return Math.max(0, 1 - this.#held);
    const most = this.#isQuick ? this.#concurrency * AHEAD : this.#concurrency;
    return this.#held > most / 2 ? 0 : most - this.#held;
  }

  add(waiting: Waiting): void {
    this.#waiting.push(waiting);
    this.#held++;
  }

  /** Whether a delivery waits. */
  get isWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  /**
   * The next delivery to send, which then counts as running; null when none waits or enough are running.
   *
   * @param most how many may be running, besides the bound of every endpoint
   */
  next(most: number = this.#concurrency): Waiting | null {
    if (this.#underWay >= Math.min(most, this.#isFailing ? 1 : this.#concurrency)) return null;
    const next = this.#waiting.shift();
    if (next === undefined) return null;
    this.#underWay++;
    return next;
  }

  /** A delivery that was to be sent was not sent. It is held until it is released. */
  unsent(): void {
    this.#underWay--;
  }

  /** A running delivery has finished. */
  sent({ isSuccess, durationMs }: { readonly isSuccess: boolean; readonly durationMs: number }): void {
    this.#underWay--;
    this.#failures = isSuccess ? 0 : this.#failures + 1;
    this.#isQuick = durationMs < QUICK_MS;
  }

  /**
   * The waiting deliveries, to be given back, once the endpoint fails or is slow. They are held until they are
   * released.
   */
  takeBack(): readonly Waiting[] {
    return this.#isFailing || !this.#isQuick ? this.takeAll() : [];
  }

  /** The waiting deliveries. They are held until they are released. */
  takeAll(): readonly Waiting[] {
    const waiting = this.#waiting;
    this.#waiting = [];
    return waiting;
  }

  /** The outcomes of this many deliveries are recorded. */
  release(count: number): void {
    this.#held -= count;
  }

  get #isFailing(): boolean {
    return this.#failures >= FAILING;
  }
}
