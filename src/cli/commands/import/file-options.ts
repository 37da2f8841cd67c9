// The options of `gazette import` that say how a publisher's file is read: those that stay the same for each new file of a
// register. gazette.json holds them too.
import { type Order, ORDERS } from '../../../register/sources/order.ts';
import { choice, flag, type Options, text } from '../../command.ts';
import { INPUT_FORMATS } from '../../io/input.ts';
import { GUARD, MAP, READING_OPTIONS, type ReadingOptions } from '../../options/reading.ts';

/** How a file is read. */
export interface FileOptions extends Omit<ReadingOptions, 'inputFormulas'> {
  readonly format?: string;
  readonly formulas?: 'guarded' | 'raw';
  readonly map: readonly string[];
  readonly type: readonly string[];
  readonly order?: Order;
  readonly skipInvalid?: true;
}

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
};
