// The properties that fill a field without a rule.
import type { Field } from '../../register/record.ts';
import type { RawValue } from '../readers/raw-record.ts';
import { type ValuePath, valueAt } from '../readers/value-path.ts';

/** A property that no field declares, and its value. */
export interface Property {
  readonly path: ValuePath;
  readonly item: RawValue;
}

/** Where a field's value is looked for, in this order: under its name, under its label if they may be used. */
export function pathsOf({ name, label }: Field, takesLabels: boolean): readonly ValuePath[] {
  const paths = [[name], ['data', name]];
  return takesLabels && label !== name ? [...paths, [label], ['data', label]] : paths;
}

/** The value of the first path that has one. @param rest gets the values of later paths */
export function readFirst(paths: readonly ValuePath[], value: RawValue, rest: Property[]): RawValue | undefined {
  let first: RawValue | undefined;
  for (const path of paths) {
    const item = valueAt(value, path);
    if (first === undefined) first = item;
    else if (item !== undefined) rest.push({ path, item });
  }
  return first;
}
