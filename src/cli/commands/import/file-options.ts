// The options of `gazette import` that say how a publisher's file is read: those that stay the same for each new file of a
// register. gazette.json holds them too.
import type { FileOptions } from '../../../import/from-file/file-options.ts';
import { INPUT_FORMATS } from '../../../import/from-file/open-file.ts';
import { ORDERS } from '../../../register/sources/order.ts';
import { choice, flag, type Options, text } from '../../command.ts';
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
  withdrawMissing: flag('withdraw every record that the file does not contain'),
};
