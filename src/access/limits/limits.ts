// Counts requests against limits, for this process alone or for several together. With a counter, requests are admitted against
// tokens that this process drew from it before; with none in hand it asks, and the request waits. While the counter does not
// answer, each process lets its part of the limit through: all of it where there is no counter.
import { randomUUID } from 'node:crypto';
import type { DrawnTokens, LimitCounter } from '../../stores/contract/nodes/counter.ts';
import type { RateLimit } from '../../web/rate-limit.ts';
import {
  countedAs,
  endWindow,
  type Hold,
  newHolds,
  remainingOf,
  type SharedLimitFigures,
  stateOf,
  takeAlone,
} from './hold.ts';
import {
  type CallerLimits,
  callerOf,
  type GiveBackOptions,
  MAX_CALLERS,
  ratesOf,
  type RateLimitOptions,
  type RatePolicy,
  type RateState,
  type TakeOptions,
  unlimited,
} from '../rate-limits.ts';

/** How long tokens stay unused before they are given back, and how long a refusal is remembered, in milliseconds. */
const KEPT_MS = 100;

/** How often the process says that it is there, and asks whether the counter is back, in milliseconds. */
const MEET_EVERY_MS = 2000;

/** How long the counter may take to answer, in milliseconds. */
const PATIENCE_MS = 3000;

/** How many draws are under way at a time: they share the store's connections with the requests. */
const DRAWS_AT_ONCE = 4;

/** Options of {@link Limits}. */
export interface LimitOptions extends RateLimitOptions {
  /** Called when the counter stops answering. */
  readonly onAway?: (error: unknown) => void;
}

/** Counts the requests of callers. */
export class Limits implements CallerLimits {
  readonly #counter: LimitCounter | null;
  readonly #rates: Readonly<Record<RatePolicy, RateLimit | null>>;
  readonly #onAway: (error: unknown) => void;
  readonly #node = randomUUID();
  readonly #holds: ReturnType<typeof newHolds>;
  /** Those with tokens in hand. */
  readonly #inHand = new Set<Hold>();
  readonly #asking = new Set<Hold>();
  readonly #queue: PromiseWithResolvers<undefined>[] = [];
  #draws = 0;
  #answeredDraws = 0;
  #failedDraws = 0;
  #nodes = 1;
  #isAway: boolean;
  #met: Promise<void> | null = null;
  #meeting: NodeJS.Timeout | undefined;
  #sweeping: NodeJS.Timeout | undefined;

  /**
   * @param counter one that others ask too; null: this process counts for itself, and `take()` gives no promise
   * @throws GazetteError `invalid_option` for a limit out of its range
   */
  constructor(counter: LimitCounter | null, options: LimitOptions = {}) {
    this.#counter = counter;
    this.#rates = ratesOf(options);
    this.#holds = newHolds(options.maxCallers ?? MAX_CALLERS);
    this.#onAway = options.onAway ?? (() => undefined);
    this.#isAway = counter === null;
    if (counter !== null) this.#meeting = setInterval(() => void this.meet(), MEET_EVERY_MS).unref();
    void this.meet();
  }

