// The interface of the log of imports: who took what into a register, when, and with what result.

import type { UnderLease } from './leases.ts';

/** Why an import may change records. */
export const IMPORT_CAUSES: readonly NewImport['cause'][] = ['source_change', 'extraction_correction'];

/** The maximum number of entries in one result of {@link ImportLog.list}. */
export const IMPORTS_PAGE_SIZE = 1000;

/** An import that begins. */
export interface NewImport {
  /** The name of the file as it was given. */
  readonly file: string;
  /** The cause recorded for changed records. */
  readonly cause: 'source_change' | 'extraction_correction';
  /** Who runs the import: a user of the operating system, or whatever a program gives. Null if unknown. */
  readonly who: string | null;
  /** RFC 3339. */
  readonly begunAt: string;
}

/** How many records an import treated in which way. */
export interface ImportCounts {
  /** Records that are new. */
  readonly added: number;
  /** Records that got a new version. */
  readonly changed: number;
  /** Records that did not change. */
  readonly unchanged: number;
  /** Records that had been withdrawn and are live again. */
  readonly restored: number;
  /** Records that were skipped because their content was permanently erased. */
  readonly redacted: number;
  /** Records that were withdrawn because they are no longer in the file. */
  readonly withdrawn: number;
  /** Invalid records. */
  readonly refused: number;
}

/** The end of an import. */
export interface ImportEnd {
  /** What it did. */
  readonly counts: ImportCounts;
  /** RFC 3339. */
  readonly endedAt: string;
  /** The code of the error that ended it; null if it was completed. */
  readonly error: string | null;
  /** HMAC-SHA-256 of the file's bytes under the key that {@link ImportLog.begin} gave; null if it is not known. */
  readonly digest: Uint8Array | null;
}

/** An import in the log. */
export interface ImportEntry extends NewImport {
  /** Its number in the store, rising. */
  readonly number: number;
  /**
   * `running`: it has not ended, or its process was killed, which shows in the register's lease. `interrupted`: the next
   * import began although this one had not ended.
   */
  readonly state: 'running' | 'completed' | 'failed' | 'interrupted';
  /** What it has done, or did until it ended. */
  readonly counts: ImportCounts;
  /** RFC 3339; null while it runs. */
  readonly endedAt: string | null;
  /** The code of the error that ended it; null if it was completed or runs. */
  readonly error: string | null;
  /**
   * Null if it is not known, or was erased: once a record is erased, no digest remains of a file that may have
   * contained it.
   */
  readonly digest: Uint8Array | null;
}

/** The log of imports of a store. */
export interface ImportLog {
  /**
   * Adds an import to the log. Earlier ones of the register that are still `running` were interrupted: the caller holds
   * the register's lease.
   *
   * @param options.key 32 random bytes, kept as the store's key if it has none yet
   * @returns the number of the import, and the store's key
   * @throws GazetteError `unknown_feed`, `import_superseded`
   */
  begin(
    feedId: string,
    begun: NewImport,
    options: { readonly key: Uint8Array } & UnderLease,
  ): Promise<{ readonly number: number; readonly key: Uint8Array }>;

  /** Records how an import ended. An unknown number is ignored: the register was removed meanwhile. */
  end(number: number, end: ImportEnd): Promise<void>;

  /** The imports of a register, newest first. @throws GazetteError `unknown_feed` */
  list(feedId: string, options: { readonly limit: number }): Promise<readonly ImportEntry[]>;
}
