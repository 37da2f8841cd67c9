// Guesses how a publisher's file can be imported: a mapping and a definition for a person to edit, tried on the whole
// file. It reads the file twice, or three times, and writes nothing.
import { type GazetteError, isGazetteError, quote } from '../../errors.ts';
import { counted } from '../../register/counted.ts';
import { defineRegister } from '../../register/definition.ts';
import type { FieldType, RegisterDefinition, RegisterRecord } from '../../register/record.ts';
import { isDate } from '../../register/time.ts';
import { type Order, OrderFinder } from '../../register/sources/order.ts';
import { checkMapping } from '../mapping/check-mapping.ts';
import type { FoundField } from '../mapping/columns.ts';
import { MAPPABLE_FIELDS, type MappingRule, parseMapping } from '../mapping/mapping.ts';
import { parseDecimal } from '../mapping/parse-decimal.ts';
import { RecordMap } from '../mapping/record-map.ts';
import type { TextFormOptions } from '../mapping/text-forms.ts';
import { openRecords } from '../opened-records.ts';
import {
  isRawObject,
  type RawObject,
  type RawRecord,
  type RawValue,
  type RecordReader,
} from '../readers/raw-record.ts';
import type { ReaderNote } from '../readers/reader-note.ts';
import { formatPath } from '../readers/value-path.ts';
import { sourceOf, usesColumn } from './column-sources.ts';
import { type ColumnProfile, ColumnSurvey } from './column-survey.ts';
import { findKey } from './find-key.ts';
import { type GuessedForms, guessForms, isDateColumn } from './guess-forms.ts';
import { guessMapping } from './guess-mapping.ts';

/** The number of records that a guess shows as they would be published. */
const SHOWN_RECORDS = 3;

/** Options of a guess: what the caller says is not guessed. */
export interface GuessOptions extends TextFormOptions {
  /** The id of the register. It need not exist. */
  readonly feedId: string;
  /** The sources of fields that are known. */
  readonly mapping?: readonly MappingRule[];
  /** The types of fields that are known, by the name of the field or of the publisher's property. */
  readonly types?: ReadonlyMap<string, FieldType>;
  /** The order that is known. */
  readonly order?: Order;
  /** The clock, in milliseconds since 1970. Default `Date.now`: when the shown records would be observed. */
  readonly now?: () => number;
  /** Stops the reading; it then throws `aborted`. */
  readonly signal?: AbortSignal;
}

/** What was guessed. */
export interface ImportGuess {
  /** `FIELD=SOURCE`, each for one `--map`; `parseMapping()` reads them. */
  readonly map: readonly string[];
  /** A definition with the fields that the file has besides the core ones. */
  readonly definition: RegisterDefinition;
  /** The form of dates; null where they are RFC 3339, or no form is certain. */
  readonly dateFormat: string | null;
  /** Whether amounts have a decimal comma. */
  readonly decimalComma: boolean;
  /** Which end of the file is the newest, or that it should be sorted by date. */
  readonly order: Order;
  /** The columns of the file, and how each is used. */
  readonly columns: readonly {
    /** The publisher's name. */
    readonly name: string;
    /** What it fills: a core field, or `data.` and the name of a field of the definition; null: nothing. */
    readonly field: string | null;
    /** The type that all of its values fit. */
    readonly type: FieldType;
    /** In how many records it has a value. */
    readonly filled: number;
    /** Whether every record has a value, and no two have the same; of columns that were compared to the end. */
    readonly isUnique: boolean;
  }[];
  /** How many records the file has. */
  readonly records: number;
  /** How many of them an import with this guess would refuse. */
  readonly refused: number;
  /** The first records as they would be published, of those that would not be refused: at most three. */
  readonly first: readonly RegisterRecord[];
  /** What a person should look at, in sentences. */
  readonly remarks: readonly string[];
  /** What the reader found by itself: encoding, delimiter, header. */
  readonly found: readonly ReaderNote[];
}