  get figures(): SharedLimitFigures {
    return { isAway: this.#isAway, nodes: this.#nodes, answered: this.#answeredDraws, failed: this.#failedDraws };
  }

  take(policy: RatePolicy, id: string, options: TakeOptions = {}): RateState | Promise<RateState> {
    const { times = 1, rate = this.#rates[policy] } = options;
    if (rate === null) return unlimited(policy);
    const now = performance.now();
    const hold = this.#current(this.#holds[policy].seen(callerOf(policy, id), rate), now);
    if (hold.waiting.length === 0 && hold.inHand >= times) return this.#admit(hold, times, now);
    if (this.#isAway) return takeAlone(hold, times, this.#nodes, now);
    if (now < hold.refusedUntilMs && times >= hold.refused) return stateOf(hold, false, now);
    return new Promise((resolve) => {
      hold.waiting.push({ times, resolve });
      if (!hold.isAsking) void this.#ask(hold);
    });
  }

  giveBack(policy: RatePolicy, id: string, options: GiveBackOptions): RateState {
    const { rate = this.#rates[policy], window } = options;
    if (rate === null) return unlimited(policy);
    const now = performance.now();
    const hold = this.#current(this.#holds[policy].find(callerOf(policy, id), rate), now);
    // What was taken in a window that is over is not given back in the next.
    if (hold.used > 0 && hold.endsAt === window && now < hold.endsAtMs) {
      hold.used--;
      if (hold.spent > 0 && hold.part !== null) {
        hold.spent--;
        hold.part++;
      } else this.#keep(hold, 1, now);
    }
    return stateOf(hold, remainingOf(hold) > 0, now);
  }

  /** Says that this process is there, and finds out whether the counter answers. */
  async meet(): Promise<void> {
    if (this.#counter === null || this.#met !== null) return this.#met ?? undefined;
    const meeting = this.#counter.meet(this.#node).then(
      (nodes) => {
        this.#met = null;
        this.#nodes = nodes;
        this.#isAway = false;
      },
      (error: unknown) => {
        this.#met = null;
        this.#goAway(error);
      },
    );
    // A question that is not answered holds a connection: there is never a second one.
    this.#met = this.#answered(meeting).catch((error: unknown) => {
      this.#goAway(error);
    });
    await this.#met;
  }

  async close(): Promise<void> {
    if (this.#counter === null) return;
    clearInterval(this.#meeting);
    clearInterval(this.#sweeping);
    const unused = [...this.#inHand].map((hold) => this.#return(hold));
    await Promise.allSettled(this.#isAway ? [] : [...unused, this.#counter.leave(this.#node)]);
  }

  #current(hold: Hold, now: number): Hold {
    if (hold.endsAtMs <= now) this.#forget(hold);
    return hold;
  }

  /** The window of a caller is over. Tokens of it are worth nothing. */
  #forget(hold: Hold): void {
    this.#inHand.delete(hold);
    endWindow(hold);
  }

  #admit(hold: Hold, times: number, now: number): RateState {
    hold.inHand -= times;
    if (hold.inHand === 0) this.#inHand.delete(hold);
    hold.used += times;
    hold.usedAtMs = now;
    return stateOf(hold, true, now);
  }

  /** Draws until nobody waits for tokens of a caller. */
  async #ask(hold: Hold): Promise<void> {
    hold.isAsking = true;
    this.#asking.add(hold);
    try {
      while (hold.waiting.length > 0) {
        const needed = Math.max(1, Math.min(...hold.waiting.map(({ times }) => times)) - hold.inHand);
        const granted = await this.#draw(hold, needed);
        this.#serve(hold, needed, granted);
      }
    } catch (error) {
      this.#goAway(error);
    } finally {
      hold.isAsking = false;
      this.#asking.delete(hold);
    }
  }

  async #draw(hold: Hold, needed: number): Promise<number> {
    const { limit, windowSeconds } = hold.rate;
    if (this.#draws >= DRAWS_AT_ONCE) {
      const turn = Promise.withResolvers<undefined>();
      this.#queue.push(turn);
      await this.#answered(turn.promise);
    }
    this.#draws++;
    const sentAtMs = performance.now();
    const asked = hold.waiting.reduce((sum, { times }) => sum + times, 0);
    // Who asks again at once is given more, up to what a draw may be given.
    const wanted = Math.max(needed, asked, sentAtMs - hold.drawnAtMs < KEPT_MS ? 2 * hold.wanted : 0);
    Object.assign(hold, { wanted: Math.min(wanted, limit), drawnAtMs: sentAtMs });
    const { spent } = hold;
    const drawing = this.#counter!.draw({ ...countedAs(hold), limit, windowSeconds, needed, wanted, spent }).then(
      (drawn) => {
        this.#answeredDraws++;
        // After the patience too, when nobody waits any more: then the tokens are given back.
        this.#take(hold, drawn, spent, sentAtMs);
        return drawn.granted;
      },
    );
    drawing
      .catch(() => {
        this.#failedDraws++;
      })
      .finally(() => {
        this.#draws--;
        this.#queue.shift()?.resolve(undefined);
      });
    return this.#answered(drawing);
  }

  #take(hold: Hold, { granted, left, endsAt, endsInMs, nodes }: DrawnTokens, spent: number, sentAtMs: number): void {
    this.#nodes = nodes;
    if (hold.endsAt !== endsAt) {
      // A window that began while the counter was away goes on in one of the counter.
      const ofBefore = hold.endsAt === 0 ? { used: hold.used, spent: hold.spent } : {};
      this.#forget(hold);
      Object.assign(hold, { endsAt, endsAtMs: sentAtMs + endsInMs, ...ofBefore });
    }
    hold.spent = Math.max(0, hold.spent - spent);
    hold.left = left;
    hold.part = null;
    this.#keep(hold, granted, performance.now());
  }

