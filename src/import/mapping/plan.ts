// The plan of an import: what is known of a publisher's file as a whole. It says which property or which rule of `--map`
// fills each field, under which name statements hold it, in which forms dates and amounts are, and of which types the
// fields are or will be found to be. A record is mapped, and a refusal is explained, by the plan alone. It also fits records
// that gazette itself wrote, with the register's own fields inside `data`.
import { GazetteError } from '../../errors.ts';
import { statementNames } from '../../register/declared-values.ts';
import { defineRegister } from '../../register/definition.ts';
import { CORE_FIELDS, GIVEN_FIELDS } from '../../register/fields.ts';
import type { CoreFieldName, RegisterDefinition } from '../../register/record.ts';
import { ColumnTypes, type TextReading } from '../fields/column-types.ts';
import { inColumnOrder, isRawObject, type RawObject, type RawValue, type RecordReader } from '../readers/raw-record.ts';
import { formatPath, type ValuePath } from '../readers/value-path.ts';
import { IgnoredColumns } from '../rows/ignored-columns.ts';
import { NestedRecords } from '../rows/nested-records.ts';
import { type Column, declaredColumns, type FoundField, readFirst, withPath } from './columns.ts';
import { asciiName, FieldNames, labelOf, toFieldName } from './field-name.ts';
import { findSource, type MappingRule } from './mapping.ts';
import type { PlanOptions } from './plan-options.ts';
import { statedPart } from '../rows/stated-part.ts';
import { TextForms } from './text-forms.ts';
import { UsedProperties, type VisitProperty } from './used-properties.ts';

/** The maximum number of fields that are found: a file with more uses ids as names. */
export const MAX_FOUND_FIELDS = 1000;

/** How many properties that no field takes are kept in memory. */
const MAX_UNCLAIMED = 10_000;

