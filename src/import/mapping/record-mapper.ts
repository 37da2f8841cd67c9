// Maps one publisher's record to one record of a register: applies the mapping and converts values to the types of the
// fields where that is lossless. The checks of toRecord refuse everything else.
import { GazetteError, isGazetteError, quote } from '../../errors.ts';
import type { JsonValue } from '../../register/canonical-json.ts';
import { isRecordId, recordId } from '../../register/identity.ts';
import { type RecordInput, toRecord } from '../../register/record-input.ts';
import type { CoreFieldName, Field, FieldType, RegisterDefinition, RegisterRecord } from '../../register/record.ts';
import { fromText } from './from-text.ts';
import type { InferredField } from './infer.ts';
import { type MappingRule, readSource } from './mapping.ts';
import { isRawObject, type RawRecord, type RawValue } from '../readers/raw-record.ts';
import type { SourceLayout } from './source-layout.ts';
import { formatPath, type ValuePath, valueAt } from '../readers/value-path.ts';
import type { TextForms } from './text-forms.ts';

/** Options for filling what the publisher's record lacks. */
export interface RecordMapperOptions {
  readonly definition: RegisterDefinition;
  readonly layout: SourceLayout;
  /** The fields inferred from the first records; null when the definition was given. */
  readonly inferred: { readonly fields: readonly InferredField[]; readonly sampled: number } | null;
  /** The `observed_at` of every record without its own. */
  readonly observedAt: string | null;
  /** Whether text values are converted to their fields' types: {@link RecordReader.textValues}. */
  readonly textValues?: boolean;
  /**
   * Whether a field may also come from a property with the name of its label: the label of an inferred field is the
   * publisher's own name.
   */
  readonly takesLabels?: boolean;
  /** How amounts and dates are written. Default: as in JSON and RFC 3339. */
  readonly forms?: TextForms;
  /** Describes a place, with the file's name. */
  readonly where: (at: number) => string;
}

/** The maximum number of properties counted by name: a file that uses ids as names has an unlimited number. */
const MAX_LEFT_OUT = 1000;

/** A field of the register and its source. */
interface FieldSource {
  readonly field: Field;
  readonly rule: MappingRule | null;
  /** The paths tried in this order if there is no rule. */
  readonly paths: readonly ValuePath[];
}

/** Converts raw records one at a time, and counts what it had to leave out. */
export class RecordMapper {
  readonly #options: RecordMapperOptions;
  readonly #fields: readonly FieldSource[];
  readonly #known: ReadonlySet<ValuePath>;
  readonly #knownNames: ReadonlySet<string>;
  readonly #leftOut = new Map<string, number>();
  readonly #used = new Set<MappingRule>();
  #observedItself = false;

