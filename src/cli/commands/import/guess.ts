// `gazette import FEED FILE --guess`: prints how the file can be imported. It opens no store, so the register need not
// exist.
import { GazetteError } from '../../../errors.ts';
import { parseTypes } from '../../../import/fields/said-types.ts';
import { guessImport, type ImportGuess } from '../../../import/guess/guess-import.ts';
import { parseMapping } from '../../../import/mapping/mapping.ts';
import { shellWord } from '../../../import/shell-word.ts';
import type { FileFormat } from '../../../import/readers/file/file-kind.ts';
import type { RecordReader } from '../../../import/readers/raw-record.ts';
import { counted } from '../../../register/counted.ts';
import type { RegisterDefinition, RegisterRecord } from '../../../register/record.ts';
import type { Order } from '../../../register/sources/order.ts';
import { isTsv, openInput, openReader, saidFormat } from '../../io/input.ts';
import { tellFound } from '../../io/notes.ts';
import { printJson } from '../../io/say.ts';
import { READING_OPTIONS, textForms } from '../../options/reading.ts';
import type { Io } from '../../io/io.ts';
import type { FileOptions } from './file-options.ts';

/** The options that a guess uses. */
export interface GuessCommandOptions extends FileOptions {
  readonly json?: true;
}

/** What `--json` prints: schemas/guess.schema.json. */
interface GuessAnswer {
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

/** Prints what can be guessed of a file. @throws GazetteError `usage` for standard input; those of `guessImport()` */
export async function guessFile(
  feedId: string,
  file: string,
  options: GuessCommandOptions,
  io: Io,
  signal: AbortSignal,
): Promise<void> {
  if (file === '-') throw new GazetteError('usage', '--guess reads the file twice: give its name instead of -');
  const said = saidFormat(file, options.format, '--format');
  const keepsFaults = options.skipInvalid ?? false;
  const guard = options.formulas === undefined ? {} : { inputFormulas: options.formulas };
  let reader: RecordReader | null = null;
  const open = (): RecordReader => {
    reader = openReader(
      openInput(file, io),
      { ...options, ...guard, inputFormat: options.format, keepsFaults },
      '--format',
    );
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
  const answer = toAnswer(feedId, file, said, guess, options);
  if (options.json === true) printJson(io, answer);
  else io.stdout.write(toText(file, answer));
}

function toAnswer(
  feedId: string,
  file: string,
  said: FileFormat | null,
  guess: ImportGuess,
  options: GuessCommandOptions,
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
function commandsOf(
  file: string,
  answer: Omit<GuessAnswer, 'commands' | 'first'>,
  { format, formulas, pick }: GuessCommandOptions,
): readonly string[] {
  const { feed_id: feedId, encoding, delimiter, header_row: headerRow, date_format: dateFormat, map } = answer;
  const words = (name: string, value: string | number | null | undefined): readonly string[] =>
    value === null || value === undefined ? [] : [name, String(value)];
  const add = ['gazette', 'register', 'add', feedId, '--definition', definitionName(feedId)];
  const take = [
    ...['gazette', 'import', feedId, file],
    ...words('--format', format),
    ...words('--formulas', formulas),
    ...words(READING_OPTIONS.pick, pick),
    ...words(READING_OPTIONS.encoding, encoding === 'utf-8' ? null : encoding),
    ...words(
      READING_OPTIONS.delimiter,
      delimiter === ',' || isTsv(file) ? null : delimiter === '\t' ? 'tab' : delimiter,
    ),
    ...words(READING_OPTIONS.headerRow, headerRow),
    ...words(READING_OPTIONS.dateFormat, dateFormat),
    ...(answer.decimal_comma ? [READING_OPTIONS.decimalComma] : []),
    ...words('--order', answer.order),
    ...map.flatMap((rule) => ['--map', rule]),
  ];
  return [add, take].map((command) => command.map(shellWord).join(' '));
}

function toText(file: string, answer: GuessAnswer): string {
  const { feed_id: feedId, remarks, definition, commands, first } = answer;
  const parts = [
    describeFile(file, answer),
    describeColumns(answer.columns),
    ...(remarks.length === 0 ? [] : [`Look at this:\n${remarks.map((remark) => `- ${remark}`).join('\n')}`]),
    `The definition, to edit and to keep as ${definitionName(feedId)}:`,
    JSON.stringify(definition, null, 2),
    'The commands, to edit:',
    commands.join('\n'),
    first.length === 0 ? 'No record would be published.' : 'The first records as they would be published:',
    ...first.map((record) => JSON.stringify(record, null, 2)),
  ];
  return `${parts.join('\n\n')}\n`;
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
      return [name, field ?? '', type, `${values.toLocaleString('en-US')}${unique ? ', all different' : ''}`];
    }),
  ];
  const widths = [0, 1, 2].map((at) => Math.max(...rows.map((row) => row[at]!.length)));
  return rows.map((row) => row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  ')).join('\n');
}
