// What a sender holds for one endpoint: deliveries that wait, attempts under way, outcomes not yet recorded. Only for an
// endpoint that has proved quick is anything claimed ahead, and one that keeps failing gets one attempt at a time, so that
// neither takes room from the others.
import type { ClaimedDelivery } from '../../stores/contract/deliveries.ts';

/** A delivery in a queue. */
export interface Waiting {
  readonly delivery: ClaimedDelivery;
  readonly lease: string;
  /** When the lease ends, in milliseconds since 1970. */
  readonly until: number;
}

/** Deliveries claimed ahead of their turn, for each that may be under way: so that claims and records are shared. */
const AHEAD = 16;

/** From so many failures in a row on an endpoint is taken to be failing. */
const FAILING = 3;

/** An attempt that takes less, in milliseconds, is quick. */
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

  /** Deliveries that wait, are under way, or whose outcome is not recorded. */
  get held(): number {
    return this.#held;
  }

  /** How many more may be claimed: none until half of what fits is done. */
  get room(): number {
    if (this.#isFailing) return Math.max(0, 1 - this.#held);
    const most = this.#isQuick ? this.#concurrency * AHEAD : this.#concurrency;
    return this.#held > most / 2 ? 0 : most - this.#held;
  }

  add(waiting: Waiting): void {
    this.#waiting.push(waiting);
    this.#held++;
  }

  /** The next one to send, which is then under way; null when none waits or enough are. */
  next(): Waiting | null {
    if (this.#underWay >= (this.#isFailing ? 1 : this.#concurrency)) return null;
    const next = this.#waiting.shift();
    if (next === undefined) return null;
    this.#underWay++;
    return next;
  }

  /** One that was to be sent was not. Still held until it is released. */
  unsent(): void {
    this.#underWay--;
  }

  /** One that was under way is done. */
  sent({ isSuccess, durationMs }: { readonly isSuccess: boolean; readonly durationMs: number }): void {
    this.#underWay--;
    this.#failures = isSuccess ? 0 : this.#failures + 1;
    this.#isQuick = durationMs < QUICK_MS;
  }

  /** What waits, once the endpoint fails or is slow: to be given back. Still held until it is released. */
  takeBack(): readonly Waiting[] {
    return this.#isFailing || !this.#isQuick ? this.takeAll() : [];
  }

  /** What waits. Still held until it is released. */
  takeAll(): readonly Waiting[] {
    const waiting = this.#waiting;
    this.#waiting = [];
    return waiting;
  }

  /** The outcomes of so many are recorded. */
  release(count: number): void {
    this.#held -= count;
  }

  get #isFailing(): boolean {
    return this.#failures >= FAILING;
  }
}
