// The search field and the filters of a register: one form, whose parts lie in two places. It works by addresses alone, so what it finds can
// be linked, bookmarked and shared.
import type { Facet } from '../../register/finding/facets.ts';
import { filterEntries, filterLabel, type Filter } from '../../register/finding/filter.ts';
import type { CountedField } from '../../register/finding/filters.ts';
import { OWN_PREFIX, ownFilterName, testsOf } from '../../register/finding/own-filters.ts';
import type { RegisterDefinition } from '../../register/record.ts';
import type { Frame } from '../layout.ts';
import { markup, type Markup, NOTHING } from '../markup.ts';
import type { Texts } from '../languages/en.ts';
import { shortened, sizeOf } from './excerpt.ts';
import { type RefusedWords, searchField } from './search-field.ts';
import { ownText } from './texts.ts';

/** What a form is for. */
export interface FilterFormOptions {
  readonly definition: RegisterDefinition;
  /** What is asked for. */
  readonly filter: Filter;
  /** The words that cannot be searched for; null: there are none. */
  readonly refused: RefusedWords | null;
  /** The values that there are; null: they are not known. */
  readonly facets: readonly Facet[] | null;
  /** Whether only the latest records were counted. */
  readonly isBounded: boolean;
}

/** The parts of the form. */
export interface FilterForm {
  /** The search field, with what is needed to send the form. */
  readonly search: Markup;
  /** The fields to choose from. */
  readonly filters: Markup;
  /** What is chosen, each with a link that takes it away; nothing if nothing is. */
  readonly chosen: Markup;
}

/** The id of the form, by which fields outside it belong to it. */
const FORM = 'find';

/** How many values of a field are offered, how long one may be in the page, and how much all of them may take. */
const [MAX_VALUES, VALUE_BYTES, FILTERS_BYTES] = [8, 240, 11_000];

/** With more filters, or longer ones, they can only be removed all at once: each link repeats all the others. */
const [MAX_REMOVABLE, MAX_REMOVABLE_BYTES] = [12, 1000];

/** An input, and which value of which filter it stands for. */
interface Group {
  readonly markup: Markup;
  /** The filters whose values this group sends, as `name=value`, or `name` for all. */
  readonly sends: readonly string[];
}

/** Makes the form. */
export function filterForm(frame: Frame, options: FilterFormOptions): FilterForm {
  const { texts } = frame.wording;
  const { definition, filter, refused } = options;
  const ranges = definition.fields.filter(({ filterable, type }) => filterable === true && testsOf(type).length > 1);
  const ranged = new Set(ranges.map(({ name }) => OWN_PREFIX + name));
  const groups = fitting([
    ...(options.facets ?? [])
      .filter(({ field }) => !ranged.has(field))
      .map((facet, at) => facetGroup(frame, facet, options, at < 2)),
    rangeGroup(frame, texts.core.published_at, ['published_since', 'published_until'], 'date', filter),
    ...ranges.map((field) => {
      const [, from, to] = testsOf(field.type);
      const names = [ownFilterName(field.name, from!), ownFilterName(field.name, to!)] as const;
      return rangeGroup(frame, field.label, names, from === 'since' ? 'date' : 'number', filter, definition.language);
    }),
  ]);
  const sent = new Set(['q', ...groups.flatMap(({ sends }) => sends)]);
  const others = filterEntries(filter).filter(([name, value]) => !sent.has(name) && !sent.has(`${name}=${value}`));
  const { action, parameters } = formOf(frame.addresses.register(definition.id));
  const words = filter.q;
  const query = words === undefined ? '' : typeof words === 'string' ? words : (words[0] ?? '');
  const hidden = [...parameters, ...others].map(
    ([name, value]) => markup`<input type="hidden" name="${name}" value="${value}">\n`,
  );
  return {
    search: markup`<form class="search" id="${FORM}" role="search" method="get" action="${action}">
${
  definition.search === false ? NOTHING : searchField(frame.wording, { label: texts.register.search, query, refused })
}${hidden}</form>`,
    filters:
      groups.length === 0
        ? NOTHING
        : markup`<section class="filters" aria-labelledby="filters"><h2 id="filters">${texts.register.filters}</h2>
${countNote(frame, options)}${groups.map((group) => group.markup)}<p><button class="plain" form="${FORM}">${texts.register.apply}</button></p>
</section>`,
    chosen: chosenFilters(frame, options),
  };
}

/** What the numbers beside the values count. */
function countNote({ wording }: Frame, { isBounded, filter }: FilterFormOptions): Markup {
  const { register } = wording.texts;
  if (isBounded) return markup`<p class="hint">${register.countedLatest}</p>\n`;
  return filterEntries(filter).length > 0 ? markup`<p class="hint">${register.countedAll}</p>\n` : NOTHING;
}

/** The groups that fit into a page. */
function fitting(groups: readonly Group[]): readonly Group[] {
  let room = FILTERS_BYTES;
  return groups.filter((group) => (room -= Buffer.byteLength(group.markup.toString())) > 0);
}

