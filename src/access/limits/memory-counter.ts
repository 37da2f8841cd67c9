// Counts the callers of several processes in one of them: the first process of `gazette serve --workers` does so for its workers
// where the store counts none.
import {
  type DrawnTokens,
  type LimitCounter,
  type LimitDraw,
  NODE_GONE_MS,
  type UnusedTokens,
} from '../../stores/contract/nodes/counter.ts';
import { MAX_CALLERS } from '../rate-limits.ts';

interface Window {
  readonly endsAt: number;
  used: number;
}

/** A counter in the memory of this process. */
export class MemoryLimitCounter implements LimitCounter {
  /** The caller not seen for longest first. */
  readonly #windows = new Map<string, Window>();
  readonly #nodes = new Map<string, number>();

  async draw({ caller, limit, windowSeconds, needed, wanted, spent }: LimitDraw): Promise<DrawnTokens> {
    const now = performance.now();
    let window = this.#windows.get(caller);
    if (window === undefined || window.endsAt <= now) window = { endsAt: now + windowSeconds * 1000, used: 0 };
    this.#windows.delete(caller);
    this.#windows.set(caller, window);
    if (this.#windows.size > MAX_CALLERS) this.#windows.delete(this.#windows.keys().next().value!);
    const nodes = Math.max(1, this.#nodes.size);
    window.used = Math.min(limit, window.used + spent);
    const left = limit - window.used;
    const granted = left < needed ? 0 : Math.min(wanted, Math.max(needed, Math.floor(left / (4 * nodes))));
    window.used += granted;
    const { endsAt } = window;
    return Promise.resolve({ granted, left: left - granted, endsAt, endsInMs: endsAt - now, nodes });
  }

  async giveBack({ caller, endsAt, tokens }: UnusedTokens): Promise<void> {
    const window = this.#windows.get(caller);
    if (window?.endsAt === endsAt) window.used = Math.max(0, window.used - tokens);
    return Promise.resolve();
  }

  async meet(node: string): Promise<number> {
    const now = performance.now();
    this.#nodes.set(node, now);
    for (const [name, seenAt] of this.#nodes) if (seenAt <= now - NODE_GONE_MS) this.#nodes.delete(name);
    return Promise.resolve(this.#nodes.size);
  }

  async leave(node: string): Promise<void> {
    this.#nodes.delete(node);
    return Promise.resolve();
  }
}
