// How a publisher's file is written. `import`, `export -` and `init` share these options.
import { GazetteError, quote } from '../../errors.ts';
import type { TextFormOptions } from '../../import/mapping/text-forms.ts';
import { choice, flag, type Option, type Options, text } from '../command.ts';

/** How a file is written, as options. */
export interface ReadingOptions {
  readonly pick?: string;
  readonly delimiter?: string;
  readonly encoding?: string;
  readonly headerRow?: number;
  readonly decimalComma?: true;
  readonly dateFormat?: string;
  readonly inputFormulas?: 'guarded' | 'raw';
}

/** How a file is written, but for {@link GUARD}, which commands name differently. */
export const READING_OPTIONS: Options<Omit<ReadingOptions, 'inputFormulas'>> = {
  pick: text(
    '<path>',
    'where the array of records is in a JSON document, such as result.items; for a workbook, the name of the sheet',
  ),
  encoding: text('<name>', 'the encoding of the text, such as windows-1252 or utf-16le (default: found)'),
  delimiter: {
    ...text('<character>', 'the character between the fields of a CSV file, or the word tab (default: found)'),
    read: (value) => (value === 'tab' || value === '\\t' ? '\t' : value),
  },
  headerRow: {
    value: '<number>',
    description: 'the line of a CSV file, or the row of a sheet, with the names of the columns (default: found)',
    default: undefined,
    read: toRow,
  },
  decimalComma: flag('amounts are written as 1.234,56'),
  dateFormat: text('<format>', 'how dates are written, such as DD.MM.YYYY or MM/DD/YYYY; a time may follow'),
};

/**
 * Whether the file's text was guarded. It is `--formulas` of `import`; `export` has `--formulas` for what it writes, and so
 * `--input-formulas` for what it reads.
 */
export const GUARD: Option<'guarded' | 'raw' | undefined> = choice(
  '<kind>',
  'CSV and workbooks: guarded for a file that gazette wrote guarded, whose apostrophes before formulas are removed; ' +
    'raw (the default) reads every text as it is',
  ['guarded', 'raw'],
);

/** `--map`; each time one or several rules. */
export const MAP: Option<readonly string[]> = {
  value: '<field=source,…>',
  description:
    'fill a field from a column, a path (links.0.href) or a template (https://example.org/{number}); repeatable. A field without a rule is filled from ' +
    'the property of the same name',
  default: [],
  defaultText: 'none',
  isList: true,
  read: (one, before) => [...before, one],
};

function toRow(value: string): number {
  if (/^[1-9]\d{0,8}$/.test(value)) return Number(value);
  throw new GazetteError('usage', `--header-row must be a number from 1, got ${quote(value)}`);
}

/** How amounts and dates are written, for the mapping. */
export function textForms({ decimalComma, dateFormat }: ReadingOptions): TextFormOptions {
  return { decimalComma: decimalComma === true, ...(dateFormat === undefined ? {} : { dateFormat }) };
}
