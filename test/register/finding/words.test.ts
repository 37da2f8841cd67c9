import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { charactersOf, MAX_WORD_LENGTH, WORD_RULE, wordsOf } from '../../../src/register/finding/words.ts';
import { EFFORT, tries } from '../../effort.ts';
import { plainWords } from './plain-words.ts';
import { scriptTexts } from './scripts.ts';

describe('the words of a text', () => {
  it.each([
    ['are runs of letters and digits, without case', 'Permit 22/01: NO_smoking, x1', 'permit 22 01 no smoking x1'],
    ['end at apostrophes of every kind', "O’Neil O'Neil OʼNeil Oʻahu Qurʾān", 'o neil o neil o neil o ahu qur an'],
    ['have no marks of Latin, Greek and Cyrillic', 'Café Ångström ΐάδα йё', 'cafe angstrom ιαδα ие'],
    ['are the same however marks are written', 'e\u0301 \u00e9 E\u0301\u0323', 'e e e'],
    [
      'have plain letters for those that no mark makes',
      'Łódź Ærø Đurđević Þór Ħal œuf',
      'lodz aero durdevic thor hal oeuf',
    ],
    ['have ss for ß in either case', 'Straße STRASSE STRAẞE', 'strasse strasse strasse'],
    ['have one sigma', 'ΟΔΟΣ οδος οδοσ', 'οδοσ οδοσ οδοσ'],
    ['have one i, of Turkish too', 'İstanbul ıssız ISSIZ', 'istanbul issiz issiz'],
    ['have no ligatures and compatibility forms', 'ﬁne ½ m² ㎡ ① №5 ｶﾞｽ Ⅳ', 'fine 1 2 m2 m2 1 no5 ガス iv'],
    ['have no trade marks', 'Roundup™ Foo℠', 'roundup foo'],
    ['have the digits 0 to 9, of whatever script', '٢٠٢٦ २०२६ ๒๐๒๖ 𝟐𝟎', '2026 2026 2026 20'],
    [
      'do not contain what nobody sees',
      'Bau\u00adgenehmigung می\u200cخواهم a\u2060b\ufeffc كتـــاب',
      'baugenehmigung میخواهم abc كتاب',
    ],
    ['end at a space of no width', 'ab\u200bcd', 'ab cd'],
    ['have no emoji, and no marks alone', '🎉a❤️b 👩‍👩‍👧 1️⃣ \u064e \u05c1 \u0301', 'a b 1'],
    ['keep the marks of other scripts', 'שָׁלוֹם हिन्दी مُحَمَّد', 'שָׁלוֹם हिन्दी مُحَمَّد'],
    ['are pairs in scripts without spaces', '東京都。新しい', '東京 京都 新し しい'],
    ['are one character that stands alone', '東 a京b か゚', '東 a 京 b か゚'],
    ['are pairs of letters with their marks', 'กินข้าว ຂ້ອຍ', 'กิน นข้ ข้า าว ຂ້ອ ອຍ'],
    ['may have the zero and the repetition of Han', '二〇二六年々', '二〇 〇二 二六 六年 年々'],
    ['have the long sound of Katakana in its pairs', 'データ', 'デー ータ'],
    ['are words in Hangul, which has spaces', '서울 특별시 ㄱㅏ', '서울 특별시 가'],
    ['end at half a surrogate pair and at NUL', 'a\ud800b\udc00c\0d', 'a b c d'],
    ['are none in a text without letters', ' —…!? \u0300 ', ''],
  ])('%s', (_, text, words) => {
    expect(wordsOf(text).join(' ')).toBe(words);
  });

  it('have at most 64 code points', () => {
    expect(wordsOf(`${'x'.repeat(65)} ${'é'.repeat(65)} ${'𐐷'.repeat(65)}`)).toEqual([
      'x'.repeat(MAX_WORD_LENGTH),
      'e'.repeat(MAX_WORD_LENGTH),
      '𐐷'.repeat(MAX_WORD_LENGTH),
    ]);
    const [pair] = wordsOf(`ก${'่'.repeat(99)}ข`);
    expect(pair).toBe(`ก${'่'.repeat(31)}ข`);
  });

  it('are, of a word, that word; and of all, all', () => {
    fc.assert(
      fc.property(scriptTexts(), (text) => {
        const words = wordsOf(text);
        expect(words.map(wordsOf)).toEqual(words.map((word) => [word]));
        expect(words.flatMap((word) => wordsOf(word.normalize('NFD').toUpperCase()))).toEqual(words);
      }),
      { numRuns: tries(200) },
    );
  });

  it('are those of the rule, character by character', () => {
    fc.assert(
      fc.property(scriptTexts(12), (text) => {
        expect(wordsOf(text)).toEqual(plainWords(text));
      }),
      { numRuns: tries(200) },
    );
  });

  it('are those of the rule for every character there is, and words of words', () => {
    // Several at a time, and in CI some of them: a call for each takes seconds.
    const step = EFFORT === 'whole' ? 16 : 16 * 7;
    for (let first = 0; first < 0x11_0000; first += step) {
      const characters = Array.from({ length: 16 }, (_, at) => String.fromCodePoint(first + at));
      const text = characters.join(' ');
      const words = wordsOf(text);
      expect(words).toEqual(plainWords(text));
      expect(wordsOf(words.join(' '))).toEqual(words);
    }
  });

  it('have the digits that the numbering systems of Unicode write', () => {
    for (const system of Intl.supportedValuesOf('numberingSystem')) {
      const digits = new Intl.NumberFormat(`en-u-nu-${system}`, { useGrouping: false }).format(9876543210);
      if (/^\p{Nd}+$/u.test(digits)) expect(wordsOf(digits), system).toEqual(['9876543210']);
    }
  });

  it('have a rule with a number: another rule needs another one', () => {
    const hash = createHash('sha256');
    // Unicode will assign no more characters here.
    for (let code = 0; code < 0x530; code++) hash.update(`${wordsOf(String.fromCharCode(code)).join(' ')},`);
    hash.update(wordsOf('İ ẞ O’Neil 東京都 ก่ข ２２ x'.repeat(20)).join(' '));
    expect([WORD_RULE, hash.digest('hex').slice(0, 16)]).toEqual([1, '2a2d3f2391849b80']);
  });

  it.each([
    ...[
      'a',
      'é',
      'é ',
      '東',
      '東a',
      'ก่',
      'שָ',
      '𐐷',
      '\u0300',
      'e\u0300',
      '\u064e',
      'ﷺ',
      '\u00ad',
      '\ud800',
      ' ',
      '٢',
      'ß',
      '\u3099',
    ],
    ...['م\u064e\u0651', '가', 'ㄱㅏ', "'", '\u200d'],
  ])('are made in a time that grows with the text, if it is hostile too: %j', (repeated) => {
    // A quadratic rule needs minutes: the time limit of the test is the check.
    const words = wordsOf(`${repeated.repeat(2 ** 20 / Buffer.byteLength(repeated))}\u0301é`);
    expect(words.every((word) => word.length <= 2 * MAX_WORD_LENGTH)).toBe(true);
  });
});

describe('the characters of a word', () => {
  it.each([
    ['東京', ['東', '京']],
    ['กิน', ['กิ', 'น']],
    ['東', ['東']],
    ['permit', []],
    ['서울', []],
    ['22', []],
  ])('are those that are found by themselves: %s', (word, characters) => {
    expect(charactersOf(word)).toEqual(characters);
  });
});