  #keep(hold: Hold, tokens: number, now: number): void {
    if (tokens === 0) return;
    hold.inHand += tokens;
    hold.usedAtMs = now;
    this.#inHand.add(hold);
    this.#sweeping ??= setInterval(() => {
      this.#sweep();
    }, KEPT_MS / 2).unref();
  }

  /** Answers those who wait, in their order, as far as there are tokens. */
  #serve(hold: Hold, needed: number, granted: number): void {
    const now = performance.now();
    const { waiting } = hold;
    hold.waiting = [];
    for (const one of waiting) {
      if (one.times <= hold.inHand) one.resolve(this.#admit(hold, one.times, now));
      else if (granted === 0 && one.times >= needed) {
        Object.assign(hold, { refused: needed, refusedUntilMs: Math.min(now + KEPT_MS, hold.endsAtMs) });
        one.resolve(stateOf(hold, false, now));
      } else hold.waiting.push(one);
    }
  }

  /** Gives back what was not used for a while. */
  #sweep(): void {
    const before = performance.now() - KEPT_MS;
    for (const hold of this.#inHand) {
      if (hold.usedAtMs <= before && !hold.isAsking) void this.#return(hold);
    }
    if (this.#inHand.size > 0) return;
    clearInterval(this.#sweeping);
    this.#sweeping = undefined;
  }

  async #return(hold: Hold): Promise<void> {
    const { inHand: tokens, endsAt } = hold;
    this.#inHand.delete(hold);
    hold.inHand = 0;
    if (hold.endsAtMs <= performance.now()) return;
    hold.left += tokens;
    // If that fails, they are lost until the window ends.
    await this.#counter!.giveBack({ ...countedAs(hold), endsAt, tokens }).catch(() => undefined);
  }

  /** The counter does not answer: all who wait are answered without it. */
  #goAway(error: unknown): void {
    if (!this.#isAway) this.#onAway(error);
    this.#isAway = true;
    for (const { reject } of this.#queue.splice(0)) reject(error);
    const now = performance.now();
    for (const hold of this.#asking) {
      for (const { times, resolve } of hold.waiting.splice(0)) {
        resolve(hold.inHand >= times ? this.#admit(hold, times, now) : takeAlone(hold, times, this.#nodes, now));
      }
    }
  }

  /** What the counter answers in time. */
  async #answered<T>(answer: Promise<T>): Promise<T> {
    const { promise, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      reject(new Error(`the counter of limits did not answer within ${PATIENCE_MS} milliseconds`));
    }, PATIENCE_MS);
    try {
      return await Promise.race([answer, promise]);
    } finally {
      clearTimeout(timer);
    }
  }
}
