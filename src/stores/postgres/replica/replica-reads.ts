// Reads of pages from a replica, which follows the primary at its own pace. What was last read of a register on the primary
// says how far the replica must be, and each statement that is sent to the replica asks for that itself: whether it is there
// and what it finds are of one state. So an answer is never older than the tag it gets, however far the replica is behind,
// and also where several replicas share one address. After a failover a server may have what the primary never had: one that
// was ahead of the replica that was promoted, or the old primary itself. It is known by what its last version commits to.
import { setTimeout as sleep } from 'node:timers/promises';
import { isGazetteError } from '../../../errors.ts';
import type { ReplicaFigures } from '../../contract/nodes/figures.ts';
import { SLOT_SPAN, type SqlRow } from '../../rows/columns.ts';
import type { RegisterRow } from '../../rows/register.ts';
import type { Rows } from '../../rows/register-source.ts';
import type { PostgresConnection } from '../connection.ts';
import type { CopiedType } from '../copy/copied-rows.ts';
import { FIRST_WAIT_MS, PATIENCE_MS, replicaLag } from './replica-lag.ts';

/** How long the primary is asked at once after a replica was waited for in vain, or failed, in milliseconds. */
const AVOIDED_MS = 1000;

/** What {@link ReplicaReads} needs. */
export interface ReplicaReadsOptions {
  readonly primary: PostgresConnection;
  readonly replica: PostgresConnection;
  /** The register on the primary, which is learnt. @throws GazetteError `unknown_feed` */
  readonly head: (feedId: string, number: number) => Promise<Head>;
}

/** A register's row on the primary, and what its last version commits to: null where it has none, or nobody asked. */
export interface Head extends RegisterRow {
  readonly commits: string | null;
}

/** How a statement asks for the register `g`. */
export interface AskedRegister {
  /** What is selected from, as `g`. */
  readonly from: string;
  /** What it has to select last: a comma, and columns. */
  readonly columns: string;
  /** The types of these columns. */
  readonly types: readonly CopiedType[];
}

/** Sends a query. `last`: the types of its last columns, {@link AskedRegister.types} */
export type Send<R extends Rows> = (
  connection: PostgresConnection,
  text: string,
  values: readonly unknown[],
  last: readonly CopiedType[],
) => Promise<R>;

/** Sends it as a statement. */
export const sendStatement: Send<SqlRow[]> = (connection, text, values) => connection.query(text, values);

/** Rows of a register that are asked for. */
export interface RowsAsked<R extends Rows> {
  readonly feedId: string;
  readonly number: number;
  /** The statement. On a replica it must find a row if the register is there. */
  readonly text: (register: AskedRegister) => string;
  readonly values: readonly unknown[];
  readonly send: Send<R>;
  /** Whether what was found on a replica can be all. Default: a row is enough. */
  readonly isThere?: (rows: R) => boolean;
  /** The register, where it has just been read on the primary. */
  readonly head?: Head;
  /** The view; only the primary says whether there is one that it was not known to have. */
  readonly asOf?: number;
}

/** How far a register is. */
type Extent = Pick<Head, 'number' | 'log' | 'top' | 'change' | 'definitionVersion' | 'commits'>;

/** When the primary was asked for a register: what the node knew then, and what it had learnt. */
interface Asked {
  readonly stamp: number | undefined;
  readonly learnt: number;
}

/** How far a register was on the primary. */
type Reached = Extent & Asked;

/** What became of an answer of a replica. */
type Judgement = 'right' | 'behind' | 'unknown' | 'forked';

/** The reads of a store that go to a replica, as far as it is current. */
export class ReplicaReads {
  readonly #primary: PostgresConnection;
  readonly #replica: PostgresConnection;
  readonly #head: ReplicaReadsOptions['head'];
  readonly #reached = new Map<number, Reached>();
  #learnt = 0;
  #avoidedUntil = -Infinity;
  #answered = 0;
  #waited = 0;
  #behind = 0;
  #failed = 0;

  constructor({ primary, replica, head }: ReplicaReadsOptions) {
    this.#primary = primary;
    this.#replica = replica;
    this.#head = head;
  }

