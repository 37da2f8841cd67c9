// The language of a page: its texts, and how it writes numbers and dates. Dates are shown in UTC at the precision that the source
// gives, so that everybody sees the same.
import { type Money, moneyText, type Tokens } from '../money.ts';
import { deAccount } from './languages/account/de.ts';
import { type AccountTexts, enAccount } from './languages/account/en.ts';
import { deMail } from './languages/account/mail-de.ts';
import { enMail, type MailTexts } from './languages/account/mail-en.ts';
import { deDesk } from './languages/desk/de.ts';
import { type DeskTexts, enDesk } from './languages/desk/en.ts';
import { deFigures } from './languages/figures/de.ts';
import { enFigures, type FiguresTexts } from './languages/figures/en.ts';
import { deFolder } from './languages/folder/de.ts';
import { enFolder, type FolderTexts } from './languages/folder/en.ts';
import { de } from './languages/de.ts';
import { en, type Texts } from './languages/en.ts';
import { deProof } from './languages/proof/de.ts';
import { enProof, type ProofTexts } from './languages/proof/en.ts';
import { markup, type Markup } from './markup.ts';

/** The languages that there are, by their BCP 47 tags. One more is one more file and one line here. */
export const LANGUAGES: Readonly<Record<string, Texts>> = { en, de };

/** The same languages for the pages of accounts. */
const ACCOUNT_TEXTS: Readonly<Record<string, AccountTexts & MailTexts>> = {
  en: { ...enAccount, ...enMail },
  de: { ...deAccount, ...deMail },
};

/** The same languages for the desk. */
const DESK_TEXTS: Readonly<Record<string, DeskTexts>> = { en: enDesk, de: deDesk };

/** The same languages for figures. */
const FIGURES_TEXTS: Readonly<Record<string, FiguresTexts>> = { en: enFigures, de: deFigures };

/** The same languages for the search of a folder. */
const FOLDER_TEXTS: Readonly<Record<string, FolderTexts>> = { en: enFolder, de: deFolder };

/** The same languages for proofs. */
const PROOF_TEXTS: Readonly<Record<string, ProofTexts>> = { en: enProof, de: deProof };

/** The language for readers who ask for none that there is. */
const DEFAULT_LANGUAGE = 'en';

/** A language, ready to write with. */
export interface Wording {
  /** BCP 47. */
  readonly language: string;
  readonly texts: Texts;
  /** What the pages of accounts say. */
  readonly account: AccountTexts & MailTexts;
  /** What the desk says. */
  readonly desk: DeskTexts;
  /** What pages say of figures. */
  readonly figures: FiguresTexts;
  /** What the search of a folder says. */
  readonly folder: FolderTexts;
  /** What pages say of proofs. */
  readonly proof: ProofTexts;
  /** @example number(1234) // '1,234' */
  number(value: number): string;
  /**
   * A number with all its digits: grouped if it has a fraction or five digits, else as it is, because it may be a year.
   *
   * @param value as in JSON
   * @param isMeasured true: no year, so that four digits are grouped, too
   * @example exactNumber('1234.50') // '1,234.50'
   */
  exactNumber(value: string, isMeasured?: boolean): string;
  /** A date or date-time as people write it; a text that is neither as it is. */
  date(value: string): string;
  /** The day of a date or date-time, in few characters; a text that is neither as it is. @example day('2026-03-01') // '1 Mar 2026' */
  day(value: string): string;
  /** A month of a year. @param value `YYYY-MM` */
  month(value: string): string;
  /** The name of a language, such as `fr`. */
  languageName(tag: string): string;
}

/** Those that were asked for. `Intl` takes tens of milliseconds to get ready, and most programs write no page. */
const WORDINGS = new Map<string, Wording>();

/** The wording of a language that there is; without one the default. @param language as in {@link LANGUAGES} */
export function wordingIn(language: string | null): Wording {
  const known = language !== null && Object.hasOwn(LANGUAGES, language) ? language : DEFAULT_LANGUAGE;
  let wording = WORDINGS.get(known);
  if (wording === undefined) WORDINGS.set(known, (wording = wordingOf(known, LANGUAGES[known]!)));
  return wording;
}

/** The language in {@link LANGUAGES} of a BCP 47 tag, such as `de` for `de-AT`; null: there is none. */
export function knownLanguage(tag: string | null | undefined): string | null {
  const primary = tag?.toLowerCase().split('-')[0] ?? '';
  return Object.hasOwn(LANGUAGES, primary) ? primary : null;
}

