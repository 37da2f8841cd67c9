// Schemas change by migrations. Each runs once and is never edited after a release. A store runs its missing migrations
// when it is opened, under a lock, so that several processes may start at once. It opens a newer schema if that schema
// permits this version, so that processes can be upgraded one after the other, and refuses others.
import { GazetteError } from '../../errors.ts';

/** One migration. Its number is its place in the list, from 1. */
export interface Migration {
  /** A short description. */
  readonly name: string;
  readonly sql: string;
  /**
   * Statements that give every store the same rows, a new one too; they run after `sql`. A new store is made without running
   * each migration, and needs no more than these where no other fills a table.
   */
  readonly rows?: string;
  /**
   * The oldest schema number whose code reads and writes a store of this schema correctly. It is the migration's own
   * number if older code would miss or break something, and lower if the migration only adds what older code need not
   * know.
   */
  readonly compatibleFrom: number;
}

/** A migration of one database. */
export interface MigrationOf<Database> extends Migration {
  /**
   * Work on the rows of a store of the schema before, which must be complete before the migration's own SQL runs. It
   * commits in batches of bounded size, and continues where an interrupted run ended. It does nothing in an empty store.
   */
  readonly before?: (database: Database) => void | Promise<void>;
}

/** A migration with its number. */
export type Numbered<M extends Migration> = M & { readonly version: number };

/** The schema of a store. */
export interface SchemaState {
  /** The number of its last migration; 0 for a store without tables. */
  readonly version: number;
  /** The oldest schema number whose code may open it. */
  readonly compatibleFrom: number;
}

/**
 * The migrations that a store still needs, oldest first; none for a newer one that this code may open.
 *
 * @throws GazetteError `schema_too_new` when the schema needs newer code: this code might misread the store or damage
 *   it.
 */
export function pendingMigrations<M extends Migration>(
  store: string,
  { version, compatibleFrom }: SchemaState,
  migrations: readonly M[],
): readonly Numbered<M>[] {
  const known = migrations.length;
  if (version > known && compatibleFrom > known) {
    throw new GazetteError(
      'schema_too_new',
      `${store} has schema ${version}, which code for schema ${compatibleFrom} or newer can open; this gazette knows schemas up to ${known}: update gazette`,
      { details: { version, known } },
    );
  }
  return migrations.map((migration, index) => ({ ...migration, version: index + 1 })).slice(version);
}

/**
 * How far the next transaction of an upgrade goes: up to the next migration that has work before it. A new store has
 * nothing to work on and takes all at once.
 */
export function nextMigrations<M extends MigrationOf<never>>(pending: readonly Numbered<M>[]): readonly Numbered<M>[] {
  const isNew = pending[0]?.version === 1;
  const end = pending.findIndex(({ before }, index) => index > 0 && before !== undefined);
  return isNew || end === -1 ? pending : pending.slice(0, end);
}
