// Which records a page of a register is asked for. It reads the parameters of lists and exports, and is more patient: shared links carry
// parameters of others, and forms send the fields that nobody filled in.
import { FILTERS } from '../register/finding/filters.ts';
import { OWN_PREFIX } from '../register/finding/own-filters.ts';
import type { PageQuery } from '../register/page.ts';
import { AS_OF, LIMIT, OFFSET } from '../register/parameters.ts';
import { parsePageQuery } from '../register/query.ts';

/** How many records a page shows unless it is asked for another number. */
export const RECORDS_ON_PAGE = 20;

const KNOWN: ReadonlySet<string> = new Set([LIMIT, OFFSET, AS_OF, ...FILTERS].map(({ name }) => name));

/**
 * The page that is asked for.
 *
 * @throws GazetteError `invalid_parameter` for a value that is not allowed
 */
export function askedRecords(parameters: URLSearchParams): PageQuery {
  const given = [...parameters].filter(
    ([name, value]) => value.trim() !== '' && (KNOWN.has(name) || name.startsWith(OWN_PREFIX)),
  );
  const query = parsePageQuery(new URLSearchParams(given), { defaultLimit: RECORDS_ON_PAGE });
  return query;
}
