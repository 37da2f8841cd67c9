// The words of a text, as search finds them. They are made here alone, so that every store answers the same. The rule:
// 1. Compatibility forms are taken apart (NFKD: ﬁ, ½, ² and ｶﾞ become fi, 1⁄2, 2 and ガ); ™ and ℠ are signs, not letters.
// 2. The combining marks of Latin, Greek and Cyrillic go, and so does what nobody sees: soft hyphens, joiners, tatweels.
// 3. Letters lose their case: ß is ss, ς is σ, and I, i, İ, ı are all i. Letters that no normalization takes apart become
//    plain (ø, ł, đ, æ). Digits of all scripts become 0 to 9. What is left is composed again (NFC).
// 4. A word begins with a letter or a digit, and goes on with letters, marks and digits. All else separates words: signs,
//    emoji, apostrophes (as letters too: ʼ), marks without a letter, lone surrogates.
// 5. Scripts that write no spaces have pairs of characters instead of words: 東京都 is 東京, 京都. One alone is a word.
import { PLAIN_LETTERS } from '../../nearest.ts';

/** The number of the rule: a store whose words were made by another one makes them again. */
export const WORD_RULE = 1;

/** The longest word, in code points; the rest of a longer one is cut off. */
export const MAX_WORD_LENGTH = 64;

/** The longest character of a pair, in code points: a letter and its marks. */
const MAX_CHARACTER_LENGTH = MAX_WORD_LENGTH / 2;

/** The blocks of the marks of Latin, Greek and Cyrillic, which other scripts hardly use. */
const MARK_BLOCKS = [
  ...['\\u0300-\\u036f', '\\u0483-\\u0489', '\\u1ab0-\\u1aff', '\\u1dc0-\\u1dff', '\\u20d0-\\u20ff', '\\u2de0-\\u2dff'],
  ...['\\ua66f-\\ua67d', '\\ua69e\\ua69f', '\\ufe20-\\ufe2f'],
];
const MARKS = new RegExp(`(?:[${MARK_BLOCKS.join(']|[')}])+`, 'g');

/** A space of no width separates words. */
const UNSEEN = /[\p{Default_Ignorable_Code_Point}--\u200b]|\u0640/gv;

const SIGNS = /[\u2120\u2122]/g;
const APOSTROPHES = /[\u02b9-\u02bf\ua78b\ua78c]/g;
const OTHER_DIGITS = /[\p{Nd}--[0-9]]/gv;

const LETTERS: Readonly<Record<string, string>> = { ...PLAIN_LETTERS, ς: 'σ' };
const OTHER_LETTERS = new RegExp(`[${Object.keys(LETTERS).join('')}]`, 'g');

const NOT_ASCII = /[^\0-\x7f]/;
const ASCII_WORDS = /[a-z0-9]+/g;

/** Text without marks that {@link usualWords} splits as the whole rule does, several times as fast. */
const USUAL = /^[\0-\xac\xae-\u017f\u0391-\u03c9\u0400-\u045f\u2010-\u2027\u2030-\u205e\u20a0-\u20bf]*$/;
const USUAL_WORDS = /[a-z0-9\u00df-\u00f6\u00f8-\u017f\u03b1-\u03c9\u0430-\u045f]+/g;

const UNSPACED =
  '[\\p{scx=Han}\\p{scx=Hiragana}\\p{scx=Katakana}\\p{scx=Thai}\\p{scx=Lao}\\p{scx=Khmer}\\p{scx=Myanmar}]';

/** A letter or number of a script without spaces, and its marks. */
const CHARACTER = `[[\\p{L}\\p{N}]&&${UNSPACED}]\\p{M}*`;
const CHARACTERS = new RegExp(CHARACTER, 'gv');

/** Such a character, which is captured, or a word of other scripts. */
const WORDS = new RegExp(`(${CHARACTER})|[\\p{L}\\p{N}][\\p{M}[[\\p{L}\\p{N}]--${UNSPACED}]]*`, 'gv');

/** The first code point of a script without spaces. */
const FIRST_UNSPACED = 0xe00;

/**
 * The words of a text, in their order. The words of a word are that word.
 *
 * @example wordsOf('Café O’Neil, 22/01') // ['cafe', 'o', 'neil', '22', '01']
 */
export function wordsOf(text: string): string[] {
  if (!NOT_ASCII.test(text)) return (text.toLowerCase().match(ASCII_WORDS) ?? []).map(cut);
  const plain = text.replace(SIGNS, ' ').normalize('NFKD').replace(MARKS, '');
  return USUAL.test(plain) ? usualWords(plain) : split(fold(plain));
}

/**
 * The characters of a pair, or the one that stands alone: each is found by itself. None for a word of other scripts.
 *
 * @example charactersOf('東京') // ['東', '京']
 */
export function charactersOf(word: string): readonly string[] {
  return word.charCodeAt(0) < FIRST_UNSPACED ? [] : (word.match(CHARACTERS) ?? []);
}

function usualWords(plain: string): string[] {
  return (plain.toLowerCase().replace(OTHER_LETTERS, plainLetter).match(USUAL_WORDS) ?? []).map(cut);
}

function fold(plain: string): string {
  const shown = plain.replace(UNSEEN, '').replace(APOSTROPHES, "'").replace(OTHER_DIGITS, digitOf);
  return withoutCase(shown).replace(OTHER_LETTERS, plainLetter).normalize('NFC');
}

/**
 * A text without its case, by which exact values are compared: the letters lose their case as in words, and nothing else.
 *
 * @example foldCase('Straße') // 'strasse'
 */
export function foldCase(text: string): string {
  return NOT_ASCII.test(text) ? withoutCase(text).replaceAll('ς', 'σ') : text.toLowerCase();
}

function withoutCase(text: string): string {
  // First to lower case: ẞ is its own upper case, ß is not.
  return text.toLowerCase().toUpperCase().toLowerCase();
}

function plainLetter(letter: string): string {
  return LETTERS[letter]!;
}

/** Digits come in tens, in their order: how many stand before it. */
function digitOf(digit: string): string {
  const code = digit.codePointAt(0)!;
  let before = 0;
  while (/\p{Nd}/u.test(String.fromCodePoint(code - before - 1))) before++;
  return String(before % 10);
}

function split(folded: string): string[] {
  const words: string[] = [];
  let [last, end, isAlone] = ['', -1, false];
  for (const { 0: word, 1: found, index } of folded.matchAll(WORDS)) {
    const isNext = index === end;
    if (isAlone && !(isNext && found !== undefined)) words.push(last);
    if (found === undefined) {
      words.push(cut(word));
      [end, isAlone] = [-1, false];
      continue;
    }
    const character = firstOf(found, MAX_CHARACTER_LENGTH);
    if (isNext) words.push(last + character);
    [last, end, isAlone] = [character, index + found.length, !isNext];
  }
  if (isAlone) words.push(last);
  return words;
}

function cut(word: string): string {
  return word.length <= MAX_WORD_LENGTH ? word : firstOf(word, MAX_WORD_LENGTH);
}

/** The first code points; each has one or two UTF-16 units. */
function firstOf(text: string, count: number): string {
  return text.length <= count
    ? text
    : Array.from(text.slice(0, count * 2))
        .slice(0, count)
        .join('');
}
