// Maps one publisher's record to one record of a register: applies the mapping and converts values to the types of the
// fields where that is lossless. The checks of toRecord refuse everything else.
import { GazetteError, isGazetteError, quote } from '../../errors.ts';
import { isHeldByDouble } from '../../register/decimal.ts';
import { isRecordId, recordId } from '../../register/identity.ts';
import { type RecordInput, toRecord } from '../../register/record-input.ts';
import type { CoreFieldName, FieldType, RegisterDefinition, RegisterRecord } from '../../register/record.ts';
import { statementNames } from '../../register/declared-values.ts';
import type { Column, FieldFinder, FoundField } from '../fields/field-finder.ts';
import { type FieldSource, heldNameIn, pathsOf, type Property, readFirst, sourceIn, sourcesOf } from './field-paths.ts';
import { fromText, statedKey } from './from-text.ts';
import { withHint } from './hints.ts';
import { KeptValues, keptValue, type Values } from './kept-values.ts';
import { type MappingRule, readSource } from './mapping.ts';
import { isExactNumber } from '../readers/exact-number.ts';
import type { PublishedRecord } from '../../stores/contract/prepared-record.ts';
import { toPublishedRecord } from '../../stores/rows/published-record.ts';
import { isRawObject, type RawRecord, type RawValue } from '../readers/raw-record.ts';
import type { SourceLayout } from './source-layout.ts';
import { formatPath, type ValuePath } from '../readers/value-path.ts';
import type { TextForms } from './text-forms.ts';
import { toCore, toField, toText } from './to-field.ts';

/** Options for filling what the publisher's record lacks. */
export interface RecordMapperOptions {
  readonly definition: RegisterDefinition;
  readonly layout: SourceLayout;
  /**
   * The fields found in the file, and in how many of its records (null: in all); null when the definition was given, or
   * the `finder` finds them.
   */
  readonly found: { readonly fields: readonly FoundField[]; readonly sampled: number | null } | null;
  /** Finds the fields of statements; the definition has none then. Absent: the fields are known. */
  readonly finder?: FieldFinder;
  /** The `observed_at` of every record without its own. */
  readonly observedAt: string | null;
  /** Whether text values are converted to their fields' types: {@link RecordReader.textValues}. */
  readonly textValues?: boolean;
  /** Whether a field may also come from the property of its label, as those do that were found in a file. */
  readonly takesLabels?: boolean;
  /** How amounts and dates are written. Default: as in JSON and RFC 3339. */
  readonly forms?: TextForms;
  /** Describes a place, with the file's name. */
  readonly where: (at: number) => string;
}

/** Converts raw records one at a time, and counts the properties that the definition does not declare. */
export class RecordMapper {
  readonly #options: RecordMapperOptions;
  /** Of the definition; the said types of found fields join it. */
  #definition: RegisterDefinition;
  readonly #fields: FieldSource[];
  /** The rules for names that the definition does not declare. */
  readonly #otherRules: readonly (readonly [name: string, rule: MappingRule])[];
  readonly #known: Set<ValuePath>;
  readonly #knownNames: Set<string>;
  readonly #kept: KeptValues;
  /** Under which names the current statement holds the values of `json` fields. */
  readonly #heldJson = new Map<string, string>();
  readonly #heldNames = new Map<string, string>();
  readonly #used = new Set<MappingRule>();
  readonly #rounded = new Map<string, number>();
  readonly #ownsKey: boolean;
  #observedItself = false;

  constructor(options: RecordMapperOptions) {
    const { definition, layout, found, finder } = options;
    this.#options = options;
    this.#definition = definition;
    const names = definition.fields.flatMap(statementNames);
    this.#ownsKey = names.includes('key');
    this.#kept = new KeptValues(names);
    this.#fields = sourcesOf(definition.fields, layout, found?.fields ?? null, options.takesLabels ?? false);
    this.#known = new Set(pathsOf(this.#fields));
    // A property is met under its composed name; a field that was found before may have the other.
    this.#knownNames = new Set([...this.#known].map(formatPath).flatMap((name) => [name, name.normalize()]));
    for (const column of finder?.columns ?? []) this.#open(column);
    this.#otherRules = [...layout.fields].filter(([, rule]) => !this.#fields.some((field) => field.rule === rule));
  }

  /** The properties that the definition does not declare, with the number of records that had each. */
  get undeclared(): ReadonlyMap<string, number> {
    return this.#kept.undeclared;
  }

