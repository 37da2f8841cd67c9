// `gazette import FEED FILE --guess`: prints how the file can be imported. It opens no store, so the register need not
// exist.
import { GazetteError, quote } from '../../../errors.ts';
import type { FileOptions } from '../../../import/from-file/file-options.ts';
import { type ColumnAnswer, type FileAnswer, guessOf, readingFound } from '../../../import/from-file/guess-file.ts';
import { openFile } from '../../../import/from-file/open-file.ts';
import { shellWord } from '../../../import/shell-word.ts';
import { escapeInvisible } from '../../../invisible.ts';
import { counted } from '../../../register/counted.ts';
import { type Given, memberOf } from '../../command.ts';
import type { Io } from '../../io/io.ts';
import { tellFound } from '../../io/notes.ts';
import { printJson } from '../../io/say.ts';
import { isAddress } from './places.ts';

/** The options that a guess uses. */
export interface GuessCommandOptions extends FileOptions {
  readonly json?: true;
}

/** What `--json` prints: schemas/guess.schema.json. */
interface GuessAnswer extends FileAnswer {
  readonly commands: readonly string[];
}

/** Prints what can be guessed of a file. @throws GazetteError `usage` for standard input; those of {@link guessOf} */
export async function guessFile(
  feedId: string,
  file: string,
  options: GuessCommandOptions,
  io: Io,
  signal: AbortSignal,
): Promise<void> {
  if (file === '-' || isAddress(file))
    throw new GazetteError('usage', `--guess reads the file twice: give its name instead of ${quote(file)}`);
  const guessed = await guessOf(feedId, file, options, guessing(file, io, signal));
  const { first, ...known } = guessed.answer;
  const answer = { ...known, commands: commandsOf(file, guessed.answer, guessed.options), first };
  if (options.json === true) printJson(io, answer);
  else io.stdout.write(toText(file, answer));
}

/** Where a command guesses a file. */
export function guessing(file: string, io: Io, signal: AbortSignal): Parameters<typeof guessOf>[3] {
  const onUnread: Parameters<typeof guessOf>[3]['onUnread'] = (found) => {
    tellFound(found, io.stderr);
  };
  return { input: () => openFile(file), signal, onUnread };
}

function definitionName(feedId: string): string {
  return `${feedId}.definition.json`;
}

/** The commands that import the file as was guessed, as a shell takes them. */
function commandsOf(file: string, answer: FileAnswer, options: FileOptions): readonly string[] {
  const { id: feedId } = answer.definition;
  const add = ['gazette', 'register', 'add', feedId, '--definition', definitionName(feedId)];
  const words = Object.entries(membersOf(readingFound(file, answer, options))).flatMap(([member, value]) => {
    const flag = `--${value === false ? 'no-' : ''}${member.replaceAll('_', '-')}`;
    if (typeof value === 'boolean') return [flag];
    if (member === 'missing') return [flag, [value].flat().join(',')];
    return [value].flat().flatMap((one) => [flag, one === '\t' ? 'tab' : String(one)]);
  });
  const take = ['gazette', 'import', feedId, file, ...words];
  return [add, take].map((command) => command.map(shellWord).join(' '));
}

/** How a file is read, as members of gazette.json. */
export function membersOf({ type, ignore, ...others }: FileOptions): Readonly<Record<string, Given>> {
  const said: Partial<FileOptions> = {
    ...others,
    ...(type.length > 0 && { type }),
    ...(ignore !== undefined && { ignore: ignore.map((name) => name.replaceAll(',', '\\,')) }),
  };
  return Object.fromEntries(Object.entries(said).map(([name, value]) => [memberOf(name), value]));
}

function toText(file: string, answer: GuessAnswer): string {
  const { definition, commands } = answer;
  const { id: feedId } = definition;
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
export function describeFound(file: string, answer: FileAnswer): string {
  const { remarks, columns } = answer;
  const parts = [
    describeFile(file, answer),
    describeColumns(columns),
    ...(remarks.length === 0 ? [] : [`Look at this:\n${remarks.map((remark) => `- ${remark}`).join('\n')}`]),
  ];
  return parts.join('\n\n');
}

/** The first records as they would be published. */
export function describeFirst({ first }: FileAnswer): string {
  const title = first.length === 0 ? 'No record would be published.' : 'The first records as they would be published:';
  return [title, ...first.map((record) => JSON.stringify(record, null, 2))].join('\n\n');
}

function describeFile(file: string, answer: FileAnswer): string {
  const { records, encoding, delimiter, header_row: headerRow, date_format: dateFormat, order } = answer;
  const facts = [
    counted(records, 'record'),
    ...(encoding === null ? [] : [`encoding ${encoding}`]),
    ...(delimiter === null ? [] : [`delimiter ${delimiter === '\t' ? 'tab' : delimiter}`]),
    ...(answer.header ? [] : ['no header']),
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
