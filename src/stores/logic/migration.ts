// Schemas grow by migrations, each run once and never edited after a release. A store runs what it lacks when it is
// opened, under a lock, so that several processes may start at once; it refuses a schema from the future.
import { GazetteError } from '../../errors.ts';

/** One step of a schema. Its number is its place in the list, from 1. */
export interface Migration {
  /** What it does, in a few words. */
  readonly name: string;
  readonly sql: string;
}

/**
 * The migrations a store at schema `version` still lacks, oldest first.
 *
 * @throws GazetteError `schema_too_new` when the schema has migrations this gazette does not know: reading it would be
 *   guessing, and writing to it could break what the newer one keeps.
 */
export function pendingMigrations(
  store: string,
  version: number,
  migrations: readonly Migration[],
): readonly (Migration & { readonly version: number })[] {
  if (version > migrations.length) {
    throw new GazetteError(
      'schema_too_new',
      `${store} has schema ${version}, written by a newer gazette; this one knows schemas up to ${migrations.length}: update gazette`,
      { details: { version, known: migrations.length } },
    );
  }
  return migrations.map((migration, index) => ({ ...migration, version: index + 1 })).slice(version);
}
