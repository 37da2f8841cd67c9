// Opens a publisher's file: combines the reader, the mapping, the definition (given, or inferred from the first
// records) and the mapper. Records are raw, so that the caller that checks them decides what to do with invalid ones.
import { GazetteError, quote } from '../errors.ts';
import { type DefinitionInput, defineRegister } from '../register/definition.ts';
import type { FieldType, RegisterDefinition } from '../register/record.ts';
import { isDate, isDateTime, toDateTime } from '../register/time.ts';
import { FieldFinder, type FoundField } from './fields/field-finder.ts';
import { SAMPLE_LENGTH, SAMPLE_RECORDS, sampleFields } from './fields/find-fields.ts';
import { missingFields, waysToMap } from './mapping/hints.ts';
import { type MappingRule, readSource, resolveTargets } from './mapping/mapping.ts';
import { isRawObject, type RawBatch, type RawRecord, type RecordReader } from './readers/raw-record.ts';
import type { ReaderNote } from './readers/reader-note.ts';
import { RecordMapper } from './mapping/record-mapper.ts';
import { SourceLayout } from './mapping/source-layout.ts';
import { type TextFormOptions, TextForms } from './mapping/text-forms.ts';

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
  /** Stops the reading; it then throws `aborted`. */
  readonly signal?: AbortSignal;
}

/** How records are opened whose fields are found while they are read. */
export interface OpenOptions extends RecordStreamOptions {
  /** Whether the fields are found from all records, and known after the last one: see {@link OpenedRecords.finder}. */
  readonly findsFields?: boolean;
  /** Types of fields that are to be found, by the name of the field or of the property. */
  readonly types?: ReadonlyMap<string, FieldType>;
}

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
  const forms = new TextForms(options);
  const mapping = resolveTargets(options.mapping ?? [], given, options.keepsUndeclared);
  const layout = new SourceLayout(mapping);
  const where = (at: number): string => `${reader.name}: ${reader.where(at)}`;
  const cancel = new AbortController();
  const unlink = forwardAbort(options.signal, cancel);
  const batches = reader.batches(cancel.signal);
  try {
    const isSampled = given === null && options.fields === undefined && options.findsFields !== true;
    const { sample, sampled } = await readSample(batches, isSampled ? SAMPLE_RECORDS : 1);
    // Errors of reading, and records that do not fit, are reported when their turn comes.
    const records = sample
      .flatMap((batch) => batch.records)
      .slice(0, sampled)
      .filter(({ fault }) => fault === undefined);
    const firstDate = observedAtOf(records[0], mapping, where, forms) ?? observedAt ?? null;
    const isMapped = mapping.some(({ target }) => target === 'observed_at');
    // If the first record is not an object, or has no mapped date, the mapper has the better message.
    if (firstDate === null && !isMapped && isRawObject(records[0]?.value)) {
      const missing = missingFields(records[0].value, layout, false);
      throw new GazetteError(
        'invalid_option',
        `${reader.name}: the records have no ${missing.join(', no ')}; ${waysToMap(missing, records[0].value, layout)}`,
        { details: { option: 'observed_at' } },
      );
    }
    const textValues = reader.textValues ?? false;
    const finder =
      given === null && options.findsFields === true
        ? new FieldFinder({ layout, textValues, forms, readsTexts: true, saidTypes: options.types ?? new Map() })
        : null;
    const found = isSampled
      ? { fields: sampleFields(records, layout, where), sampled }
      : given === null && finder === null
        ? { fields: options.fields ?? [], sampled: null }
        : null;
    const definition = given ?? describe(options.constants, found?.fields ?? [], firstDate);
    const mapper = new RecordMapper({
      definition,
      layout,
      found,
      ...(finder === null ? {} : { finder }),
      observedAt: observedAt ?? null,
      textValues,
      takesLabels: options.takesLabels ?? false,
      forms,
      where,
    });
    return new OpenedRecords({ reader, definition, mapper, mapping, finder, forms, sample, batches, cancel, unlink });
  } catch (error) {
    unlink();
    await batches.return();
    throw error;
  }
}