  constructor(options: RecordMapperOptions) {
    const { definition, layout, inferred } = options;
    this.#options = options;
    const inferredPaths = new Map(inferred?.fields.map(({ field, path }) => [field.name, path]));
    this.#fields = definition.fields.map((field) => {
      const path = inferred === null ? undefined : inferredPaths.get(field.name);
      return {
        field,
        rule: layout.fields.get(field.name) ?? null,
        paths:
          inferred === null
            ? pathsOf(field, options.takesLabels ?? false)
            : path === undefined || path === null
              ? []
              : [path],
      };
    });
    const paths = this.#fields.filter(({ rule }) => rule === null).flatMap((source) => source.paths);
    this.#known = new Set(paths);
    this.#knownNames = new Set(paths.map(formatPath));
  }

  /** The undeclared properties that were left out, with the number of records that had each. */
  get leftOut(): ReadonlyMap<string, number> {
    return this.#leftOut;
  }

  /** Whether the last converted record had its own `observed_at`. */
  get observedItself(): boolean {
    return this.#observedItself;
  }

  /** Whether a rule has given a value in any record. */
  isUsed(rule: MappingRule): boolean {
    return this.#used.has(rule);
  }

  /**
   * The record, checked; `position` is the place that the register assigns.
   *
   * @throws GazetteError `invalid_record`, naming the file, the place, the field, what was expected, and a hint if
   *   there is one; the record's `fault`.
   */
  toRecord({ value, at, fault }: RawRecord, position: number | null): RegisterRecord {
    if (fault !== undefined) throw fault;
    const where = this.#options.where(at);
    try {
      return toRecord(this.#options.definition, this.#input(value, where), { where, position });
    } catch (error) {
      throw isGazetteError(error, 'invalid_record') ? this.#withHint(error) : error;
    }
  }

  /** The id that the record would have; null if it has no valid id. For records that are refused for another reason. */
  idOf({ value }: RawRecord): string | null {
    const source = this.#options.layout.core.find(({ name }) => name === 'id');
    if (source === undefined) return null;
    const { id: feedId } = this.#options.definition;
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

  #input(value: RawValue, where: string): RecordInput {
    // toRecord refuses values that are not objects, with the same message as everywhere.
    if (!isRawObject(value)) return value as unknown as RecordInput;
    const input: Record<string, unknown> = {};
    for (const { name, rule } of this.#options.layout.core) {
      const item = rule === null ? ownValue(value, name) : this.#readRule(rule, value, where);
      if (item !== undefined && item !== null) input[name] = toCore(name, this.#coreText(name, item));
    }
    this.#observedItself = input.observed_at !== undefined;
    if (this.#options.observedAt !== null) input.observed_at ??= this.#options.observedAt;
    const data: Record<string, unknown> = {};
    for (const { field, rule, paths } of this.#fields) {
      const item = rule === null ? this.#readFirst(paths, value, where) : this.#readRule(rule, value, where);
      if (item !== undefined && item !== null) data[field.name] = toField(field.type, this.#typed(field, item, where));
    }
    input.data = data;
    this.#options.layout.visitRest(value, (path) => {
      if (!this.#known.has(path) && !this.#knownNames.has(formatPath(path))) this.#meetUnknown(path, where);
    });
    return input as unknown as RecordInput;
  }

  #typed(field: Field, item: RawValue, where: string): RawValue {
    if (typeof item !== 'string') return item;
    const { forms, textValues = false } = this.#options;
    if (!textValues && forms?.apply(field.type) !== true) return item;
    const plain = forms === undefined ? item : forms.forType(field.type, item);
    // What is not in the file's form stays as it is, and is refused.
    if (plain === null) return item;
    return fromText(field.type, plain, (reason) => {
      return new GazetteError('invalid_record', `${where}: data.${field.name} ${reason}, got ${quote(item)}`, {
        details: { where, field: `data.${field.name}` },
      });
    });
  }

  /** A core field's text, in gazette's form: dates, and the only number. */
  #coreText(name: CoreFieldName, item: RawValue): RawValue {
    if (typeof item !== 'string') return item;
    if (name === 'published_at' || name === 'observed_at' || name === 'updated_at') {
      return this.#options.forms?.date(item) ?? item;
    }
    const isDigits = name === 'version' && /^[1-9]\d{0,14}$/.test(item);
    return isDigits && this.#options.textValues === true ? Number(item) : item;
  }

  #readRule(rule: MappingRule, value: RawValue, where: string): RawValue | undefined {
    const item = readSource(rule, value, where);
    if (item !== undefined) this.#used.add(rule);
    return item;
  }

  /** The value of the first path that has one; values of later paths are ignored. */
  #readFirst(paths: readonly ValuePath[], value: RawValue, where: string): RawValue | undefined {
    let first: RawValue | undefined;
    for (const path of paths) {
      const item = valueAt(value, path);
      if (first === undefined) first = item;
      else if (item !== undefined) this.#meetUnknown(path, where);
    }
    return first;
  }

  #meetUnknown(path: ValuePath, where: string): void {
    const name = formatPath(path);
    if (this.#options.inferred === null) {
      const counted = this.#leftOut.has(name) || this.#leftOut.size < MAX_LEFT_OUT ? name : 'other properties';
      this.#leftOut.set(counted, (this.#leftOut.get(counted) ?? 0) + 1);
      return;
    }
    throw new GazetteError(
      'invalid_record',
      `${where}: the property ${quote(name)} occurs in none of the first ${this.#options.inferred.sampled} records, from which the fields were found; give --definition to name all fields`,
      { details: { where, field: name } },
    );
  }

  #withHint(error: GazetteError): GazetteError {
    const { field } = error.details;
    const hint = typeof field === 'string' ? this.#hint(field, error.message.endsWith('got nothing')) : null;
    return hint === null
      ? error
      : new GazetteError('invalid_record', `${error.message}; ${hint}`, { cause: error, details: error.details });
  }

  #hint(field: string, isAbsent: boolean): string | null {
    const { layout, inferred } = this.#options;
    const rule = field.startsWith('data.')
      ? layout.fields.get(field.slice('data.'.length))
      : layout.core.find(({ name }) => name === field)?.rule;
    if (rule !== null && rule !== undefined) return `mapped from ${quote(rule.written)}`;
    if (field.startsWith('data.')) {
      return inferred === null
        ? null
        : `its type was found from the first ${inferred.sampled} records; give --definition to say it`;
    }
    if (!isAbsent) return null;
    if (field === 'observed_at') return 'give --observed-at, or --map observed_at=SOURCE';
    return field === 'id' || field === 'title' || field === 'source_url'
      ? `say where it is with --map ${field}=SOURCE`
      : null;
  }
}

function pathsOf({ name, label }: Field, takesLabels: boolean): readonly ValuePath[] {
  const paths = [[name], ['data', name]];
  return takesLabels && label !== name ? [...paths, [label], ['data', label]] : paths;
}

function ownValue(value: RawValue, name: string): RawValue | undefined {
  return isRawObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** A number in a text core field (an id 123, a type 5) becomes its JSON text; dates are never made from numbers. */
function toCore(name: CoreFieldName, value: RawValue): RawValue {
  switch (name) {
    case 'version':
    case 'published_at':
    case 'observed_at':
    case 'updated_at':
    case 'source_url':
      return value;
    default:
      return toText(value);
  }
}

function toField(type: FieldType, value: RawValue): RawValue {
  switch (type) {
    case 'text':
      return toText(value);
    case 'number':
      // A double that represents the integer exactly loses nothing; toRecord refuses any other.
      return typeof value === 'bigint' && BigInt(Number(value)) === value ? Number(value) : value;
    case 'json':
      return toJson(value);
    default:
      return value;
  }
}

function toText(value: RawValue): RawValue {
  return typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean' ? String(value) : value;
}

/** An integer that a double cannot represent becomes text of its digits: JSON readers would round it. */
function toJson(value: RawValue): JsonValue {
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return (value as readonly RawValue[]).map(toJson);
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, toJson(item)]));
}
