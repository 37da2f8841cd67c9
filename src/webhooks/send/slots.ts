// Who sends next: attempts under way are bounded in all, and an account or endpoint with many leaves slots to those
// with few. Endpoints that hang or fail have slots of their own, so that those that answer never wait for them.
import type { EndpointQueue, Standing, Waiting } from './endpoint-queue.ts';

/** The maximum number of attempts under way in all: connections, and what one receiver behind many endpoints gets. */
export const SENDING_SLOTS = 512;

/** How many of them are for endpoints whose last attempt hung or failed. */
export const DOUBTFUL_SLOTS: number = SENDING_SLOTS / 4;

/** How many of the others endpoints may have that were not tried yet: the rest is always free for those that answer. */
const UNTRIED_SLOTS = SENDING_SLOTS / 2;

/**
 * How often attempts under way grow older, in milliseconds. Their age is counted, not measured: while this process is held up
 * it reads no answers, and blames nobody for it.
 */
export const TICK_MS = 100;

/**
 * At this age an attempt without an answer leaves its slot to others, and counts among the doubtful. It is broken off only
 * when all slots are taken, the oldest first.
 */
export const LATE_AGE = 3;

/** At this age, a second, an attempt is slow: its endpoint is one of the doubtful. */
export const SLOW_AGE = 10;

/** The attempts to the endpoints of one account that share slots. */
class Line {
  readonly accountId: string;
  readonly row: Row;
  /** Attempts under way. */
  underWay = 0;
  /** The queues with deliveries that wait, in the order of their turns. */
  readonly waiting: Set<EndpointQueue> = new Set<EndpointQueue>();

  constructor(accountId: string, row: Row) {
    this.accountId = accountId;
    this.row = row;
  }
}

/** Whose turn it is. */
interface Turn {
  readonly line: Line;
  readonly queue: EndpointQueue;
}

