// A search through all registers, on every surface: those that changed last first, several of them in one answer, within one bound for the
// whole request.
import { isGazetteError } from '../errors.ts';
import { isInTitle, isPlain, parseWords } from '../register/finding/word-query.ts';
import { EXAMINED_RECORDS, type Matched, PAGE_SIZE } from '../register/page.ts';
import type { RegisterRecord } from '../register/record.ts';
import { readPage } from '../register/sources/source.ts';
import { EXAMINED_PREVIEWS, type SeenKind } from '../register/sources/preview-source.ts';
import { tierIn } from '../register/tier.ts';
import { type RegisterEntry, REGISTERS_PAGE_SIZE } from '../stores/contract/catalogue.ts';
import type { RegisterStore } from '../stores/contract/registers.ts';
import { matchedIn } from './matches.ts';
import type { RegisterViews } from './registers.ts';
import type { Sight, Sighted } from './sight.ts';

/** Of how many records one register gives at most one part: a search of all registers is to show several. */
const SHARES = 4;

/** How many registers one search looks through. */
const MAX_REGISTERS = 50;

/** What a search needs. */
export interface SearchServices<Caller extends Sighted> {
  readonly sight: Sight<Caller>;
  readonly store: Pick<RegisterStore, 'catalogue' | 'register'>;
  readonly registers: RegisterViews;
}

/** Who searches. */
export interface Searcher<Caller extends Sighted> {
  readonly access: Caller;
  readonly stamp: number | undefined;
  readonly request: { readonly signal: AbortSignal };
  /** The registers that the searcher's key opens. Null or absent: all. */
  readonly feeds?: readonly string[] | null;
}

/** What is found in one register. */
export interface Found {
  readonly feedId: string;
  readonly definition: RegisterEntry['definition'];
  /** Newest first; where they are ranked, behind those whose title has all words. */
  readonly records: readonly RegisterRecord[];
  /** How many of them have all words in their title, where they are ranked. */
  readonly titled: number;
  /** Where there are previews: what a record is. Null: whole, as the tier sees it. */
  readonly kindOf: ((record: RegisterRecord) => SeenKind) | null;
  /** How many match. Null: the source does not count. */
  readonly matched: Matched | null;
  /** Whether there are, or may be, more. */
  readonly hasMore: boolean;
  /** Whether the bound of a page was reached before the page was full. */
  readonly isSpent: boolean;
}

/** What is found in all. */
export interface FoundInAll {
  readonly found: readonly Found[];
  /** Some of the registers that were not searched, because the bound was reached or they have no search. */
  readonly left: readonly RegisterEntry[];
  /** How many more were not searched. */
  readonly others: number;
}

/** What is asked for. */
export interface SearchQuery {
  /** As the filter `q`. */
  readonly query: string;
  /** How many records at most. */
  readonly limit: number;
  /**
   * Whether, of the newest records that match, a page of each register, those come first whose title has all words; otherwise
   * the newest do.
   */
  readonly isRanked?: boolean;
}

/**
 * Searches all registers.
 *
 * @throws GazetteError `invalid_parameter` for a query that is none
 */
