// Where the values of fields come from: rules or properties, and the names under which statements hold them.
import { RESERVED_FIELD_NAMES } from '../../register/fields.ts';
import type { Field, FieldType } from '../../register/record.ts';
import { statementNames } from '../../register/shown.ts';
import { toFieldName } from './field-name.ts';
import type { Column, FoundField } from '../fields/field-finder.ts';
import type { MappingRule } from './mapping.ts';
import type { SourceLayout } from './source-layout.ts';
import type { RawValue } from '../readers/raw-record.ts';
import { type ValuePath, valueAt } from '../readers/value-path.ts';

/** A property that no field declares, and its value. */
export interface Property {
  readonly path: ValuePath;
  readonly item: RawValue;
}

/** A field of the register and its source. */
export interface FieldSource {
  readonly name: string;
  /** Null: it is yet to be found, from `column`. */
  readonly type: FieldType | null;
  readonly column: Column | null;
  readonly rule: MappingRule | null;
  /** The paths tried in this order if there is no rule. */
  readonly paths: readonly ValuePath[];
  /** The names under which statements hold what these paths give; a single one where it is always the same. */
  readonly held: readonly string[];
}

/** Where a field's value is looked for, in this order: under its name, under its label if they may be used. */
function pathsOf(field: Field, takesLabels: boolean): readonly ValuePath[] {
  const names = statementNames(field);
  const all = takesLabels && !names.includes(field.label) ? [...names, field.label] : names;
  return all.flatMap((name) => [[name], ['data', name]]);
}

/**
 * The name under which a statement holds what a property gives to a field: the one that it would have without the
 * field, so that a field that is declared, dropped or renamed changes no statement.
 *
 * @param isTaken whether another field has that name
 */
function heldNameOf(field: Field, path: ValuePath, isTaken: (name: string) => boolean): string {
  const property = path.at(-1)!;
  if (statementNames(field).includes(property)) return property;
  const derived = toFieldName(property);
  return isTaken(derived) || RESERVED_FIELD_NAMES.has(derived) ? field.name : derived;
}

/** The value of the first path that has one. @param rest gets the values of later paths */
export function readFirst(paths: readonly ValuePath[], value: RawValue, rest: Property[]): RawValue | undefined {
  let first: RawValue | undefined;
  for (const path of paths) {
    const item = valueAt(value, path);
    if (first === undefined) first = item;
    // A core field has its property, whichever own field may have it too.
    else if (item !== undefined && (path.length > 1 || !RESERVED_FIELD_NAMES.has(path[0]!))) rest.push({ path, item });
  }
  return first;
}

/**
 * The sources of declared fields.
 *
 * @param found the fields that were found in the file, whose paths are known; null where the definition was given
 * @param takesLabels whether a field may also come from a property with the name of its label
 */
export function sourcesOf(
  fields: readonly Field[],
  layout: SourceLayout,
  found: readonly FoundField[] | null,
  takesLabels: boolean,
): FieldSource[] {
  const owners = new Map(fields.flatMap((field) => statementNames(field).map((name) => [name, field])));
  const foundPaths = new Map(found?.map(({ field, path }) => [field.name, path]));
  return fields.map((field) => {
    const { name, type } = field;
    const ruled = statementNames(field).find((other) => layout.fields.has(other));
    const rule = ruled === undefined ? null : layout.fields.get(ruled)!;
    const path = foundPaths.get(name) ?? null;
    const paths = found === null ? pathsOf(field, takesLabels) : path === null ? [] : [path];
    const isTaken = (other: string): boolean => (owners.get(other) ?? field) !== field;
    const held = found === null ? paths.map((each) => heldNameOf(field, each, isTaken)) : [name];
    const isOne = ruled !== undefined || new Set(held).size === 1;
    return { name, type, column: null, rule, paths, held: isOne ? [ruled ?? held[0]!] : held };
  });
}

/**
 * The name under which a statement holds a field's value: that of the first path that has one.
 *
 * @param used gets the names other than the field's own
 */
export function heldNameIn({ name, paths, held }: FieldSource, value: RawValue, used: Map<string, string>): string {
  if (held.length === 1) return held[0]!;
  const at = paths.findIndex((path) => valueAt(value, path) !== undefined);
  const found = held[at] ?? name;
  if (found !== name) used.set(name, found);
  return found;
}
