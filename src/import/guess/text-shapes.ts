// In which forms a column writes dates and amounts, seen from all of its texts. Days and months are told apart only
// where a value shows which is which.
import { isDate, isDateTime } from '../../register/time.ts';
import { compileDateFormat, parseDate } from '../mapping/parse-date.ts';
import { parseDecimal } from '../mapping/parse-decimal.ts';

/** The forms of dates that are recognised, besides RFC 3339. */
const DATE_FORMATS = [
  'DD.MM.YYYY',
  'DD/MM/YYYY',
  'MM/DD/YYYY',
  'DD-MM-YYYY',
  'MM-DD-YYYY',
  'YYYY/MM/DD',
  'YYYY.MM.DD',
  'YYYY-MM-DD',
  'DD.MM.YY',
  'DD/MM/YY',
  'MM/DD/YY',
].map(compileDateFormat);

/** An amount with a decimal comma that cannot be one with thousands: `1,5`, `1.234,567`, not `1,234`. */
const CLEAR_COMMA = /,(?:\d{1,2}|\d{4,})$|[. '’]\d{3},\d+$/;

/** An amount with a decimal point that cannot be one with thousands: `1.5`, not `1.234`. */
const POINT = /^[+-]?\d+\.(?:\d{1,2}|\d{4,})$/;

/** An amount in any form, a share, or a pair of coordinates. */
const MEASURED =
  /^[+\u2212-]?(?:\d{1,3}(?:[.,\u0020\u00a0\u2009\u202f'’]\d{3})+|\d+)(?:[.,]\d+)?\s?%?$|^(?:POINT\b.*|-?\d+\.\d+\s*[,; ]\s*-?\d+\.\d+)$/i;

/** The forms of the texts of one column. */
export class TextShapes {
  #formats: readonly (typeof DATE_FORMATS)[number][] = DATE_FORMATS;
  #hasOtherDates = false;
  #areAmounts = true;
  #areMeasured = true;
  #haveSigns = false;
  #hasComma = false;
  #hasPoint = false;

  /** Adds a text that is not empty. */
  add(text: string): void {
    if (this.#areAmounts) this.#addAmount(text);
    this.#areMeasured &&= MEASURED.test(text.trim());
    this.#haveSigns ||= /\D/.test(text.trim());
    if (this.#formats.length === 0 || isDate(text) || isDateTime(text)) return;
    this.#hasOtherDates = true;
    this.#formats = this.#formats.filter((format) => parseDate(format, text) !== null);
  }

  /** Adds a value that is not text: the column has no texts in a form of their own. */
  addOther(): void {
    this.#areAmounts = false;
    this.#areMeasured = false;
    this.#formats = [];
  }

  /** The forms of dates that every text fits that is not RFC 3339; empty where there are none, or no such text. */
  get dateFormats(): readonly string[] {
    return this.#hasOtherDates ? this.#formats.map(({ written }) => written) : [];
  }

  /** Whether they are amounts, shares or coordinates, and no codes of digits alone. */
  get areMeasured(): boolean {
    return this.#areMeasured && this.#haveSigns;
  }

  /** How amounts are written: null where the column has none, or none that shows it. */
  get amounts(): 'comma' | 'point' | null {
    if (!this.#areAmounts || this.#hasComma === this.#hasPoint) return null;
    return this.#hasComma ? 'comma' : 'point';
  }

  #addAmount(text: string): void {
    if (POINT.test(text)) this.#hasPoint = true;
    else if (parseDecimal(text) === null) this.#areAmounts = false;
    else if (CLEAR_COMMA.test(text.trim())) this.#hasComma = true;
  }
}

/** Two letters of a script whose words are short, or three of another. */
const WORD = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]{2}|[\p{L}\p{M}]{3}/u;

/** A sign without spaces around it, of capitals, digits and signs: `DK____223`, `SBGR`. */
const CODE = /^(?:[\p{Lu}\d./_-]{1,5}|(?=\S*\d)[\p{Lu}\d./:_-]+)$/u;

/** An address of the web or of mail, or the name of a host. */
const WEB = /^\S+(?:[.@]\p{L}{2,}|:\/\/)\S*$/u;

/** Whether a text reads like words of a language, and not like a code, a number or an address of the web. */
export function readsLikeWords(text: string): boolean {
  const trimmed = text.trim();
  if (!WORD.test(trimmed) || CODE.test(trimmed) || WEB.test(trimmed)) return false;
  const digits = trimmed.match(/\p{N}/gu)?.length ?? 0;
  return digits * 2 < trimmed.length;
}
