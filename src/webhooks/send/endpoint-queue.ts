// What a sender holds for one endpoint: waiting deliveries, running attempts, outcomes not yet recorded. It claims
// ahead only for an endpoint that answers quickly, and an endpoint that keeps failing gets one attempt at a time, so
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

/**
 * What is expected of an endpoint. `quick`: its last attempt succeeded, and fast. `untried`: there was none yet in this
 * process, and the last one of another process did not fail. `doubtful`: its last attempt failed or took long, or one that is
 * under way does.
 */
export type Standing = 'quick' | 'untried' | 'doubtful';

/** The queue of one endpoint. */
export class EndpointQueue {
  /** The account that it belongs to. */
  readonly accountId: string;
  readonly #concurrency: number;
  #waiting: Waiting[] = [];
  #underWay = 0;
  /** How many of the running attempts are slow. */
  #slow = 0;
  #held = 0;
  #failures = 0;
  /** Whether the last attempt succeeded; null before the first. */
  #isSuccess: boolean | null;
  #isQuick = true;

  /** @param options.isFailing whether the last attempt of another process failed */
  constructor(accountId: string, options: { readonly concurrency: number; readonly isFailing: boolean }) {
    this.accountId = accountId;
    this.#concurrency = options.concurrency;
    this.#isSuccess = options.isFailing ? false : null;
  }

  /** What is expected of the endpoint now. */
  get standing(): Standing {
    if (this.#slow > 0) return 'doubtful';
    if (this.#isSuccess === null) return 'untried';
    return this.#isSuccess && this.#isQuick ? 'quick' : 'doubtful';
  }

  /** The number of deliveries that are waiting or running, or whose outcome is not recorded. */
  get held(): number {
    return this.#held;
  }

  /** How many more may be claimed: none until half of the capacity is free. */
  get room(): number {
    let most = 1;
    if (this.standing === 'quick') most = this.#concurrency * AHEAD;
    else if (this.#isSuccess === true) most = this.#concurrency;
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
   * Whether a delivery waits, and so few are running that it may be sent.
   *
   * @param most how many may be running, besides the bound of every endpoint
   */
  isReady(most: number = this.#concurrency): boolean {
    return this.isWaiting && this.#underWay < Math.min(most, this.#isFailing ? 1 : this.#concurrency);
  }

  /** The next delivery to send, which then counts as running; null when none waits. */
  next(): Waiting | null {
    const next = this.#waiting.shift();
    if (next === undefined) return null;
    this.#underWay++;
    return next;
  }

  /** A delivery that was to be sent was not sent. It is held until it is released. */
  unsent(): void {
    this.#underWay--;
  }

  /** A running attempt is slow. */
  slow(): void {
    this.#slow++;
  }

  /** A running attempt has ended. @param isSuccess null when it was broken off */
  sent(isSuccess: boolean | null, isSlow: boolean): void {
    this.#underWay--;
    if (isSlow) this.#slow--;
    // A single failure that came fast gives nothing back.
    this.#isQuick = isSuccess !== null && !isSlow;
    this.#isSuccess = isSuccess === true;
    if (isSuccess !== null) this.#failures = isSuccess ? 0 : this.#failures + 1;
  }

  /**
   * The waiting deliveries, to be given back, once the endpoint fails or is slow. They are held until they are
   * released.
   */
  takeBack(): readonly Waiting[] {
    return this.#isFailing || this.#slow > 0 || !this.#isQuick ? this.takeAll() : [];
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
