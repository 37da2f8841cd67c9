// The plan of an import: what is known of a publisher's file as a whole. It says which property or which rule of `--map`
// fills each field, under which name statements hold it, in which forms dates and amounts are, and of which types the
// fields are or will be found to be. A record is mapped, and a refusal is explained, by the plan alone. It also fits records
// that gazette itself wrote, with the register's own fields inside `data`.
import { GazetteError } from '../../errors.ts';
import { defineRegister } from '../../register/definition.ts';
import { CORE_FIELDS } from '../../register/fields.ts';
import type { CoreFieldName, FieldType, RegisterDefinition } from '../../register/record.ts';
import { ColumnTypes, type TextReading } from '../fields/column-types.ts';
import { isRawObject, type RawValue, type RecordReader } from '../readers/raw-record.ts';
import { ComposedPaths, formatPath, type ValuePath } from '../readers/value-path.ts';
import { type Column, declaredColumns, type FoundField, readFirst } from './columns.ts';
import { FieldNames, labelOf } from './field-name.ts';
import { type MappingRule, readSource } from './mapping.ts';
import { TextForms } from './text-forms.ts';

/** The maximum number of fields that are found: a file with more uses ids as names. */
export const MAX_FOUND_FIELDS = 1000;

/** What a plan is made of. */
export interface PlanOptions {
  /** The file. */
  readonly reader: RecordReader;
  /** The rules, with their targets as `resolveTargets()` gives them. */
  readonly rules: readonly MappingRule[];
  /** The register; without fields where these are found. */
  readonly definition: RegisterDefinition;
  /**
   * The fields that were found in the file before; `while reading`: every property that no core field takes becomes one,
   * and {@link ImportPlan.found} has them after the last record. Default: those of the definition.
   */
  readonly fields?: readonly FoundField[] | 'while reading';
  /** In how many records fields were found; null, the default: in all. */
  readonly sampled?: number | null;
  /** Types of fields that are found, by the name of the field or of the property. */
  readonly types?: ReadonlyMap<string, FieldType>;
  /** Whether the types of found fields depend on texts. Default true. */
  readonly readsTexts?: boolean;
  /** The `observed_at` of every record without its own. Default null: each has one. */
  readonly observedAt?: string | null;
  /** Whether a field may also come from the property of its label, as those do that were found in a file. Default false. */
  readonly takesLabels?: boolean;
  /** How amounts and dates are written. Default: as in JSON and RFC 3339. */
  readonly forms?: TextForms;
}

/** A core field and its source: a rule, or the property with the same name. */
export interface CoreSource {
  readonly name: CoreFieldName;
  readonly rule: MappingRule | null;
}

/**
 * Called with each remaining property: its path in the record, and its value. A name is in composed form (Unicode NFC),
 * however this record writes it, unless the record has a property of either form.
 */
export type VisitProperty = (path: ValuePath, value: RawValue) => void;

/** How the records of a file become records of a register. */
export class ImportPlan implements TextReading {
  readonly reader: RecordReader;
  readonly rules: readonly MappingRule[];
  /** The core fields that have a source. */
  readonly core: readonly CoreSource[];
  /** The rules for the register's own fields, by the field's name. */
  readonly ownRules: ReadonlyMap<string, MappingRule>;
  /** The rules for names that the definition does not declare. */
  readonly otherRules: readonly (readonly [name: string, rule: MappingRule])[];
  /** The register's own fields and their sources; where they are found while reading, those so far. */
  readonly columns: readonly Column[];
  /** What becomes of properties that no field takes. */
  readonly rest: 'are kept' | 'become fields' | 'are refused';
  readonly sampled: number | null;
  readonly observedAt: string | null;
  readonly forms: TextForms;
  readonly readsTexts: boolean;
  readonly #options: PlanOptions;
  readonly #columns: Column[];
  #definition: RegisterDefinition;
  readonly #taken = new Set<string>();
  /** The names that rules take, without the spaces that a property may have around them: see `placeAt()`. */
  readonly #ruled = new Set<string>();
  readonly #takenInData = new Set<string>();
  readonly #paths = new ComposedPaths([]);
  readonly #pathsInData = new ComposedPaths(['data']);
  /** The paths that columns read, and how they are written. */
  readonly #read = new Set<ValuePath>();
  readonly #readNames = new Set<string>();
  readonly #names: FieldNames;
  readonly #labels = new Set<string>();
  readonly #met = new Map<string, Column>();

