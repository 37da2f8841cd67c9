// `gazette import FEED FILE --guess`: prints how the file can be imported. It opens no store, so the register need not
// exist.
import { GazetteError, quote } from '../../../errors.ts';
import { parseTypes } from '../../../import/fields/said-types.ts';
import { findPick, findSheet } from '../../../import/guess/find-pick.ts';
import { guessImport, type ImportGuess } from '../../../import/guess/guess-import.ts';
import { parseMapping } from '../../../import/mapping/mapping.ts';
import { shellWord } from '../../../import/shell-word.ts';
import type { ByteSource } from '../../../import/readers/byte-source.ts';
import type { FileFormat } from '../../../import/readers/file/file-kind.ts';
import type { RecordReader } from '../../../import/readers/raw-record.ts';
import { escapeInvisible } from '../../../invisible.ts';
import { counted } from '../../../register/counted.ts';
import type { RegisterDefinition, RegisterRecord } from '../../../register/record.ts';
import type { Order } from '../../../register/sources/order.ts';
import { isTsv, openInput, openReader, chosenFormat } from '../../io/input.ts';
import { tellFound } from '../../io/notes.ts';
import { printJson } from '../../io/say.ts';
import { textForms } from '../../options/reading.ts';
import type { Io } from '../../io/io.ts';
import type { FileOptions } from './file-options.ts';

/** The options that a guess uses. */
export interface GuessCommandOptions extends FileOptions {
  readonly json?: true;
}

/** What `--json` prints: schemas/guess.schema.json. */
export interface GuessAnswer {
  readonly feed_id: string;
  readonly format: FileFormat;
  readonly encoding: string | null;
  readonly delimiter: string | null;
  readonly header_row: number | null;
  readonly date_format: string | null;
  readonly decimal_comma: boolean;
  readonly order: Order;
  readonly records: number;
  readonly refused: number;
  readonly map: readonly string[];
  readonly definition: DefinitionToEdit;
  readonly columns: readonly ColumnAnswer[];
  readonly remarks: readonly string[];
  readonly commands: readonly string[];
  readonly first: readonly RegisterRecord[];
}

interface ColumnAnswer {
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
  readonly answer: GuessAnswer;
  /** The options, with the path of the records if it was found. */
  readonly options: FileOptions;
}

/** Prints what can be guessed of a file. @throws GazetteError `usage` for standard input; those of {@link guessOf} */
export async function guessFile(
  feedId: string,
  file: string,
  options: GuessCommandOptions,
  io: Io,
  signal: AbortSignal,
): Promise<void> {
  if (file === '-') throw new GazetteError('usage', '--guess reads the file twice: give its name instead of -');
  const { answer } = await guessOf(feedId, file, options, io, signal);
  if (options.json === true) printJson(io, answer);
  else io.stdout.write(toText(file, answer));
}

/**
 * What can be guessed of a file.
 *
 * @param options what the caller says is not guessed
 * @throws GazetteError those of `guessImport()`
 */
export async function guessOf(
  feedId: string,
  file: string,
  options: FileOptions,
  io: Io,
  signal: AbortSignal,
): Promise<FileGuess> {
  const said = chosenFormat(file, options.format, '--format');
  const pick = options.pick === undefined ? await pickOf(said, openInput(file, io), options, signal) : null;
  const known = pick === null ? options : { ...options, pick };
  const keepsFaults = options.skipInvalid ?? false;
  const guard = options.formulas === undefined ? {} : { inputFormulas: options.formulas };
  let reader: RecordReader | null = null;
  const open = (): RecordReader => {
    const reading = { ...known, ...guard, inputFormat: options.format, keepsFaults };
    reader = openReader(openInput(file, io), reading, '--format');
    return reader;
  };
  const guess = await guessImport(open, {
    feedId,
    mapping: parseMapping(options.map),
    types: parseTypes(options.type),
    ...textForms(options),
    ...(options.order === undefined ? {} : { order: options.order }),
    signal,
  }).catch((error: unknown) => {
    // Why the file is refused may be in what was found: a cover sheet was read, not the table.
    tellFound(reader?.notes?.() ?? [], io.stderr);
    throw error;
  });
  const remarks = pick === null ? [] : [`the records are those of ${quote(pick)}; say others with --pick`];
  const answer = toAnswer(feedId, file, said, { ...guess, remarks: [...remarks, ...guess.remarks] }, known);
  return { answer, options: known };
}

/** Where the records are; null where no path or sheet has to be named. */
async function pickOf(
  format: FileFormat | null,
  input: ByteSource,
  options: FileOptions,
  signal: AbortSignal,
): Promise<string | null> {
  if (format === 'json') return findPick(input, options, signal);
  return format === 'xlsx' ? findSheet(input, signal) : null;
}

