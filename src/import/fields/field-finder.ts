// The fields of a register without a definition: one for every property that no core field takes, found while records
// are read. Names are given at once, types are known after the last record.
import { GazetteError } from '../../errors.ts';
import type { Field, FieldType } from '../../register/record.ts';
import { FieldNames, labelOf } from '../mapping/field-name.ts';
import { type MappingRule, readSource } from '../mapping/mapping.ts';
import type { SourceLayout } from '../mapping/source-layout.ts';
import type { RawRecord, RawValue } from '../readers/raw-record.ts';
import { formatPath, type ValuePath } from '../readers/value-path.ts';
import { ColumnTypes, type TextReading } from './column-types.ts';

/** The maximum number of fields that are found: a file with more uses ids as names. */
export const MAX_FOUND_FIELDS = 1000;

/** A field, and the property its values come from; the path is null when a rule of the mapping fills it. */
export interface FoundField {
  /** The field. */
  readonly field: Field;
  /** The property that fills it, from the outside in; null where a rule does. */
  readonly path: readonly string[] | null;
}

/** A property or a rule that becomes a field. */
export interface Column {
  readonly name: string;
  readonly label: string;
  readonly path: ValuePath | null;
  readonly rule: MappingRule | null;
  /** The type that the caller says; null: it is found. */
  readonly saidType: FieldType | null;
}

/** What is known of a column. */
interface Known {
  readonly column: Column;
  readonly types: ColumnTypes;
  isLearned: boolean;
}

/** Where the fields come from. */
export interface FinderOptions extends TextReading {
  readonly layout: SourceLayout;
  /** Types by the name of the field or of the property. */
  readonly saidTypes?: ReadonlyMap<string, FieldType>;
}

/**
 * Finds fields. For each record: `meet()` every property that is new, `note()` every value, then `learn()`, unless the
 * record was refused.
 */
export class FieldFinder {
  readonly #options: FinderOptions;
  readonly #names: FieldNames;
  readonly #labels = new Set<string>();
  readonly #known = new Map<Column, Known>();
  readonly #byPath = new Map<string, Column>();
  readonly #noted: [known: Known, value: RawValue][] = [];

  constructor(options: FinderOptions) {
    this.#options = options;
    const { fields } = options.layout;
    this.#names = new FieldNames(fields.keys());
    for (const [name, rule] of fields) {
      this.#add({ name, label: rule.source.kind === 'path' ? rule.written : name, path: null, rule });
    }
  }

  /** The columns so far: first those that rules name, then the others in the order in which they were met. */
  get columns(): Iterable<Column> {
    return this.#known.keys();
  }

  /**
   * The column of a property.
   *
   * @throws GazetteError `invalid_record` when there are more than {@link MAX_FOUND_FIELDS}.
   */
  meet(path: ValuePath, where: string): Column {
    const key = formatPath(path);
    const known = this.#byPath.get(key);
    if (known !== undefined) return known;
    if (this.#byPath.size === MAX_FOUND_FIELDS) throw tooMany(where);
    const property = path.at(-1)!;
    const label = labelOf(path, (taken) => this.#labels.has(taken));
    this.#labels.add(label);
    const column = this.#add({ name: this.#names.take(property), label, path, rule: null });
    this.#byPath.set(key, column);
    return column;
  }

  /** Takes a value of the current record. */
  note(column: Column, value: RawValue): void {
    this.#noted.push([this.#known.get(column)!, value]);
  }

  /** Forgets the values of a record that was refused. */
  forget(): void {
    this.#noted.length = 0;
  }

  /** Learns from the values of the current record. */
  learn(): void {
    for (const [known, value] of this.#noted) {
      known.isLearned = true;
      known.types.add(value);
    }
    this.forget();
  }

  /**
   * Learns from a record that nobody maps.
   *
   * @throws GazetteError `invalid_record` when a template does not fit the record, and as {@link meet}
   */
  walk({ value, at }: RawRecord, where: (at: number) => string): void {
    const { layout } = this.#options;
    for (const column of layout.fields.size === 0 ? [] : this.columns) {
      if (column.rule !== null) this.note(column, readSource(column.rule, value, where(at)) ?? null);
    }
    layout.visitRest(value, (path, item) => {
      this.note(this.meet(path, where(at)), item);
    });
    this.learn();
  }

  /**
   * The fields of all records so far. Properties that only refused records had are none.
   *
   * @throws GazetteError `invalid_option` for a type of a field that the file does not have.
   */
  found(): readonly FoundField[] {
    const found = [...this.#known.values()].filter(({ column, isLearned }) => isLearned || column.rule !== null);
    for (const name of this.#options.saidTypes?.keys() ?? []) {
      if (found.length === 0 || found.some(({ column }) => isNamed(column, name))) continue;
      const names = found.map(({ column }) => column.name).join(', ');
      throw new GazetteError('invalid_option', `type: ${name} is not a field of the file; its fields are ${names}`, {
        details: { option: 'type', field: name },
      });
    }
    return found.map(({ column: { name, label, path, saidType }, types }) => {
      return { field: { name, label, type: saidType ?? types.type }, path };
    });
  }

  #add(named: Omit<Column, 'saidType'>): Column {
    const said = [...(this.#options.saidTypes ?? [])].find(([name]) => isNamed(named, name));
    const column = { ...named, saidType: said?.[1] ?? null };
    this.#known.set(column, { column, types: new ColumnTypes(this.#options), isLearned: false });
    return column;
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
