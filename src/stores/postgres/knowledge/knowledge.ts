// For how long a node may answer from what it has read: a second at most. While requests come, it asks the database every
// 300 ms which transactions can be seen. If they are the same as before, so is everything that was read meanwhile.
// The time is looked at when a request needs it, not by a timer: a connection that is cut or half open, a process that was
// stopped, and a pooler that passes no notifications on need no rules of their own.
import type { KnowledgeFigures } from '../../contract/nodes/figures.ts';
import type { SqlRow } from '../../rows/columns.ts';

/** How long an answer is worth something after its question was sent, in milliseconds: less than the promised second. */
const FRESH_MS = 900;

/** Between two questions, in milliseconds: at most four a second, and time for two more before the answer is worth nothing. */
const ASKED_AGAIN_MS = 300;

/**
 * What can be seen: the server, as another one counts its transactions on its own, and the transactions. Two equal snapshots
 * see the same rows of every table. A replica's snapshot does not list what still runs, so that it says nothing.
 */
const QUESTION = `SELECT CASE WHEN NOT pg_is_in_recovery()
  THEN extract(epoch FROM pg_postmaster_start_time())::text || ' ' || pg_current_snapshot()::text END`;

/** What {@link Knowledge} needs of a node. */
export interface KnowledgeOptions {
  /** Runs the question; it may fail, and must end within the given milliseconds once it was sent. */
  readonly ask: (text: string, timeoutMs: number) => Promise<readonly SqlRow[]>;
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
  #seen: string | null = null;
  #stamp = 0;
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
      const [row] = await this.#ask(QUESTION, FRESH_MS);
      this.#answered++;
      this.#learn((row?.[0] ?? null) as string | null, sentAt, writes);
    } catch {
      this.#failed++;
      // What was known runs out, and then requests ask the database themselves: they report that it is away.
    } finally {
      this.#isAsking = false;
    }
  }

  #learn(seen: string | null, sentAt: number, writes: number): void {
    // Before the check of writes: a stamp never comes back for another state.
    if (seen !== this.#seen) this.#stamp++;
    this.#seen = seen;
    if (seen === null) {
      this.#knownAt = -Infinity;
      return;
    }
    this.#toldAt = sentAt;
    if (writes === this.#writes) this.#knownAt = sentAt;
  }
}
