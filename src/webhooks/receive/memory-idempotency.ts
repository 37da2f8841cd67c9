// Remembers handled events in memory, for tests and trials: a restart forgets them, and other processes do not see
// them.
import { checkAge, type ClaimOutcome, eventInProgress, type IdempotencyStore } from './idempotency.ts';

/** A handled event no longer has a claim. */
type Entry =
  | { readonly handled: true; readonly handledAt: number }
  | { readonly handled: false; readonly token: string; readonly endsAt: number };

/** Handled events in memory. A write receives no transaction, and cannot be rolled back. */
export class MemoryIdempotencyStore implements IdempotencyStore<undefined> {
  readonly #entries = new Map<string, Entry>();

  async claim(eventId: string, token: string, leaseMs: number): Promise<ClaimOutcome> {
    const entry = this.#entries.get(eventId);
    if (entry?.handled === true) return { state: 'handled' };
    const now = performance.now();
    if (entry !== undefined && entry.endsAt > now) return { state: 'in_progress', leaseMs: entry.endsAt - now };
    this.#entries.set(eventId, { handled: false, token, endsAt: now + leaseMs });
    return { state: 'claimed' };
  }

  async renew(eventId: string, token: string, leaseMs: number): Promise<void> {
    if (!this.#holds(eventId, token)) return;
    this.#entries.set(eventId, { handled: false, token, endsAt: performance.now() + leaseMs });
  }

  async complete<T>(eventId: string, token: string, write: (transaction: undefined) => T | Promise<T>): Promise<T> {
    const result = await write(undefined);
    if (!this.#holds(eventId, token)) throw eventInProgress(eventId, 0);
    this.#entries.set(eventId, { handled: true, handledAt: performance.now() });
    return result;
  }

  async release(eventId: string, token: string): Promise<void> {
    if (this.#holds(eventId, token)) this.#entries.delete(eventId);
  }

  async prune(options: { readonly olderThan: number }): Promise<number> {
    const before = performance.now() - checkAge(options);
    const kept = this.#entries.size;
    for (const [eventId, entry] of this.#entries) {
      if ((entry.handled ? entry.handledAt : entry.endsAt) < before) this.#entries.delete(eventId);
    }
    return kept - this.#entries.size;
  }

  #holds(eventId: string, token: string): boolean {
    const entry = this.#entries.get(eventId);
    return entry?.handled === false && entry.token === token;
  }
}
