// The dialect of a CSV file: its options, in csv-stringify's names, and their checks; and what its Table Schema says of types that Table
// Schema has no name for, so that what reads it makes the same fields again.
import { GazetteError, quote } from '../errors.ts';
import type { FieldType } from '../register/record.ts';
import type { FormatOptions } from './format.ts';

/** The dialect of a CSV file. */
export interface CsvOptions extends FormatOptions {
  /**
   * The delimiter between fields: one character, default `,`. Not allowed are A to Z, a to z, digits, `"`, `+`, `-`,
   * `.`, NUL, line ends and characters that UTF-8 cannot carry, because numbers and quotes would become ambiguous.
   */
  readonly delimiter?: string;
  /** Whether the file begins with U+FEFF, so that Excel recognises UTF-8. Default false, as in RFC 4180. */
  readonly bom?: boolean;
  /** The line end after each record. Default CRLF (RFC 4180 2.1). */
  readonly record_delimiter?: '\r\n' | '\n' | '\r';
  /** Whether every field except null is quoted. Default false: only fields that need quotes. */
  readonly quoted?: boolean;
  /** `guard`, the default, puts `'` before text that a spreadsheet would run; `raw` writes it unchanged. */
  readonly formulas?: 'guard' | 'raw';
}

/** A checked dialect in which every option has a value. */
export type CsvDialect = Readonly<Required<Omit<CsvOptions, 'report'>>>;

/** The default of each option. */
export const DEFAULT_DIALECT: CsvDialect = {
  delimiter: ',',
  bom: false,
  record_delimiter: '\r\n',
  quoted: false,
  formulas: 'guard',
};

// Characters of numbers, booleans and quoted fields, line ends, and characters that do not survive the writer or UTF-8.
const NO_DELIMITER = /^[\dA-Za-z"+\-.\0\r\n\ud800-\udfff\ufeff\ufffd]$/;

/**
 * Fills in the defaults of a dialect.
 *
 * @throws GazetteError `invalid_option`, naming the option, the allowed values and the given one.
 */
export function csvDialect(options: CsvOptions = {}): CsvDialect {
  const dialect: CsvDialect = {
    delimiter: options.delimiter ?? DEFAULT_DIALECT.delimiter,
    bom: options.bom ?? DEFAULT_DIALECT.bom,
    record_delimiter: options.record_delimiter ?? DEFAULT_DIALECT.record_delimiter,
    quoted: options.quoted ?? DEFAULT_DIALECT.quoted,
    formulas: options.formulas ?? DEFAULT_DIALECT.formulas,
  };
  check(
    'delimiter',
    'one character, none of A to Z, a to z, 0 to 9, quote, NUL, line end, "+", "-" or "."',
    dialect.delimiter,
    (value) => typeof value === 'string' && value.length === 1 && !NO_DELIMITER.test(value),
  );
  check('bom', 'true or false', dialect.bom, (value) => typeof value === 'boolean');
  check(
    'record_delimiter',
    'CRLF, LF or CR',
    dialect.record_delimiter,
    (value) => value === '\r\n' || value === '\n' || value === '\r',
  );
  check('quoted', 'true or false', dialect.quoted, (value) => typeof value === 'boolean');
  check('formulas', '"guard" or "raw"', dialect.formulas, (value) => value === 'guard' || value === 'raw');
  return dialect;
}

function check(option: string, expected: string, value: unknown, fits: (value: unknown) => boolean): void {
  if (!fits(value)) {
    throw new GazetteError('invalid_option', `csv option ${option} must be ${expected}, got ${quote(value)}`, {
      details: { option },
    });
  }
}

/** The classes of such types, which a field's `rdfType` names. */
export const EXACT_TYPES: readonly { readonly type: FieldType; readonly uri: string }[] = [
  { type: 'number', uri: 'http://www.w3.org/2001/XMLSchema#double' },
  { type: 'datetime', uri: 'http://www.w3.org/2001/XMLSchema#dateTime' },
  { type: 'url', uri: 'http://www.w3.org/2001/XMLSchema#anyURI' },
  { type: 'json', uri: 'http://www.w3.org/1999/02/22-rdf-syntax-ns#JSON' },
];

/** The value of a resource's `formulas` where its texts have the mark of the formula guard. */
export const GUARDED = 'guarded';
