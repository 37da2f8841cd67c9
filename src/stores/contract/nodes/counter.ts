// The interface of a counter that several processes ask, so that a limit holds for all of them together. A node admits
// requests against tokens that it drew before; what it does not use, it gives back. Windows begin and end by the
// counter's clock.

/** A node that was not heard of for so long is gone, in milliseconds. */
export const NODE_GONE_MS = 30_000;

/** A caller, and what it may. */
export interface CountedCaller {
  /** What is counted, and whose: the policy, a space, and an id. */
  readonly caller: string;
  /** Whether the count must outlive a crash of the counter. */
  readonly isKept: boolean;
}

/** How many tokens a node asks for. */
export interface LimitDraw extends CountedCaller {
  /** How many the caller has in a window. */
  readonly limit: number;
  /** How long a window is, in seconds. */
  readonly windowSeconds: number;
  /** Fewer are of no use, from 1. */
  readonly needed: number;
  /** More are not wanted. */
  readonly wanted: number;
  /** What the node let through in this window while the counter was away. It is counted first. */
  readonly spent: number;
}

/** What a node was given. */
export interface DrawnTokens {
  /** Either none, or `needed` and more: at most `wanted`, and beyond `needed` at most 1/(4 × nodes) of what was left. */
  readonly granted: number;
  /** What is left for others. */
  readonly left: number;
  /** Identifies the window: when it ends, in milliseconds by the counter's clock. */
  readonly endsAt: number;
  /** How long it lasts from now on, in milliseconds. */
  readonly endsInMs: number;
  /** How many nodes there are. */
  readonly nodes: number;
}

/** Tokens that were not used. */
export interface UnusedTokens extends CountedCaller {
  /** Their window: {@link DrawnTokens.endsAt}. */
  readonly endsAt: number;
  /** How many, from 1. */
  readonly tokens: number;
}

/** Counts the callers of several processes. All methods reject while the counter is away. */
export interface LimitCounter {
  /** Gives tokens of the caller's window, or of a new one if that is over. Never gives more than the limit in a window. */
  draw(draw: LimitDraw): Promise<DrawnTokens>;
  /** Takes back tokens of a window, unless it is over. */
  giveBack(unused: UnusedTokens): Promise<void>;
  /** A node says that it is there, and removes windows that are over. @returns how many nodes there are, this one too */
  meet(node: string): Promise<number>;
  /** A node goes. */
  leave(node: string): Promise<void>;
}