  /** As `RegisterStore.replica()`. */
  figures(): ReplicaFigures {
    return { answered: this.#answered, waited: this.#waited, behind: this.#behind, failed: this.#failed };
  }

  /** As `RegisterStore.replicaLag()`. */
  async lag(): Promise<number | null> {
    return replicaLag(this.#primary, this.#replica);
  }

  /** For {@link learn}: called before the statement that reads a register is sent. */
  asking(): Asked {
    return { stamp: this.#primary.knowledge?.current(), learnt: this.#learnt };
  }

  /** Remembers how far a register is on the primary. */
  learn({ number, log, top, change, definitionVersion, commits }: Head, { stamp, learnt }: Asked): void {
    const before = this.#reached.get(number);
    // Answers may come in another order than they were asked for. What was learnt before this was asked for is older, and if
    // it is further, the primary of then was lost with it.
    const isOlder = before?.log === log && before.change > change && before.learnt > learnt;
    this.#learnt++;
    if (isOlder) return;
    this.#reached.set(number, { number, log, top, change, definitionVersion, commits, stamp, learnt: this.#learnt });
  }

  /** Rows of the replica if it is as far as the primary is known to be, else of the primary. */
  async rows<R extends Rows>(asked: RowsAsked<R>): Promise<R> {
    const { feedId, number, head, asOf = 0 } = asked;
    const reached = head ?? (await this.#known(feedId, number));
    if (!(asOf <= reached.top)) return primaryRows(this.#primary, asked);
    const register = reachedBy(reached, this.#replica.prefix);
    const text = asked.text(register);
    const begun = performance.now();
    for (let waitMs = FIRST_WAIT_MS; performance.now() >= this.#avoidedUntil; waitMs *= 2) {
      let judgement: Judgement;
      try {
        const rows = await asked.send(this.#replica, text, asked.values, register.types);
        judgement = await this.#judge(rows, reached, asked);
        if (judgement === 'right') {
          this.#answered++;
          return rows;
        }
      } catch (error) {
        // What is wrong with the question is wrong on the primary too, which says so. A replica may also end a statement
        // because what it reads was removed on the primary.
        judgement = isGazetteError(error, 'store_unavailable') ? 'forked' : 'unknown';
      }
      if (judgement !== 'behind') {
        if (judgement === 'forked') this.#avoidedUntil = performance.now() + AVOIDED_MS;
        this.#failed++;
        return primaryRows(this.#primary, asked);
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
    return primaryRows(this.#primary, asked);
  }

  /** Whether what the replica found is a state that the primary had, and as far as it has to be. */
  async #judge<R extends Rows>(rows: R, reached: Extent, { isThere }: RowsAsked<R>): Promise<Judgement> {
    const first = rows.at(0);
    if (first === undefined || isThere?.(rows) === false) return 'behind';
    const [change, commits] = [Number(first.at(-2)), first.at(-1)];
    if (change === reached.change) return commits === reached.commits ? 'right' : 'forked';
    // It has a commit that the node does not know of yet, or one that the primary has not.
    const { prefix } = this.#primary;
    const register = `(SELECT ${reached.number} AS number, $1::bigint AS change) g`;
    const [row] = await this.#primary.query(`SELECT ${commitsOf(prefix)} FROM ${register}`, [change]);
    const [own] = row!;
    if (own === null) return 'unknown';
    return own === commits ? 'right' : 'forked';
  }

  /** Whether a register is known not to have changed since a stamp. */
  #isCurrent(feedId: string, since: number): boolean {
    const { knowledge } = this.#primary;
    return knowledge?.current() !== undefined && knowledge.isUnchanged(feedId, since);
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

/** Rows of the primary. */
export function primaryRows<R extends Rows>(
  primary: PostgresConnection,
  { text, values, send }: RowsAsked<R>,
): Promise<R> {
  return send(primary, text({ from: `${primary.prefix}registers g`, columns: '', types: [] }), values, []);
}

/**
 * What the last version of the register `g` commits to: the first digits, which no two versions share because each has a salt
 * of its own. A redaction leaves it.
 */
export function commitsOf(prefix: string): string {
  const entry = `g.number * ${SLOT_SPAN}::bigint + g.change`;
  return `(SELECT left(encode(v.commitment, 'hex'), 16) FROM ${prefix}versions v WHERE v.entry = ${entry})`;
}

/** The register on a replica that is as far. The log is a UUID, as the database has made it. */
function reachedBy({ number, log, change, definitionVersion }: Extent, prefix: string): AskedRegister {
  if (!/^[\w-]+$/.test(log)) throw new TypeError(`not the UUID of a log: ${log}`);
  const isReached = `g.log = '${log}' AND g.change >= ${change} AND g.definition_version >= ${definitionVersion}`;
  // OFFSET 0: what it commits to is looked up once, not for each row that is joined.
  const from = `(SELECT g.*, ${commitsOf(prefix)} AS commits FROM ${prefix}registers g
    WHERE g.number = ${number} AND ${isReached} OFFSET 0) g`;
  return { from, columns: ', g.change, g.commits', types: ['integer', 'text'] };
}
