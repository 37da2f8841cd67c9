// The texts of the accounts' pages: every language has all of them, and the values that they name.
import { describe, expect, it } from 'vitest';
import { deAccount } from '../../src/templates/languages/account/de.ts';
import { enAccount } from '../../src/templates/languages/account/en.ts';
import { LANGUAGES, wordingIn } from '../../src/templates/wording.ts';

/** The texts by their paths. */
function textsOf(value: unknown, path = ''): readonly (readonly [string, string])[] {
  if (typeof value === 'string') return [[path, value]];
  return Object.entries(value as object).flatMap(([name, member]) => textsOf(member, `${path}.${name}`));
}

const places = (text: string): readonly string[] => text.match(/\{[a-z]+\}/g)?.sort() ?? [];

describe('the texts of accounts', () => {
  it('are there in every language', () => {
    const [first, ...others] = Object.keys(LANGUAGES).map((tag) => wordingIn(tag).account);
    expect(new Set([first, ...others]).size).toBe(Object.keys(LANGUAGES).length);
  });

  it('name the same values in German', () => {
    const german = new Map(textsOf(deAccount));
    for (const [path, text] of textsOf(enAccount))
      expect([path, places(german.get(path)!)]).toEqual([path, places(text)]);
  });
});
