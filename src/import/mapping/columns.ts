// The register's own fields and where their values come from: rules or properties, and the names under which statements
// hold them.
import type { Field, FieldType } from '../../register/record.ts';
import { statementNames } from '../../register/declared-values.ts';
import type { ColumnTypes } from '../fields/column-types.ts';
import { asciiName, labelPaths, pathsTo, secondPath } from './field-name.ts';
import type { MappingRule } from './mapping.ts';
import type { RawValue } from '../readers/raw-record.ts';
import { formatPath, type ValuePath, valueAt } from '../readers/value-path.ts';

/** A field, and the property its values come from; the path is null when a rule of the mapping fills it. */
export interface FoundField {
  /** The field. */
  readonly field: Field;
  /** The property that fills it, from the outside in; null where a rule does. */
  readonly path: readonly string[] | null;
}

/** A field of the register's own, and its source. */
export interface Column {
  /** The field's name. */
  readonly name: string;
  readonly label: string;
  /** Null: it is found, by `types`. */
  readonly type: FieldType | null;
  /** The types that its values fit; null where the field was known before the file was read. */
  readonly types: ColumnTypes | null;
  readonly rule: MappingRule | null;
  /** The paths tried in this order if there is no rule. */
  readonly paths: readonly ValuePath[];
  /** The names under which statements hold what these paths give; a single one where it is always the same. */
  readonly held: readonly string[];
  /** The column in records that name their properties as `isNamed` sees; absent: the same in all records. */
  readonly byName?: { readonly column: Column; readonly isNamed: (record: RawValue) => boolean };
}

/** A property that no field declares, and its value. */
export interface Property {
  readonly path: ValuePath;
  readonly item: RawValue;
}

/** What is used of the plan. */
interface Sources {
  /** The rules for fields, by the field's name. */
  readonly ownRules: ReadonlyMap<string, MappingRule>;
  isCore(name: string): boolean;
}

/** The column of a field in this record. */
export function columnIn(column: Column, record: RawValue): Column {
  return column.byName?.isNamed(record) === true ? column.byName.column : column;
}

/** Where a field's value is looked for by its name, and by its label. */
interface Places {
  readonly names: readonly ValuePath[];
  readonly labels: readonly ValuePath[];
}

function placesOf(field: Field, plan: Sources): Places {
  // A core field has its property.
  const isFree = ([name, inside]: ValuePath): boolean => inside !== undefined || !plan.isCore(name!);
  return { names: statementNames(field).flatMap(pathsTo), labels: labelPaths(field.label).filter(isFree) };
}

/** The paths of each field, each path with one field: where two claim it, the first in this order. */
function assign(all: ReadonlyMap<Field, Places>, first: keyof Places): ReadonlyMap<Field, Places> {
  const owners = new Map<string, Field>();
  const claim = (field: Field, path: ValuePath | undefined): void => {
    if (path !== undefined && !owners.has(formatPath(path))) owners.set(formatPath(path), field);
  };
  if (first === 'labels') {
    for (const field of all.keys()) claim(field, secondPath(field.label) ?? undefined);
    for (const [field, { labels }] of all) claim(field, labels[0]);
  }
  const parts = first === 'labels' ? (['labels', 'names'] as const) : (['names', 'labels'] as const);
  // Where `a (data)` is the label of the second property `a`, a property that is called so has a label in quotes.
  const isSecond = ([field]: readonly [Field, Places]): number => Number(secondPath(field.label) !== null);
  const likeliest = [...all].sort((one, other) => isSecond(one) - isSecond(other));
  for (const part of parts)
    for (const [field, places] of likeliest) for (const path of places[part]) claim(field, path);
  const own = (field: Field, paths: readonly ValuePath[]): readonly ValuePath[] =>
    paths.filter((path) => owners.get(formatPath(path)) === field);
  return new Map(
    [...all].map(([field, { names, labels }]) => [field, { names: own(field, names), labels: own(field, labels) }]),
  );
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
  const derived = asciiName(property);
  return derived === null || isTaken(derived) ? field.name : derived;
}

/** The value of the first path that has one. @param rest gets the values of later paths */
export function readFirst(paths: readonly ValuePath[], value: RawValue, rest?: Property[]): RawValue | undefined {
  let first: RawValue | undefined;
  for (const path of paths) {
    const item = valueAt(value, path);
    if (first === undefined) first = item;
    else if (item !== undefined) rest?.push({ path, item });
  }
  return first;
}