/**
 * Guesses how a file can be imported: forms of dates and amounts, mapping, types and order.
 *
 * @param open makes a reader of the file; it is called twice, and once more where no column is an id
 * @throws GazetteError what the reader throws; `invalid_definition` for an invalid feed id; `invalid_mapping`;
 *   `invalid_option`; `invalid_record` for more than 1,000 different properties; `aborted`.
 * @example const { map, definition } = await guessImport(() => csvReader(source), { feedId: 'permits' });
 */
export async function guessImport(open: () => RecordReader, options: GuessOptions): Promise<ImportGuess> {
  const { feedId, mapping: given = [], signal, now = Date.now } = options;
  const created = new Date(now()).toISOString();
  defineRegister({ id: feedId, title: feedId, created_at: created });
  checkMapping(given);
  const reader = open();
  const survey = new ColumnSurvey(() => reader.textValues ?? false);
  const inside = new ColumnSurvey(() => reader.textValues ?? false);
  for await (const { records } of reader.batches(signal)) {
    for (const raw of records.filter(({ fault }) => fault === undefined)) {
      survey.add(raw);
      inside.add({ value: membersInside(raw.value), at: raw.at });
    }
  }
  const own = survey.profiles();
  // Nested records have their title or dates inside of objects; the features of GeoJSON have all in their `properties`.
  const columns = [...own, ...inside.profiles()];
  const forms = guessForms(columns, options);
  const found = reader.notes?.() ?? [];
  const where = reader.where.bind(reader);
  const surveyed = { records: survey.records, columns, forms, given, where };
  let guessed = guessMapping({ ...surveyed, key: null });
  if (guessed.keyColumns.length > 0) {
    guessed = guessMapping({ ...surveyed, key: await findKey(open(), guessed.keyColumns, signal) });
  }
  const { rules, remarks } = guessed;
  const mapping = parseMapping(rules);
  const tried = await tryImport(open(), { ...options, ...written(forms), mapping }, created);
  return {
    map: [...rules, ...fieldRules(tried.fields)],
    definition: tried.definition,
    ...forms,
    order: tried.order,
    columns: columns
      .filter((column) => own.includes(column) || mapping.some((rule) => usesColumn(rule, column.name)))
      .map((column) => toGuessed(column, mapping, tried.definition, forms)),
    records: tried.records,
    refused: tried.refused,
    first: tried.first,
    remarks: [...readingRemarks(found), ...headerRemarks(own), ...forms.remarks, ...remarks, ...tried.remarks],
    found,
  };
}

/** How deep values inside of a record are looked at. */
const MAX_INSIDE = 3;

/** The values inside of a record's objects and of the first items of its lists, under their paths. */
function membersInside(record: RawValue): RawObject {
  const members: [string, RawValue][] = [];
  const add = (value: RawValue, path: readonly string[]): void => {
    const inner = Array.isArray(value) && value.length > 0 ? { 0: value[0] as RawValue } : value;
    if (isRawObject(inner) && path.length <= MAX_INSIDE) {
      for (const [name, member] of Object.entries(inner)) add(member, [...path, name]);
    } else if (path.length > 1) {
      members.push([formatPath(path), value]);
    }
  };
  add(record, []);
  return Object.fromEntries(members.filter(([path]) => !path.startsWith('/')));
}

/**
 * What a person should check of how the file is read: which sheet, cells without a value, and an encoding that letters
 * show. A byte-order mark is certain.
 */
function readingRemarks(found: readonly ReaderNote[]): readonly string[] {
  const isUncertain = ({ code, encoding }: ReaderNote): boolean =>
    code === 'sheet' || code === 'error_cells' || (code === 'encoding' && encoding?.startsWith('utf-') === false);
  return found.filter(isUncertain).map(({ message }) => message);
}

/** A header whose names are dates or amounts may be a record. */
function headerRemarks(columns: readonly ColumnProfile[]): readonly string[] {
  const value = columns.find(
    ({ name }) => isDate(name) || (parseDecimal(name) !== null && !/^(?:19|20)\d\d$/.test(name)),
  );
  if (value === undefined) return [];
  return [
    `a column is called ${quote(value.name)}: if the first line is a record and no header, write a line with names above it`,
  ];
}

