// Asks a database again that is away for a while, as during a restart or a failover, so that the work goes on.
import { setTimeout as sleep } from 'node:timers/promises';
import { isGazetteError } from '../../errors.ts';
import { throwIfAborted } from '../../register/sources/source.ts';

/** For how long a database may be away, in milliseconds. */
export const AWAY_MS = 60_000;

/** How often it is asked, in milliseconds. */
export const ASK_AGAIN_MS = 250;

/** Options of {@link askAgain}. */
export interface AskAgainOptions {
  /** Called before each question after the first. What it throws counts as the question's error. */
  readonly before?: () => Promise<void>;
  /** A clock in milliseconds that nobody sets. Default `performance.now`. */
  readonly clock?: (() => number) | undefined;
  /** Ends the wait. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * The answer to a question, which is asked again while the database is away for less than {@link AWAY_MS}.
 *
 * @throws GazetteError `aborted`; the errors of `ask` and of `before`
 */
export async function askAgain<T>(ask: () => Promise<T>, options: AskAgainOptions): Promise<T> {
  const { before, clock = () => performance.now(), signal } = options;
  let awaySince: number | null = null;
  for (;;) {
    try {
      if (awaySince !== null) await before?.();
      return await ask();
    } catch (error) {
      // The transaction whose answer is missing may still hold what it locked.
      const isBack = awaySince !== null && isGazetteError(error, 'store_busy');
      if (!isBack && !isGazetteError(error, 'store_unavailable')) throw error;
      const now = clock();
      awaySince ??= now;
      if (now - awaySince >= AWAY_MS) throw error;
    }
    await pause(signal);
  }
}

/** Waits until something is worth being asked again. @throws GazetteError `aborted` */
export async function pause(signal: AbortSignal | undefined): Promise<void> {
  await sleep(ASK_AGAIN_MS, undefined, signal === undefined ? {} : { signal }).catch((error: unknown) => {
    throwIfAborted(signal);
    throw error;
  });
}
