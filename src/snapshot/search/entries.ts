// What can be found of a record: what the pages of the folder show of it, and no more.
import { contentOf } from '../../archive/content.ts';
import { closedPage, closedPages, headPage, pageNumberOf } from '../../archive/layout.ts';
import { instantOf } from '../../register/finding/compare.ts';
import { facetNames, facetValues } from '../../register/finding/facets.ts';
import { valueIn } from '../../register/finding/filter.ts';
import { searchedTexts } from '../../register/finding/word-query.ts';
import type { RegisterRecord } from '../../register/record.ts';
import { isHttpUrl, isUnknownSource } from '../../register/url.ts';
import type { SnapshotRegister } from '../pages/content.ts';
import type { SearchEntry } from './pagefind.ts';

/** What stands for the year of a record without a date of publication. */
export const UNDATED = 'undated';

/** A register's language as Pagefind knows it: without a region. */
export function searchLanguage(language: string | null): string {
  return language === null ? 'unknown' : language.split('-')[0]!.toLowerCase();
}

/** The year in UTC in which a record was published: the pages of every tier show it. */
export function yearOf({ published_at: at }: RegisterRecord): string {
  return at === null ? UNDATED : String(new Date(instantOf(at)!.ms).getUTCFullYear());
}

/** What can be found of a record. @param top the highest position of the register */
export function entryOf(register: SnapshotRegister, top: number, record: RegisterRecord): SearchEntry {
  const { definition, latest } = register;
  const { id, language, fields } = definition;
  const number = pageNumberOf(record.position!);
  // On closed pages the public sees no record whole: those of its window are on the newest page.
  const isOnHead = number > closedPages(top) || latest.has(record.id);
  const place = isOnHead ? headPage(top) : closedPage(number);
  const shown = contentOf(register, place, [record], null).records[0]!;
  const { title, published_at, observed_at, source_url } = shown;
  const at = published_at === null ? null : instantOf(published_at);
  // Pagefind finds the words of all that it is told of a record, but for its address, in which a browser reads these.
  const facts = new URLSearchParams({
    position: String(record.position),
    ...(published_at === null ? {} : { published_at }),
    observed_at,
    ...(isUnknownSource(source_url) || !isHttpUrl(source_url) ? {} : { source_url }),
  });
  const values = facetNames(fields).map((name) => [name, facetValues(valueIn(shown, name))] as const);
  return {
    url: `${id}/${place.name}.html#${facts.toString()}`,
    content: searchedTexts(shown, fields).join('\n'),
    language: searchLanguage(language),
    meta: { title: title.trim() === '' ? shown.id : title },
    filters: Object.fromEntries(values.filter(([, found]) => found.length > 0)),
    // Texts that sort as the times do. Pagefind leaves out what has no key.
    sort: { date: `${at === null ? '' : new Date(at.ms).toISOString()} ${String(record.position).padStart(9, '0')}` },
  };
}
