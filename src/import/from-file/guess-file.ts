// What can be guessed of a publisher's file by its name and its content, and how it is then read.
import { quote } from '../../errors.ts';
import { parseTypes } from '../fields/said-types.ts';
import { findPick, findSheet } from '../guess/find-pick.ts';
import { guessImport } from '../guess/guess-import.ts';
import type { ImportGuess } from '../guess/import-guess.ts';
import { parseMapping } from '../mapping/mapping.ts';
import type { ByteSource } from '../readers/byte-source.ts';
import type { FileFormat } from '../readers/file/file-kind.ts';
import type { RecordReader } from '../readers/raw-record.ts';
import type { ReaderNote } from '../readers/reader-note.ts';
import type { RegisterDefinition, RegisterRecord } from '../../register/record.ts';
import type { Order } from '../../register/sources/order.ts';
import { type FileOptions, textForms, omit } from './file-options.ts';
import { chosenFormat, type Input, isTsv, openReader } from './open-file.ts';

/** What is guessed of a file, as `gazette import --guess --json` says it. */
export interface FileAnswer {
  readonly feed_id: string;
  readonly format: FileFormat;
  readonly encoding: string | null;
  readonly delimiter: string | null;
  readonly header: boolean;
  readonly header_row: number | null;
  readonly date_format: string | null;
  readonly decimal_comma: boolean;
  readonly order: Order;
  readonly records: number;
  readonly refused: number;
  readonly map: readonly string[];
  readonly key: 'row' | null;
  readonly definition: DefinitionToEdit;
  readonly columns: readonly ColumnAnswer[];
  readonly remarks: readonly string[];
  readonly first: readonly RegisterRecord[];
}

/** A column of the file. */
export interface ColumnAnswer {
  readonly name: string;
  readonly field: string | null;
  readonly type: string;
  readonly values: number;
  readonly unique: boolean;
}

/** A definition without what the store makes. */
type DefinitionToEdit = Omit<RegisterDefinition, 'uuid' | 'authority' | 'year'>;

/** What can be guessed of a file, and where its records are in a JSON document. */
export interface FileGuess {
  readonly answer: FileAnswer;
  /** The options, with the path of the records if it was found. */
  readonly options: FileOptions;
  /** What the document calls itself; null: it does not. */
  readonly title: string | null;
  /** The name of the sheet that is read. */
  readonly sheet: string | null;
  /** The names of all sheets, that first which is read; none where there is one. */
  readonly sheets: readonly string[];
}

/** What a caller says, which is then not guessed. */
export interface SaidOptions extends FileOptions {
  /** The core fields that no column fills. */
  readonly without?: readonly string[];
}

/** Where the file is that is guessed. */
export interface GuessedFile {
  /** Opens it. */
  readonly input: () => Input;
  readonly signal: AbortSignal;
  /** Called with what the reader found by itself where nothing can be guessed: it may be the reason. */
  readonly onUnread?: (found: readonly ReaderNote[]) => void;
}

/**
 * What can be guessed of a file.
 *
 * @param file its name
 * @param options what the caller says is not guessed
 * @throws GazetteError those of `guessImport()`
 */
