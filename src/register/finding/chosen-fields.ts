// `fields`: which members or columns come, in the order asked for. Core fields by their names, own ones as `data.NAME`, all
// own ones as `data`; `id` always comes. It is read here alone: formats get the checked names, and columnsOf() for the rest.
import { GazetteError, quote } from '../../errors.ts';
import { nearest } from '../../nearest.ts';
import type { JsonValue } from '../canonical-json.ts';
import { allFields, CORE_FIELDS } from '../fields.ts';
import type { TextParameter } from '../parameters.ts';
import type { CoreFieldName, Field, RegisterDefinition, RegisterRecord } from '../record.ts';
import { OWN_PREFIX } from './own-filters.ts';

/** The parameter: names with commas between them. */
export const FIELDS: TextParameter = { kind: 'text', name: 'fields', minLength: 1, maxLength: 10_000 };

/** What stands for all own fields. */
const ALL_OWN = 'data';

const CORE_NAMES: ReadonlySet<string> = new Set(CORE_FIELDS.map(({ name }) => name));

type Fields = Pick<RegisterDefinition, 'fields'>;

/**
 * The names that a text asks for, each once: the one form in which they are passed on. Without `id`, it comes first.
 *
 * @throws GazetteError `invalid_parameter` for a name that no field has, naming the nearest
 * @example parseFields('title,data.country', definition) // ['id', 'title', 'data.country']
 */
export function parseFields(text: string, definition: Fields): readonly string[] {
  return checkFields(
    text.split(',').map((name) => name.trim()),
    definition,
  );
}

/**
 * The same for names in a list.
 *
 * @throws GazetteError `invalid_parameter` as {@link parseFields}
 */
export function checkFields(names: readonly string[], definition: Fields): readonly string[] {
  const own = definition.fields.map(({ name }) => OWN_PREFIX + name);
  const known: ReadonlySet<string> = new Set([...CORE_NAMES, ...own]);
  const chosen = names.flatMap((name) => (name === ALL_OWN ? own : [name]));
  const wrong = chosen.find((name) => !known.has(name));
  if (wrong !== undefined) throw unknownField(wrong, [...known]);
  return [...new Set(chosen.includes('id') ? chosen : ['id', ...chosen])];
}

/** The columns of a document: all fields, or those that are chosen, in their order. */
export function columnsOf(definition: RegisterDefinition, names: readonly string[] | undefined): readonly Field[] {
  if (names === undefined) return allFields(definition);
  const fields = new Map(
    allFields(definition).map((field) => [isCoreField(field) ? field.name : OWN_PREFIX + field.name, field]),
  );
  return checkFields(names, definition).map((name) => fields.get(name)!);
}

/** Whether a column is a core field. No own field has the name of one. */
export function isCoreField(field: Field): field is Field & { readonly name: CoreFieldName } {
  return CORE_NAMES.has(field.name);
}

/**
 * The members of a record that are chosen, in their order: own fields in `data`, which comes where the first of them does.
 *
 * @param names as {@link parseFields} gives them
 * @example pickFields(record, ['id', 'data.country']) // { id: 'permits:1', data: { country: 'CH' } }
 */
export function pickFields(record: RegisterRecord, names: readonly string[]): Readonly<Record<string, JsonValue>> {
  const picked: Record<string, JsonValue> = {};
  const data: Record<string, JsonValue> = {};
  for (const name of names) {
    if (name.startsWith(OWN_PREFIX)) {
      const own = name.slice(OWN_PREFIX.length);
      // A field may be called `constructor`: inherited properties are not values of the record.
      data[own] = (Object.hasOwn(record.data, own) ? record.data[own] : null) ?? null;
      picked.data = data;
    } else {
      picked[name] = record[name as CoreFieldName];
    }
  }
  return picked;
}

/** The error for a format that has all fields of a record, or a form of its own. */
export function noFields(format: string): GazetteError {
  return invalid(
    `fields must be absent: ${format} does not take them; csv, xlsx, xml, json, ndjson, parquet and geojson do`,
  );
}

function unknownField(name: string, known: readonly string[]): GazetteError {
  const near = [...nearest(name, known), OWN_PREFIX + name].find((one) => known.includes(one));
  const hint = near === undefined ? `there are ${known.join(', ')}` : `did you mean ${near}?`;
  return invalid(`fields must name fields of the register, got ${quote(name)}: ${hint}`);
}

function invalid(message: string): GazetteError {
  return new GazetteError('invalid_parameter', message, { details: { parameter: FIELDS.name } });
}
