// For how long a node may answer from what it has read: a second at most. While requests come, it asks the database every
// 300 ms which transactions can be seen. If they are the same as before, so is everything that was read meanwhile; if they
// are others, it learns which registers they have changed, and whether any account or key (written.ts).
// The time is looked at when a request needs it, not by a timer: a connection that is cut or half open, a process that was
// stopped, and a pooler that passes no notifications on need no rules of their own.
import type { KnowledgeFigures } from '../../contract/nodes/figures.ts';
import type { SqlRow } from '../../rows/columns.ts';
import { MOST_NAMED } from './written.ts';

/** How long an answer is worth something after its question was sent, in milliseconds: less than the promised second. */
const FRESH_MS = 900;

/** Between two questions, in milliseconds: at most four a second, and time for two more before the answer is worth nothing. */
const ASKED_AGAIN_MS = 300;

/** Of how many registers a node remembers when they changed: above that, it asks for each of them again. */
const MOST_REMEMBERED = 50_000;

/** What {@link Knowledge} needs of a node. */
export interface KnowledgeOptions {
  /**
   * Asks what can be seen, and what has changed since a snapshot (`askWritten()`); it may fail, and must end within the given
   * milliseconds once it was sent.
   */
  readonly ask: (since: string | null, timeoutMs: number) => Promise<readonly SqlRow[]>;
  /** Milliseconds by a clock that never goes back. */
  readonly clock: () => number;
}

/** Whether what a node has read is still current. */
export class Knowledge {
  readonly #ask: KnowledgeOptions['ask'];
  readonly #clock: () => number;
  /** When the last question was sent that was answered; before it, nothing is known. */
  #knownAt = -Infinity;
  #askedAt = -Infinity;
  /** As {@link #knownAt}, but a write leaves it. */
  #toldAt = -Infinity;
  #isAsking = false;
  /** The server and the snapshot of the last answer. Null: none, or that of a replica, which says nothing. */
  #seen: { readonly server: string; readonly snapshot: string } | null = null;
  #stamp = 0;
  /** The stamp under which a register last changed, all of which it is not known better, and any account or key. */
  readonly #changed = new Map<string, number>();
  #registersChanged = 0;
  #accountsChanged = 0;
  /** How often this node has written: an answer to what was asked before says nothing about it. */
  #writes = 0;
  #answered = 0;
  #failed = 0;
  #known = 0;
  #unknown = 0;

  constructor({ ask, clock }: KnowledgeOptions) {
    this.#ask = ask;
    this.#clock = clock;
  }

  /** As `RegisterStore.stamp()`. Asks the database in the background if it is time to. */
  stamp(): number | undefined {
    const stamp = this.current();
    if (stamp === undefined) this.#unknown++;
    else this.#known++;
    return stamp;
  }

  /** The same, not counted: for what one request asks several times. */
  current(): number | undefined {
    const now = this.#clock();
    if (!this.#isAsking && now - this.#askedAt >= ASKED_AGAIN_MS) void this.#renew(now);
    return now - this.#knownAt < FRESH_MS ? this.#stamp : undefined;
  }

  /** As `RegisterStore.isUnchanged()`. */
  isUnchanged(feedId: string, since: number): boolean {
    return since >= this.#registersChanged && since >= (this.#changed.get(feedId) ?? 0);
  }

  /** As `AccountStore.isUnchanged()`. */
  areAccountsUnchanged(since: number): boolean {
    return since >= this.#accountsChanged;
  }

  /** As `RegisterStore.knowledge()`. */
  figures(): KnowledgeFigures {
    const ageMs = this.#toldAt === -Infinity ? null : this.#clock() - this.#toldAt;
    return { ageMs, answered: this.#answered, failed: this.#failed, known: this.#known, unknown: this.#unknown };
  }

  /** Says that this node has written, perhaps: from now on nothing is known, until a question sent later is answered. */
  forget(): void {
    this.#writes++;
    this.#knownAt = -Infinity;
  }

  async #renew(sentAt: number): Promise<void> {
    this.#isAsking = true;
    this.#askedAt = sentAt;
    const writes = this.#writes;
    try {
      const [row] = await this.#ask(this.#seen?.snapshot ?? null, FRESH_MS);
      this.#answered++;
      this.#learn(row ?? [], sentAt, writes);
    } catch {
      this.#failed++;
      // What was known runs out, and then requests ask the database themselves: they report that it is away.
    } finally {
      this.#isAsking = false;
    }
  }

  #learn([server, snapshot, registers, hasAccounts]: SqlRow, sentAt: number, writes: number): void {
    const before = this.#seen;
    this.#seen = server == null ? null : { server: server as string, snapshot: snapshot as string };
    // Before the check of writes: a stamp never comes back for another state.
    if (this.#seen === null || this.#seen.server !== before?.server) this.#change(null, true);
    else if (this.#seen.snapshot !== before.snapshot) {
      this.#change(JSON.parse(registers as string) as string[], hasAccounts === true);
    }
    if (this.#seen === null) {
      this.#knownAt = -Infinity;
      return;
    }
    this.#toldAt = sentAt;
    if (writes === this.#writes) this.#knownAt = sentAt;
  }

  /** @param registers what has changed; null: any of them may have */
  #change(registers: readonly string[] | null, hasAccounts: boolean): void {
    this.#stamp++;
    if (hasAccounts) this.#accountsChanged = this.#stamp;
    if (registers !== null && registers.length <= MOST_NAMED) {
      for (const feedId of registers) this.#changed.set(feedId, this.#stamp);
      if (this.#changed.size <= MOST_REMEMBERED) return;
    }
    this.#registersChanged = this.#stamp;
    this.#changed.clear();
  }
}