function toGuessed(
  column: ColumnProfile,
  mapping: readonly MappingRule[],
  { fields }: RegisterDefinition,
  forms: GuessedForms,
): ImportGuess['columns'][number] {
  const { name, filled, isUnique } = column;
  const target =
    mapping.find((rule) => usesColumn(rule, name))?.target ?? MAPPABLE_FIELDS.find((core) => core === name);
  const own = fields.find((field) => (target === undefined ? field.label === name : target === `data.${field.name}`));
  const type = own?.type ?? (isDateColumn(column, forms) && column.type === 'text' ? 'date' : column.type);
  return { name, field: own === undefined ? (target ?? null) : `data.${own.name}`, type, filled, isUnique };
}

function written(forms: { readonly dateFormat: string | null; readonly decimalComma: boolean }): TextFormOptions {
  const { dateFormat, decimalComma } = forms;
  return { decimalComma, ...(dateFormat === null ? {} : { dateFormat }) };
}

/** The rules for fields whose names differ from the columns’: so that their labels can be edited. */
function fieldRules(fields: readonly FoundField[]): readonly string[] {
  return fields.flatMap(({ field, path }) => {
    const [column, inner] = path ?? [];
    if (column === undefined || inner !== undefined || column === field.name) return [];
    const source = sourceOf(`data.${field.name}`, column);
    return source === null ? [] : [`data.${field.name}=${source}`];
  });
}

interface Tried extends Pick<ImportGuess, 'definition' | 'order' | 'records' | 'refused' | 'first' | 'remarks'> {
  readonly fields: readonly FoundField[];
}

/** Does what an import does before it commits. */
async function tryImport(reader: RecordReader, options: GuessOptions, observedAt: string): Promise<Tried> {
  const { feedId, mapping = [], types = new Map(), signal, dateFormat, decimalComma = false } = options;
  const opened = await openRecords(reader, {
    constants: { id: feedId, title: feedId, created_at: observedAt },
    findsFields: true,
    types,
    observedAt,
    mapping,
    decimalComma,
    ...(dateFormat === undefined ? {} : { dateFormat }),
    ...(signal === undefined ? {} : { signal }),
  });
  const dates = new OrderFinder();
  const kept: RawRecord[] = [];
  let records = 0;
  let refused = 0;
  let refusal: GazetteError | null = null;
  let lastRefused = 0;
  for await (const batch of opened.batches()) {
    for (const raw of batch.records) {
      records++;
      try {
        dates.add(opened.map.toStatement(raw));
        opened.map.learn();
        if (kept.length < SHOWN_RECORDS) kept.push(raw);
      } catch (error) {
        if (!isGazetteError(error, 'invalid_record') && !isGazetteError(error, 'invalid_input')) throw error;
        refused++;
        refusal ??= error;
        lastRefused = records;
      }
    }
  }
  const { plan } = opened;
  const settled = plan.settled();
  const map = new RecordMap(settled);
  const { order, remarks } = orderOf(dates, options.order);
  const refusals =
    refusal === null
      ? []
      : [`an import would refuse ${refused} of ${counted(records, 'record')}; the first: ${refusal.message}`];
  if (refused === 1 && refused < records && lastRefused === records) {
    refusals.push('that is the last one, and may hold totals: --skip-invalid leaves it out');
  }
  const first = kept.map((raw) => map.toRecord(raw, null));
  const { definition } = settled;
  return { fields: plan.found() ?? [], definition, order, records, refused, first, remarks: [...refusals, ...remarks] };
}

function orderOf(dates: OrderFinder, given: Order | undefined): Pick<Tried, 'order' | 'remarks'> {
  if (given !== undefined) return { order: given, remarks: [] };
  const { direction, found } = dates;
  if (direction !== null) return { order: direction, remarks: [] };
  return found === 'both-ways'
    ? {
        order: 'by-date',
        remarks: ['the dates run both ways: the file is sorted by date, unless you say another --order'],
      }
    : {
        order: 'oldest-first',
        remarks: ['no two dates differ: the file is taken to run oldest first, unless you say another --order'],
      };
}
