// The rules for purges: which parts of a database may still hold what was erased. A part is asked for in the transaction
// that erases, so that a killed process cannot forget it.
import type { PendingPurge, PurgeStore } from '../contract/purges.ts';
import { asNumber, asText, shape, table } from '../rows/sql.ts';
import type { Engine, Rule, Sql } from './rule.ts';

const PURGES = table('purges');

/** A part that is to be rewritten. */
interface PendingPart {
  readonly part: string;
  /** Rises each time it is asked for. */
  readonly number: number;
  readonly askedAt: string;
}

const PART = shape(['part', 'number', 'asked_at'], ([part, number, askedAt]): PendingPart => ({
  part: asText(part),
  number: asNumber(number),
  askedAt: asText(askedAt),
}));

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
  return {
    async pending() {
      return pendingOf(await pendingParts());
    },
    async run({ waitMs = WAIT_MS } = {}) {
      const deadline = performance.now() + waitMs;
      for (;;) {
        const parts = await pendingParts();
        const [next] = parts;
        const isRewritten = next !== undefined && (await rewrite(next.part, Math.max(0, deadline - performance.now())));
        if (!isRewritten) return pendingOf(parts);
        await engine.write(endPart, next);
      }
    },
    beyond,
  };
}

function pendingOf(parts: readonly PendingPart[]): PendingPurge | null {
  if (parts.length === 0) return null;
  const [askedAt] = parts.map((pending) => pending.askedAt).sort();
  return { askedAt: askedAt!, parts: parts.map(({ part }) => part) };
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
