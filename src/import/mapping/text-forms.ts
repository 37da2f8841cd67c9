// How amounts and dates are written in a file, where it is not as in JSON and RFC 3339, and words for no value.
import type { FieldType } from '../../register/record.ts';
import { repairUrl } from '../../register/url.ts';
import { compileDateFormat, type DateFormat, parseDate } from './parse-date.ts';
import { parseDecimal, parseGrouped } from './parse-decimal.ts';

/** How a publisher writes amounts and dates. */
export interface TextFormOptions {
  /** Whether amounts have a decimal comma: `1.234,56`. Default false. */
  readonly decimalComma?: boolean;
  /**
   * The form of dates: `DD.MM.YYYY`, `MM/DD/YYYY`; see `--date-format`. Dates in RFC 3339 are read as well. Default: RFC
   * 3339 alone.
   */
  readonly dateFormat?: string;
  /**
   * Words that mean no value where a field is of numbers, dates, booleans or addresses, besides signs such as `-` and `..`,
   * `n/a`, `NA`, `NaN`, `NULL` and `k. A.`, which are known. Default: none.
   */
  readonly missing?: readonly string[];
}

/** Words that mean no value, in small letters. Signs alone do, too. */
const MISSING = ['n/a', 'na', '#n/a', 'n.a.', 'nan', 'null', 'k.a.', 'k. a.', 'n.d.', 'n/d', 's/d'];
const SIGNS = /^[-\u2012-\u2015.\u2026*]+$/;

/** The longest text that is compared with words, in UTF-16 units, unless the caller says a longer one. */
const LONGEST = 16;

/** Turns text in a publisher's forms into text in those of gazette. */
export class TextForms {
  readonly #decimalComma: boolean;
  readonly #dateFormat: DateFormat | null;
  readonly #missing: ReadonlySet<string>;
  readonly #longest: number;

  /** @throws GazetteError `invalid_option` for an unknown form of dates. */
  constructor({ decimalComma = false, dateFormat, missing = [] }: TextFormOptions) {
    this.#decimalComma = decimalComma;
    this.#missing = new Set([...MISSING, ...missing.map((word) => word.trim().toLowerCase())]);
    this.#longest = Math.max(LONGEST, ...missing.map(({ length }) => length));
    this.#dateFormat = dateFormat === undefined ? null : compileDateFormat(dateFormat);
  }

  /** Whether a text is a word for no value, or nothing but spaces. */
  isMissing(text: string): boolean {
    if (text.length > this.#longest) return false;
    const word = text.trim();
    return word === '' || SIGNS.test(word) || this.#missing.has(word.toLowerCase());
  }

  /** Whether a text in a field of this type is a word for no value, or blank. */
  isMissingIn(type: FieldType, text: string): boolean {
    return type !== 'text' && type !== 'json' && this.isMissing(text);
  }

  /** The date or date-time, RFC 3339; null for a text that is none in this file's form. */
  date(text: string): string | null {
    return this.#dateFormat === null ? null : parseDate(this.#dateFormat, text);
  }

  /** Whether text in a field of this type is in a form of this file. */
  apply(type: FieldType): boolean {
    if (type === 'date' || type === 'datetime') return this.#dateFormat !== null;
    return this.#decimalComma && (type === 'number' || type === 'decimal' || type === 'integer');
  }

  /**
   * The text for a field of this type in gazette's form; null where the text does not say it. With a decimal comma
   * `12.5` is no amount: nobody could then tell what `1.234` is. A date in RFC 3339 is one in every file.
   */
  forType(type: FieldType, text: string): string | null {
    switch (type) {
      case 'number':
      case 'decimal':
      case 'integer':
        return this.#decimalComma ? parseDecimal(text) : (parseGrouped(text) ?? text);
      case 'date':
      case 'datetime':
        return this.date(text) ?? text;
      case 'url':
        return repairUrl(text);
      default:
        return text;
    }
  }
}
