// `--ignore NAME,…`: columns of a file that are not taken in, such as the time of a download. The file is read as if it did
// not have them, and what earlier files gave to fields through them makes no record a changed one.
import type { Column } from '../mapping/columns.ts';
import { asciiName } from '../mapping/field-name.ts';
import type { MappingRule } from '../mapping/mapping.ts';
import { isRawObject, type RawObject, type RawValue } from '../readers/raw-record.ts';
import { placeAt } from '../readers/value-path.ts';
import { MAX_LEVELS } from './nested-records.ts';

/** What is used of the plan of an import. */
interface Sources {
  readonly core: readonly { readonly name: string; readonly rule: MappingRule | null }[];
  readonly columns: readonly Column[];
  readonly otherRules: readonly (readonly [name: string, rule: MappingRule])[];
}

/** The name of a column without what nobody sees: trimmed, in composed form (Unicode NFC). */
export function bareName(column: string): string {
  return column.trim().normalize();
}

/** Names as they are kept: each once, in an order that does not depend on how they were written. */
export function ignoredNames(columns: Iterable<string>): readonly string[] {
  return [...new Set([...columns].map(bareName))].sort();
}

/** The columns that are not taken in. */
export class IgnoredColumns {
  /** Their names. */
  readonly names: ReadonlySet<string>;
  readonly #met = new Set<string>();

  /** @param names as {@link ignoredNames} gives them */
  constructor(names: readonly string[]) {
    this.names = new Set(names);
  }

  /** The names that no record had so far. */
  get unmet(): readonly string[] {
    return [...this.names].filter((name) => !this.#met.has(name));
  }

  /** The record without them; inside of its objects they are called as their columns are (nested-records.ts). */
  without(record: RawValue): RawValue {
    return this.names.size === 0 || !isRawObject(record) ? record : this.#strip(record, record, []);
  }

  /** What of a statement they would fill, by the names that `changed` of a version has. */
  filled({ core, columns, otherRules }: Sources): ReadonlySet<string> {
    const names = [...this.names];
    const isRead = ({ source }: MappingRule): boolean =>
      source.kind === 'path' && names.some((name) => placeAt({ [name]: true }, source.place) === true);
    const filled = new Set<string>();
    for (const { name, rule } of core) if (rule === null ? this.names.has(name) : isRead(rule)) filled.add(name);
    const declared = new Set(columns.map(({ name }) => name));
    for (const { name, rule, paths, byName } of columns) {
      const all = [...paths, ...(byName?.column.paths ?? [])];
      const isOwn = all.some(([first, inner]) => inner === undefined && this.names.has(bareName(first!)));
      if (rule === null ? isOwn : isRead(rule)) filled.add(`data.${name}`);
    }
    for (const [name, rule] of otherRules) if (isRead(rule)) filled.add(`data.${name}`);
    for (const name of names.map(asciiName)) if (name !== null && !declared.has(name)) filled.add(`data.${name}`);
    return filled;
  }

  #strip(object: RawObject, record: RawObject, path: readonly string[]): RawObject {
    const isIgnored = (name: string): boolean => {
      if (path.length > 0 && this.#meets([...path, name].join('.'))) return true;
      return (path.length === 0 || !Object.hasOwn(record, name)) && this.#meets(name);
    };
    const kept = Object.entries(object).filter(([name]) => !isIgnored(bareName(name)));
    const inside = path.length < MAX_LEVELS;
    return Object.fromEntries(
      kept.map(([name, value]) => {
        return [name, inside && isRawObject(value) ? this.#strip(value, record, [...path, name]) : value];
      }),
    );
  }

  #meets(name: string): boolean {
    if (!this.names.has(name)) return false;
    this.#met.add(name);
    return true;
  }
}
