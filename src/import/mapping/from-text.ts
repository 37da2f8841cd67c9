// Converts values of tables, where everything may be text, to the types of their fields: `12.5` to a number, `true` to
// a boolean, `{"a":1}` to a JSON value. A value that does not fit its type stays text, and the checks of the record
// refuse it.
import { guardFormula } from '../../formats/formula-guard.ts';
import { replaceIllegal } from '../../formats/xlsx/text.ts';
import { isRecordId, recordKey } from '../../register/identity.ts';
import type { FieldType } from '../../register/record.ts';
import { showValue } from '../../register/declared-values.ts';
import { parseExactly, type Refuse } from '../readers/json-value.ts';
import type { RawValue } from '../readers/raw-record.ts';

/**
 * The value of a text in a field of this type.
 *
 * @param refuse makes the error for a `json` field whose text is not JSON: it must not become a JSON string, because
 *   then `"5"` could mean both a string and 5.
 */
export function fromText(type: FieldType, text: string, refuse: Refuse): RawValue {
  return type === 'json' ? fromJsonText(text, refuse) : ((showValue({ type }, text) as RawValue | undefined) ?? text);
}

function fromJsonText(text: string, refuse: Refuse): RawValue {
  try {
    JSON.parse(text);
  } catch {
    throw refuse('must be JSON text (a text itself in quotes)');
  }
  return parseExactly(text, refuse);
}

/**
 * The publisher's key that a table states beside the id. A table of our own writes it as a cell, which is not always the
 * key itself: a text that a spreadsheet would run gets an apostrophe, and what the table cannot carry is replaced.
 *
 * @returns the key in `id` if `cell` is how a table writes that key; otherwise the cell, which is then refused.
 */
export function statedKey(feedId: string, id: string, cell: string): string {
  const key = isRecordId(feedId, id) ? recordKey(id) : id;
  const inCsv = key.replaceAll('\0', '\ufffd');
  const written = [key, inCsv, guardFormula(inCsv), replaceIllegal(key).xml];
  return written.includes(cell) ? key : cell;
}