  constructor(options: PlanOptions) {
    const { reader, rules, definition, fields, takesLabels = false } = options;
    this.#options = options;
    this.reader = reader;
    this.rules = rules;
    this.#definition = definition;
    this.rest = fields === undefined ? 'are kept' : fields === 'while reading' ? 'become fields' : 'are refused';
    this.sampled = options.sampled ?? null;
    this.observedAt = options.observedAt ?? null;
    this.forms = options.forms ?? new TextForms({});
    this.readsTexts = options.readsTexts ?? true;
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
    this.ownRules = new Map(
      rules.filter(({ target }) => target.startsWith('data.')).map((rule) => [rule.target.slice('data.'.length), rule]),
    );
    this.#names = new FieldNames(this.ownRules.keys());
    this.#columns = [];
    this.columns = this.#columns;
    if (fields === 'while reading') {
      for (const [name, rule] of this.ownRules) {
        this.#find({ name, label: rule.source.kind === 'path' ? rule.written : name, rule, paths: [] });
      }
    } else if (fields === undefined) {
      for (const column of declaredColumns(definition.fields, this, takesLabels)) this.#add(column);
    } else {
      this.#definition = defineRegister({ ...definition, fields: fields.map(({ field }) => field) });
      for (const { field, path } of fields) {
        const { name, label, type } = field;
        const rule = this.ownRules.get(name) ?? null;
        this.#add({ name, label, type, types: null, rule, paths: path === null ? [] : [path], held: [name] });
      }
    }
    this.otherRules = [...this.ownRules].filter(([, rule]) => !this.#columns.some((column) => column.rule === rule));
  }

  /** The register. The said types of fields that are found join it. */
  get definition(): RegisterDefinition {
    return this.#definition;
  }

  /** Whether a number, a boolean or JSON may be text. A reader may know it only while it reads. */
  get textValues(): boolean {
    return this.reader.textValues ?? false;
  }

  /** Describes a place, with the file's name. */
  where(at: number): string {
    return `${this.reader.name}: ${this.reader.where(at)}`;
  }

  /** Whether a core field or a rule uses the property. */
  isTaken(name: string): boolean {
    return this.#taken.has(name);
  }

  /** Visits the properties of a record that nothing uses, in their order. */
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
      const path = this.#paths.to(record, name);
      if (!this.#isRead(path)) visit(path, value);
    }
    if (inside === null) return;
    for (const [name, value] of Object.entries(inside)) {
      if (this.#takenInData.has(name)) continue;
      const path = this.#pathsInData.to(inside, name);
      if (!this.#isRead(path)) visit(path, value);
    }
  }

  /**
   * The column of a property that nothing used before.
   *
   * @param where the record that has it
   * @throws GazetteError `invalid_record` when there are more than {@link MAX_FOUND_FIELDS}.
   */
  meet(path: ValuePath, where: string): Column {
    const key = formatPath(path);
    const known = this.#met.get(key);
    if (known !== undefined) return known;
    if (this.#met.size === MAX_FOUND_FIELDS) throw tooMany(where);
    const label = labelOf(path, (taken) => this.#labels.has(taken));
    this.#labels.add(label);
    const column = this.#find({ name: this.#names.take(path.at(-1)!), label, rule: null, paths: [path] });
    this.#met.set(key, column);
    return column;
  }

  /**
   * Learns the types of columns from a record that nobody maps.
   *
   * @throws GazetteError `invalid_record` when a template does not fit the record, and as {@link meet}
   */
  learn(value: RawValue, where: string): void {
    for (const column of this.#columns) {
      const item = column.rule === null ? readFirst(column.paths, value) : readSource(column.rule, value, where);
      column.types?.add(item ?? null);
    }
    this.visitRest(value, (path, item) => {
      this.meet(path, where).types?.add(item);
    });
  }

  /**
   * The fields of all records so far. Properties that only refused records had are none.
   *
   * @returns null unless they are found while reading
   * @throws GazetteError `invalid_option` for a type of a field that the file does not have.
   */
  found(): readonly FoundField[] | null {
    if (this.rest !== 'become fields') return null;
    const found = this.#columns.filter(({ rule, types }) => rule !== null || types?.isMet === true);
    for (const name of this.#options.types?.keys() ?? []) {
      if (found.length === 0 || found.some((column) => isNamed(column, name))) continue;
      const names = found.map((column) => column.name).join(', ');
      throw new GazetteError('invalid_option', `type: ${name} is not a field of the file; its fields are ${names}`, {
        details: { option: 'type', field: name },
      });
    }
    return found.map(({ name, label, type, types, paths }) => {
      return { field: { name, label, type: type ?? types!.type }, path: paths[0] ?? null };
    });
  }

  /** The plan with the fields that were found: whatever other properties there are is refused. */
  settled(sampled: number | null = null): ImportPlan {
    return new ImportPlan({ ...this.#options, fields: this.found() ?? [], sampled });
  }

  /** Takes a name in both ways in which its letters can be written: see `valueAt()`. */
  #take(name: string): void {
    this.#taken.add(name);
    this.#taken.add(name.normalize('NFC'));
    this.#taken.add(name.normalize('NFD'));
  }

  /** Makes a column whose type is found, unless the caller says it. */
  #find(found: Pick<Column, 'name' | 'label' | 'rule' | 'paths'>): Column {
    const { name, label } = found;
    const said = [...(this.#options.types ?? [])].find(([each]) => isNamed(found, each));
    const type = said?.[1] ?? null;
    if (type !== null) {
      this.#definition = { ...this.#definition, fields: [...this.#definition.fields, { name, label, type }] };
    }
    const column = { ...found, type, held: [name], types: new ColumnTypes(this) };
    this.#add(column);
    return column;
  }

  #add(column: Column): void {
    this.#columns.push(column);
    if (column.rule !== null) return;
    for (const path of [...column.paths, ...(column.byName?.column.paths ?? [])]) {
      this.#read.add(path);
      // A property is met under its composed name; a field that was found before may have the other.
      this.#readNames.add(formatPath(path)).add(formatPath(path).normalize());
    }
  }

  #isRead(path: ValuePath): boolean {
    return this.#read.has(path) || this.#readNames.has(formatPath(path));
  }
}

function isNamed({ name, label }: Pick<Column, 'name' | 'label'>, said: string): boolean {
  return name === said || label === said;
}

function tooMany(where: string): GazetteError {
  return new GazetteError(
    'invalid_record',
    `${where}: the records up to here have more than ${MAX_FOUND_FIELDS} different properties; give --definition to say which are fields`,
    { details: { where } },
  );
}