/**
 * The first language that a reader accepts and that there is (RFC 9110 12.5.4); null: none.
 *
 * @example acceptedLanguage('fr, de-CH;q=0.8, en;q=0.5') // 'de'
 */
export function acceptedLanguage(header: string | null): string | null {
  if (header === null) return null;
  const wanted = header.split(',').map((item) => {
    const [tag = '', ...parameters] = item.split(';').map((part) => part.trim());
    const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
    return { language: knownLanguage(tag), quality: weight === undefined ? 1 : Number(weight) };
  });
  const [first] = wanted
    .filter(({ language, quality }) => language !== null && quality > 0)
    .sort((one, other) => other.quality - one.quality);
  return first?.language ?? null;
}

/** A time as an element that programs can read, too. */
export function timeOf(wording: Wording, value: string): Markup {
  return markup`<time datetime="${value}">${wording.date(value)}</time>`;
}

/** An amount as a reader writes it. @example moneyOf(german, { amount: 205, currency: 'EUR' }) // '2,05 EUR' */
export function moneyOf(wording: Wording, price: Money | Tokens): string {
  const [digits, ...words] = moneyText(price).split(' ');
  return [wording.exactNumber(digits!), ...words].join(' ');
}

const PLAIN_NUMBER = /^(-?)(\d+)\.(\d+)$/;

const INTEGER = /^-?\d+$/;

const LONG_INTEGER = /^-?\d{5,}$/;

const DATE = /^\d{4}-\d{2}-\d{2}$/;

const [DAY_MS, MINUTE_MS] = [86_400_000, 60_000];

/** How many formatted values are remembered: some ten years of days. */
const MAX_REMEMBERED = 4000;

/** A function that remembers what it gave for numbers: `Intl` takes longer for one date than a page for a whole record. */
function remembering(format: (value: number) => string): (value: number) => string {
  const known = new Map<number, string>();
  return (value) => {
    let text = known.get(value);
    if (text === undefined) {
      text = format(value);
      if (known.size >= MAX_REMEMBERED) known.clear();
      known.set(value, text);
    }
    return text;
  };
}

function wordingOf(language: string, texts: Texts): Wording {
  const { locale } = texts;
  const formatted = new Intl.NumberFormat(locale);
  const decimalSign = formatted.format(0.5).charAt(1);
  const dates = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' });
  const days = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' });
  const clock = new Intl.DateTimeFormat(locale, { timeStyle: 'short', timeZone: 'UTC' });
  const months = new Intl.DateTimeFormat(locale, { month: 'long', year: 'numeric', timeZone: 'UTC' });
  const names = new Intl.DisplayNames(locale, { type: 'language' });
  const number = remembering((value) => formatted.format(value));
  const dayOf = remembering((day) => dates.format(day * DAY_MS));
  const shortDayOf = remembering((day) => days.format(day * DAY_MS));
  const minuteOf = remembering((minute) => clock.format(minute * MINUTE_MS));
  const monthOf = remembering((ms) => months.format(ms));
  return {
    language,
    texts,
    account: ACCOUNT_TEXTS[language]!,
    desk: DESK_TEXTS[language]!,
    figures: FIGURES_TEXTS[language]!,
    folder: FOLDER_TEXTS[language]!,
    proof: PROOF_TEXTS[language]!,
    number,
    exactNumber(value, isMeasured = false) {
      if ((isMeasured ? INTEGER : LONG_INTEGER).test(value)) return formatted.format(BigInt(value));
      const [, sign, whole, fraction] = PLAIN_NUMBER.exec(value) ?? [];
      return whole === undefined ? value : `${sign}${formatted.format(BigInt(whole))}${decimalSign}${fraction}`;
    },
    date(value) {
      const ms = Date.parse(value);
      if (Number.isNaN(ms)) return value;
      const day = Math.floor(ms / DAY_MS);
      if (DATE.test(value)) return dayOf(day);
      return `${dayOf(day)}, ${minuteOf(Math.floor((ms - day * DAY_MS) / MINUTE_MS))}\u00a0${texts.utc}`;
    },
    day(value) {
      const ms = Date.parse(value);
      return Number.isNaN(ms) ? value : shortDayOf(Math.floor(ms / DAY_MS));
    },
    month: (value) => monthOf(Date.parse(`${value}-01`)),
    languageName(tag) {
      try {
        return names.of(tag) ?? tag;
      } catch {
        // Not every tag that a publisher gives has the form of one.
        return tag;
      }
    },
  };
}
