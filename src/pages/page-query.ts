// Which records a page of a register is asked for. It reads the parameters of lists and exports, and is more patient: shared links carry
// parameters of others, and forms send the fields that nobody filled in.
import { type FilterField, FILTERS } from '../register/finding/filters.ts';
import { OWN_PREFIX } from '../register/finding/own-filters.ts';
import { faultOfWords } from '../register/finding/word-query.ts';
import type { PageQuery } from '../register/page.ts';
import { AS_OF, isWithinBounds, LIMIT, OFFSET } from '../register/parameters.ts';
import { parsePageQuery } from '../register/query.ts';
import type { RefusedWords } from '../templates/parts/search-field.ts';

/** How many records a page shows unless it is asked for another number. */
export const RECORDS_ON_PAGE = 20;

/** The filter that is searched by. */
export const WORDS: FilterField = FILTERS.find(({ name }) => name === 'q')!;

const KNOWN: ReadonlySet<string> = new Set([LIMIT, OFFSET, AS_OF, ...FILTERS].map(({ name }) => name));

/**
 * The page that is asked for. Words that nothing can be searched by are left out of it, so that the page can say so.
 *
 * @throws GazetteError `invalid_parameter` for a value that is not allowed
 */
export function pageQueryOf(parameters: URLSearchParams): {
  readonly query: PageQuery;
  readonly refused: RefusedWords | null;
} {
  const refused = refusedWords(parameters);
  const given = [...parameters].filter(
    ([name, value]) =>
      value.trim() !== '' && (KNOWN.has(name) || name.startsWith(OWN_PREFIX)) && (name !== 'q' || refused === null),
  );
  return { query: parsePageQuery(new URLSearchParams(given), { defaultLimit: RECORDS_ON_PAGE }), refused };
}

/** How many registers to pass over. @throws GazetteError `invalid_parameter` */
export function offsetIn(parameters: URLSearchParams): number {
  const given = parameters.getAll(OFFSET.name).filter((value) => value.trim() !== '');
  return parsePageQuery(new URLSearchParams(given.map((value): [string, string] => [OFFSET.name, value])), {
    defaultLimit: 1,
  }).offset;
}

/** The words that are asked for, where they are none or too many; null: they are neither, or nothing is searched for. */
export function refusedWords(parameters: URLSearchParams): RefusedWords | null {
  const [text = '', ...others] = parameters.getAll('q').filter((value) => value.trim() !== '');
  if (text === '' || others.length > 0 || !isWithinBounds(WORDS, [text])) return null;
  const fault = faultOfWords(text);
  return fault === null ? null : { text: text.trim(), fault };
}
