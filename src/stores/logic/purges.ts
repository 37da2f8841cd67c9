// The rules for purges: which parts of a database may still hold what was erased. A part is asked for in the transaction
// that erases, so that a killed process cannot forget it.
import { isGazetteError } from '../../errors.ts';
import type { PendingPurge, PurgeStore } from '../contract/purges.ts';
import { Table, TEXT, TIME, whole } from '../rows/table.ts';
import type { Engine, Rule, Sql } from './rule.ts';

/** Those that have not ended. */
const PURGES = new Table('purges', { part: TEXT, number: whole(1), asked_at: TIME }, { key: ['part'] });

/** Their table. */
export const PURGE_TABLES: readonly Table[] = [PURGES];

/** A part that is to be rewritten. */
interface PendingPart {
  readonly part: string;
  /** Rises each time it is asked for. */
  readonly number: number;
  readonly askedAt: string;
}

const PART = PURGES.shape({ part: 'part', number: 'number', askedAt: 'asked_at' });

/** What each database does in its own way. */
export interface PurgeHooks {
  /** All its parts, in the order in which they must be rewritten. */
  readonly parts: readonly string[];
  /** Rewrites a part. @returns false when others held it up for `waitMs` milliseconds */
  readonly rewrite: (part: string, waitMs: number) => Promise<boolean>;
  readonly beyond: PurgeStore['beyond'];
}

/** How long a purge waits for others, in milliseconds. */
const WAIT_MS = 10_000;

/** The purges of a store. */
export function purgesOn(engine: Engine, { parts, rewrite, beyond }: PurgeHooks): PurgeStore {
  const pendingParts = async (): Promise<readonly PendingPart[]> => {
    const pending = await engine.read(partsToPurge);
    return parts.flatMap((name) => pending.filter(({ part }) => part === name));
  };
  let failure: string | undefined;
  /** @returns whether the part is purged; what was erased is erased, whatever becomes of its purge */
  const purge = async (next: PendingPart, waitMs: number): Promise<boolean> => {
    failure = undefined;
    try {
      if (!(await rewrite(next.part, waitMs))) return false;
      await engine.write(endPart, next);
      return true;
    } catch (error) {
      failure = messageOf(error);
      return false;
    }
  };
  return {
    async pending() {
      return pendingOf(await pendingParts(), failure);
    },
    async run({ waitMs = WAIT_MS } = {}) {
      const deadline = performance.now() + waitMs;
      for (;;) {
        const parts = await pendingParts();
        const [next] = parts;
        const isPurged = next !== undefined && (await purge(next, Math.max(0, deadline - performance.now())));
        if (!isPurged) return pendingOf(parts, failure);
      }
    },
    beyond,
  };
}

function pendingOf(parts: readonly PendingPart[], failure: string | undefined): PendingPurge | null {
  if (parts.length === 0) return null;
  const [askedAt] = parts.map((pending) => pending.askedAt).sort();
  const names = parts.map(({ part }) => part);
  return { askedAt: askedAt!, parts: names, ...(failure === undefined ? {} : { failure }) };
}

/** What the database says: the message of a rule whose statement failed only says which. */
function messageOf(error: unknown): string {
  const cause = isGazetteError(error) && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error ? cause.message : String(cause);
}

/** Remembers that these parts are to be rewritten, which may have been asked for before. */
export function* askForPurge(sql: Sql, parts: readonly string[], at: string): Rule<void> {
  for (const part of parts) {
    yield* sql.run`INSERT INTO ${PURGES} AS p (part, number, asked_at) VALUES (${part}, 1, ${at})
      ON CONFLICT (part) DO UPDATE SET number = p.number + 1`;
  }
}

function* partsToPurge(sql: Sql): Rule<readonly PendingPart[]> {
  return yield* sql.all(PART)`SELECT ${PART} FROM ${PURGES}`;
}

/** Another erasure may have asked for the part while it was rewritten: then it remains. */
function* endPart(sql: Sql, { part, number }: PendingPart): Rule<void> {
  yield* sql.run`DELETE FROM ${PURGES} WHERE part = ${part} AND number = ${number}`;
}
