// Converts values of tables, where everything may be text, to the types of their fields: `12.5` to a number, `true` to
// a boolean, `{"a":1}` to a JSON value. A value that does not fit its type stays text, and the checks of the record
// refuse it.
import type { FieldType } from '../../register/record.ts';
import { parseExactly, type Refuse } from '../readers/json-value.ts';
import type { RawValue } from '../readers/raw-record.ts';

/** RFC 8259 6. Only the publisher could tell what thousands separators, decimal commas and plus signs mean. */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/**
 * The value of a text in a field of this type.
 *
 * @param refuse makes the error for a `json` field whose text is not JSON: it must not become a JSON string, because
 *   then `"5"` could mean both a string and 5.
 */
export function fromText(type: FieldType, text: string, refuse: Refuse): RawValue {
  switch (type) {
    case 'number': {
      const number = NUMBER.test(text) ? Number(text) : NaN;
      return Number.isFinite(number) ? number : text;
    }
    case 'boolean':
      // Spreadsheets save TRUE and FALSE.
      return text === 'true' || text === 'TRUE' ? true : text === 'false' || text === 'FALSE' ? false : text;
    case 'json':
      return fromJsonText(text, refuse);
    default:
      return text;
  }
}

function fromJsonText(text: string, refuse: Refuse): RawValue {
  try {
    JSON.parse(text);
  } catch {
    throw refuse('must be JSON text (a text itself in quotes)');
  }
  return parseExactly(text, refuse);
}
