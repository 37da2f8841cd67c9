// Reads of pages from a replica, which follows the primary at its own pace. What was last read of a register on the primary
// says how far the replica must be, and each statement that is sent to the replica asks for that itself: whether it is there
// and what it finds are of one state. So an answer is never older than the tag it gets, however far the replica is behind,
// and also where several replicas share one address.
import { setTimeout as sleep } from 'node:timers/promises';
import { isGazetteError } from '../../../errors.ts';
import type { ReplicaFigures } from '../../contract/nodes/figures.ts';
import type { RegisterRow } from '../../rows/register.ts';
import type { PostgresConnection } from '../connection.ts';
import type { Knowledge } from '../knowledge/knowledge.ts';

/** What a statement finds on a replica that is behind: nothing that says anything. */
export const BEHIND: unique symbol = Symbol('behind');

/** How long a replica that is behind is waited for, in milliseconds; then the primary is asked. */
const PATIENCE_MS = 1000;

/** How long the primary is asked at once after a replica was waited for in vain, or failed, in milliseconds. */
const AVOIDED_MS = 1000;

/** The first wait, in milliseconds; each is twice as long as the one before. */
const FIRST_WAIT_MS = 4;

/** What {@link ReplicaReads} needs. */
export interface ReplicaReadsOptions {
  /** Whether what was read on the primary is current; null where the primary is asked each time. */
  readonly knowledge: Knowledge | null;
  /** The register on the primary. @throws GazetteError `unknown_feed` */
  readonly head: (feedId: string, number: number) => Promise<RegisterRow>;
}

/** How far a register is. */
type Extent = Pick<RegisterRow, 'log' | 'top' | 'change' | 'definitionVersion'>;

/** How far a register was on the primary, and what the node knew then. */
interface Reached extends Extent {
  readonly stamp: number | undefined;
}

/** The reads of a store that go to a replica, as far as it is current. */
export class ReplicaReads {
  readonly #replica: PostgresConnection;
  readonly #knowledge: Knowledge | null;
  readonly #head: ReplicaReadsOptions['head'];
  readonly #reached = new Map<number, Reached>();
  #avoidedUntil = -Infinity;
  #answered = 0;
  #waited = 0;
  #behind = 0;
  #failed = 0;

  constructor(replica: PostgresConnection, { knowledge, head }: ReplicaReadsOptions) {
    this.#replica = replica;
    this.#knowledge = knowledge;
    this.#head = head;
  }

  /** As `RegisterStore.replica()`. */
  figures(): ReplicaFigures {
    return { answered: this.#answered, waited: this.#waited, behind: this.#behind, failed: this.#failed };
  }

  /** What the node knows now, for {@link learn}: asked before the statement that reads a register is sent. */
  stamp(): number | undefined {
    return this.#knowledge?.current();
  }

  /** Remembers how far a register is on the primary. */
  learn({ number, log, top, change, definitionVersion }: RegisterRow, stamp: number | undefined): void {
    const before = this.#reached.get(number);
    // Answers may come in another order than they were asked for.
    const isOlder = before?.log === log && before.change > change;
    if (!isOlder) this.#reached.set(number, { log, top, change, definitionVersion, stamp });
  }

  /**
   * Reads from the replica if it is as far as the primary is known to be, else from the primary.
   *
   * @param primary reads from there
   * @param replica reads with a condition on the register `g`, and gives {@link BEHIND} where no register meets it
   * @param about.head the register, where it has just been read on the primary
   * @param about.asOf the view; only the primary says whether there is one that it was not known to have
   */
  async read<T>(
    feedId: string,
    number: number,
    primary: () => Promise<T>,
    replica: (connection: PostgresConnection, condition: string) => Promise<T | typeof BEHIND>,
    { head, asOf = 0 }: { readonly head?: RegisterRow; readonly asOf?: number } = {},
  ): Promise<T> {
    const reached = head ?? (await this.#known(feedId, number));
    if (!(asOf <= reached.top)) return primary();
    const condition = reachedBy(reached);
    const begun = performance.now();
    for (let waitMs = FIRST_WAIT_MS; performance.now() >= this.#avoidedUntil; waitMs *= 2) {
      try {
        const found = await replica(this.#replica, condition);
        if (found !== BEHIND) {
          this.#answered++;
          return found;
        }
      } catch (error) {
        // What is wrong with the question is wrong on the primary too, which says so. A replica may also end a statement
        // because what it reads was removed on the primary.
        if (isGazetteError(error, 'store_unavailable')) this.#avoidedUntil = performance.now() + AVOIDED_MS;
        this.#failed++;
        return primary();
      }
      const left = begun + PATIENCE_MS - performance.now();
      if (left <= 0) {
        this.#avoidedUntil = performance.now() + AVOIDED_MS;
        break;
      }
      this.#waited++;
      await sleep(Math.min(waitMs, left));
    }
    this.#behind++;
    return primary();
  }

  /** Whether a register is known not to have changed since a stamp. */
  #isCurrent(feedId: string, since: number): boolean {
    return this.stamp() !== undefined && this.#knowledge!.isUnchanged(feedId, since);
  }

  /** How far the register is on the primary: as it was read if it has not changed since, else as it is now. */
  async #known(feedId: string, number: number): Promise<Extent> {
    const known = this.#reached.get(number);
    if (known?.stamp !== undefined && this.#isCurrent(feedId, known.stamp)) return known;
    const head = await this.#head(feedId, number);
    // What others have learnt meanwhile counts too.
    return this.#reached.get(number) ?? head;
  }
}

/** The log is a UUID, as the database has made it. */
function reachedBy({ log, change, definitionVersion }: Extent): string {
  if (!/^[\w-]+$/.test(log)) throw new TypeError(`not the UUID of a log: ${log}`);
  return ` AND g.log = '${log}' AND g.change >= ${change} AND g.definition_version >= ${definitionVersion}`;
}
