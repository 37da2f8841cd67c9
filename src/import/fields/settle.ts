// What follows once the types of all columns are known: texts in a publisher's own forms of dates and amounts are kept
// in gazette's, as a later import with the same definition keeps them.
import type { JsonValue } from '../../register/canonical-json.ts';
import type { Field } from '../../register/record.ts';
import type { PreparedRecord } from '../../stores/contract/prepared-record.ts';
import { prepareRecord, statedIn } from '../../stores/rows/prepare.ts';
import type { TextForms } from '../mapping/text-forms.ts';

/**
 * Converts staged records whose fields were found after they were staged.
 *
 * @returns null where no field needs it
 */
export function settler(
  fields: readonly Field[],
  forms: TextForms,
): ((record: PreparedRecord) => PreparedRecord) | null {
  const concerned = fields.filter(({ type }) => forms.apply(type));
  if (concerned.length === 0) return null;
  return (record) => {
    const statement = statedIn(record);
    const changes: Record<string, JsonValue> = {};
    for (const { name, type } of concerned) {
      const value = statement.data[name];
      if (typeof value === 'string') changes[name] = forms.forType(type, value);
    }
    return prepareRecord({ ...statement, data: { ...statement.data, ...changes } });
  };
}
