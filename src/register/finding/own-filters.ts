// The filters of a register's own fields: `data.NAME`, and by the field's type `data.NAME_since` and `_until`, or `_min` and
// `_max`. Only fields that the definition declares filterable have them.
import { GazetteError, quote, shorten } from '../../errors.ts';
import { nearest } from '../../nearest.ts';
import { MAX_FILTER_LENGTH, MAX_FILTER_VALUES } from './filters.ts';
import type { TextsParameter } from '../parameters.ts';
import type { Field, FieldType } from '../record.ts';

/** What begins the name of every such filter. */
export const OWN_PREFIX = 'data.';

/** What lists of parameters say of them where the register is not known yet. */
export const OWN_IN_WORDS = 'data.NAME of own fields';

/** What every such filter takes; some take one value alone. */
export const OWN_VALUES: Omit<TextsParameter, 'name'> = {
  kind: 'texts',
  minLength: 1,
  maxLength: MAX_FILTER_LENGTH,
  maxItems: MAX_FILTER_VALUES,
};

/** What the names of such filters look like. */
export const OWN_NAMES: { readonly pattern: RegExp } = { pattern: /^data\.[a-z][a-z0-9_]{0,69}$/ };

/** What a filter of an own field asks for. `min` and `max` are inclusive. */
export type OwnTest = 'exact' | 'since' | 'until' | 'min' | 'max';

/** A filter of an own field. */
export interface OwnFilter extends TextsParameter {
  readonly test: OwnTest;
  readonly field: Field;
}

/** The ends of names that mean another test. A field whose name ends so cannot be filterable. */
export const OWN_TEST_ENDS: readonly string[] = ['_since', '_until', '_min', '_max'];

/** Whether a field of this name can be filterable. */
export function canBeFilterable({ name }: Pick<Field, 'name'>): boolean {
  return !OWN_TEST_ENDS.some((end) => name.endsWith(end));
}

/** What can be asked of a field of this type. */
export function testsOf(type: FieldType): readonly OwnTest[] {
  if (type === 'date' || type === 'datetime') return ['exact', 'since', 'until'];
  return type === 'number' || type === 'decimal' || type === 'integer' ? ['exact', 'min', 'max'] : ['exact'];
}

/** The name of the filter of a field. @example ownFilterName('area', 'min') // 'data.area_min' */
export function ownFilterName(name: string, test: OwnTest): string {
  return `${OWN_PREFIX}${name}${test === 'exact' ? '' : `_${test}`}`;
}

/** The filters that a register's own fields have, in the order of the fields. */
export function ownFilters(fields: readonly Field[]): readonly OwnFilter[] {
  return fields
    .filter(({ filterable }) => filterable === true)
    .flatMap((field) =>
      testsOf(field.type).map((test): OwnFilter => ({
        ...OWN_VALUES,
        ...{ name: ownFilterName(field.name, test), test, field, maxItems: test === 'exact' ? MAX_FILTER_VALUES : 1 },
      })),
    );
}

/** The error for a filter of an own field that there is not: it names those that there are. */
export function unknownOwnFilter(given: string, fields: readonly Field[]): GazetteError {
  const names = ownFilters(fields).map(({ name }) => name);
  const [near] = nearest(shorten(given), names);
  const hint = near === undefined ? '' : `; did you mean ${near}?`;
  const known =
    names.length === 0 ? 'this register has no filterable fields of its own' : `there are ${names.join(', ')}`;
  return new GazetteError('unknown_parameter', `unknown filter ${quote(given)}: ${known}${hint}`, {
    details: { parameter: shorten(given) },
  });
}
