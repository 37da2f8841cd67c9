// How many records match, how they are sorted, and the way to their figures.
import { type Filter, filterEntries } from '../../register/finding/filter.ts';
import { EXAMINED_RECORDS, type Matched } from '../../register/page.ts';
import type { RegisterDefinition } from '../../register/record.ts';
import type { Frame } from '../layout.ts';
import { markup, type Markup, NOTHING } from '../markup.ts';
import type { Wording } from '../wording.ts';
import { queryOf } from './filters/form.ts';
import { labelOf } from './filters/words.ts';
import type { SortableAs } from './records-table.ts';
import { MAX_HREF } from './values.ts';

/** What a page says of the number of its records. */
interface Counted {
  readonly matched?: Matched | null;
  readonly window: number | 'previews' | null;
  readonly total: number | null;
}

/** What a page says of the order of its records. */
interface Ordered {
  readonly definition: RegisterDefinition;
  readonly sortable?: SortableAs | null;
  readonly areTooMany?: boolean;
}

/** How many records match. */
export function foundText(wording: Wording, { matched, isAtLeast }: Matched): string {
  const { register } = wording.texts;
  const number = wording.number(Math.min(matched, isAtLeast ? EXAMINED_RECORDS : Infinity));
  if (!isAtLeast) return register.matched(matched, number);
  return matched >= EXAMINED_RECORDS ? register.moreThan(number) : register.atLeast(number);
}

/** How many records match, and of how many; null: nothing was asked for, or it is not known. */
export function matchedText(
  wording: Wording,
  { matched: counted = null, window, total }: Counted,
): { readonly found: string; readonly of: string } | null {
  if (counted === null || total === null) return null;
  const { register } = wording.texts;
  const number = (value: number): string => wording.number(value);
  const isWindow = typeof window === 'number' && window < total;
  return {
    found: foundText(wording, counted),
    of: isWindow ? register.ofLatest(number(window)) : register.ofAll(number(total)),
  };
}

/** How the records are sorted, or why they cannot be. */
export function orderNote({ wording }: Frame, { definition, sortable = null, areTooMany = false }: Ordered): Markup {
  const { texts } = wording;
  const sorting = sortable?.sorting ?? null;
  if (sorting === null) {
    return areTooMany
      ? markup`<p class="hint order">${texts.register.tooManyToSort(wording.number(EXAMINED_RECORDS))}</p>\n`
      : NOTHING;
  }
  const name = labelOf(texts, sorting.by, definition);
  return markup`<p class="order">${texts.register.sortedBy(name, sorting.isDescending)} <a href="${sortable!.addressOf(null)}">${texts.register.newestFirst}</a></p>\n`;
}

/** The way to figures of what is listed. */
export function figuresLink(
  { wording, addresses }: Frame,
  { definition, filter }: { readonly definition: RegisterDefinition; readonly filter: Filter },
): Markup {
  const address = addresses.figures(definition.id, queryOf(filterEntries(filter)));
  if (address === null || address.length > MAX_HREF) return NOTHING;
  return markup`<p class="order"><a rel="nofollow" href="${address}">${wording.figures.link}</a></p>\n`;
}
