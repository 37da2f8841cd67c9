// Walks through the pages of a filter that the index of terms answers: the pages of one walk that are best found together.
// To find a page costs as much as some hundred records of it, because the filter's terms are looked up for each.
import { offsetAfter, type Page, type PageQuery } from '../../../register/page.ts';

/** The most records that are found together. */
const MOST_RECORDS = 600;

/** The length of their texts, in characters, if they are as long as those found before. */
const TEXT_LENGTH = 2 ** 20;

/** The length that is counted for a record besides its long texts. */
const RECORD_LENGTH = 300;

/**
 * Finds the pages of one walk, some at once: one at first, then as many as the lengths of the records before suggest.
 *
 * @param find finds one page of any number of records
 */
export function foundAhead(find: (query: PageQuery) => Promise<Page>): (query: PageQuery) => Promise<readonly Page[]> {
  let most = 0;
  return async (query) => {
    const { limit } = query;
    const found = await find({ ...query, limit: Math.max(Math.floor(most / limit), 1) * limit });
    const { records } = found;
    if (records.length > 0) {
      const length = records.reduce(
        (sum, { summary, content }) => sum + RECORD_LENGTH + (summary?.length ?? 0) + (content?.length ?? 0),
        0,
      );
      most = Math.min(MOST_RECORDS, (TEXT_LENGTH * records.length) / length);
    }
    return divided(found, limit);
  };
}

/** A long page as pages of this many records; the last one may have fewer. */
function divided({ records, nextOffset, asOf }: Page, limit: number): Page[] {
  const pages: Page[] = [];
  let rest = records;
  for (; rest.length > limit; rest = rest.slice(limit)) {
    const last = rest[limit - 1]!.position!;
    pages.push({ records: rest.slice(0, limit), nextOffset: offsetAfter(asOf as number, last), asOf });
  }
  return [...pages, { records: rest, nextOffset, asOf }];
}