  /** The fields of numbers that show fewer digits than were given, with the number of records that had such a value. */
  get rounded(): ReadonlyMap<string, number> {
    return this.#rounded;
  }

  /** The names, other than its own, under which statements hold a field's value: those of the publisher's properties. */
  get heldNames(): ReadonlyMap<string, string> {
    return this.#heldNames;
  }

  /** Whether a rule has given a value in any record. */
  isUsed(rule: MappingRule): boolean {
    return this.#used.has(rule);
  }

  /**
   * The record, checked, with the values of declared fields; `position` is the place that the register assigns.
   *
   * @throws GazetteError `invalid_record`, naming the file, the place, the field, what was expected, and a hint if
   *   there is one; the record's `fault`.
   */
  toRecord(raw: RawRecord, position: number | null): RegisterRecord {
    return this.#checked(raw, position, null);
  }

  /**
   * What the publisher states, checked as {@link toRecord} does: the core members, and every own value as it was given,
   * also those of properties that the definition does not declare.
   *
   * @throws GazetteError as {@link toRecord}
   */
  toStatement(raw: RawRecord): PublishedRecord {
    const values: Values = {};
    const record = this.#checked(raw, null, values);
    for (const { name, type } of this.#definition.fields) {
      // Text of a table that is declared to be JSON was parsed, and its numbers were checked.
      if (type === 'json') values[this.#heldJson.get(name) ?? name] = record.data[name]!;
    }
    return toPublishedRecord(record, this.#observedItself, values);
  }

  /** @param values where to put all own values as they were given, if they are needed */
  #checked({ value, at, fault }: RawRecord, position: number | null, values: Values | null): RegisterRecord {
    if (fault !== undefined) throw fault;
    const where = this.#options.where(at);
    try {
      // First the input: it may bring new fields.
      const input = this.#input(value, where, values);
      return toRecord(this.#definition, input, { where, position });
    } catch (error) {
      if (!isGazetteError(error, 'invalid_record')) throw error;
      const { layout, found, observedAt } = this.#options;
      throw withHint(error, value, { layout, isDated: observedAt !== null, sampled: found?.sampled ?? null });
    }
  }

  /** The id that the record would have; null if it has no valid id. For records that are refused for another reason. */
  idOf({ value }: RawRecord): string | null {
    const source = this.#options.layout.core.find(({ name }) => name === 'id');
    if (source === undefined) return null;
    const { id: feedId } = this.#definition;
    try {
      const item = source.rule === null ? ownValue(value, 'id') : readSource(source.rule, value, '');
      const key = item === undefined ? undefined : toText(item);
      if (typeof key !== 'string') return null;
      return isRecordId(feedId, key) ? key : recordId(feedId, key);
    } catch (error) {
      if (error instanceof GazetteError) return null;
      throw error;
    }
  }

  #input(value: RawValue, where: string, values: Values | null): RecordInput {
    // toRecord refuses values that are not objects, with the same message as everywhere.
    if (!isRawObject(value)) return (isExactNumber(value) ? value.digits : value) as unknown as RecordInput;
    const input: Record<string, unknown> = {};
    for (const { name, rule } of this.#options.layout.core) {
      // A register that had an own field `key` before `key` was a core field: the publisher's column is that field's.
      if (name === 'key' && rule === null && this.#ownsKey && !Object.hasOwn(value, 'feed_id')) continue;
      const item = rule === null ? ownValue(value, name) : this.#readRule(rule, value, where);
      if (item !== undefined && item !== null) input[name] = toCore(name, this.#coreText(name, item));
    }
    const { key, id } = input;
    if (this.#options.textValues === true && typeof key === 'string' && typeof id === 'string') {
      input.key = statedKey(this.#options.definition.id, id, key);
    }
    this.#observedItself = input.observed_at !== undefined;
    if (this.#options.observedAt !== null) input.observed_at ??= this.#options.observedAt;
    const data: Record<string, unknown> = {};
    const rest: Property[] = [];
    this.#options.finder?.forget();
    for (const field of this.#fields) {
      const source = sourceIn(field, value);
      const { rule, paths } = source;
      const item = (rule === null ? readFirst(paths, value, rest) : this.#readRule(rule, value, where)) ?? null;
      this.#take(source, item, where, data, values, heldNameIn(source, value, this.#heldNames));
    }
    input.data = data;
    this.#options.layout.visitRest(value, (path, item) => {
      if (!this.#known.has(path) && !this.#knownNames.has(formatPath(path))) rest.push({ path, item });
    });
    for (const [name, rule] of this.#otherRules) {
      const item = this.#readRule(rule, value, where);
      if (item === undefined) continue;
      this.#kept.count(name);
      if (values !== null) values[name] = keptValue(item);
    }
    for (const { path, item } of rest) {
      const column = this.#options.finder?.meet(path, where);
      if (column === undefined) this.#meetUndeclared({ path, item }, where, values);
      else this.#take(this.#open(column), item, where, data, values);
    }
    return input as unknown as RecordInput;
  }

  /** Puts a field's value where it belongs. */
  #take(
    source: FieldSource,
    item: RawValue,
    where: string,
    data: Record<string, unknown>,
    values: Values | null,
    held: string = source.name,
  ): void {
    const { name, type, column } = source;
    if (column !== null) this.#options.finder?.note(column, item);
    if (type === null) {
      if (values !== null) values[held] = keptValue(item);
      return;
    }
    const plain = this.#inForm(type, item);
    // What is not in the file's form stays as it is, and is refused.
    if (item !== null) data[name] = plain === null ? item : toField(type, this.#typed(name, type, plain, where));
    // A declared field always has a value, so that the values need no work when they are read (register/declared-values.ts).
    if (values !== null) values[held] = type === 'json' ? null : keptValue(plain);
    if (type === 'json') this.#heldJson.set(name, held);
  }

  /** Makes a column that was found a source of values. */
  #open(column: Column): FieldSource {
    const { name, label, path, rule, saidType: type } = column;
    const source = { name, type, column, rule, paths: path === null ? [] : [path], held: [name] };
    this.#fields.push(source);
    if (path !== null) {
      this.#known.add(path);
      this.#knownNames.add(formatPath(path));
    }
    if (type !== null) {
      this.#definition = { ...this.#definition, fields: [...this.#definition.fields, { name, label, type }] };
    }
    return source;
  }

  /** The value with its text in gazette's form; null where it says nothing in the file's form. */
  #inForm(type: FieldType, item: RawValue): RawValue {
    const { forms } = this.#options;
    return typeof item === 'string' && forms !== undefined ? forms.forType(type, item) : item;
  }

  #typed(name: string, type: FieldType, item: RawValue, where: string): RawValue {
    // The reader counts such numbers inside lists and objects.
    if (isExactNumber(item) && type === 'number') this.#countRounded(name);
    if (typeof item !== 'string' || (type === 'json' && this.#options.textValues !== true)) return item;
    const typed = fromText(type, item, (reason) => {
      return new GazetteError('invalid_record', `${where}: data.${name} ${reason}, got ${quote(item)}`, {
        details: { where, field: `data.${name}` },
      });
    });
    if (typeof typed === 'number' && type === 'number' && !isHeldByDouble(item)) this.#countRounded(name);
    return typed;
  }

  #countRounded(name: string): void {
    this.#rounded.set(name, (this.#rounded.get(name) ?? 0) + 1);
  }

  /** A core field's text, in gazette's form: dates, and the only number. */
  #coreText(name: CoreFieldName, item: RawValue): RawValue {
    if (typeof item !== 'string') return item;
    if (name === 'published_at' || name === 'observed_at' || name === 'updated_at') {
      return this.#options.forms?.date(item) ?? item;
    }
    const isDigits = name === 'version' && /^[1-9]\d{0,15}$/.test(item);
    return isDigits && this.#options.textValues === true ? Number(item) : item;
  }

  #readRule(rule: MappingRule, value: RawValue, where: string): RawValue | undefined {
    const item = readSource(rule, value, where);
    if (item !== undefined) this.#used.add(rule);
    return item;
  }

  #meetUndeclared({ path, item }: Property, where: string, values: Values | null): void {
    const name = formatPath(path);
    const { found } = this.#options;
    if (found === null) {
      this.#kept.count(name);
      if (values !== null) this.#kept.keep(values, path.at(-1)!, item);
      return;
    }
    const why =
      found.sampled === null
        ? 'was not in the file when its fields were found: it has changed'
        : `occurs in none of the first ${found.sampled} records, from which the fields were found; give --definition to name all fields`;
    throw new GazetteError('invalid_record', `${where}: the property ${quote(name)} ${why}`, {
      details: { where, field: name },
    });
  }
}

function ownValue(value: RawValue, name: string): RawValue | undefined {
  return isRawObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}
