// `gazette export`: a register of the store, or a publisher's records, as one document of a format.
import { GazetteError } from '../../errors.ts';
import { FORMAT_NAMES } from '../../formats/index.ts';
import { ORDERS } from '../../register/sources/order.ts';
import { FEED_ID, choice, type Undescribed, command, flag, flagOf, text, type ValuesOf } from '../command.ts';
import { INPUT_FORMATS } from '../../import/from-file/open-file.ts';
import { REJECTS } from '../io/rejects-file.ts';
import { WRITING_OPTIONS } from '../options/document.ts';
import { filterOption } from '../options/filters.ts';
import { FORMAT_MODULE } from '../options/format-module.ts';
import { GUARD, IGNORE, KEY, MAP, READING_OPTIONS } from '../options/reading.ts';
import { STORE } from '../options/store.ts';
import type { Io } from '../io/io.ts';

/** Those of `export -` alone. */
const FILE_OPTIONS = {
  input: text('<file>', 'the file to read (default: standard input)'),
  inputFormat: text('<name>', `${INPUT_FORMATS.join(', ')} (default: as the file’s name or its content shows)`),
  ...READING_OPTIONS,
  inputFormulas: GUARD,
  map: MAP,
  key: KEY,
  ignore: { ...IGNORE, description: 'columns that are not taken in; repeatable', defaultText: 'none' },
  skipInvalid: flag('skip records that do not fit, and write the others'),
  rejects: REJECTS,
  definition: text(
    '<file>',
    'the register’s definition, a JSON file (default: fields as found in the file, or in the first records of standard input)',
  ),
  observedAt: text(
    '<time>',
    'when the records were observed, unless they say it themselves: a date or an RFC 3339 date-time',
  ),
  feedId: text('<id>', 'the register’s id (default: the definition’s, or "records")'),
  authority: text('<name,year>', 'the authority and year in permanent ids of RSS and Atom, such as example.org,2026'),
  order: choice(
    '<order>',
    'which end of the file is the newest; a file that runs oldest first is reversed, by-date sorts it (default: the order of the file is kept)',
    ORDERS,
  ),
};

const OPTIONS = {
  store: STORE,
  format: text('<name>', `the format to write: ${FORMAT_NAMES.join(', ')}, or the name of a format of --format-module`),
  formatModule: FORMAT_MODULE,
  output: text(
    '<file>',
    'the file to write; it appears complete or not at all, and compressed if its name ends in .gz or .zst (default: standard output)',
  ),
  ...FILE_OPTIONS,
  xsd: flag('print the XML schema (XSD) of these records instead of the records'),
  ...WRITING_OPTIONS,
  filter: filterOption('all records'),
  fields: text('<names>', 'only these fields, with commas between them, such as id,title,data.area (default: all)'),
  writer: choice('<kind>', 'native, or reference to write with another package', ['native', 'reference'], 'native'),
};

/** `gazette export`. */
export const exportCommand: Undescribed = command({
  arguments: [[FEED_ID, 'a register of the store, or - for records of a file or of standard input']],
  options: OPTIONS,
  run: ([feedId], options, { io, signal }) => exportRecords(feedId, options, io, signal),
});

async function exportRecords(
  feedId: string,
  options: ValuesOf<typeof OPTIONS>,
  io: Io,
  signal: AbortSignal,
): Promise<void> {
  if (feedId === '-') {
    const { exportFile } = await import('./export/from-file.ts');
    await exportFile(options, io, signal);
    return;
  }
  for (const name of Object.keys(FILE_OPTIONS) as (keyof typeof FILE_OPTIONS)[]) {
    const given = options[name];
    const isDefault = given === undefined || given === FILE_OPTIONS[name].default;
    if (!isDefault && (!Array.isArray(given) || given.length > 0)) {
      const flag = given === false ? `--no-${name}` : flagOf(name);
      throw new GazetteError('usage', `${flag} is for records of a file: gazette export - --input FILE`);
    }
  }
  const { exportRegisterOfStore } = await import('./export/from-store.ts');
  await exportRegisterOfStore(feedId, options, io, signal);
}
