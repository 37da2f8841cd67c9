// The fields of a register without a definition, inferred from its first records. Texts stay texts, never dates. If
// values have different types, the field gets a type that loses nothing.
import { GazetteError } from '../../errors.ts';
import type { Field, FieldType } from '../../register/record.ts';
import { FieldNames } from './field-name.ts';
import { readSource } from './mapping.ts';
import { isExactNumber } from '../readers/exact-number.ts';
import type { RawRecord, RawValue } from '../readers/raw-record.ts';
import type { SourceLayout } from './source-layout.ts';
import { formatPath, type ValuePath } from '../readers/value-path.ts';

/** The number of records from which fields are inferred. */
export const SAMPLE_RECORDS = 1000;

/** The maximum amount of text, in UTF-16 units, from which fields are inferred: the sample is held in memory. */
export const SAMPLE_LENGTH = 8_388_608;

/** The maximum number of inferred fields: a file with more uses ids as names. */
export const MAX_INFERRED_FIELDS = 1000;

/** A field and the property its values come from; the path is null when a rule of the mapping fills it. */
export interface InferredField {
  readonly field: Field;
  readonly path: ValuePath | null;
}

/**
 * The fields of the first records: first those that `data.NAME` rules fill, then one for every remaining property in
 * the order of its first appearance, with a snake_case name and the publisher's name as label.
 *
 * @throws GazetteError `invalid_record` when a template does not fit a record, or there are more than
 *   {@link MAX_INFERRED_FIELDS} different properties.
 */
export function inferFields(
  records: readonly RawRecord[],
  layout: SourceLayout,
  where: (at: number) => string,
): readonly InferredField[] {
  const rules = [...layout.fields].map(([name, rule]) => {
    const kinds = new Kinds();
    for (const { value, at } of records) kinds.add(readSource(rule, value, where(at)) ?? null);
    return { field: { name, label: rule.source.kind === 'path' ? rule.written : name, type: kinds.type }, path: null };
  });
  const properties = new Map<string, { readonly path: ValuePath; readonly kinds: Kinds }>();
  for (const { value, at } of records) {
    layout.visitRest(value, (path, item) => {
      const key = formatPath(path);
      let property = properties.get(key);
      if (property === undefined) properties.set(key, (property = { path, kinds: new Kinds() }));
      if (properties.size > MAX_INFERRED_FIELDS) throw tooMany(where(at));
      property.kinds.add(item);
    });
  }
  const names = new FieldNames(layout.fields.keys());
  return [
    ...rules,
    ...[...properties.values()].map(({ path, kinds }) => {
      const property = path.at(-1)!;
      // A label must not be empty.
      const label = property.trim() === '' ? 'field' : property;
      return { field: { name: names.take(property), label, type: kinds.type }, path };
    }),
  ];
}

function tooMany(where: string): GazetteError {
  return new GazetteError(
    'invalid_record',
    `${where}: the records up to here have more than ${MAX_INFERRED_FIELDS} different properties; give --definition to say which are fields`,
    { details: { where } },
  );
}

const TEXT = 1;
const INTEGER = 2;
const BIG_INTEGER = 4;
const FRACTION = 8;
const BOOLEAN = 16;
const CONTAINER = 32;
const EXACT = 64;

/** The kinds of values that a property has had. */
class Kinds {
  #seen = 0;

  add(value: RawValue): void {
    if (value === null) return;
    this.#seen |= kindBit(value);
  }

  get type(): FieldType {
    const only = (kinds: number): boolean => this.#seen !== 0 && (this.#seen & ~kinds) === 0;
    if ((this.#seen & CONTAINER) !== 0) return 'json';
    if (only(BOOLEAN)) return 'boolean';
    if (only(INTEGER | BIG_INTEGER)) return 'integer';
    if (only(INTEGER | FRACTION)) return 'number';
    // As a number, it would lose its last digits; so would a large integer among fractions.
    if (only(INTEGER | BIG_INTEGER | FRACTION | EXACT)) return 'decimal';
    // Every scalar has a lossless JSON text; so will a later value where all were null.
    return 'text';
  }
}

function kindBit(value: Exclude<RawValue, null>): number {
  switch (typeof value) {
    case 'string':
      return TEXT;
    case 'bigint':
      return BIG_INTEGER;
    case 'boolean':
      return BOOLEAN;
    case 'number':
      return Number.isSafeInteger(value) ? INTEGER : FRACTION;
    default:
      return isExactNumber(value) ? EXACT : CONTAINER;
  }
}