/** The values of a field, of which any may be chosen. */
function facetGroup(
  { wording }: Frame,
  { field, values, more }: Facet,
  { definition, filter }: FilterFormOptions,
  isOpen: boolean,
): Group {
  const chosen = listOf(filter, field);
  const shown = offeredValues(values, chosen);
  const left = values.length - shown.filter(({ records }) => records !== null).length + more;
  if (shown.length === 0) return { markup: NOTHING, sends: [] };
  const { texts } = wording;
  const own = ownText(wording, definition.language);
  const items = shown.map(({ value, records }) => {
    return markup`<li><label><input type="checkbox" form="${FORM}" name="${field}" value="${value}"${
      chosen.includes(value) ? markup` checked` : NOTHING
    }> <span${own}>${shortened(value, 100)}</span>${
      records === null ? NOTHING : markup` <span class="count number">${wording.number(records)}</span>`
    }</label></li>\n`;
  });
  const open = isOpen || chosen.length > 0 ? markup` open` : NOTHING;
  return {
    markup: markup`<details class="group"${open}><summary>${labelOf(texts, field, definition)}</summary>
<ul>
${items}</ul>
${left > 0 ? markup`<p class="hint">${texts.register.moreValues(wording.number(left))}</p>\n` : NOTHING}</details>
`,
    sends: shown.map(({ value }) => `${field}=${value}`),
  };
}

/** A value to choose, and how many records have it; null: it is not known. */
interface OfferedValue {
  readonly value: string;
  readonly records: number | null;
}

/** The values to choose from: those that are chosen, then the commonest. */
function offeredValues(values: Facet['values'], chosen: readonly string[]): readonly OfferedValue[] {
  const first = [...new Set(chosen)].map(
    (value): OfferedValue => values.find((one) => one.value === value) ?? { value, records: null },
  );
  const most = Math.max(MAX_VALUES, chosen.length);
  const offered: OfferedValue[] = [];
  for (const one of [...first, ...values.filter(({ value }) => !chosen.includes(value))]) {
    if (offered.length === most) break;
    if (sizeOf(one.value) <= VALUE_BYTES) offered.push(one);
  }
  return offered;
}

/** From where to where the values of a field may lie. */
function rangeGroup(
  { wording }: Frame,
  label: string,
  names: readonly [from: string, to: string],
  kind: 'date' | 'number',
  filter: Filter,
  language: string | null = wording.language,
): Group {
  const { register } = wording.texts;
  const words = kind === 'date' ? [register.since, register.until] : [register.minimum, register.maximum];
  const inputs = names.map((name, at) => {
    const [value = ''] = listOf(filter, name);
    // A browser shows nothing for a date-time in a field for dates, and would then remove the filter.
    const type = kind === 'date' && (value === '' || /^\d{4}-\d{2}-\d{2}$/.test(value)) ? 'date' : 'text';
    const id = `f-${name.replaceAll(/[^a-z0-9_]/g, '-')}`;
    return markup`<div><label class="small" for="${id}">${words[at]}</label>
<input type="${type}"${kind === 'number' ? markup` inputmode="decimal"` : NOTHING} id="${id}" form="${FORM}" name="${name}" value="${value}"></div>
`;
  });
  const isChosen = names.some((name) => listOf(filter, name).length > 0);
  return {
    markup: markup`<details class="group"${isChosen ? markup` open` : NOTHING}><summary${ownText(wording, language)}>${shortened(label, 200)}</summary>
<fieldset class="range"><legend class="hidden">${shortened(label, 200)}</legend>
${inputs}</fieldset></details>
`,
    sends: names,
  };
}

function chosenFilters(frame: Frame, { definition, filter }: FilterFormOptions): Markup {
  const { wording, addresses } = frame;
  const { texts } = wording;
  const entries = filterEntries(filter);
  if (entries.length === 0) return NOTHING;
  const isRemovable =
    entries.length <= MAX_REMOVABLE &&
    entries.reduce((sum, [, value]) => sum + sizeOf(value), 0) <= MAX_REMOVABLE_BYTES;
  const items = entries.slice(0, MAX_REMOVABLE).map(([name, value], at) => {
    const label = labelOf(texts, name, definition);
    const shown = shortened(value, 80);
    const text = markup`<span class="quiet">${label}:</span> <span${ownText(wording, definition.language)}>${shown}</span>`;
    if (!isRemovable) return markup`<li><span class="chip">${text}</span></li>\n`;
    const rest = queryOf(entries.filter((_, other) => other !== at));
    return markup`<li><a class="chip" href="${addresses.register(definition.id, rest)}">${text} <span aria-hidden="true">×</span><span class="hidden">${texts.register.remove(label, shown)}</span></a></li>\n`;
  });
  return markup`<div class="chosen"><h3 class="hidden">${texts.register.chosen}</h3>
<ul>
${items}<li><a href="${addresses.register(definition.id)}">${texts.register.removeAll}</a></li>
</ul></div>
`;
}

/** The name of a filter in the page's language; of an own field, as its register names it. */
export function labelOf(texts: Texts, name: string, { fields }: Pick<RegisterDefinition, 'fields'>): string {
  const { core, register, words } = texts;
  if (name.startsWith(OWN_PREFIX)) return shortened(filterLabel(name, fields), 200);
  const [, event, end] = /^(published|observed|updated)_(since|until)$/.exec(name) ?? [];
  if (event !== undefined) return `${core[`${event as 'published'}_at`]} ${register[end as 'since']}`;
  if (name === 'q') return words;
  return Object.hasOwn(core, name) ? core[name as CountedField] : name;
}

/** Filters as the query of an address. */
export function queryOf(entries: readonly (readonly [name: string, value: string])[]): URLSearchParams {
  const query = new URLSearchParams();
  for (const [name, value] of entries) query.append(name, value);
  return query;
}

function listOf(filter: Filter, name: string): readonly string[] {
  const value = filter[name];
  return value === undefined ? [] : typeof value === 'string' ? [value] : value;
}

/** An address as a form sends it: what it has in its query must be sent by fields. */
export function formOf(address: string): { readonly action: string; readonly parameters: readonly [string, string][] } {
  const [action = '', query = ''] = address.split('?');
  return { action, parameters: [...new URLSearchParams(query)] };
}
