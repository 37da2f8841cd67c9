// Languages: which one a reader gets, and how it writes numbers and dates.
import { describe, expect, it } from 'vitest';
import { acceptedLanguage, LANGUAGES, wordingIn } from '../../src/templates/wording.ts';

describe('the language of a reader', () => {
  it.each([
    ['de', 'de'],
    ['de-AT', 'de'],
    ['en-US,en;q=0.9,de;q=0.8', 'en'],
    ['fr, de-CH;q=0.8, en;q=0.5', 'de'],
    ['de;q=0, en', 'en'],
    ['fr', null],
    ['*', null],
    ['', null],
    ['constructor', null],
    [null, null],
  ])('of %s is %s', (header, language) => {
    expect(acceptedLanguage(header)).toBe(language);
  });
});

describe('a wording', () => {
  it('writes numbers and dates as its language does, and keeps the precision of the source', () => {
    const [english, german] = [wordingIn('en'), wordingIn('de')];
    expect([english.number(1234567), german.number(1234567)]).toEqual(['1,234,567', '1.234.567']);
    expect([english.exactNumber('-1234567.50'), german.exactNumber('1234.5')]).toEqual(['-1,234,567.50', '1.234,5']);
    expect([english.exactNumber('2009', true), german.exactNumber('1605', true)]).toEqual(['2,009', '1.605']);
    expect(['2009', '-0.25', '1e21', '12345678901234567890.5'].map((value) => german.exactNumber(value))).toEqual([
      ...['2009', '-0,25', '1e21', '12.345.678.901.234.567.890,5'],
    ]);
    expect([english.date('2026-03-09'), german.date('2026-03-09')]).toEqual(['9 March 2026', '9. März 2026']);
    expect(english.date('2026-03-09T23:30:00-02:00')).toBe('10 March 2026, 01:30\u00a0UTC');
    expect(german.month('2026-03')).toBe('März 2026');
    expect(english.date('in spring')).toBe('in spring');
    expect([german.languageName('en'), german.languageName('not a tag')]).toEqual(['Englisch', 'not a tag']);
  });

  it('has every text in every language, none of them empty, and none left in another one', () => {
    const leavesOf = (value: unknown, path: string): readonly (readonly [string, string])[] => {
      if (typeof value === 'function') return [[path, 'function']];
      if (typeof value !== 'object' || value === null) return [[path, String(value)]];
      return Object.entries(value).flatMap(([name, inner]) => leavesOf(inner, `${path}.${name}`));
    };
    const all = Object.values(LANGUAGES).map((texts) => new Map(leavesOf(texts, '')));
    for (const texts of all) {
      expect([...texts.keys()]).toEqual([...all[0]!.keys()]);
      expect([...texts].filter(([, text]) => text.trim() === '')).toEqual([]);
    }
  });
});
