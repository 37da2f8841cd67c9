// Which properties of a publisher's records something uses: a rule, a core field, a field of the register's own.
import { isRawObject, type RawObject, type RawValue } from '../readers/raw-record.ts';
import { ComposedPaths, formatPath, type ValuePath } from '../readers/value-path.ts';
import type { MappingRule } from './mapping.ts';

/**
 * Called with each remaining property: its path in the record, and its value. A name is in composed form (Unicode NFC),
 * however this record writes it, unless the record has a property of either form.
 */
export type VisitProperty = (path: ValuePath, value: RawValue) => void;

/** The properties that are used. */
export class UsedProperties {
  readonly #taken = new Set<string>();
  /** The names that rules take, without the spaces that a property may have around them: see `placeAt()`. */
  readonly #ruled = new Set<string>();
  readonly #takenInData = new Set<string>();
  readonly #ruledPaths = new Set<string>();
  readonly #paths = new ComposedPaths([]);
  readonly #pathsInData = new ComposedPaths(['data']);
  /** The paths that fields read, and how they are written. */
  readonly #read = new WeakSet<ValuePath>();
  readonly #readNames = new Set<string>();

  constructor(rules: readonly MappingRule[]) {
    for (const { source } of rules) {
      if (source.kind !== 'path') continue;
      const { path, column } = source.place;
      this.#ruledPaths.add(formatPath(path));
      for (const name of [column, path.length === 1 ? path[0]! : null]) {
        if (name === null) continue;
        // Both ways in which its letters can be written: see `valueAt()`.
        for (const form of [name, name.normalize('NFC'), name.normalize('NFD')]) this.#taken.add(form);
        this.#ruled.add(name);
      }
      if (path.length === 2 && path[0] === 'data') this.#takenInData.add(path[1]!);
    }
  }

  /** A core field has the property of its name. */
  take(name: string): void {
    this.#taken.add(name);
  }

  /** Whether a core field or a rule has the property. */
  isTaken(name: string): boolean {
    return this.#taken.has(name);
  }

  /** Whether a rule has what a path leads to. */
  isRuled(path: ValuePath): boolean {
    return this.#ruledPaths.has(formatPath(path));
  }

  /** A field reads these properties. */
  read(paths: readonly ValuePath[]): void {
    for (const path of paths) {
      this.#read.add(path);
      // A property is met under its composed name; a field that was found before may have the other.
      this.#readNames.add(formatPath(path)).add(formatPath(path).normalize());
    }
  }

  /** Visits the properties of a record that nothing uses, in their order. */
  visitRest(record: RawObject, visit: VisitProperty): void {
    const { data } = record;
    const inside = isRawObject(data) && !this.#taken.has('data') ? data : null;
    for (const name of Object.keys(record)) {
      if (this.#taken.has(name) || (name === 'data' && inside !== null)) continue;
      const bare = name.trim();
      if (bare !== name && this.#ruled.has(bare) && !Object.hasOwn(record, bare)) continue;
      const path = this.#paths.to(record, name);
      // Some letters have a third form: ཀྵ (U+0F69) is neither of the two that the rule's name was taken in.
      if (!this.#isRead(path) && !this.#taken.has(path[0]!)) visit(path, record[name]!);
    }
    if (inside === null) return;
    for (const name of Object.keys(inside)) {
      if (this.#takenInData.has(name)) continue;
      const path = this.#pathsInData.to(inside, name);
      if (!this.#isRead(path)) visit(path, inside[name]!);
    }
  }

  #isRead(path: ValuePath): boolean {
    if (this.#read.has(path)) return true;
    const isRead = this.#readNames.has(formatPath(path));
    // The path of a property is the same for all records.
    if (isRead) this.#read.add(path);
    return isRead;
  }
}
