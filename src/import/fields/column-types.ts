// The type of a column, found from all of its values: the narrowest one that every value fits and that shows every
// digit. What fits a type is what register/declared-values.ts shows for it. Numbers with leading zeros fit none: they are keys.
import { decimalOf, isHeldByDouble } from '../../register/decimal.ts';
import type { FieldType } from '../../register/record.ts';
import { showValue } from '../../register/declared-values.ts';
import { isHttpUrl } from '../../register/url.ts';
import { isUnclear } from '../mapping/parse-decimal.ts';
import type { TextForms } from '../mapping/text-forms.ts';
import { type ExactNumber, isExactNumber } from '../readers/exact-number.ts';
import type { RawValue } from '../readers/raw-record.ts';

/** What texts of a file may state. */
export interface TextReading {
  /**
   * Whether texts are looked at. Not where only the first records are known: a later text may be none of what they
   * show.
   */
  readonly readsTexts: boolean;
  /** Whether a text may state a number or a boolean, as in tables: {@link RecordReader.textValues}. */
  readonly textValues: boolean;
  readonly forms: TextForms;
}

/** The types that a column may have, the first that fits is taken. Any scalar fits `text`. */
const TYPES = ['date', 'datetime', 'boolean', 'integer', 'number', 'decimal', 'url', 'text'] as const;

/** The types that a value fits, as a set of bits. */
type Types = number;

const [DATE, DATETIME, BOOLEAN, INTEGER, NUMBER, DECIMAL, URL, TEXT] = TYPES.map((_, at) => 1 << at) as [
  ...[Types, Types, Types, Types, Types, Types, Types, Types],
];
const ALL: Types = (1 << TYPES.length) - 1;

/** `1e5` in a table is rather a code than a hundred thousand; `1.5e5` and `1e-5` are numbers. */
const CODE = /^-?\d+[eE]\d+$/;

/** The types that all values of a column fit. */
export class ColumnTypes {
  readonly #reading: TextReading;
  #fits: Types = ALL;
  #isMet = false;
  #isEmpty = true;
  #hasContainer = false;
  /** In how many records a word meant no value, if the column is of a type that has such words. */
  #words = 0;
  /** Whether a text is not as statements have it: a word for no value, thousands in groups, spaces. */
  #isRewritten = false;
  #isUnclear = false;
  #isClear = false;

  constructor(reading: TextReading) {
    this.#reading = reading;
  }

  /** Adds a value. Null fits every type, and so does an empty text. */
  add(value: RawValue): void {
    this.#isMet = true;
    if (value === null || value === '') return;
    if (typeof value === 'string') {
      // Only a text makes it so, and it shows that the column has a value.
      if (this.#fits === TEXT) return;
      if (this.#reading.readsTexts && this.#reading.forms.isMissing(value)) {
        if (value.trim() === '') this.#isRewritten = true;
        else this.#words++;
        return;
      }
    }
    this.#isEmpty = false;
    if (isContainer(value)) this.#hasContainer = true;
    else this.#fits &= this.#typesOf(value);
  }

  /** Whether any value was added, be it null. */
  get isMet(): boolean {
    return this.#isMet;
  }

  /** The type that loses nothing. A column without a value is `text`, because a later value may be anything. */
  get type(): FieldType {
    if (this.#hasContainer) return 'json';
    if (this.#isEmpty) return 'text';
    // A column of amounts that may all be something else is text.
    const fits = this.#isUnclear && !this.#isClear ? this.#fits & ~(INTEGER | NUMBER | DECIMAL) : this.#fits;
    return TYPES.find((_, at) => (fits & (1 << at)) !== 0)!;
  }

  /** In how many records a word stands for no value: 0 in a column of texts, where it is a text. */
  get words(): number {
    return this.type === 'text' || this.type === 'json' ? 0 : this.#words;
  }

  /** Whether any text is not as statements have it: a word for no value, thousands in groups, spaces around an amount. */
  get isRewritten(): boolean {
    return this.#isRewritten || this.words > 0;
  }

  #typesOf(value: Scalar): Types {
    switch (typeof value) {
      case 'boolean':
        return BOOLEAN | TEXT;
      case 'number':
        return numberTypes(String(value), value) | NUMBER | TEXT;
      case 'bigint':
        return numberTypes(String(value), String(value)) | TEXT;
      case 'object':
        return numberTypes(value.digits, value.digits) | TEXT;
      default:
        return this.#reading.readsTexts ? this.#typesOfText(value) : TEXT;
    }
  }

  #typesOfText(text: string): Types {
    const { textValues, forms } = this.#reading;
    let fits = TEXT;
    if (textValues || forms.apply('decimal')) {
      const amount = forms.forType('decimal', text);
      const isGrouped = amount !== text && !forms.apply('decimal');
      this.#isRewritten ||= isGrouped;
      if (isGrouped && isUnclear(text)) this.#isUnclear = true;
      else this.#isClear = true;
      if (amount !== null && !CODE.test(amount)) fits |= numberTypes(amount, amount);
    }
    const date = forms.forType('datetime', text) ?? text;
    if (showValue({ type: 'date' }, date) !== undefined) fits |= DATE;
    if (showValue({ type: 'datetime' }, date) !== undefined) fits |= DATETIME;
    if (textValues && showValue({ type: 'boolean' }, text) !== undefined) fits |= BOOLEAN;
    if (isHttpUrl(text)) fits |= URL;
    return fits;
  }
}

/** A value that is neither null nor a list nor an object. */
type Scalar = string | number | bigint | ExactNumber | boolean;

function isContainer(value: Exclude<RawValue, null>): value is Exclude<RawValue, Scalar | null> {
  return typeof value === 'object' && !isExactNumber(value);
}

/** @param stated the number, or its digits */
function numberTypes(digits: string, stated: string | number): Types {
  return (
    (showValue({ type: 'integer' }, stated) === undefined ? 0 : INTEGER) |
    (isHeldByDouble(digits) ? NUMBER : 0) |
    (decimalOf(stated) === null ? 0 : DECIMAL)
  );
}
