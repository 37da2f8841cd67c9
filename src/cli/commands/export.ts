// `gazette export`: a register of the store, or a publisher's records, as one document of a format.
import { type Command, Option } from 'commander';
import { GazetteError } from '../../errors.ts';
import { FORMAT_NAMES } from '../../formats/index.ts';
import { ORDERS } from '../../register/order.ts';
import { exportFile, type FileExportOptions } from './export/from-file.ts';
import { exportRegisterOfStore } from './export/from-store.ts';
import { INPUT_FORMATS } from '../io/input.ts';
import { formatModuleOption } from '../options/format-module.ts';
import { mapOption } from '../options/map.ts';
import { storeOption, type StoreOptions } from '../options/store.ts';

/** The command's options as commander gives them. */
type ExportOptions = FileExportOptions & StoreOptions;

/** Adds `gazette export` to the program. */
export function addExport(program: Command, signal: AbortSignal): void {
  program
    .command('export')
    .description('Writes records as one file: CSV, XLSX, XML, RSS, Atom or NDJSON.')
    .argument('<feed_id>', 'a register of the store; - for records from a file or standard input')
    .addOption(storeOption())
    .option('--format <name>', `what to write: ${FORMAT_NAMES.join(', ')}, or the name of a format of --format-module`)
    .addOption(formatModuleOption())
    .option('--output <file>', 'where to write it: whole or not at all (default: standard output)')
    .option('--input <file>', 'where the records are (default: standard input)')
    .option('--input-format <name>', `${INPUT_FORMATS.join(', ')} (default: by the file’s name, else json)`)
    .option('--pick <path>', 'where the array of records is in JSON, such as result.items; the sheet of a workbook')
    .option('--delimiter <character>', 'what stands between the fields of CSV (default: a comma)')
    .addOption(mapOption())
    .option('--definition <file>', 'the register’s definition, JSON (default: fields as found in the first records)')
    .option('--observed-at <time>', 'when records that do not say it were observed: a date or RFC 3339 date-time')
    .option('--feed-id <id>', 'the register’s id (default: the definition’s, else "records")')
    .option('--authority <name,year>', 'what permanent ids in RSS and Atom are made of, such as example.org,2026')
    .addOption(
      new Option(
        '--order <order>',
        'which end of the file is the newest; what runs oldest first is turned round (default: written as it comes)',
      ).choices(ORDERS),
    )
    .option('--xsd', 'print the schema that the XML of these records validates against, instead of the records')
    .option('--document-type <type>', 'only records of this document type')
    .option('--facility-id <id>', 'only records of this facility')
    .addOption(new Option('--writer <kind>', 'native or reference').default('native').choices(['native', 'reference']))
    .action((feedId: string, options: ExportOptions) => exportRecords(feedId, options, signal));
}

async function exportRecords(feedId: string, options: ExportOptions, signal: AbortSignal): Promise<void> {
  if (feedId === '-') {
    await exportFile(options, signal);
    return;
  }
  for (const [name, value] of Object.entries(FILE_ONLY)) {
    const given = options[name as keyof typeof FILE_ONLY];
    if (given !== undefined && (!Array.isArray(given) || given.length > 0)) {
      throw new GazetteError('usage', `${value} applies to records of a file: gazette export - --input FILE`);
    }
  }
  await exportRegisterOfStore(feedId, options, signal);
}

/** The options of `export -` alone, as people write them. */
const FILE_ONLY = {
  input: '--input',
  inputFormat: '--input-format',
  pick: '--pick',
  delimiter: '--delimiter',
  map: '--map',
  definition: '--definition',
  observedAt: '--observed-at',
  feedId: '--feed-id',
  authority: '--authority',
  order: '--order',
} as const;