interface Parts {
  readonly definition: RegisterDefinition;
  readonly reader: RecordReader;
  readonly mapper: RecordMapper;
  readonly mapping: readonly MappingRule[];
  readonly finder: FieldFinder | null;
  readonly forms: TextForms;
  readonly sample: readonly RawBatch[];
  readonly batches: AsyncGenerator<RawBatch, void, undefined>;
  readonly cancel: AbortController;
  readonly unlink: () => void;
}

/** The raw records of a file, and the mapper that converts them. Close it if it was never read. */
export class OpenedRecords {
  readonly definition: RegisterDefinition;
  readonly reader: RecordReader;
  readonly mapper: RecordMapper;
  /** Finds the fields while statements are made; null where the definition has them. */
  readonly finder: FieldFinder | null;
  readonly forms: TextForms;
  readonly #parts: Parts;
  /** Emptied while it is read: the first records must not stay in memory for the whole walk. */
  readonly #sample: RawBatch[];
  #read = false;

  constructor(parts: Parts) {
    this.definition = parts.definition;
    this.reader = parts.reader;
    this.mapper = parts.mapper;
    this.finder = parts.finder;
    this.forms = parts.forms;
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

  /** Describes a place, with the file's name. */
  where(at: number): string {
    return `${this.reader.name}: ${this.reader.where(at)}`;
  }

  /** The current report; complete once the last record was read. */
  notes(): IngestNotes {
    const { mapper, mapping } = this.#parts;
    return {
      found: this.reader.notes?.() ?? [],
      undeclared: mapper.undeclared,
      rounded: mapper.rounded,
      unusedRules: mapping.filter((rule) => !mapper.isUsed(rule)).map(({ target, written }) => `${target}=${written}`),
    };
  }

  /** Closes the file. Harmless after the last record. */
  async close(): Promise<void> {
    this.#read = true;
    this.#sample.length = 0;
    this.#parts.unlink();
    await this.#parts.batches.return();
  }
}

/**
 * Reads whole batches that contain the sample, and returns how many of their records belong to it. That depends only on
 * the records: the inferred fields must not depend on the size of the pieces in which the file arrives.
 */
async function readSample(
  batches: AsyncIterator<RawBatch>,
  enough: number,
): Promise<{ readonly sample: readonly RawBatch[]; readonly sampled: number }> {
  const sample: RawBatch[] = [];
  let sampled = 0;
  let length = 0;
  while (sampled < enough && length < SAMPLE_LENGTH) {
    const next = await batches.next();
    if (next.done === true) break;
    sample.push(next.value);
    for (const { value } of next.value.records) {
      if (sampled === enough || length >= SAMPLE_LENGTH) break;
      sampled++;
      length += weightOf(value);
    }
  }
  return { sample, sampled };
}

/** What a value takes in memory in addition to its text, in UTF-16 units. */
const VALUE_WEIGHT = 32;

/** About how much a value takes. */
function weightOf(value: RawRecord['value']): number {
  let values = 0;
  const text = JSON.stringify(value, (_, member: unknown) => {
    values++;
    return typeof member === 'bigint' ? `${member}` : member;
  });
  return text.length + values * VALUE_WEIGHT;
}

function observedAtOf(
  first: RawRecord | undefined,
  mapping: readonly MappingRule[],
  where: (at: number) => string,
  forms: TextForms,
): string | null {
  if (first === undefined || !isRawObject(first.value)) return null;
  const rule = mapping.find(({ target }) => target === 'observed_at');
  const value = rule === undefined ? first.value.observed_at : readSource(rule, first.value, where(first.at));
  if (value === undefined || value === null) return null;
  // A value that is not text cannot be a date; toRecord reports it, with the place.
  return typeof value === 'string' ? (forms.date(value) ?? value) : '';
}

function describe(
  constants: RecordStreamOptions['constants'] = {},
  fields: readonly FoundField[],
  firstDate: string | null,
): RegisterDefinition {
  const id = constants.id ?? 'records';
  const dated = firstDate !== null && (isDate(firstDate) || isDateTime(firstDate));
  return defineRegister({
    ...constants,
    id,
    title: constants.title ?? id,
    created_at: constants.created_at ?? (dated ? toDateTime(firstDate) : NO_DATE),
    fields: fields.map(({ field }) => field),
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
