// Who sends next: attempts under way are bounded in all, and an account or endpoint with many leaves places to those
// with few. Accounts have their turns, and the endpoints of each account.
import type { EndpointQueue, Waiting } from './endpoint-queue.ts';

/** The maximum number of attempts under way in all: connections, and what one receiver behind many endpoints gets. */
export const PLACES = 512;

/** What a sender holds for one account. */
export interface AccountLine {
  readonly accountId: string;
  /** Attempts under way. */
  underWay: number;
  /** Deliveries that wait or are under way, or whose outcome is not recorded. */
  held: number;
  /** The queues with deliveries that wait, in the order of their turns. */
  readonly waiting: Set<EndpointQueue>;
}

/** The delivery whose turn it is. */
export interface Turn {
  readonly line: AccountLine;
  readonly queue: EndpointQueue;
  readonly next: Waiting;
}

/** The places of a sender. */
export class Places {
  readonly #lines = new Map<string, AccountLine>();
  #underWay = 0;

  /** The accounts, in the order of their turns. */
  get accounts(): ReadonlyMap<string, AccountLine> {
    return this.#lines;
  }

  /** The line of an account. */
  lineOf(accountId: string): AccountLine {
    let line = this.#lines.get(accountId);
    if (line === undefined) {
      line = { accountId, underWay: 0, held: 0, waiting: new Set() };
      this.#lines.set(accountId, line);
    }
    return line;
  }

  /** How many more attempts an account may have under way: as many as then remain free for others. */
  left({ underWay }: AccountLine): number {
    return Math.ceil((PLACES - this.#underWay - underWay) / 2);
  }

  /** The next delivery to send, which then has a place; null when none may be sent now. */
  next(): Turn | null {
    for (const line of this.#lines.values()) {
      const left = this.left(line);
      if (left <= 0) continue;
      for (const queue of line.waiting) {
        // Likewise, an endpoint may have as many under way as its account has places left.
        const next = queue.next(left);
        if (next === null) {
          if (!queue.isWaiting) line.waiting.delete(queue);
          continue;
        }
        line.waiting.delete(queue);
        line.waiting.add(queue);
        this.#lines.delete(line.accountId);
        this.#lines.set(line.accountId, line);
        line.underWay++;
        this.#underWay++;
        return { line, queue, next };
      }
    }
    return null;
  }

  /** An attempt of the account has ended. */
  leave(line: AccountLine): void {
    line.underWay--;
    this.#underWay--;
  }

  /** Forgets an account for which nothing is held. */
  forget({ accountId }: AccountLine): void {
    this.#lines.delete(accountId);
  }
}
