// The options that say how a publisher's file is written. `import` and `export -` share them.
import { type Command, Option } from 'commander';
import { GazetteError, quote } from '../../errors.ts';
import type { TextFormOptions } from '../../import/mapping/text-forms.ts';

/** The options as commander gives them. */
export interface ReadingOptions {
  readonly pick?: string;
  readonly delimiter?: string;
  readonly encoding?: string;
  readonly headerRow?: number;
  readonly decimalComma?: true;
  readonly dateFormat?: string;
  readonly inputFormulas?: 'guarded' | 'raw';
}

/** The options as users write them. */
export const READING_OPTIONS = {
  pick: '--pick',
  delimiter: '--delimiter',
  encoding: '--encoding',
  headerRow: '--header-row',
  decimalComma: '--decimal-comma',
  dateFormat: '--date-format',
  inputFormulas: '--input-formulas',
} as const;

/** Adds the options to a command. */
export function addReadingOptions(command: Command): void {
  command
    .option(
      '--pick <path>',
      'where the array of records is in a JSON document, such as result.items; for a workbook, the name of the sheet',
    )
    .option('--encoding <name>', 'the encoding of the text, such as windows-1252 or utf-16le (default: found)')
    .addOption(
      new Option(
        '--delimiter <character>',
        'the character between the fields of a CSV file, or the word tab (default: found)',
      ).argParser((value) => (value === 'tab' || value === '\\t' ? '\t' : value)),
    )
    .addOption(
      new Option(
        '--header-row <number>',
        'the line of a CSV file, or the row of a sheet, with the names of the columns (default: found)',
      ).argParser(toRow),
    )
    .option('--decimal-comma', 'amounts are written as 1.234,56')
    .option('--date-format <format>', 'how dates are written, such as DD.MM.YYYY or MM/DD/YYYY; a time may follow');
}

function toRow(value: string): number {
  if (/^[1-9]\d{0,8}$/.test(value)) return Number(value);
  throw new GazetteError('usage', `--header-row must be a number from 1, got ${quote(value)}`);
}

/**
 * The option that says whether the file's text was guarded. `export` has `--formulas` for what it writes, and so needs
 * another flag for what it reads.
 */
export function guardOption(flag: '--formulas' | '--input-formulas'): Option {
  return new Option(
    `${flag} <kind>`,
    'CSV and workbooks: guarded for a file that gazette wrote guarded, whose apostrophes before formulas are removed; ' +
      'raw (the default) reads every text as it is',
  ).choices(['guarded', 'raw']);
}

/** How amounts and dates are written, for the mapping. */
export function textForms({ decimalComma, dateFormat }: ReadingOptions): TextFormOptions {
  return { decimalComma: decimalComma === true, ...(dateFormat === undefined ? {} : { dateFormat }) };
}
