// Schemas change by migrations. Each runs once and is never edited after a release. A store runs its missing migrations
// when it is opened, under a lock, so that several processes may start at once. It opens a newer schema if that schema
// permits this version, so that processes can be upgraded one after the other, and refuses others.
import { GazetteError } from '../../errors.ts';

/**
 * The number of the first schema of both databases. It is above those of the stores that were made before the first release, so
 * that these are recognised. Until that release, a change of a table raises it.
 */
export const FIRST_SCHEMA = 56;

/** One migration. Those of a store are numbered upwards from the `compatibleFrom` of the first: nothing older opens that. */
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
export type Numbered = Migration & { readonly version: number };

/** The schema of a store. */
export interface SchemaState {
  /** The number of its last migration; 0 for a store without tables. */
  readonly version: number;
  /** The oldest schema number whose code may open it; null: nobody asked, as it is no newer one. */
  readonly compatibleFrom: number | null;
}

/** The number of the last one. */
export function lastNumber(migrations: readonly Migration[]): number {
  return migrations[0]!.compatibleFrom + migrations.length - 1;
}

/**
 * The migrations that a store still needs, oldest first; none for a newer one that this code may open.
 *
 * @throws GazetteError `schema_too_new` when the schema needs newer code: this code might misread the store or damage
 *   it; `invalid_store` when it is older than the first migration
 */
export function pendingMigrations(
  store: string,
  { version, compatibleFrom }: SchemaState,
  migrations: readonly Migration[],
): readonly Numbered[] {
  const known = lastNumber(migrations);
  if (compatibleFrom !== null && compatibleFrom > known) {
    throw new GazetteError(
      'schema_too_new',
      `${store} has schema ${version}, which code for schema ${compatibleFrom} or newer can open; this gazette knows schemas up to ${known}: update gazette`,
      { details: { version, known } },
    );
  }
  const first = migrations[0]!.compatibleFrom;
  if (version > 0 && version < first) {
    throw new GazetteError(
      'invalid_store',
      `${store} was made by a gazette from before the first release, and cannot be upgraded: make a new store, and import the registers again`,
      { details: { version } },
    );
  }
  return migrations
    .map((migration, index) => ({ ...migration, version: first + index }))
    .filter((migration) => migration.version > version);
}
