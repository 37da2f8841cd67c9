// Values of tables, where everything may be text, in the types their fields have: `12.5` a number, `true` a boolean,
// `{"a":1}` a JSON value. What does not read as its type stays text, for the checks of the record to refuse.
import type { FieldType } from '../../register/record.ts';
import { parseExactly, type Refuse } from '../readers/json-value.ts';
import type { RawValue } from '../readers/raw-record.ts';

/** RFC 8259 6. Thousands separators, decimal commas and signs of plus are guesses to anyone but the publisher. */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/**
 * The value a text means in a field of this type.
 *
 * @param refuse makes the error for a `json` field whose text is no JSON: a text is JSON too, and taking it for one would
 *   make `"5"` of 5.
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
