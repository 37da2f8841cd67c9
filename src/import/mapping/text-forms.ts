// How amounts and dates are written in a file, where it is not as in JSON and RFC 3339.
import type { FieldType } from '../../register/record.ts';
import { compileDateFormat, type DateFormat, parseDate } from './parse-date.ts';
import { parseDecimal } from './parse-decimal.ts';

/** How a publisher writes amounts and dates. */
export interface TextFormOptions {
  /** Whether amounts have a decimal comma: `1.234,56`. Default false. */
  readonly decimalComma?: boolean;
  /**
   * The form of dates: `DD.MM.YYYY`, `MM/DD/YYYY`; see `--date-format`. Dates in RFC 3339 are read as well. Default: RFC
   * 3339 alone.
   */
  readonly dateFormat?: string;
}

/** Turns text in a publisher's forms into text in those of gazette. */
export class TextForms {
  readonly #decimalComma: boolean;
  readonly #dateFormat: DateFormat | null;

  /** @throws GazetteError `invalid_option` for an unknown form of dates. */
  constructor({ decimalComma = false, dateFormat }: TextFormOptions) {
    this.#decimalComma = decimalComma;
    this.#dateFormat = dateFormat === undefined ? null : compileDateFormat(dateFormat);
  }

  /** The amount, as JSON writes it; null for a text that is none in this file's form. */
  amount(text: string): string | null {
    return this.#decimalComma ? parseDecimal(text) : null;
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
        return this.#decimalComma ? parseDecimal(text) : text;
      case 'date':
      case 'datetime':
        return this.date(text) ?? text;
      default:
        return text;
    }
  }
}
