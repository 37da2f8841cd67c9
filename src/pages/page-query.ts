// Which records a page of a register is asked for. It reads the parameters of lists and exports, and is more patient: shared links carry
// parameters of others, and forms send the fields that nobody filled in.
import { isGazetteError } from '../errors.ts';
import { type FilterField, FILTERS } from '../register/finding/filters.ts';
import { OWN_PREFIX } from '../register/finding/own-filters.ts';
import { faultOfWords } from '../register/finding/word-query.ts';
import type { PageQuery } from '../register/page.ts';
import { AS_OF, isWithinBounds, LIMIT, OFFSET } from '../register/parameters.ts';
import { parsePageQuery } from '../register/query.ts';
import type { Field } from '../register/record.ts';
import type { FilterFault } from '../templates/parts/filters/words.ts';
import type { RefusedWords } from '../templates/parts/filters/search-field.ts';

/** How many records a page shows unless it is asked for another number. */
export const RECORDS_ON_PAGE = 20;

/** The filter that is searched by. */
export const WORDS: FilterField = FILTERS.find(({ name }) => name === 'q')!;

/** The parameters that are no filter with a field in the form. */
const UNFILTERED: ReadonlySet<string> = new Set([LIMIT, OFFSET, AS_OF, WORDS].map(({ name }) => name));

const KNOWN: ReadonlySet<string> = new Set([LIMIT, OFFSET, AS_OF, ...FILTERS].map(({ name }) => name));

/** What is asked for. */
export interface AskedPage {
  readonly query: PageQuery;
  readonly refused: RefusedWords | null;
  readonly faults: readonly FilterFault[];
}

/**
 * The page that is asked for. Words that nothing can be searched by, and values that a filter cannot have, are left out of it, so that
 * the page can say so.
 *
 * @param check checks the query against the register
 * @throws GazetteError `invalid_parameter` for a value that is not allowed, `unknown_parameter`
 */
export function pageQueryOf(parameters: URLSearchParams, check: (query: PageQuery) => PageQuery): AskedPage {
  const refused = refusedWords(parameters);
  let given = [...parameters].filter(
    ([name, value]) =>
      value.trim() !== '' && (KNOWN.has(name) || name.startsWith(OWN_PREFIX)) && (name !== 'q' || refused === null),
  );
  const faults: FilterFault[] = [];
  for (;;) {
    try {
      const query = check(parsePageQuery(new URLSearchParams(given), { defaultLimit: RECORDS_ON_PAGE }));
      return { query, refused, faults };
    } catch (error) {
      const name = isGazetteError(error, 'invalid_parameter') ? error.details.parameter : undefined;
      const values = given.filter(([one]) => one === name).map(([, value]) => value);
      if (typeof name !== 'string' || values.length === 0 || UNFILTERED.has(name)) throw error;
      faults.push({ name, value: values.join(', ') });
      given = given.filter(([one]) => one !== name);
    }
  }
}

/** The own fields that are chosen as columns, in the order of the definition; null: none of them is. Unknown names are ignored. */
export function columnsIn(parameters: URLSearchParams, fields: readonly Field[]): readonly string[] | null {
  const asked = new Set(parameters.getAll('columns').flatMap((names) => names.split(',').map((name) => name.trim())));
  const chosen = fields.map(({ name }) => name).filter((name) => asked.has(name));
  return chosen.length === 0 ? null : chosen;
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
