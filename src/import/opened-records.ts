// Opens a publisher's file: makes its plan of the reader, the rules, and the definition, which is given or inferred from
// the first records, and the map of the plan. Records are raw, so that the caller that checks them decides what to do with invalid ones.
import { type ErrorCode, GazetteError, isGazetteError, quote } from '../errors.ts';
import { type DefinitionInput, defineRegister } from '../register/definition.ts';
import type { FieldType, RegisterDefinition } from '../register/record.ts';
import { isDate, isDateTime, toDateTime } from '../register/time.ts';
import type { ImportOptions } from './import-options.ts';
import { coreNameNotes } from './fields/core-names.ts';
import type { FoundField } from './mapping/columns.ts';
import { missingFields, waysToMap } from './mapping/hints.ts';
import { checkRowMapping, type MappingRule, readSource, resolveTargets } from './mapping/mapping.ts';
import { ImportPlan } from './mapping/plan.ts';
import { inColumnOrder, isRawObject, type RawBatch, type RawRecord, type RecordReader } from './readers/raw-record.ts';
import { type IngestNotes, RecordMap } from './mapping/record-map.ts';
import { type TextFormOptions, TextForms } from './mapping/text-forms.ts';
import { readSample, SHAPE_RECORDS } from './rows/first-records.ts';
import { IgnoredColumns, ignoredNames } from './rows/ignored-columns.ts';

/** Properties of the register that the file does not contain. */
export interface RecordStreamOptions extends TextFormOptions {
  /**
   * The definition. Without it the fields are those that `fields` gives, or are found in the first records, and
   * `constants` describe the register.
   */
  readonly definition?: RegisterDefinition;
  /** The fields that `findFields()` found in the same file. */
  readonly fields?: readonly FoundField[];
  /** The description of a register without a definition. Defaults: the id is `records`, the title is the id. */
  readonly constants?: Partial<Omit<DefinitionInput, 'fields'>>;
  /** The source of each field; default: properties with the fields' own names. */
  readonly mapping?: readonly MappingRule[];
  /** The `observed_at` of every record that has none: a date or RFC 3339 date-time. */
  readonly observedAt?: string;
  /** Whether a field of the definition may also come from a property with the name of its label. Default false. */
  readonly takesLabels?: boolean;
  /**
   * Whether rules may name fields that the definition does not declare (any more): the values are kept, not shown. Default
   * false.
   */
  readonly keepsUndeclared?: boolean;
  /**
   * The key of each record is made of its row: with these 32 random bytes, so that nobody else can confirm which row a key is
   * of, or null, by SHA-256 alone. Default: a rule or the property `id` has the key.
   */
  readonly rowSecret?: Uint8Array | null;
  /** The names of columns that are not taken in. Default: none. */
  readonly ignore?: readonly string[];
  /**
   * Receives records that do not fit, or that the reader cannot read; the others follow after the returned promise, if any,
   * resolves. Absent: the first such record ends the reading.
   */
  readonly onRefused?: NonNullable<ImportOptions['onRefused']>;
  /** Stops the reading; it then throws `aborted`. */
  readonly signal?: AbortSignal;
}

/** How records are opened whose fields may be found while they are read. */
export interface OpenOptions extends RecordStreamOptions {
  /** Whether the fields are found from all records, and known after the last one: see {@link ImportPlan.found}. */
  readonly findsFields?: boolean;
  /** Types of fields that are to be found, by the name of the field or of the property. */
  readonly types?: ReadonlyMap<string, FieldType>;
  /** The same of columns that a description of the file names, whether it has them or not. */
  readonly describedTypes?: ReadonlyMap<string, FieldType>;
}

/** The number of records from which fields are found where a file can be read only once. */
const SAMPLE_RECORDS = 1000;

/** The date of a register without a record or any other date: a constant, because output never depends on the clock. */
const NO_DATE = '1970-01-01T00:00:00Z';

