// The own values of a statement: those of declared fields under their names, all others under the names that an import
// would give them as fields. A definition that drops, restores or newly declares such a field finds the value there.
import type { JsonValue } from '../../register/canonical-json.ts';
import { insideJson, isExactNumber } from '../readers/exact-number.ts';
import type { RawObject, RawValue } from '../readers/raw-record.ts';
import type { ValuePath } from '../readers/value-path.ts';
import type { Property } from './columns.ts';
import { freeName, toFieldName } from './field-name.ts';

/** How many names are kept in memory: a file that uses ids as names has an unlimited number. */
const MAX_NAMES = 10_000;

/** The maximum number of properties counted by name. */
const MAX_COUNTED = 1000;

/** Own values by name. */
export type Values = Record<string, JsonValue>;

/** Counts undeclared properties, and gives them their names. */
export class KeptValues {
  readonly #names = new Map<string, string>();
  readonly #undeclared = new Map<string, number>();
  readonly #declared: ReadonlySet<string>;

  /** @param declared the names that belong to fields */
  constructor(declared: Iterable<string>) {
    this.#declared = new Set(declared);
  }

  /** The properties that no field declares, with the number of records that had each. */
  get undeclared(): ReadonlyMap<string, number> {
    return this.#undeclared;
  }

  /** Counts an undeclared property, as it is written. */
  count(property: string): void {
    const counted =
      this.#undeclared.has(property) || this.#undeclared.size < MAX_COUNTED ? property : 'other properties';
    this.#undeclared.set(counted, (this.#undeclared.get(counted) ?? 0) + 1);
  }

  /** Adds the value of a property that no field declares, under a name that `values` does not contain yet. */
  keep(values: Values, { path, item }: Property, record: RawObject): void {
    if (item === null) return;
    const isTaken = (name: string): boolean => Object.hasOwn(values, name) || this.#declared.has(name);
    values[freeName(this.#nameOf(path, record), isTaken)] = keptValue(item);
  }

  #nameOf(path: ValuePath, record: RawObject): string {
    const property = path.at(-1)!;
    const known = this.#names.get(property);
    if (known !== undefined) return known;
    const name = toFieldName(path, record);
    if (this.#names.size < MAX_NAMES) this.#names.set(property, name);
    return name;
  }
}

/**
 * A raw value as a statement keeps it: a number that a double cannot represent is the text of its digits; one inside of a
 * list or an object only where it is not what a double was written out as.
 */
export function keptValue(value: RawValue): JsonValue {
  if (typeof value === 'bigint') return String(value);
  if (isExactNumber(value)) return value.digits;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return (value as readonly RawValue[]).map(keptInside);
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, keptInside(item)]));
}

function keptInside(value: RawValue): JsonValue {
  return isExactNumber(value) ? insideJson(value) : keptValue(value);
}