/** Places that endpoints of one standing share: accounts have their turns, and the endpoints of each account. */
class Row {
  readonly #most: number;
  readonly #lines = new Map<string, Line>();
  #underWay = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get underWay(): number {
    return this.#underWay;
  }

  lineOf(accountId: string): Line {
    let line = this.#lines.get(accountId);
    if (line === undefined) this.#lines.set(accountId, (line = new Line(accountId, this)));
    return line;
  }

  /** How many more attempts an account may have under way: as many as then remain free for others. */
  left(accountId: string, most: number = this.#most): number {
    const own = this.#lines.get(accountId)?.underWay ?? 0;
    return Math.ceil((Math.min(this.#most, most) - this.#underWay - own) / 2);
  }

  /** Whose turn it is. @param most how many slots there are now, if fewer */
  find(most: number = this.#most): Turn | null {
    for (const line of this.#lines.values()) {
      const left = this.left(line.accountId, most);
      if (left <= 0) continue;
      // Likewise, an endpoint may have as many under way as its account has slots left.
      for (const queue of line.waiting) if (queue.isReady(left)) return { line, queue };
    }
    return null;
  }

  enter(line: Line): void {
    line.underWay++;
    this.#underWay++;
    // The next turn is another account's.
    this.#lines.delete(line.accountId);
    this.#lines.set(line.accountId, line);
  }

  leave(line: Line): void {
    line.underWay--;
    this.#underWay--;
    this.forget(line);
  }

  forget(line: Line): void {
    if (line.underWay === 0 && line.waiting.size === 0) this.#lines.delete(line.accountId);
  }
}

/** An attempt under way. Places alone change it. */
export class Attempt {
  readonly queue: EndpointQueue;
  readonly next: Waiting;
  /** Fires when it is broken off; its delivery is to be sent again. */
  readonly brokenOff: AbortController = new AbortController();
  /** How often it was found under way. */
  age = 0;
  /** Where it counts. */
  line: Line;

  constructor(line: Line, queue: EndpointQueue, next: Waiting) {
    this.line = line;
    this.queue = queue;
    this.next = next;
  }
}

/** The slots of a sender. */
export class SendingSlots {
  readonly #quick = new Row(SENDING_SLOTS - DOUBTFUL_SLOTS);
  readonly #untried = new Row(UNTRIED_SLOTS);
  readonly #doubtful = new Row(DOUBTFUL_SLOTS);
  readonly #rows: Readonly<Record<Standing, Row>> = {
    quick: this.#quick,
    untried: this.#untried,
    doubtful: this.#doubtful,
  };
  readonly #waiting = new Map<EndpointQueue, Line>();
  readonly #underWay = new Set<Attempt>();
  /** Those that were not doubtful when they began, in the order in which they became late. */
  readonly #late = new Set<Attempt>();
  #ending: Attempt | null = null;

  /** Whether an attempt is under way. */
  get isBusy(): boolean {
    return this.#underWay.size > 0;
  }

  /** Whether an endpoint may have more attempts under way now. */
  hasRoom({ standing, accountId }: EndpointQueue): boolean {
    return this.#rows[standing].left(accountId) > 0;
  }

  /**
   * Has a queue wait among those of its standing, as long as it has deliveries that wait. Call it after it got or lost some.
   */
  wait(queue: EndpointQueue): void {
    const before = this.#waiting.get(queue);
    const row = this.#rows[queue.standing];
    if (before?.row === row && queue.isWaiting) return;
    if (before !== undefined) {
      before.waiting.delete(queue);
      before.row.forget(before);
      this.#waiting.delete(queue);
    }
    if (!queue.isWaiting) return;
    const line = row.lineOf(queue.accountId);
    line.waiting.add(queue);
    this.#waiting.set(queue, line);
  }

  /** The next attempt, which then has a slot; null when none may begin now. */
  next(): Attempt | null {
    // Those that answer come first, and what they leave of their slots the untried may have.
    const slots = SENDING_SLOTS - DOUBTFUL_SLOTS;
    const turn = this.#quick.find(slots - this.#untried.underWay) ?? this.#untried.find(slots - this.#quick.underWay);
    const isFull = this.#underWay.size >= SENDING_SLOTS;
    if (isFull && turn !== null) this.#breakOff();
    if (isFull) return null;
    return this.#enter(turn ?? this.#doubtful.find());
  }

  /** All attempts under way grow older. @returns the endpoints that have become slow */
  tick(): readonly EndpointQueue[] {
    const slow: EndpointQueue[] = [];
    for (const attempt of this.#underWay) {
      attempt.age++;
      if (attempt.age === LATE_AGE && attempt.line.row !== this.#doubtful) this.#makeLate(attempt);
      if (attempt.age !== SLOW_AGE) continue;
      attempt.queue.slow();
      this.wait(attempt.queue);
      slow.push(attempt.queue);
    }
    return slow;
  }

  /** An attempt has ended. @param isSuccess null when it was broken off */
  leave(attempt: Attempt, isSuccess: boolean | null): void {
    attempt.queue.sent(isSuccess, attempt.age >= SLOW_AGE);
    this.#free(attempt);
  }

  /** An attempt was not made. */
  unsent(attempt: Attempt): void {
    attempt.queue.unsent();
    this.#free(attempt);
  }

  /** Takes all deliveries that wait out of their queues, by queue. */
  takeAll(): readonly (readonly [EndpointQueue, readonly Waiting[]])[] {
    const queues = [...this.#waiting.keys()];
    return queues.map((queue) => {
      const taken = queue.takeAll();
      this.wait(queue);
      return [queue, taken] as const;
    });
  }

  #enter(turn: Turn | null): Attempt | null {
    const next = turn?.queue.next() ?? null;
    if (turn === null || next === null) return null;
    const { line, queue } = turn;
    line.row.enter(line);
    line.waiting.delete(queue);
    line.waiting.add(queue);
    this.wait(queue);
    const attempt = new Attempt(line, queue, next);
    this.#underWay.add(attempt);
    return attempt;
  }

  #makeLate(attempt: Attempt): void {
    this.#late.add(attempt);
    attempt.line.row.leave(attempt.line);
    attempt.line = this.#doubtful.lineOf(attempt.queue.accountId);
    this.#doubtful.enter(attempt.line);
  }

  #free(attempt: Attempt): void {
    attempt.line.row.leave(attempt.line);
    this.#underWay.delete(attempt);
    this.#late.delete(attempt);
    if (this.#ending === attempt) this.#ending = null;
    this.wait(attempt.queue);
  }

  /** All slots are taken, and more of them by late attempts than the doubtful have: one of these ends, and then its slot is free. */
  #breakOff(): void {
    if (this.#ending !== null) return;
    const [oldest = null] = this.#late;
    this.#ending = oldest;
    oldest?.brokenOff.abort();
  }
}
