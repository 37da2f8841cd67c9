// How a publisher's file is written. `import`, `export -` and `init` share these options.
import { GazetteError, quote } from '../../errors.ts';
import { shellWord } from '../../import/shell-word.ts';
import type { ReadingOptions } from '../../import/from-file/file-options.ts';
import { choice, flag, type Option, type Options, text, unless } from '../command.ts';

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
  header: unless('the first row of a CSV file or a sheet is a record: the columns are called by their letters'),
  decimalComma: flag('amounts are written as 1.234,56'),
  missing: {
    value: '<word,…>',
    description:
      'words that mean no value in fields of numbers, dates and addresses, besides -, .., n/a, NA, NaN, NULL and k. A.; repeatable',
    default: [],
    defaultText: 'none',
    isList: true,
    read: (words, before = []) => [...before, ...words.split(',').map((word) => word.trim())],
  },
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

/** `--key`. Columns that identify a record are said with {@link MAP}, as every other source is. */
export const KEY: Option<'row' | undefined> = {
  value: '<row>',
  description:
    'row: the key of each record is made of its row, for a file without columns that identify a record; a corrected row is ' +
    'then a withdrawal and a new record (default: --map id=SOURCE, or the property id, has the key)',
  default: undefined,
  choices: ['row'],
  read: (value) => {
    if (value === 'row') return value;
    const names = value.split(',').map((name) => name.trim());
    const source = names.length === 1 ? value : names.map((name) => `{${name}}`).join('-');
    throw new GazetteError('usage', `--key takes row; say columns with --map ${shellWord(`id=${source}`)}`);
  },
};

/** `--ignore`; a comma that is part of a name is written `\\,`. */
export const IGNORE: Option<readonly string[] | undefined> = {
  value: '<column,…>',
  description:
    'columns that are not taken in, such as a time of download: a record that differs only in them has not changed; kept ' +
    'with the register; repeatable',
  default: undefined,
  defaultText: 'as for the import before',
  isList: true,
  read: (names, before = []) => [
    ...before,
    ...names
      .split(/(?<!\\),/)
      .map((name) => name.replaceAll('\\,', ',').trim())
      .filter((name) => name !== ''),
  ],
};

function toRow(value: string): number {
  if (/^[1-9]\d{0,8}$/.test(value)) return Number(value);
  throw new GazetteError('usage', `--header-row must be a number from 1, got ${quote(value)}`);
}
