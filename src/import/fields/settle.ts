// What follows once the types of all columns are known: texts in a publisher's own forms of dates and amounts are kept
// in gazette's, as a later import with the same definition keeps them.
import type { JsonValue } from '../../register/canonical-json.ts';
import type { Field } from '../../register/record.ts';
import type { PreparedRecord } from '../../stores/contract/prepared-record.ts';
import { prepareRecord, statedIn } from '../../stores/rows/prepare.ts';
import type { ImportPlan } from '../mapping/plan.ts';

/**
 * Converts staged records whose fields were found after they were staged. A field of a type that the caller said was known then.
 *
 * @param plan `rewritten`: the fields with texts that every file may have in another form: words for no value, thousands in groups
 * @returns null where no field needs it
 */
export function settler(
  fields: readonly Field[],
  { definition, forms, rewritten }: Pick<ImportPlan, 'definition' | 'forms' | 'rewritten'>,
): ((record: PreparedRecord) => PreparedRecord) | null {
  const known = new Set(definition.fields.map(({ name }) => name));
  const concerned = fields.filter(
    ({ name, type }) => !known.has(name) && (forms.apply(type) || (type !== 'text' && rewritten.has(name))),
  );
  if (concerned.length === 0) return null;
  return (record) => {
    const statement = statedIn(record);
    const changes: Record<string, JsonValue> = {};
    for (const { name, type } of concerned) {
      const value = statement.data[name];
      if (typeof value !== 'string') continue;
      changes[name] = forms.isMissingIn(type, value) ? null : forms.forType(type, value);
    }
    return prepareRecord({ ...statement, data: { ...statement.data, ...changes } });
  };
}