export async function guessOf(
  feedId: string,
  file: string,
  options: SaidOptions,
  { input, signal, onUnread }: GuessedFile,
): Promise<FileGuess> {
  const said = chosenFormat(file, options.format, '--format');
  const found = options.pick === undefined ? await pickOf(said, input(), options, signal) : null;
  const pick = found?.pick ?? null;
  const forms = omit(textForms(options), ['decimalComma']);
  const known = pick === null ? options : { ...options, pick };
  const guard = options.formulas === undefined ? {} : { inputFormulas: options.formulas };
  let reader: RecordReader | null = null;
  const open = (): RecordReader => {
    // A guess counts what an import would refuse.
    const reading = { ...known, ...guard, inputFormat: options.format, keepsFaults: true };
    reader = openReader(input(), reading, '--format');
    return reader;
  };
  const guess = await guessImport(open, {
    feedId,
    mapping: parseMapping(options.map),
    types: parseTypes(options.type),
    ...(options.key === undefined ? {} : { key: options.key }),
    ...(options.ignore === undefined ? {} : { ignore: options.ignore }),
    ...(options.without === undefined ? {} : { without: options.without }),
    ...forms,
    ...(options.decimalComma === undefined ? {} : { decimalComma: options.decimalComma }),
    ...(options.order === undefined ? {} : { order: options.order }),
    signal,
  }).catch((error: unknown) => {
    // Why the file is refused may be in what was found: a cover sheet was read, not the table.
    onUnread?.(reader?.notes?.() ?? []);
    throw error;
  });
  // Which sheet is read a note says.
  const isPath = pick !== null && said === 'json';
  const remarks = isPath ? [`the records are those of ${quote(pick)}; say others with --pick`] : [];
  const answer = toAnswer(feedId, file, said, { ...guess, remarks: [...remarks, ...guess.remarks] }, known);
  const above = guess.found.find(({ heading }) => heading !== undefined)?.heading ?? null;
  const sheet = said === 'xlsx' ? (options.pick ?? found?.sheet ?? null) : null;
  const sheets = guess.found.find((note) => note.sheets !== undefined)?.sheets ?? [];
  return { answer, options: known, title: found?.title ?? above, sheet, sheets };
}

/** Where the records of a file are. */
interface FoundPlace {
  readonly pick: string | null;
  readonly title?: string | null;
  readonly sheet?: string;
}

/** Where the records are, what the document calls itself, and which sheet of a workbook is read. */
async function pickOf(
  format: FileFormat | null,
  input: ByteSource,
  options: FileOptions,
  signal: AbortSignal,
): Promise<FoundPlace | null> {
  if (format !== 'xlsx') return format === 'json' ? findPick(input, options, signal) : null;
  const found = await findSheet(input, signal);
  return found === null ? null : { pick: found.isFirst ? null : found.sheet, sheet: found.sheet };
}

function toAnswer(
  feedId: string,
  file: string,
  said: FileFormat | null,
  guess: ImportGuess,
  options: FileOptions,
): FileAnswer {
  const found = Object.assign({}, ...guess.found) as ImportGuess['found'][number] | Record<string, never>;
  const format = said ?? found.format ?? 'json';
  const delimiter = options.delimiter ?? (isTsv(file) ? '\t' : (found.delimiter ?? ','));
  const { id, title, description, language, author, rights, homepage, created_at, fields } = guess.definition;
  return {
    feed_id: feedId,
    format,
    encoding: format === 'xlsx' ? null : (options.encoding ?? found.encoding ?? 'utf-8'),
    delimiter: format === 'csv' ? delimiter : null,
    header: options.header !== false && found.header !== false,
    header_row: options.headerRow ?? found.headerRow ?? null,
    date_format: guess.dateFormat,
    decimal_comma: guess.decimalComma,
    order: guess.order,
    records: guess.records,
    refused: guess.refused,
    map: guess.map,
    key: guess.key,
    definition: { id, title, description, language, author, rights, homepage, created_at, fields },
    columns: guess.columns.map(({ name, field, type, filled, isUnique }) => {
      return { name, field, type, values: filled, unique: isUnique };
    }),
    remarks: guess.remarks,
    first: guess.first,
  };
}

/** How a file is read: what the caller said, and what was found and is not usual. */
export function readingFound(
  file: string,
  answer: FileAnswer,
  { format, formulas, pick, type, missing = [], skipInvalid, ignore = [], withdrawMissing }: FileOptions,
): FileOptions {
  const { encoding, delimiter, header, header_row: headerRow, date_format: dateFormat, order, map, key } = answer;
  const found = {
    ...{ format, formulas, pick, encoding: encoding === 'utf-8' ? null : encoding },
    ...{ delimiter: delimiter === ',' || isTsv(file) ? null : delimiter, headerRow, dateFormat },
    ...{ header: header ? null : false, missing: missing.length === 0 ? null : missing },
    ...{ decimalComma: answer.decimal_comma || null, order, type, map },
    // Where the keys are made of the rows, each file has to hold all of them.
    ...{ key, ignore: ignore.length === 0 ? null : ignore },
    ...{ withdrawMissing: key === 'row' ? (withdrawMissing ?? true) : withdrawMissing, skipInvalid },
  };
  const said = Object.entries(found).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(said) as unknown as FileOptions;
}
