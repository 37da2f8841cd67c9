// Which properties of a publisher's record are used by the core fields and the mapping, and which remain. It also reads
// records that gazette itself wrote, with the register's own fields inside `data`.
import { CORE_FIELDS } from '../../register/fields.ts';
import type { CoreFieldName } from '../../register/record.ts';
import type { MappingRule } from './mapping.ts';
import { isRawObject, type RawObject, type RawValue } from '../readers/raw-record.ts';
import type { ValuePath } from '../readers/value-path.ts';

/**
 * Called with each remaining property: its path in the record, and its value. A name is in composed form (Unicode NFC),
 * however this record writes it, unless the record has a property of either form.
 */
export type VisitProperty = (path: ValuePath, value: RawValue) => void;

/** A core field and its source: a rule, or the property with the same name. */
export interface CoreSource {
  readonly name: CoreFieldName;
  readonly rule: MappingRule | null;
}

/** How the properties of a publisher's records are used. */
export class SourceLayout {
  /** The core fields that have a source. */
  readonly core: readonly CoreSource[];
  /** The rules for the register's own fields, by the field's name. */
  readonly fields: ReadonlyMap<string, MappingRule>;
  readonly #taken = new Set<string>();
  /** The names that rules take, without the spaces that a property may have around them: see `placeAt()`. */
  readonly #ruled = new Set<string>();
  readonly #takenInData = new Set<string>();
  /** One path for each remaining property, created once. */
  readonly #paths = new Map<string, ValuePath>();
  readonly #pathsInData = new Map<string, ValuePath>();

  constructor(rules: readonly MappingRule[]) {
    for (const { source } of rules) {
      if (source.kind !== 'path') continue;
      const { path, column } = source.place;
      for (const name of [column, path.length === 1 ? path[0]! : null]) {
        if (name === null) continue;
        this.#take(name);
        this.#ruled.add(name);
      }
      if (path.length === 2 && path[0] === 'data') this.#takenInData.add(path[1]!);
    }
    const core: CoreSource[] = [];
    for (const { name } of CORE_FIELDS) {
      const rule = rules.find(({ target }) => target === name) ?? null;
      // A property that a rule names is used only by the rule, not by its name as well.
      if (rule === null && (name === 'position' || this.#taken.has(name))) continue;
      if (rule === null) this.#taken.add(name);
      core.push({ name, rule });
    }
    this.core = core;
    this.fields = new Map(
      rules.filter(({ target }) => target.startsWith('data.')).map((rule) => [rule.target.slice('data.'.length), rule]),
    );
  }

  /** Whether a core field or a rule uses the property. */
  isTaken(name: string): boolean {
    return this.#taken.has(name);
  }

  /** Takes a name in both ways in which its letters can be written: see `valueAt()`. */
  #take(name: string): void {
    this.#taken.add(name);
    this.#taken.add(name.normalize('NFC'));
    this.#taken.add(name.normalize('NFD'));
  }

  /** Visits the properties of a record that neither a core field nor a rule uses, in their order. */
  visitRest(record: RawValue, visit: VisitProperty): void {
    if (!isRawObject(record)) return;
    const { data } = record;
    const inside = isRawObject(data) && !this.#taken.has('data') ? data : null;
    for (const [name, value] of Object.entries(record)) {
      if (this.#taken.has(name) || (name === 'data' && inside !== null)) continue;
      const bare = name.trim();
      if (bare !== name && this.#ruled.has(bare) && !Object.hasOwn(record, bare)) continue;
      // gazette's own records contain their former position; the target assigns another or none.
      if (name === 'position' && Object.hasOwn(record, 'feed_id')) continue;
      visit(pathTo(this.#paths, record, name, composedPath), value);
    }
    if (inside === null) return;
    for (const [name, value] of Object.entries(inside)) {
      if (!this.#takenInData.has(name)) visit(pathTo(this.#pathsInData, inside, name, composedPathInData), value);
    }
  }
}

const composedPath = (name: string): ValuePath => [name.normalize()];
const composedPathInData = (name: string): ValuePath => ['data', name.normalize()];

function pathTo(
  paths: Map<string, ValuePath>,
  object: RawObject,
  name: string,
  make: (name: string) => ValuePath,
): ValuePath {
  let path = paths.get(name);
  if (path === undefined) {
    path = make(name);
    // An unlimited number of names (ids used as names) must not fill the memory.
    if (paths.size < 10_000) paths.set(name, path);
  }
  const composed = path.at(-1)!;
  return composed !== name && Object.hasOwn(object, composed) ? [...path.slice(0, -1), name] : path;
}
