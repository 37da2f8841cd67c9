// What a process knows of a caller, and what it may let through by itself.
import type { CountedCaller } from '../../stores/contract/nodes/counter.ts';
import type { RateLimit } from '../../web/rate-limit.ts';
import { type RatePolicy, type RateState, secondsUntil } from '../rate-limits.ts';

/** A request that waits for tokens. */
interface Waiting {
  readonly times: number;
  readonly resolve: (state: RateState) => void;
}

/** What this process knows of a caller. */
export interface Hold {
  readonly policy: RatePolicy;
  readonly caller: string;
  rate: RateLimit;
  /** Tokens that were drawn and not used. */
  inHand: number;
  /** What the counter had left. */
  left: number;
  /** The window, by the counter's clock; 0 for one that began without the counter. */
  endsAt: number;
  /** Not after the window's end, by `performance.now()`. */
  endsAtMs: number;
  /** What this process let through in the window. */
  used: number;
  /** What of it the counter does not know. */
  spent: number;
  /** What it may still let through without the counter; null while that answers. */
  part: number | null;
  usedAtMs: number;
  /** So many were refused, until when. */
  refused: number;
  refusedUntilMs: number;
  /** How many were wanted last, and when. */
  wanted: number;
  drawnAtMs: number;
  isAsking: boolean;
  waiting: Waiting[];
  /** Whether the caller came again since it became one of those known, or was last spared for it. */
  cameAgain: boolean;
}

/** What an operator is told of limits that several processes share. */
export interface SharedLimitFigures {
  /** Whether the counter does not answer, and each process lets its part of each limit through. */
  readonly isAway: boolean;
  /** How many processes share the limits. */
  readonly nodes: number;
  /** How often this one asked the counter for tokens, and was answered. */
  readonly answered: number;
  /** How often it asked, and the counter failed. */
  readonly failed: number;
}

/** A caller that was not seen before. */
function newHold(policy: RatePolicy, caller: string, rate: RateLimit): Hold {
  const nothing = { inHand: 0, left: rate.limit, endsAt: 0, endsAtMs: 0, used: 0, spent: 0, part: null };
  const never = { usedAtMs: 0, refused: 0, refusedUntilMs: 0, wanted: 0, drawnAtMs: -Infinity };
  return { policy, caller, rate, ...nothing, ...never, isAsking: false, waiting: [], cameAgain: false };
}

/**
 * The callers of a policy: so many and no more. A caller that comes again is marked and stays in its place: a map in which it
 * were moved would be copied at every few requests.
 */
class Holds {
  readonly #policy: RatePolicy;
  readonly #most: number;
  /** The one that has come for longest first. */
  readonly #known = new Map<string, Hold>();
  /** Kept as long as the map: a new iterator would have to skip all deleted entries each time. */
  readonly #oldest = this.#known.entries();

  constructor(policy: RatePolicy, most: number) {
    this.#policy = policy;
    this.#most = most;
  }

  /** A caller who does not come now: one that is not known stays so. */
  find(caller: string, rate: RateLimit): Hold {
    return this.#known.get(caller) ?? newHold(this.#policy, caller, rate);
  }

  /** A caller who comes with a rate, which may be another one than before. */
  seen(caller: string, rate: RateLimit): Hold {
    const known = this.#known.get(caller);
    if (known === undefined) return this.#add(caller, newHold(this.#policy, caller, rate));
    const more = rate.limit - known.rate.limit;
    if (more !== 0) Object.assign(known, { left: known.left + more, part: null });
    known.rate = rate;
    known.cameAgain = true;
    return known;
  }

  #add(caller: string, hold: Hold): Hold {
    while (this.#known.size >= this.#most) {
      const [oldest, other] = this.#oldest.next().value!;
      this.#known.delete(oldest);
      if (!other.cameAgain) break;
      other.cameAgain = false;
      this.#known.set(oldest, other);
    }
    this.#known.set(caller, hold);
    return hold;
  }
}

/** Those of all policies, of which each remembers so many. */
export function newHolds(most: number): Readonly<Record<RatePolicy, Holds>> {
  const of = (policy: RatePolicy): Holds => new Holds(policy, most);
  return {
    key: of('key'),
    account: of('account'),
    address: of('address'),
    previews: of('previews'),
    failures: of('failures'),
  };
}

/** Ends the caller's window. */
export function endWindow(hold: Hold): void {
  const { limit: left } = hold.rate;
  Object.assign(hold, { inHand: 0, left, endsAt: 0, endsAtMs: 0, used: 0, spent: 0, part: null, refusedUntilMs: 0 });
}

/** Without a counter: lets through what is this process's part of the limit. @param nodes how many share it */
export function takeAlone(hold: Hold, times: number, nodes: number, now: number): RateState {
  if (hold.endsAtMs <= now) {
    endWindow(hold);
    hold.endsAtMs = now + hold.rate.windowSeconds * 1000;
  }
  const { limit } = hold.rate;
  // The others also let a part of what is left through.
  hold.part ??= Math.max(0, Math.min(Math.floor(limit / nodes) - hold.used, Math.floor(hold.left / nodes)));
  const isAllowed = times <= hold.part;
  if (isAllowed) {
    hold.used += times;
    hold.spent += times;
    hold.part -= times;
  }
  return stateOf(hold, isAllowed, now);
}

/** How many more requests of the caller are let through. */
export function remainingOf({ part, inHand, left }: Hold): number {
  return Math.max(0, part ?? inHand + left);
}

/** How the counter knows the caller. What failed is not forgotten in a crash. */
export function countedAs({ caller, policy }: Hold): CountedCaller {
  return { caller: `${policy} ${caller}`, isKept: policy === 'failures' };
}

/** The state of a caller's limit. */
export function stateOf(hold: Hold, isAllowed: boolean, now: number): RateState {
  const { policy, rate, endsAt, endsAtMs } = hold;
  return {
    policy,
    isAllowed,
    limit: rate.limit,
    remaining: remainingOf(hold),
    resetSeconds: endsAtMs <= now ? 0 : Math.max(1, secondsUntil(endsAtMs - now)),
    windowSeconds: rate.windowSeconds,
    window: endsAt,
  };
}
