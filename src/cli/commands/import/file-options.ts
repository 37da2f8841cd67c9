// The options of `gazette import` that say how a publisher's file is read: those that stay the same for each new file of a
// register. gazette.json holds them too, and a register keeps those that were chosen at the desk.
import type { FileOptions } from '../../../import/from-file/file-options.ts';
import { keptReading, otherwise } from '../../../import/from-file/kept-reading.ts';
import { INPUT_FORMATS, type Input, openReader } from '../../../import/from-file/open-file.ts';
import type { RecordReader } from '../../../import/readers/raw-record.ts';
import { ORDERS } from '../../../register/sources/order.ts';
import type { RegisterStore } from '../../../stores/contract/registers.ts';
import { choice, flag, type Options, orNone, text } from '../../command.ts';
import type { Io } from '../../io/io.ts';
import { say } from '../../io/say.ts';
import { GUARD, IGNORE, KEY, MAP, READING_OPTIONS } from '../../options/reading.ts';

/** How a file is read. */
export const FILE_OPTIONS: Options<FileOptions> = {
  format: text('<name>', `${INPUT_FORMATS.join(', ')} (default: as the file’s name or its content shows)`),
  ...READING_OPTIONS,
  formulas: GUARD,
  map: MAP,
  type: {
    ...MAP,
    value: '<field=type,…>',
    description:
      'the type of a field of a register whose fields this import finds, instead of the type that all its values fit; repeatable',
    defaultText: 'found',
  },
  order: choice(
    '<order>',
    'which end of the file is the newest, or by-date to sort by publication date, records without one first ' +
      '(default: as for the import before, else as the dates show)',
    ORDERS,
  ),
  skipInvalid: flag('skip records that do not fit, and import the others'),
  key: KEY,
  ignore: IGNORE,
  withdrawMissing: orNone(
    flag('withdraw every record that the file does not contain'),
    'keep them, where withdrawing was chosen at the desk or in gazette.json',
  ),
};

/** Opens a file. @throws GazetteError `usage` */
export function readerOf(input: Input, { format, formulas, ...others }: FileOptions): RecordReader {
  const guard = formulas === undefined ? {} : { inputFormulas: formulas };
  return openReader(
    input,
    { ...others, ...guard, inputFormat: format, keepsFaults: others.skipInvalid === true },
    '--format',
  );
}

/** How a file is read where editors chose it for its register, and options do not say it otherwise, which is told. Null: they did not. */
export async function asKept(
  { imports }: RegisterStore,
  feedId: string,
  options: FileOptions,
  io: Io,
): Promise<FileOptions | null> {
  const { reading } = await imports.basis(feedId);
  if (reading === null) return null;
  const given = Object.keys(FILE_OPTIONS).map((name) => [name, options[name as keyof FileOptions]] as const);
  const isSaid = (value: unknown): boolean => value !== undefined && !(Array.isArray(value) && value.length === 0);
  say(io, 'the file is read as was chosen for this register at the desk; what an option says is read so');
  return otherwise(keptReading(reading), Object.fromEntries(given.filter(([, value]) => isSaid(value))));
}
