// The map of an import: makes one record of a register of one publisher's record, as the plan says, and converts values to
// the types of the fields where that is lossless. The checks of toRecord refuse everything else.
import { GazetteError, isGazetteError, quote } from '../../errors.ts';
import { isHeldByDouble } from '../../register/decimal.ts';
import { isRecordId, recordId } from '../../register/identity.ts';
import { type RecordInput, toRecord } from '../../register/record-input.ts';
import type { CoreFieldName, FieldType, RegisterRecord } from '../../register/record.ts';
import { statementNames } from '../../register/declared-values.ts';
import type { ColumnTypes } from '../fields/column-types.ts';
import { type Column, columnIn, heldNameIn, type Property, readFirst } from './columns.ts';
import { fromText, statedKey } from './from-text.ts';
import { withHint } from './hints.ts';
import { KeptValues, keptValue, type Values } from './kept-values.ts';
import { type MappingRule, readSource } from './mapping.ts';
import { isExactNumber } from '../readers/exact-number.ts';
import type { PublishedRecord } from '../../stores/contract/prepared-record.ts';
import { toPublishedRecord } from '../../stores/rows/published-record.ts';
import { isRawObject, type RawRecord, type RawValue } from '../readers/raw-record.ts';
import type { ImportPlan } from './plan.ts';
import type { ReaderNote } from '../readers/reader-note.ts';
import { formatPath } from '../readers/value-path.ts';
import { toCore, toField, toText } from './to-field.ts';

/** Statistics about a file. */
export interface IngestNotes {
  /**
   * The properties that the definition does not declare, with the number of records that had each. An import keeps their
   * values in the records' statements, a {@link RecordStream} leaves them out.
   */
  readonly undeclared: ReadonlyMap<string, number>;
  /** The fields of numbers that show fewer digits than were given, with the number of records that had such a value. */
  readonly rounded: ReadonlyMap<string, number>;
  /** The `FIELD=SOURCE` rules that found no value in any record. */
  readonly unusedRules: readonly string[];
  /** What the reader found by itself: an encoding, a delimiter, rows above the header. */
  readonly found: readonly ReaderNote[];
}

/** Converts raw records one at a time, and counts what it meets. */
export class RecordMap {
  readonly #plan: ImportPlan;
  readonly #kept: KeptValues;
  /** Values of the current record from which types are learned. */
  readonly #noted: [types: ColumnTypes, value: RawValue][] = [];
  /** Under which names the current statement holds the values of `json` fields. */
  readonly #heldJson = new Map<string, string>();
  readonly #heldNames = new Map<string, string>();
  readonly #used = new Set<MappingRule>();
  readonly #rounded = new Map<string, number>();
  readonly #ownsKey: boolean;
  #observedItself = false;

  constructor(plan: ImportPlan) {
    this.#plan = plan;
    const names = plan.definition.fields.flatMap(statementNames);
    this.#ownsKey = names.includes('key');
    this.#kept = new KeptValues(names);
  }

  /** The current report; complete once the last record was mapped. */
  get notes(): Omit<IngestNotes, 'found'> {
    const unused = this.#plan.rules.filter((rule) => !this.#used.has(rule));
    return {
      undeclared: this.#kept.undeclared,
      rounded: this.#rounded,
      unusedRules: unused.map(({ target, written }) => `${target}=${written}`),
    };
  }

  /** The names, other than its own, under which statements hold a field's value: those of the publisher's properties. */
  get heldNames(): ReadonlyMap<string, string> {
    return this.#heldNames;
  }

