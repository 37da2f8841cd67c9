// Definitions as stores kept them before `key` was a core field: a field of the register's own may have that name.
import { canonicalJson, type JsonValue } from '../../register/canonical-json.ts';
import type { RegisterDefinition } from '../../register/record.ts';

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