/**
 * Opens a file. Where its fields are to be found in the first records, 1,000 (8 MiB at most) are read at once.
 *
 * @throws GazetteError `invalid_option` for a malformed `observedAt` or `dateFormat`, or when neither it, nor a rule, nor the first
 *   record gives one; `invalid_mapping` for a rule to what is not a field, or to one the definition lacks; `invalid_definition`; what the reader
 *   throws.
 */
export async function openRecords(reader: RecordReader, options: OpenOptions): Promise<OpenedRecords> {
  const { observedAt, definition: given = null } = options;
  if (observedAt !== undefined && !isDate(observedAt) && !isDateTime(observedAt)) {
    throw new GazetteError(
      'invalid_option',
      `observed_at must be a date (2026-04-17) or an RFC 3339 date-time (2026-04-17T08:12:44Z), got ${quote(observedAt)}`,
      { details: { option: 'observed_at' } },
    );
  }
  const { rowSecret, mapping = [] } = options;
  if (rowSecret !== undefined) checkRowMapping(mapping);
  const forms = new TextForms(options);
  const ignored = new IgnoredColumns(ignoredNames(options.ignore ?? []));
  const rules = resolveTargets(mapping, given, options.keepsUndeclared);
  const cancel = new AbortController();
  const unlink = forwardAbort(options.signal, cancel);
  const batches = reader.batches(cancel.signal);
  try {
    const isSampled = given === null && options.fields === undefined && options.findsFields !== true;
    const { sample, sampled } = await readSample(batches, isSampled ? SAMPLE_RECORDS : SHAPE_RECORDS);
    // Errors of reading, and records that do not fit, are reported when their turn comes.
    const whole = sample
      .flatMap((batch) => batch.records)
      .slice(0, sampled)
      .filter(({ fault }) => fault === undefined);
    const records = whole.map((record) => ({ ...record, value: ignored.without(record.value) }));
    const firstDate =
      observedAtOf(records[0], rules, (at) => `${reader.name}: ${reader.where(at)}`, forms) ?? observedAt ?? null;
    const plan = new ImportPlan({
      reader,
      rules,
      definition: given ?? describe(options.constants, firstDate),
      ...(given !== null ? {} : { fields: options.fields ?? 'while reading' }),
      ...(options.types === undefined ? {} : { types: options.types }),
      ...(options.describedTypes === undefined ? {} : { describedTypes: options.describedTypes }),
      readsTexts: !isSampled,
      observedAt: observedAt ?? null,
      takesLabels: options.takesLabels ?? false,
      forms,
      rowSecret,
      ignored,
      sample: records.slice(0, SHAPE_RECORDS).map(({ value }) => value),
    });
    const [first] = records;
    const names = isRawObject(whole[0]?.value) ? Object.keys(plan.flat(whole[0].value)) : [];
    const columns = inColumnOrder(names, reader, (name) => name);
    // If the first record is not an object, or has no mapped date, the map has the better message.
    if (firstDate === null && !rules.some(({ target }) => target === 'observed_at') && isRawObject(first?.value)) {
      const missing = missingFields(plan.flat(first.value), plan);
      throw new GazetteError(
        'invalid_option',
        `${reader.name}: the records have no ${missing.join(', no ')}; ${waysToMap(missing, plan.flat(first.value), plan)}`,
        { details: { option: 'observed_at' } },
      );
    }
    if (isSampled) for (const { value, at } of records) plan.learn(value, plan.where(at));
    const settled = isSampled ? plan.settled(sampled) : plan;
    const { onRefused = null } = options;
    return new OpenedRecords({ plan: settled, columns, sample, batches, cancel, unlink, onRefused });
  } catch (error) {
    unlink();
    await batches.return();
    throw error;
  }
}

interface Parts {
  readonly plan: ImportPlan;
  readonly columns: readonly string[];
  readonly sample: readonly RawBatch[];
  readonly batches: AsyncGenerator<RawBatch, void, undefined>;
  readonly cancel: AbortController;
  readonly unlink: () => void;
  readonly onRefused: NonNullable<ImportOptions['onRefused']> | null;
}

