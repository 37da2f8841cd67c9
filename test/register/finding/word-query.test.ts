import { describe, expect, it } from 'vitest';
import {
  isPlain,
  matchesWords,
  parseWords,
  searchedTexts,
  type WordPart,
} from '../../../src/register/finding/word-query.ts';
import type { Field, RegisterRecord } from '../../../src/register/record.ts';

const FIELDS: readonly Field[] = [
  { name: 'remark', label: 'Remark', type: 'text' },
  { name: 'area', label: 'Area', type: 'number' },
];

function recordWith(texts: Partial<RegisterRecord>): RegisterRecord {
  return {
    ...{
      id: 'permits:k',
      feed_id: 'permits',
      key: 'k',
      title: 't',
      summary: null,
      content: null,
      content_type: 'text',
    },
    ...{ author: null, document_type: null, facility_id: null, source_url: 'https://example.org/', published_at: null },
    ...{ observed_at: '2026-01-01', updated_at: null, version: 1, position: 1, data: {} },
    ...texts,
  };
}

/** A part in one text: `-"a b"`, `a*`. */
const shown = ({ words, isPrefix, isNegated }: WordPart): string =>
  `${isNegated ? '-' : ''}${words.length > 1 ? `"${words.join(' ')}"` : words[0]!}${isPrefix ? '*' : ''}`;

describe('a query', () => {
  it.each([
    ['has words', 'Permit  notice\tÉtat', 'permit notice etat'],
    ['has phrases', 'a "Public Notice" b', 'a "public notice" b'],
    ['has an open quote that runs to the end', 'a "public notice -b', 'a "public notice b"'],
    ['has the quotes of other keyboards', '“public notice” „a b“', '"public notice" "a b"'],
    ['has beginnings of words', 'asbest* x', 'asbest* x'],
    ['has a star at a word’s end alone', "wor*d foo!* *bar * o'* b**", '"wor d" foo bar o b*'],
    ['may have signs after a star', 'asbest*, (x*)', 'asbest* x*'],
    ['has no stars inside phrases', '"public not*"', '"public not"'],
    ['has what must not be there', '-draft a -"public notice" -b*', '-draft a -"public notice" -b*'],
    ['has one minus', '--a - b -', '-a b'],
    ['may have only what must not be there', '-draft', '-draft'],
    ['has words in a row for a text with signs', "22/01 O'Neil -x_y 12.5*", '"22 01" "o neil" -"x y" "12 5"*'],
    ['has pairs in a row in scripts without spaces', '東京都 東 年22', '"東京 京都" 東 "年 22"'],
    ['has no beginnings of words in scripts without spaces', '東京* 東* กิ* 22年*', '東京 東 กิ "22 年"'],
    ['passes over what has no words', '!? "" "—" -"" a', 'a'],
    ['begins a phrase inside a text', 'a"b c"d', 'a "b c" d'],
    ['has at most 32 words', 'a '.repeat(32), 'a '.repeat(32).trim()],
  ])('%s', (_, query, parts) => {
    expect(parseWords(query).map(shown).join(' ')).toBe(parts);
  });

  it.each([
    ['without words', '—"!*', 'q must have at least one word, such as asbestos'],
    ['that is empty', '', 'q must have at least one word, such as asbestos'],
    ['with too many words', `"${'a '.repeat(20)}" ${'b/c '.repeat(7)}`, 'q must have at most 32 words, got 34'],
    ['of too many characters', '東'.repeat(34), 'q must have at most 32 words, got 33'],
  ])('%s is refused', (_, query, message) => {
    expect(() => parseWords(query)).toThrow(
      expect.objectContaining({ code: 'invalid_parameter', message, details: { parameter: 'q' } }) as Error,
    );
  });

  it.each([['" "'], ['"a'], ['-'], ['*'], ['a*'], ['a* '], ['-"-"'], ['“”'], ['é*!'], ['a!'], ['\u0301*']])(
    'is read in a time that grows with its length: %s',
    (repeated) => {
      // A quadratic reader needs minutes: the time limit of the test is the check.
      expect(() => parseWords(`${repeated.repeat(2 ** 20 / repeated.length)} ${'a b*c '.repeat(20)}`)).toThrow();
    },
  );

  it.each([
    ['a', true],
    ['東', true],
    ['a*', false],
    ['-a', false],
    ['"a b"', false],
    ['"a"', true],
  ])('is of one whole word: %s', (query, isOne) => {
    expect(parseWords(query).map(isPlain)).toEqual([isOne]);
  });
});

