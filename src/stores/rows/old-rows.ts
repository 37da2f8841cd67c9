// What older stores hold: versions without commitments, which are made of what such a store holds, declared values in their
// types (what was redacted before has nothing to commit to), and definitions of before `key` was a core field.
import { canonicalJson, type JsonValue } from '../../register/canonical-json.ts';
import type { RegisterDefinition } from '../../register/record.ts';
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

/** The name that an own field `key` gets. */
const OWN_KEY = 'own_key';

/**
 * The text of a stored definition whose own field `key` is renamed: statements hold its values under `key` as before,
 * and so do the publisher's files. Null where there is no such field.
 */
export function withoutOwnKey(text: string): string | null {
  const definition = JSON.parse(text) as RegisterDefinition;
  const names = new Set(definition.fields.map(({ name }) => name));
  if (!names.has('key')) return null;
  let name = OWN_KEY;
  for (let number = 2; names.has(name); number++) name = `${OWN_KEY}_${number}`;
  const fields = definition.fields.map((field) =>
    field.name === 'key' ? { ...field, name, source_names: ['key'] } : field,
  );
  return canonicalJson({ ...definition, fields } as unknown as JsonValue);
}
