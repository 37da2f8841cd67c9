// The form of a record: its fields as a person reads and writes them, and what of a form that was sent differs from what the record
// said when the form was made.
import { CORE_FIELDS, STATED_FIELDS, type StatedFieldName } from '../../register/fields.ts';
import { OWN_PREFIX } from '../../register/finding/own-filters.ts';
import type { JsonValue } from '../../register/canonical-json.ts';
import type { FieldType, RegisterDefinition, RegisterRecord } from '../../register/record.ts';
import { isDate } from '../../register/time.ts';
import { isUnknownSource } from '../../register/url.ts';
import type { RecordField } from '../../templates/desk/record-page.ts';

/** How many bytes of UTF-8 all values of a form may take: what is longer is not changed on a page. */
const FORM_BYTES = 16_000;

/** How many bytes a field takes besides its value. */
const FIELD_BYTES = 250;

/** From so many characters on a text has several lines. */
const LONG = 80;

/** A form of a record. */
export interface RecordForm {
  readonly fields: readonly RecordField[];
  /** The names of fields that are too long to be changed there. */
  readonly left: readonly string[];
}

/** @param decimalComma whether the reader writes numbers with one */
export function recordForm(definition: RegisterDefinition, record: RegisterRecord, decimalComma: boolean): RecordForm {
  const left: string[] = [];
  let room = FORM_BYTES;
  const fields = fieldsOf(definition).flatMap(([name, type, values]) => {
    const text = textOf(type, valueIn(record, name), decimalComma);
    const bytes = Buffer.byteLength(text) + FIELD_BYTES;
    if (bytes > room) {
      left.push(name);
      return [];
    }
    room -= bytes;
    return [{ name, type, values, value: text, control: controlOf(type, values, text) }];
  });
  return { fields, left };
}

/** The values of a form that say something else than it did when it was made: what is to be set. An empty field says nothing. */
export function changedIn(
  { fields }: RecordForm,
  sent: URLSearchParams,
): ReadonlyMap<string, { readonly typed: string; readonly value: string | null }> {
  return new Map(
    fields.flatMap(({ name, value }) => {
      const typed = sent.get(name);
      if (typed === null || lines(typed) === lines(value)) return [];
      const text = lines(typed);
      return [[name, { typed, value: text === '' ? null : text }] as const];
    }),
  );
}

/** What was typed, upon what a record says by now. */
export function typedAgain(now: RecordForm, before: RecordForm, sent: URLSearchParams): URLSearchParams {
  const changed = changedIn(before, sent);
  const again = new URLSearchParams(sent);
  for (const { name, value } of now.fields) again.set(name, changed.get(name)?.typed ?? value);
  return again;
}

/** The fields, the first core field before the register's own, and the others behind them. */
function fieldsOf({ fields }: RegisterDefinition): readonly (readonly [string, FieldType, readonly string[] | null])[] {
  const [first, ...others] = CORE_FIELDS.filter(({ name }) => STATED_FIELDS.some((one) => one === name)).map(
    ({ name, type, values = null }) => [name as string, type, values] as const,
  );
  return [first!, ...fields.map(({ name, type }) => [OWN_PREFIX + name, type, null] as const), ...others];
}

function valueIn(record: RegisterRecord, name: string): JsonValue {
  if (!name.startsWith(OWN_PREFIX)) return record[name as StatedFieldName];
  return record.data[name.slice(OWN_PREFIX.length)] ?? null;
}

function textOf(type: FieldType, value: JsonValue, decimalComma: boolean): string {
  if (value === null || (typeof value === 'string' && isUnknownSource(value))) return '';
  if (type === 'json' || typeof value === 'object') return JSON.stringify(value);
  const isFraction = type === 'number' || type === 'decimal';
  return isFraction && decimalComma ? String(value).replace('.', ',') : String(value);
}

function controlOf(type: FieldType, values: readonly string[] | null, text: string): RecordField['control'] {
  if (values !== null || type === 'boolean') return 'choice';
  // A browser loses a text that is none in such a field.
  if (type === 'date' && (text === '' || (isDate(text) && text.length === 10))) return 'date';
  return type === 'json' || text.length > LONG || /[\r\n]/.test(text) ? 'lines' : 'line';
}

/** A text with its lines as they are compared: browsers send each with CRLF. */
function lines(text: string): string {
  return text.replaceAll(/\r\n?/g, '\n').replaceAll('\0', '\ufffd');
}
