// The map of an import: makes one record of a register of one publisher's record, as the plan says, and converts values to
// the types of the fields where that is lossless. The checks of toRecord refuse everything else.
import { GazetteError, isGazetteError, quote } from '../../errors.ts';
import { isHeldByDouble } from '../../register/decimal.ts';
import { coreField, GIVEN_FIELDS } from '../../register/fields.ts';
import { isRecordId, recordId, recordIdOrNull } from '../../register/identity.ts';
import { type RecordInput, toRecord } from '../../register/record-input.ts';
import { repairUrl } from '../../register/url.ts';
import type { CoreFieldName, FieldType, RegisterRecord } from '../../register/record.ts';
import { isNoValue, statementNames } from '../../register/declared-values.ts';
import type { ColumnTypes } from '../fields/column-types.ts';
import { type Column, columnIn, heldNameIn, type Property, readFirst } from './columns.ts';
import { fromText, statedKey } from './from-text.ts';
import { withHint } from './hints.ts';
import { KeptValues, keptValue, type Values } from './kept-values.ts';
import { findSource, type MappingRule, readSource } from './mapping.ts';
import { isExactNumber } from '../readers/exact-number.ts';
import type { PublishedRecord } from '../../stores/contract/prepared-record.ts';
import { toPublishedRecord } from '../../stores/rows/published-record.ts';
import { isRawObject, type RawObject, type RawRecord, type RawValue } from '../readers/raw-record.ts';
import type { ImportPlan } from './plan.ts';
import type { ReaderNote } from '../readers/reader-note.ts';
import { formatPath } from '../readers/value-path.ts';
import { RowKeys } from '../rows/row-key.ts';
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
  /** The fields in which a word such as `n/a` meant no value, with the number of records that had one. */
  readonly missing: ReadonlyMap<string, number>;
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
  readonly #missing = new Map<string, number>();
  readonly #rowKeys: RowKeys | null;
  /** That of the current record; null where it was not read. */
  #rowKey: string | null = null;
  #observedItself = false;
  /** Whether the last record is named by an id in gazette's form, and not by its key. */
  isNamedById = false;

  constructor(plan: ImportPlan) {
    this.#plan = plan;
    const names = plan.definition.fields.flatMap(statementNames);
    this.#kept = new KeptValues(names);
    this.#rowKeys = plan.rowSecret === undefined ? null : new RowKeys(plan.rowSecret);
  }

  /** The current report; complete once the last record was mapped. */
  get notes(): Omit<IngestNotes, 'found'> {
    const unused = this.#plan.rules.filter((rule) => !this.#used.has(rule));
    return {
      undeclared: this.#kept.undeclared,
      rounded: this.#rounded,
      missing: new Map([...this.#missing, ...wordsFound(this.#plan)]),
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
    this.#rowKey = null;
    if (fault !== undefined) throw fault;
    const where = this.#plan.where(at);
    try {
      // First the input: it may bring new fields.
      const input = this.#input(value, where, values);
      return toRecord(this.#plan.definition, input, { where, position });
    } catch (error) {
      if (!isGazetteError(error, 'invalid_record')) throw error;
      throw withHint(error, isRawObject(value) ? this.#plan.partsOf(value).value : value, this.#plan);
    }
  }

  /** The id that the record would have; null if it has no valid id. For records that are refused for another reason. */
  idOf(raw: RawRecord): string | null {
    const whole = this.#plan.ignored.without(raw.value);
    const { id: feedId } = this.#plan.definition;
    if (this.#rowKeys !== null) return this.#rowKey === null ? null : recordId(feedId, this.#rowKey);
    const source = this.#plan.core.find(({ name }) => name === 'id');
    if (source === undefined || !isRawObject(whole)) return null;
    const { value, stated } = this.#plan.partsOf(whole);
    const key = toText((source.rule === null ? ownValue(stated, 'id') : findSource(source.rule, value)) ?? null);
    this.isNamedById = typeof key === 'string' && isRecordId(feedId, key);
    return typeof key !== 'string' ? null : this.isNamedById ? key : recordIdOrNull(feedId, key);
  }

  #input(record: RawValue, where: string, values: Values | null): RecordInput {
    const whole = this.#plan.ignored.without(record);
    // toRecord refuses values that are not objects, with the same message as everywhere.
    if (!isRawObject(whole)) return (isExactNumber(whole) ? whole.digits : whole) as unknown as RecordInput;
    const input: Record<string, unknown> = {};
    if (this.#rowKeys !== null) input.id = this.#rowKey = this.#rowKeys.next(whole);
    const { value, stated, isOwn } = this.#plan.partsOf(whole);
    const take = (name: CoreFieldName, item: RawValue | undefined): void => {
      if (item === undefined || item === null || this.#isNoValue(coreField(name).type, item)) return;
      input[name] = toCore(name, this.#coreText(name, item));
    };
    if (isOwn && this.#rowKeys === null) {
      for (const name of GIVEN_FIELDS) if (!this.#plan.isTaken(name)) take(name, ownValue(whole, name));
    }
    for (const { name, rule } of this.#plan.core)
      take(name, rule === null ? ownValue(stated, name) : this.#readRule(rule, value, where));
    const { key, id } = input;
    this.isNamedById = typeof id === 'string' && isRecordId(this.#plan.definition.id, id);
    if (this.#plan.textValues && typeof key === 'string' && typeof id === 'string') {
      input.key = statedKey(this.#plan.definition.id, id, key);
    }
    this.#observedItself = input.observed_at !== undefined;
    if (this.#plan.observedAt !== null) input.observed_at ??= this.#plan.observedAt;
    const unread: Property[] = [];
    this.#plan.visitRest(stated, (path, item) => {
      if (!this.#plan.claim(path, stated)) unread.push({ path, item });
    });
    const data: Record<string, unknown> = {};
    const rest: Property[] = [];
    this.#noted.length = 0;
    for (const each of this.#plan.columns) {
      const column = columnIn(each, stated);
      const { rule, paths } = column;
      const item = (rule === null ? readFirst(paths, stated, rest) : this.#readRule(rule, value, where)) ?? null;
      this.#take(column, item, where, data, values, heldNameIn(column, stated, this.#heldNames));
    }
    input.data = data;
    for (const [name, rule] of this.#plan.otherRules) {
      const item = this.#readRule(rule, value, where);
      if (item === undefined) continue;
      this.#kept.count(name);
      if (values !== null) values[name] = keptValue(item);
    }
    for (const { path, item } of [...rest, ...unread]) {
      if (this.#plan.rest === 'become fields')
        this.#take(this.#plan.meet(path, stated, where), item, where, data, values);
      else this.#meetUndeclared({ path, item }, stated, where, values);
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
    const isWord = typeof item === 'string' && this.#plan.forms.isMissingIn(type, item);
    if (isWord && item.trim() !== '') this.#missing.set(name, (this.#missing.get(name) ?? 0) + 1);
    const plain = isWord ? null : this.#inForm(type, item);
    // What is not in the file's form stays as it is, and is refused.
    if (item !== null && !isWord && !isNoValue(type, item))
      data[name] = plain === null ? item : toField(type, this.#typed(name, type, plain, where));
    // A declared field always has a value, so that the values need no work when they are read (register/declared-values.ts).
    if (values !== null) values[held] = type === 'json' ? null : keptValue(plain);
    if (type === 'json') this.#heldJson.set(name, held);
  }

  #isNoValue(type: FieldType, item: RawValue): boolean {
    return isNoValue(type, item) || (typeof item === 'string' && this.#plan.forms.isMissingIn(type, item));
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

  /** A core field's text, in gazette's form: dates, the source, and the only number. */
  #coreText(name: CoreFieldName, item: RawValue): RawValue {
    if (typeof item !== 'string') return item;
    if (name === 'source_url') return repairUrl(item);
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

  #meetUndeclared(property: Property, record: RawObject, where: string, values: Values | null): void {
    const name = formatPath(property.path);
    const { rest, sampled } = this.#plan;
    if (rest === 'are kept') {
      this.#kept.count(name);
      if (values !== null) this.#kept.keep(values, property, record);
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

/** How many records had a word for no value in each field that was found. */
function wordsFound({ columns }: ImportPlan): readonly (readonly [name: string, count: number])[] {
  return columns.flatMap(({ name, type, types }) => {
    return type === null && types !== null && types.words > 0 ? [[name, types.words] as const] : [];
  });
}

function ownValue(value: RawValue, name: string): RawValue | undefined {
  return isRawObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}
