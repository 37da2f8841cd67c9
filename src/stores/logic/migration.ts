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
   * The oldest schema number whose code reads and writes a store of this schema correctly. It is the migration's own
   * number if older code would miss or break something, and lower if the migration only adds what older code need not
   * know.
   */
  readonly compatibleFrom: number;
}

/** A migration with its number. */
export type NumberedMigration = Migration & { readonly version: number };

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
