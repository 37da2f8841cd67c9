// `gazette export`: a register of the store, or a publisher's records, as one document of a format.
import { type Command, Option } from 'commander';
import { GazetteError } from '../../errors.ts';
import { FORMAT_NAMES } from '../../formats/index.ts';
import { ORDERS } from '../../register/sources/order.ts';
import type { FileExportOptions } from './export/from-file.ts';
import { INPUT_FORMATS } from '../io/input.ts';
import { addWritingOptions } from '../options/document.ts';
import { filterOption } from '../options/filters.ts';
import { formatModuleOption } from '../options/format-module.ts';
import { mapOption } from '../options/map.ts';
import { addReadingOptions, guardOption, READING_OPTIONS } from '../options/reading.ts';
import { storeOption, type StoreOptions } from '../options/store.ts';
import type { Io } from '../io/io.ts';

/** The command's options as commander gives them. */
type ExportOptions = FileExportOptions & StoreOptions;

/** Adds `gazette export` to the program. */
export function addExport(program: Command, io: Io, signal: AbortSignal): void {
  const command = program
    .command('export')
    .description('Write a register, or the records of a file, as CSV, XLSX, XML, RSS, Atom or NDJSON.')
    .argument('<feed_id>', 'a register of the store, or - for records of a file or of standard input')
    .addOption(storeOption())
    .option(
      '--format <name>',
      `the format to write: ${FORMAT_NAMES.join(', ')}, or the name of a format of --format-module`,
    )
    .addOption(formatModuleOption())
    .option(
      '--output <file>',
      'the file to write; it appears complete or not at all, and compressed if its name ends in .gz or .zst (default: standard output)',
    )
    .option('--input <file>', 'the file to read (default: standard input)')
    .option('--input-format <name>', `${INPUT_FORMATS.join(', ')} (default: as the file’s name or its content shows)`);
  addReadingOptions(command);
  command
    .addOption(guardOption('--input-formulas'))
    .addOption(mapOption())
    .option(
      '--definition <file>',
      'the register’s definition, a JSON file (default: fields as found in the file, or in the first records of standard input)',
    )
    .option(
      '--observed-at <time>',
      'when the records were observed, unless they say it themselves: a date or an RFC 3339 date-time',
    )
    .option('--feed-id <id>', 'the register’s id (default: the definition’s, or "records")')
    .option(
      '--authority <name,year>',
      'the authority and year in permanent ids of RSS and Atom, such as example.org,2026',
    )
    .addOption(
      new Option(
        '--order <order>',
        'which end of the file is the newest; a file that runs oldest first is reversed, by-date sorts it (default: the order of the file is kept)',
      ).choices(ORDERS),
    )
    .option('--xsd', 'print the XML schema (XSD) of these records instead of the records');
  addWritingOptions(command);
  command
    .addOption(filterOption('all records'))
    .option(
      '--fields <names>',
      'only these fields, with commas between them, such as id,title,data.area (default: all)',
    );
  command
    .addOption(
      new Option('--writer <kind>', 'native, or reference to write with another package')
        .default('native')
        .choices(['native', 'reference']),
    )
    .action((feedId: string, options: ExportOptions) => exportRecords(feedId, options, io, signal));
}

async function exportRecords(feedId: string, options: ExportOptions, io: Io, signal: AbortSignal): Promise<void> {
  if (feedId === '-') {
    const { exportFile } = await import('./export/from-file.ts');
    await exportFile(options, io, signal);
    return;
  }
  for (const [name, value] of Object.entries(FILE_ONLY)) {
    const given = options[name as keyof typeof FILE_ONLY];
    if (given !== undefined && (!Array.isArray(given) || given.length > 0)) {
      throw new GazetteError('usage', `${value} is for records of a file: gazette export - --input FILE`);
    }
  }
  const { exportRegisterOfStore } = await import('./export/from-store.ts');
  await exportRegisterOfStore(feedId, options, io, signal);
}

/** The options of `export -` only, as users write them. */
const FILE_ONLY = {
  input: '--input',
  inputFormat: '--input-format',
  ...READING_OPTIONS,
  map: '--map',
  definition: '--definition',
  observedAt: '--observed-at',
  feedId: '--feed-id',
  authority: '--authority',
  order: '--order',
} as const;
