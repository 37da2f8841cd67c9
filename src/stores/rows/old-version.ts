// The commitments of versions that older stores logged: made of what such a store holds, which is declared values in
// their types. What was redacted before has nothing to commit to.
import { CONTENT_AT, type SqlRow, storedContentOf, VERSION_CONTENT_AT, VERSION_ID_AT } from './columns.ts';
import type { Commitment, Committer } from './commitment.ts';
import { canonicalStatement } from './published-record.ts';
import { feedIdOf } from './register.ts';

/** How many old versions are read at once; each may have several long texts. */
export const OLD_VERSIONS_READ = 50;

/** How many old versions one transaction completes: some hundredths of a second. */
export const OLD_VERSIONS_BATCH = 1000;

/** What an old version gets; no salt where nothing can be confirmed any more. */
export type OldCommitment = Omit<Commitment, 'salt'> & { readonly salt: Uint8Array | null };

/** The commitment of a row of `selectVersions()`. */
export function oldCommitment(row: SqlRow, committer: Committer): OldCommitment {
  const id = row[VERSION_ID_AT] as string | null;
  const [, , version, cause] = row;
  // The removal of its register was interrupted.
  if (id === null) return { ...committer.commit('', version as number, null), salt: null };
  if (row[VERSION_CONTENT_AT + CONTENT_AT.title] === null) {
    return { ...committer.commit(id, version as number, null), salt: null };
  }
  const { statement } = storedContentOf(feedIdOf(id), row, VERSION_ID_AT, VERSION_CONTENT_AT);
  return committer.commit(id, version as number, cause === 'withdrawn' ? null : canonicalStatement(statement));
}