/** The errors that concern a single record; `invalid_input` comes from its reader. */
const REFUSALS: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['invalid_record', 'duplicate_id', 'invalid_input']);

/** The raw records of a file, and the map that converts them. Close it if it was never read. */
export class OpenedRecords {
  readonly plan: ImportPlan;
  /** The names of the columns of the first record. */
  readonly columns: readonly string[];
  readonly map: RecordMap;
  readonly #parts: Parts;
  /** Emptied while it is read: the first records must not stay in memory for the whole walk. */
  readonly #sample: RawBatch[];
  #read = false;

  constructor(parts: Parts) {
    this.plan = parts.plan;
    this.columns = parts.columns;
    this.map = new RecordMap(parts.plan);
    this.#parts = parts;
    this.#sample = [...parts.sample];
  }

  /** All records from the first, once. @throws GazetteError what the reader throws; `invalid_option` when read again. */
  async *batches(signal?: AbortSignal): AsyncGenerator<RawBatch, void, undefined> {
    if (this.#read) throw new GazetteError('invalid_option', 'the file has been read: a stream gives its pages once');
    this.#read = true;
    const unlink = forwardAbort(signal, this.#parts.cancel);
    try {
      for (let batch = this.#sample.shift(); batch !== undefined; batch = this.#sample.shift()) yield batch;
      yield* this.#parts.batches;
    } finally {
      unlink();
      await this.close();
    }
  }

  /**
   * Passes on that a record is refused, if somebody wants to know it.
   *
   * @param record the record as it is in the file, or as it was checked
   * @throws the error where nobody does, or where it concerns more than this record
   */
  refuse(at: number, error: unknown, record: unknown): void | Promise<void> {
    const { onRefused } = this.#parts;
    if (onRefused === null || !isGazetteError(error) || !REFUSALS.has(error.code)) throw error;
    return onRefused({ where: this.plan.reader.where(at), error, record });
  }

  /** The current report; complete once the last record was read. */
  notes(): IngestNotes {
    const { reader, rest, columns } = this.plan;
    const named = rest === 'are kept' ? [] : coreNameNotes(columns);
    return { found: [...(reader.notes?.() ?? []), ...named], ...this.map.notes };
  }

  /** Closes the file. Harmless after the last record. */
  async close(): Promise<void> {
    this.#read = true;
    this.#sample.length = 0;
    this.#parts.unlink();
    await this.#parts.batches.return();
  }
}

function observedAtOf(
  first: RawRecord | undefined,
  rules: readonly MappingRule[],
  where: (at: number) => string,
  forms: TextForms,
): string | null {
  if (first === undefined || !isRawObject(first.value)) return null;
  const rule = rules.find(({ target }) => target === 'observed_at');
  const value = rule === undefined ? first.value.observed_at : readSource(rule, first.value, where(first.at));
  if (value === undefined || value === null || value === '') return null;
  // A value that is not text cannot be a date; toRecord reports it, with the place.
  return typeof value === 'string' ? (forms.date(value) ?? value) : '';
}

function describe(constants: RecordStreamOptions['constants'] = {}, firstDate: string | null): RegisterDefinition {
  const id = constants.id ?? 'records';
  const dated = firstDate !== null && (isDate(firstDate) || isDateTime(firstDate));
  return defineRegister({
    ...constants,
    id,
    title: constants.title ?? id,
    created_at: constants.created_at ?? (dated ? toDateTime(firstDate) : NO_DATE),
    fields: [],
  });
}

/** Forwards the abort of a signal to a controller; the returned function removes the link. */
function forwardAbort(signal: AbortSignal | undefined, controller: AbortController): () => void {
  if (signal === undefined) return () => undefined;
  const forward = (): void => {
    controller.abort(signal.reason);
  };
  if (signal.aborted) forward();
  signal.addEventListener('abort', forward, { once: true });
  return () => {
    signal.removeEventListener('abort', forward);
  };
}