/** A core field and its source: a rule, or the property with the same name. */
export interface CoreSource {
  readonly name: CoreFieldName;
  readonly rule: MappingRule | null;
}

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
  readonly rowSecret: Uint8Array | null | undefined;
  readonly ignored: IgnoredColumns;
  readonly #options: PlanOptions;
  readonly #columns: Column[];
  #definition: RegisterDefinition;
  readonly #used: UsedProperties;
  readonly #nested: NestedRecords;
  /** Where the column of a declared field is, by the names that statements hold its values under. */
  readonly #places: ReadonlyMap<string, number>;
  /** Properties that no declared field takes. */
  readonly #unclaimed = new Set<ValuePath>();
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
    this.rowSecret = options.rowSecret;
    this.ignored = options.ignored ?? new IgnoredColumns([]);
    this.#used = new UsedProperties(rules);
    const whole = fields === undefined ? definition.fields.filter(({ type }) => type === 'json') : [];
    const names = new Set(whole.flatMap((field) => [...statementNames(field), field.label]));
    this.#nested = new NestedRecords(options.sample ?? [], {
      isWhole: (name) => this.#used.isRuled([name]) || names.has(name) || names.has(asciiName(name) ?? name),
      isTaken: (path) => this.#used.isRuled(path),
    });
    const core: CoreSource[] = [];
    for (const { name } of CORE_FIELDS) {
      const rule = rules.find(({ target }) => target === name) ?? null;
      // A property that a rule names is used only by the rule, not by its name as well.
      if (rule === null && (GIVEN_FIELDS.includes(name) || this.#used.isTaken(name))) continue;
      // A row that has its key from itself may have a column that is called so.
      if (name === 'id' && this.rowSecret !== undefined) continue;
      if (rule === null) this.#used.take(name);
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
    const declared = fields === undefined ? definition.fields : [];
    this.#places = new Map(declared.flatMap((field, at) => statementNames(field).map((name) => [name, at])));
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
    return this.#used.isTaken(name);
  }

  /** Whether a core field has the property of its name. */
  isCore(name: string): boolean {
    return this.core.some((source) => source.name === name && source.rule === null);
  }

  /** The record with the members of its objects as properties of their own. */
  flat(record: RawObject): RawObject {
    return this.#nested.flat(record);
  }

  /** What rules read of a record, what its publisher states in it, and whether gazette wrote it. */
  partsOf(record: RawObject): { readonly value: RawObject; readonly stated: RawObject; readonly isOwn: boolean } {
    const stated = statedPart(record, this.#definition.id);
    if (stated !== record) return { value: record, stated, isOwn: true };
    const flat = this.flat(record);
    // Paths lead into objects, names to what was in them.
    return { value: flat === record ? record : { ...flat, ...record }, stated: flat, isOwn: false };
  }

  /** Visits the properties of a record that nothing uses, in their order. */
  visitRest(record: RawObject, visit: VisitProperty): void {
    this.#used.visitRest(record, visit);
  }

  /**
   * Gives a property that nothing used to the declared field that has the name which an import without a definition would
   * give it, unless a rule fills that field.
   *
   * @returns whether there is one; it reads the property from now on
   */
  claim(path: ValuePath, record: RawObject): boolean {
    if (this.rest !== 'are kept' || this.#unclaimed.has(path)) return false;
    const name = toFieldName(path, record);
    const place = this.#places.get(name) ?? -1;
    const column = this.#columns[place];
    if (column?.rule !== null) {
      if (this.#unclaimed.size < MAX_UNCLAIMED) this.#unclaimed.add(path);
      return false;
    }
    this.#columns[place] = withPath(column, path, name);
    this.#used.read([path]);
    return true;
  }

  /**
   * The column of a property that nothing used before.
   *
   * @param where the record that has it
   * @throws GazetteError `invalid_record` when there are more than {@link MAX_FOUND_FIELDS}.
   */
  meet(path: ValuePath, record: RawObject, where: string): Column {
    const key = formatPath(path);
    const known = this.#met.get(key);
    if (known !== undefined) return known;
    if (this.#met.size === MAX_FOUND_FIELDS) throw tooMany(where);
    const label = labelOf(path, (taken) => this.#labels.has(taken));
    this.#labels.add(label);
    const column = this.#find({ name: this.#names.take(path, record), label, rule: null, paths: [path] });
    this.#met.set(key, column);
    return column;
  }

  /**
   * Learns the types of columns from a record that nobody maps.
   *
   * @throws GazetteError `invalid_record` as {@link meet}
   */
  learn(record: RawValue, where: string): void {
    const whole = this.ignored.without(record);
    if (!isRawObject(whole)) return;
    const { value, stated } = this.partsOf(whole);
    for (const column of this.#columns) {
      const item = column.rule === null ? readFirst(column.paths, stated) : findSource(column.rule, value);
      column.types?.add(item ?? null);
    }
    this.visitRest(stated, (path, item) => {
      this.meet(path, stated, where).types?.add(item);
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
    const ordered = inColumnOrder(found, this.reader, ({ paths }) => paths[0]?.[0]);
    return ordered.map(({ name, label, type, types, paths }) => {
      return { field: { name, label, type: type ?? types!.type }, path: paths[0] ?? null };
    });
  }

  /** The fields that were found with texts in another form than statements have: words for no value, thousands in groups. */
  get rewritten(): ReadonlySet<string> {
    return new Set(this.#columns.filter(({ types }) => types?.isRewritten === true).map(({ name }) => name));
  }

  /** The plan with the fields that were found: whatever other properties there are is refused. */
  settled(sampled: number | null = null): ImportPlan {
    return new ImportPlan({ ...this.#options, fields: this.found() ?? [], sampled });
  }

  /** Makes a column whose type is found, unless the caller says it. */
  #find(found: Pick<Column, 'name' | 'label' | 'rule' | 'paths'>): Column {
    const { name, label } = found;
    const { types = [], describedTypes = [] } = this.#options;
    const said = [...types, ...describedTypes].find(([each]) => isNamed(found, each));
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
    this.#used.read([...column.paths, ...(column.byName?.column.paths ?? [])]);
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
