// Schemas grow by migrations, each run once and never edited after a release. A store runs what it lacks when it is
// opened, under a lock, so that several processes may start at once. It opens a newer schema that says that this version
// may, so that processes can be upgraded one after the other, and refuses others.
import { GazetteError } from '../../errors.ts';

/** One step of a schema. Its number is its place in the list, from 1. */
export interface Migration {
  /** What it does, in a few words. */
  readonly name: string;
  readonly sql: string;
  /**
   * The number of the oldest schema whose code reads and writes a store of this one correctly: its own number when the
   * older code would miss or break something, a lower one when it only adds what older code need not know.
   */
  readonly compatibleFrom: number;
}

/** A migration with its number. */
export type NumberedMigration = Migration & { readonly version: number };

/** The schema that a store has. */
export interface SchemaState {
  /** The number of its last migration; 0 for a store without tables. */
  readonly version: number;
  /** The oldest schema number whose code may open it. */
  readonly compatibleFrom: number;
}

/**
 * The migrations that a store still lacks, oldest first; none for a newer one that this code may open.
 *
 * @throws GazetteError `schema_too_new` when the schema needs newer code: reading it would be guessing, and writing to it
 *   could break what the newer one keeps.
 */
export function pendingMigrations(
  store: string,
  { version, compatibleFrom }: SchemaState,
  migrations: readonly Migration[],
): readonly NumberedMigration[] {
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