  /** Learns the types of fields from the last statement, unless its record was refused. */
  learn(): void {
    for (const [types, value] of this.#noted) types.add(value);
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
    for (const { name, type } of this.#plan.definition.fields) {
      // Text of a table that is declared to be JSON was parsed, and its numbers were checked.
      if (type === 'json') values[this.#heldJson.get(name) ?? name] = record.data[name]!;
    }
    return toPublishedRecord(record, this.#observedItself, values);
  }

  /** @param values where to put all own values as they were given, if they are needed */
  #checked({ value, at, fault }: RawRecord, position: number | null, values: Values | null): RegisterRecord {
    if (fault !== undefined) throw fault;
    const where = this.#plan.where(at);
    try {
      // First the input: it may bring new fields.
      const input = this.#input(value, where, values);
      return toRecord(this.#plan.definition, input, { where, position });
    } catch (error) {
      if (!isGazetteError(error, 'invalid_record')) throw error;
      throw withHint(error, value, this.#plan);
    }
  }

  /** The id that the record would have; null if it has no valid id. For records that are refused for another reason. */
  idOf({ value }: RawRecord): string | null {
    const source = this.#plan.core.find(({ name }) => name === 'id');
    if (source === undefined) return null;
    const { id: feedId } = this.#plan.definition;
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
    for (const { name, rule } of this.#plan.core) {
      // A register that had an own field `key` before `key` was a core field: the publisher's column is that field's.
      if (name === 'key' && rule === null && this.#ownsKey && !Object.hasOwn(value, 'feed_id')) continue;
      const item = rule === null ? ownValue(value, name) : this.#readRule(rule, value, where);
      if (item !== undefined && item !== null) input[name] = toCore(name, this.#coreText(name, item));
    }
    const { key, id } = input;
    if (this.#plan.textValues && typeof key === 'string' && typeof id === 'string') {
      input.key = statedKey(this.#plan.definition.id, id, key);
    }
    this.#observedItself = input.observed_at !== undefined;
    if (this.#plan.observedAt !== null) input.observed_at ??= this.#plan.observedAt;
    const data: Record<string, unknown> = {};
    const rest: Property[] = [];
    this.#noted.length = 0;
    for (const each of this.#plan.columns) {
      const column = columnIn(each, value);
      const { rule, paths } = column;
      const item = (rule === null ? readFirst(paths, value, rest) : this.#readRule(rule, value, where)) ?? null;
      this.#take(column, item, where, data, values, heldNameIn(column, value, this.#heldNames));
    }
    input.data = data;
    this.#plan.visitRest(value, (path, item) => rest.push({ path, item }));
    for (const [name, rule] of this.#plan.otherRules) {
      const item = this.#readRule(rule, value, where);
      if (item === undefined) continue;
      this.#kept.count(name);
      if (values !== null) values[name] = keptValue(item);
    }
    for (const { path, item } of rest) {
      if (this.#plan.rest === 'become fields') this.#take(this.#plan.meet(path, where), item, where, data, values);
      else this.#meetUndeclared({ path, item }, where, values);
    }
    return input as unknown as RecordInput;
  }

  /** Puts a field's value where it belongs. */
  #take(
    column: Column,
    item: RawValue,
    where: string,
    data: Record<string, unknown>,
    values: Values | null,
    held: string = column.name,
  ): void {
    const { name, type, types } = column;
    if (types !== null) this.#noted.push([types, item]);
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

  /** The value with its text in gazette's form; null where it says nothing in the file's form. */
  #inForm(type: FieldType, item: RawValue): RawValue {
    return typeof item === 'string' ? this.#plan.forms.forType(type, item) : item;
  }

  #typed(name: string, type: FieldType, item: RawValue, where: string): RawValue {
    // The reader counts such numbers inside lists and objects.
    if (isExactNumber(item) && type === 'number') this.#countRounded(name);
    if (typeof item !== 'string' || (type === 'json' && !this.#plan.textValues)) return item;
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
      return this.#plan.forms.date(item) ?? item;
    }
    const isDigits = name === 'version' && /^[1-9]\d{0,15}$/.test(item);
    return isDigits && this.#plan.textValues ? Number(item) : item;
  }

  #readRule(rule: MappingRule, value: RawValue, where: string): RawValue | undefined {
    const item = readSource(rule, value, where);
    if (item !== undefined) this.#used.add(rule);
    return item;
  }

  #meetUndeclared({ path, item }: Property, where: string, values: Values | null): void {
    const name = formatPath(path);
    const { rest, sampled } = this.#plan;
    if (rest === 'are kept') {
      this.#kept.count(name);
      if (values !== null) this.#kept.keep(values, path.at(-1)!, item);
      return;
    }
    const why =
      sampled === null
        ? 'was not in the file when its fields were found: it has changed'
        : `occurs in none of the first ${sampled} records, from which the fields were found; give --definition to name all fields`;
    throw new GazetteError('invalid_record', `${where}: the property ${quote(name)} ${why}`, {
      details: { where, field: name },
    });
  }
}

function ownValue(value: RawValue, name: string): RawValue | undefined {
  return isRawObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}