function toAnswer(
  feedId: string,
  file: string,
  said: FileFormat | null,
  guess: ImportGuess,
  options: FileOptions,
): GuessAnswer {
  const found = Object.assign({}, ...guess.found) as ImportGuess['found'][number] | Record<string, never>;
  const format = said ?? found.format ?? 'json';
  const delimiter = options.delimiter ?? (isTsv(file) ? '\t' : (found.delimiter ?? ','));
  const { id, title, description, language, author, rights, homepage, created_at, fields } = guess.definition;
  const answer = {
    feed_id: feedId,
    format,
    encoding: format === 'xlsx' ? null : (options.encoding ?? found.encoding ?? 'utf-8'),
    delimiter: format === 'csv' ? delimiter : null,
    header_row: options.headerRow ?? found.headerRow ?? null,
    date_format: guess.dateFormat,
    decimal_comma: guess.decimalComma,
    order: guess.order,
    records: guess.records,
    refused: guess.refused,
    map: guess.map,
    definition: { id, title, description, language, author, rights, homepage, created_at, fields },
    columns: guess.columns.map(({ name, field, type, filled, isUnique }) => {
      return { name, field, type, values: filled, unique: isUnique };
    }),
    remarks: guess.remarks,
  };
  return { ...answer, commands: commandsOf(file, answer, options), first: guess.first };
}

function definitionName(feedId: string): string {
  return `${feedId}.definition.json`;
}

/** The commands that import the file as was guessed, as a shell takes them. */
function commandsOf(file: string, answer: FoundReading, options: FileOptions): readonly string[] {
  const { feed_id: feedId } = answer;
  const add = ['gazette', 'register', 'add', feedId, '--definition', definitionName(feedId)];
  const words = Object.entries(readingFound(file, answer, options)).flatMap(([member, value]) => {
    const flag = `--${member.replaceAll('_', '-')}`;
    if (value === true) return [flag];
    return [value].flat().flatMap((one) => [flag, one === '\t' ? 'tab' : String(one)]);
  });
  const take = ['gazette', 'import', feedId, file, ...words];
  return [add, take].map((command) => command.map(shellWord).join(' '));
}

/** What a guess says of how a file is read. */
type FoundReading = Omit<GuessAnswer, 'commands' | 'first'>;

/** How a file is read, as members of gazette.json: what the caller said, and what was found and is not usual. */
export function readingFound(
  file: string,
  answer: FoundReading,
  { format, formulas, pick, type, skipInvalid }: FileOptions,
): Readonly<Record<string, string | number | boolean | readonly string[]>> {
  const { encoding, delimiter, header_row, date_format, decimal_comma, order, map } = answer;
  const members = {
    ...{ format, formulas, pick, encoding: encoding === 'utf-8' ? null : encoding },
    ...{ delimiter: delimiter === ',' || isTsv(file) ? null : delimiter, header_row, date_format },
    ...{ decimal_comma: decimal_comma || null, order, type: type.length === 0 ? null : type, map },
    skip_invalid: skipInvalid,
  };
  const said = Object.entries(members).flatMap(([name, value]) =>
    value === null || value === undefined ? [] : [[name, value] as const],
  );
  return Object.fromEntries(said);
}

function toText(file: string, answer: GuessAnswer): string {
  const { feed_id: feedId, definition, commands } = answer;
  const parts = [
    describeFound(file, answer),
    `The definition, to edit and to keep as ${definitionName(feedId)}:`,
    JSON.stringify(definition, null, 2),
    'The commands, to edit:',
    commands.join('\n'),
    describeFirst(answer),
  ];
  return `${parts.join('\n\n')}\n`;
}

/** What was found in the file, and what a person should look at. */
export function describeFound(file: string, answer: GuessAnswer): string {
  const { remarks, columns } = answer;
  const parts = [
    describeFile(file, answer),
    describeColumns(columns),
    ...(remarks.length === 0 ? [] : [`Look at this:\n${remarks.map((remark) => `- ${remark}`).join('\n')}`]),
  ];
  return parts.join('\n\n');
}

/** The first records as they would be published. */
export function describeFirst({ first }: GuessAnswer): string {
  const title = first.length === 0 ? 'No record would be published.' : 'The first records as they would be published:';
  return [title, ...first.map((record) => JSON.stringify(record, null, 2))].join('\n\n');
}

function describeFile(file: string, answer: GuessAnswer): string {
  const { records, encoding, delimiter, header_row: headerRow, date_format: dateFormat, order } = answer;
  const facts = [
    counted(records, 'record'),
    ...(encoding === null ? [] : [`encoding ${encoding}`]),
    ...(delimiter === null ? [] : [`delimiter ${delimiter === '\t' ? 'tab' : delimiter}`]),
    ...(headerRow === null ? [] : [`header in ${answer.format === 'csv' ? 'line' : 'row'} ${headerRow}`]),
    ...(dateFormat === null ? [] : [`dates as ${dateFormat}`]),
    ...(answer.decimal_comma ? ['amounts with a decimal comma'] : []),
    `order ${order}`,
  ];
  return `${file}: ${facts.join(', ')}`;
}

function describeColumns(columns: readonly ColumnAnswer[]): string {
  const rows = [
    ['column', 'field', 'type', 'values'],
    ...columns.map(({ name, field, type, values, unique }) => {
      // Names in workbooks have line ends.
      const shown = escapeInvisible(name.replaceAll(/[\s\p{Cc}]+/gu, ' '));
      return [shown, field ?? '', type, `${values.toLocaleString('en-US')}${unique ? ', all different' : ''}`];
    }),
  ];
  const widths = [0, 1, 2].map((at) => Math.max(...rows.map((row) => row[at]!.length)));
  return rows.map((row) => row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  ')).join('\n');
}
