// The interface for purging: rewriting what the files of a database keep of content that was erased from its tables.
// A purge that others hold up, or that fails, is remembered in the store, until one succeeds.

import type { NewDeskEntry } from './desk/editors.ts';
import type { UnderLease } from './leases.ts';

/** A purge that has not ended. */
export interface PendingPurge {
  /** When the first of its erasures was made, RFC 3339. */
  readonly askedAt: string;
  /** What of the database is not rewritten yet, such as the names of tables, in the order of the work. */
  readonly parts: readonly string[];
  /** What went wrong when this store last tried, such as a full disk. Absent: others held it up, or it has not tried. */
  readonly failure?: string;
}

/** Options of {@link RegisterStore.redact}. */
export interface RedactOptions extends UnderLease {
  /** The time of the redaction, as in every write. */
  readonly recordedAt: string;
  /**
   * Also purges the store's files, and waits for others at most as long as a write does; a purge that they hold up, or
   * that fails, is remembered. SqliteStore always does; the default of PostgresStore is false.
   */
  readonly purge?: boolean;
  /** What the log of the desk says of it from the same moment on. Default: nothing. @internal */
  readonly noted?: NewDeskEntry;
}

/** The purges of a store. */
export interface PurgeStore {
  /** The purge that has not ended; null where nothing that was erased is left in the store's files. */
  pending(): Promise<PendingPurge | null>;

  /**
   * Goes on with the pending purge. It ends early where others read or write what it must rewrite, or where that fails,
   * and is then still pending. While it rewrites, writers wait; on PostgreSQL, readers of that table wait, too.
   *
   * @param options.waitMs how long to wait for others, in milliseconds. Default 10,000.
   * @returns what is pending still; null when nothing is
   */
  run(options?: { readonly waitMs?: number }): Promise<PendingPurge | null>;

  /**
   * What holds erased content outside the tables, where no purge reaches it: each a phrase in English that says until
   * when.
   *
   * @param options.isPurged whether a purge was asked for
   */
  beyond(options: { readonly isPurged: boolean }): Promise<readonly string[]>;
}
