// What somebody may have meant whose words find nothing: words that there are, as far as a register is seen.
import { nearest } from '../nearest.ts';
import { parseWords, previewTexts } from '../register/finding/word-query.ts';
import { charactersOf, wordsOf } from '../register/finding/words.ts';
import { PAGE_SIZE } from '../register/page.ts';
import { readPage, type RegisterSource } from '../register/sources/source.ts';
import { firstCharacters } from '../register/tier.ts';

/** How many of the words of a question are looked at, with how many letters others begin alike, and how many of those are named. */
const [MAX_WORDS, ALIKE, MAX_ALIKE] = [3, 4, 5];

/**
 * Words in titles, summaries and keys for those of a question that no record has: with the same first four letters, as they
 * are written there.
 *
 * @param source the register as the caller sees it
 * @throws GazetteError as `RegisterSource.page()`
 */
export async function nearestWords(source: RegisterSource, query: string, signal: AbortSignal): Promise<string[]> {
  const asked = parseWords(query).flatMap(({ words, isNegated }) => (isNegated ? [] : words));
  const found: string[] = [];
  for (const word of [...new Set(asked.filter(isLong))].slice(0, MAX_WORDS)) {
    const find = async (q: string, limit: number): ReturnType<typeof readPage> =>
      readPage(source, { offset: 0, limit, filter: { q }, signal });
    if ((await find(word, 1)).records.length > 0) continue;
    const beginning = firstCharacters(word, ALIKE);
    const { records } = await find(`${beginning}*`, PAGE_SIZE);
    const forms = new Map<string, string>();
    for (const form of records.flatMap(previewTexts).flatMap((text) => text.match(FORMS) ?? [])) {
      const [plain, ...others] = wordsOf(form);
      if (others.length === 0 && plain?.startsWith(beginning) === true && !forms.has(plain)) forms.set(plain, form);
    }
    const plains = [...forms.keys()];
    const ordered = [...new Set([...nearest(word, plains), ...plains])].slice(0, MAX_ALIKE);
    found.push(...ordered.map((plain) => forms.get(plain)!));
  }
  return found;
}

/** Words as they are written. */
const FORMS = /[\p{L}\p{N}][\p{L}\p{M}\p{N}]*/gu;

/** Whether a word has a beginning of so many letters, which a script without spaces has not. */
function isLong(word: string): boolean {
  return firstCharacters(word, ALIKE) !== word && charactersOf(word).length === 0;
}