/**
 * The columns of declared fields.
 *
 * @param takesLabels whether a field may also come from a property with the name of its label
 */
export function declaredColumns(fields: readonly Field[], plan: Sources, takesLabels: boolean): readonly Column[] {
  const owners = new Map(fields.flatMap((field) => statementNames(field).map((name) => [name, field])));
  const places = new Map(
    fields.map((field) => {
      const { names, labels } = placesOf(field, plan);
      return [field, { names, labels: takesLabels ? labels : [] }];
    }),
  );
  const [byName, byLabel] = [assign(places, 'names'), assign(places, 'labels')];
  const ruleOf = (field: Field): string | undefined => statementNames(field).find((name) => plan.ownRules.has(name));
  const contested = fields.filter(
    (field) => ruleOf(field) === undefined && !hasSame(byName.get(field)!, byLabel.get(field)!),
  );
  const isNamed = contested.length === 0 ? null : namedBy(contested, byName, byLabel);
  const columnOf = (field: Field, paths: readonly ValuePath[]): Column => {
    const { name, label, type } = field;
    const ruled = ruleOf(field);
    const rule = ruled === undefined ? null : plan.ownRules.get(ruled)!;
    const isTaken = (other: string): boolean => (owners.get(other) ?? field) !== field;
    const held = paths.map((each) => heldNameOf(field, each, isTaken));
    const isOne = ruled !== undefined || new Set(held).size === 1;
    return { name, label, type, types: null, rule, paths, held: isOne ? [ruled ?? held[0]!] : held };
  };
  return fields.map((field) => {
    const [named, labelled] = [byName.get(field)!, byLabel.get(field)!];
    const column = columnOf(field, distinct([...named.names, ...named.labels]));
    if (isNamed === null || !contested.includes(field)) return column;
    return { ...columnOf(field, distinct([...labelled.labels, ...labelled.names])), byName: { column, isNamed } };
  });
}

/** The column, which reads one more property; statements hold its values under this name. */
export function withPath(column: Column, path: ValuePath, name: string): Column {
  const { paths, held, byName } = column;
  const each = held.length === 1 ? paths.map(() => held[0]!) : held;
  return {
    ...column,
    paths: [...paths, path],
    held: each.every((known) => known === name) ? [name] : [...each, name],
    ...(byName === undefined ? {} : { byName: { ...byName, column: withPath(byName.column, path, name) } }),
  };
}

function distinct(paths: readonly ValuePath[]): readonly ValuePath[] {
  return [...new Map(paths.map((path) => [formatPath(path), path])).values()];
}

function hasSame(one: Places, other: Places): boolean {
  return keysOf([one]).join() === keysOf([other]).join();
}

function keysOf(all: readonly Places[], parts: readonly (keyof Places)[] = ['names', 'labels']): readonly string[] {
  const paths = all.flatMap((places) => parts.flatMap((part) => places[part]));
  return [...new Set(paths.map(formatPath))].sort();
}

/**
 * Whether a record names its properties as the fields are called, as gazette's own files do, where fields are called
 * what others are labelled: `A` and `a` are the labels of `a` and `a_2`. Such a record has all names of these fields; a
 * publisher's has the labels.
 */
function namedBy(
  contested: readonly Field[],
  byName: ReadonlyMap<Field, Places>,
  byLabel: ReadonlyMap<Field, Places>,
): (record: RawValue) => boolean {
  const names = contested.map((field) => byName.get(field)!);
  const labels = contested.map((field) => byLabel.get(field)!);
  const areAlike = keysOf(names, ['names']).join() === keysOf(labels, ['labels']).join();
  const hasAll = (record: RawValue, all: readonly Places[], part: keyof Places): boolean =>
    all.every((places) => places[part].some((path) => valueAt(record, path) !== undefined));
  return (record) => hasAll(record, names, 'names') && (areAlike || !hasAll(record, labels, 'labels'));
}

/**
 * The name under which a statement holds a field's value: that of the first path that has one.
 *
 * @param used gets the names other than the field's own
 */
export function heldNameIn({ name, paths, held }: Column, value: RawValue, used: Map<string, string>): string {
  if (held.length === 1) return held[0]!;
  const at = paths.findIndex((path) => valueAt(value, path) !== undefined);
  const found = held[at] ?? name;
  if (found !== name) used.set(name, found);
  return found;
}