export async function searchRegisters<Caller extends Sighted>(
  services: SearchServices<Caller>,
  { query, limit, isRanked = false }: SearchQuery,
  searcher: Searcher<Caller>,
): Promise<FoundInAll> {
  // An index alone answers it; otherwise records are examined, as many as a register has.
  const isExact = parseWords(query).every(isPlain);
  const { entries, others } = await registersToSearch(services.store, searcher.feeds ?? null);
  const { access } = searcher;
  const seesPreviews = services.sight.own(access) !== null;
  const costOf = (definition: RegisterEntry['definition'], total: number): number => {
    if (tierIn(definition, access.tier) === 'pro') return isExact ? 0 : Math.min(total, EXAMINED_RECORDS);
    if (!seesPreviews || (isExact && definition.prices !== undefined)) return 0;
    return Math.min(total, EXAMINED_PREVIEWS);
  };
  const found: Found[] = [];
  const left: RegisterEntry[] = [];
  const share = Math.ceil(limit / SHARES);
  let [room, asked, examined, isSpent] = [limit, 0, 0, false];
  for (const entry of entries) {
    const { definition, total } = entry;
    const costs = costOf(definition, total);
    const isOver = asked === MAX_REGISTERS || (examined > 0 && examined + costs > EXAMINED_RECORDS);
    if (room === 0 || isSpent || isOver || definition.search === false) {
      left.push(entry);
      continue;
    }
    asked++;
    examined += costs;
    try {
      const one = await searchRegister(
        services,
        definition.id,
        { query, limit: Math.min(share, room), isRanked },
        searcher,
      );
      found.push(one);
      room -= one.records.length;
      isSpent = one.isSpent;
    } catch (error) {
      if (isGazetteError(error, 'index_building')) left.push(entry);
      // It was removed meanwhile.
      else if (!isGazetteError(error, 'unknown_feed')) throw error;
    }
  }
  return { found, left, others };
}

/** The registers that changed last, no more than a page of them: one search never looks through as many. */
async function registersToSearch(
  store: SearchServices<never>['store'],
  feeds: readonly string[] | null,
): Promise<{ readonly entries: readonly RegisterEntry[]; readonly others: number }> {
  if (feeds !== null) {
    const opened = await Promise.all(feeds.map((feedId) => store.register(feedId)));
    return { entries: opened.filter((entry) => entry !== null).toSorted(byLastChange), others: 0 };
  }
  const page = await store.catalogue.page({ offset: 0, limit: REGISTERS_PAGE_SIZE, latestFirst: true });
  const others = page.nextOffset === null ? 0 : (await store.catalogue.count()) - REGISTERS_PAGE_SIZE;
  return { entries: page.registers, others: Math.max(0, others) };
}

/** Searches one register. @throws GazetteError `unknown_feed`, `index_building`, `invalid_parameter` */
export async function searchRegister<Caller extends Sighted>(
  services: Pick<SearchServices<Caller>, 'registers' | 'sight'>,
  feedId: string,
  { query, limit, isRanked = false }: SearchQuery,
  { access, stamp, request }: Searcher<Caller>,
): Promise<Found> {
  const view = await services.registers.view(feedId, stamp);
  const { source, kindOf } = services.sight.of(access, view);
  const read = isRanked ? PAGE_SIZE : limit;
  const asked = { limit: read, offset: 0, filter: { q: query }, signal: request.signal };
  const page = await readPage(source, asked);
  const parts = parseWords(query);
  const [titled, others] = isRanked
    ? partition(page.records, (record) => isInTitle(parts, record))
    : [[], page.records];
  const records = [...titled, ...others].slice(0, limit);
  const isWhole = page.nextOffset === null;
  // What an index alone does not count is not examined for the number.
  const isCounted = isWhole || parts.every(isPlain);
  return {
    feedId,
    definition: view.entry.definition,
    records,
    titled: Math.min(titled.length, limit),
    kindOf,
    matched: isCounted ? await matchedIn(view, source, asked, page) : { matched: page.records.length, isAtLeast: true },
    hasMore: !isWhole || page.records.length > records.length,
    isSpent: !isWhole && page.records.length < read,
  };
}

function partition<T>(items: readonly T[], test: (item: T) => boolean): readonly [readonly T[], readonly T[]] {
  return [items.filter(test), items.filter((item) => !test(item))];
}

/** Those that changed last first; those that never did by their ids, as the store lists them. */
export function byLastChange(a: RegisterEntry, b: RegisterEntry): number {
  const [one, other] = [a.lastChange ?? '', b.lastChange ?? ''];
  return one < other ? 1 : one > other ? -1 : 0;
}
