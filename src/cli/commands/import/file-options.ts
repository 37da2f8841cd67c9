// The options of `gazette import` that say how a publisher's file is read: those that stay the same for each new file of a
// register. gazette.json holds them too.
import { type Command, Option } from 'commander';
import { type Order, ORDERS } from '../../../register/sources/order.ts';
import { INPUT_FORMATS } from '../../io/input.ts';
import { mapOption, typeOption } from '../../options/map.ts';
import { addReadingOptions, guardOption, type ReadingOptions } from '../../options/reading.ts';

/** The options as commander gives them. */
export interface FileOptions extends ReadingOptions {
  readonly format?: string;
  readonly formulas?: 'guarded' | 'raw';
  readonly map: readonly string[];
  readonly type: readonly string[];
  readonly order?: Order;
  readonly skipInvalid?: true;
}

/** Adds the options to a command. */
export function addFileOptions(command: Command): Command {
  command.option('--format <name>', `${INPUT_FORMATS.join(', ')} (default: as the file’s name or its content shows)`);
  addReadingOptions(command);
  return command
    .addOption(guardOption('--formulas'))
    .addOption(mapOption())
    .addOption(typeOption())
    .addOption(
      new Option(
        '--order <order>',
        'which end of the file is the newest, or by-date to sort by publication date, records without one first ' +
          '(default: as for the import before, else as the dates show)',
      ).choices(ORDERS),
    )
    .option('--skip-invalid', 'skip records that do not fit, and import the others');
}