describe('a record has', () => {
  it.each([
    ['a word', 'Public notice', 'notice', true],
    ['no part of a word', 'Public notices', 'notice', false],
    ['the beginning of a word', 'Public notices', 'notice*', true],
    ['no word that only ends so', 'Public notices', 'otices*', false],
    ['all words', 'Public notice', 'notice public', true],
    ['not all words', 'Public notice', 'notice private', false],
    ['a phrase', 'A public notice.', '"public notice"', true],
    ['no phrase in another order', 'A public notice.', '"notice public"', false],
    ['no phrase with a word between', 'public and notice', '"public notice"', false],
    ['a phrase after half of it', 'public public notice', '"public notice"', true],
    ['a text with signs', 'No. 22/01 of O’Neil', "22-01 O'Neil", true],
    ['no such text apart', '22 and 01', '22/01', false],
    ['a phrase that ends in a beginning', 'on 22/0123', '22/01*', true],
    ['no word that must not be there', 'draft permit', 'permit -draft', false],
    ['what else is asked for', 'final permit', 'permit -draft', true],
    ['no phrase that must not be there', 'public notice', '-"public notice"', false],
    ['the words of such a phrase', 'public and notice', '-"public notice"', true],
    ['no beginning that must not be there', 'drafts', '-draft*', false],
    ['nothing at once with its opposite', 'a', 'a -a', false],
    ['a run of characters anywhere', '新東京都庁', '東京都', true],
    ['no such run with one between', '東京と京都', '東京都', false],
    ['one character at the beginning', '東京都', '東', true],
    ['one character in the middle', '東京都', '京', true],
    ['one character at the end', '東京都', '都', true],
    ['one character alone', '東', '東', true],
    ['no character with other marks', 'กิน', 'ก', false],
    ['a character with its marks', 'กิน', 'กิ', true],
    ['a year before a longer run', '2026年度', '2026年', true],
    ['a year after a longer run', '平成年2026', '年2026', true],
    ['no longer run inside a text', 'a年度b', 'a年b', false],
    ['no run that another word ends', '2026年', '2026年度', false],
    ['a single character that must not be there', '東京', '-京', false],
  ])('%s', (_, title, query, isThere) => {
    expect(matchesWords(parseWords(query), recordWith({ title }), FIELDS, false)).toBe(isThere);
  });

  it('its words in title, summary, content, author, key and text fields, and no others', () => {
    const record = recordWith({
      ...{ key: '22/01', title: 'one', summary: 'two', content: 'three', author: 'four', document_type: 'x' },
      ...{ facility_id: 'x', source_url: 'https://x.example/', data: { remark: 'five', area: 7, undeclared: 'x' } },
    });
    expect(searchedTexts(record, FIELDS)).toEqual(['one', 'two', '22/01', 'three', 'four', 'five']);
    const has = (query: string): boolean => matchesWords(parseWords(query), record, FIELDS, false);
    expect(has('one two three four 22 01 five')).toBe(true);
    expect([has('x'), has('7'), has('"one two"')]).toEqual([false, false, false]);
  });

  it('the words that its HTML shows', () => {
    const record = recordWith({ content: '<p class="x">Caf&eacute; <b>N</b>oir</p>AT&amp;T', content_type: 'html' });
    const has = (query: string): boolean => matchesWords(parseWords(query), record, [], false);
    expect([has('café noir'), has('"noir at t"'), has('p'), has('amp'), has('eacute')]).toEqual([
      ...[true, true, false, false, false],
    ]);
    expect(matchesWords(parseWords('eacute'), { ...record, content_type: 'text' }, [], false)).toBe(true);
  });

  it('the words that are known to be there, without a look at them', () => {
    const record = recordWith({ title: 'a b' });
    expect(matchesWords(parseWords('zzz "a b"'), record, [], true)).toBe(true);
    expect(matchesWords(parseWords('zzz -b'), record, [], true)).toBe(false);
  });
});
