// The search field and the filters of a register: one form, whose parts lie in two places. It works by addresses alone, so what it finds can
// be linked, bookmarked and shared.
import type { Facet, Facets } from '../../../register/finding/facets.ts';
import { filterEntries, type Filter } from '../../../register/finding/filter.ts';
import { OWN_PREFIX, ownFilterName, testsOf } from '../../../register/finding/own-filters.ts';
import { nearestFirst } from '../../../nearest.ts';
import type { RegisterDefinition } from '../../../register/record.ts';
import type { Frame } from '../../layout.ts';
import { markup, type Markup, NOTHING } from '../../markup.ts';
import { shortened, sizeOf } from '../excerpt.ts';
import { faultNotes, faultText, type FilterFault, inputId, labelOf } from './words.ts';
import { type RefusedWords, searchField } from './search-field.ts';
import { ownText } from '../texts.ts';
import { breakableName } from '../values.ts';

/** What a form is for. */
export interface FilterFormOptions {
  readonly definition: RegisterDefinition;
  /** What is asked for. */
  readonly filter: Filter;
  /** What the address says besides, and the form sends on. */
  readonly kept: readonly (readonly [name: string, value: string])[];
  /** The words that cannot be searched for; null: there are none. */
  readonly refused: RefusedWords | null;
  /** The values of the records that match. */
  readonly facets: readonly Facet[];
  /** Whether only the latest records were counted. */
  readonly isBounded: boolean;
  /** The ranges that there are values for: `published_at` and fields as facets name them. */
  readonly ranges: ReadonlySet<string>;
  /** The values that are left out of the question, because their filters cannot have them. */
  readonly faults: readonly FilterFault[];
}

/** The parts of the form. */
export interface FilterForm {
  /** The search field, with what is needed to send the form. */
  readonly search: Markup;
  /** The fields to choose from. */
  readonly filters: Markup;
  /** What is wrong with what was asked for, and what is chosen, each with a link that takes it away; nothing if nothing is. */
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
  const { definition, filter, refused, kept } = options;
  const ranges = definition.fields.filter(({ filterable, type }) => filterable === true && testsOf(type).length > 1);
  const ranged = new Set(ranges.map(({ name }) => OWN_PREFIX + name));
  const groups = fitting([
    ...options.facets
      .filter(({ field, values }) => !ranged.has(field) && (values.length > 0 || field in filter))
      .map((facet, at) => facetGroup(frame, facet, options, at < 2)),
    rangeGroup(frame, options, {
      ...{ field: 'published_at', label: texts.core.published_at, kind: 'date', language: frame.wording.language },
      names: ['published_since', 'published_until'],
    }),
    ...ranges.map((field) => {
      const [, from, to] = testsOf(field.type);
      return rangeGroup(frame, options, {
        ...{ field: OWN_PREFIX + field.name, label: field.label, language: definition.language },
        kind: from === 'since' ? 'date' : 'number',
        names: [ownFilterName(field.name, from!), ownFilterName(field.name, to!)],
      });
    }),
  ]).filter(({ sends }) => sends.length > 0);
  const sent = new Set(['q', ...groups.flatMap(({ sends }) => sends)]);
  const others = filterEntries(filter).filter(([name, value]) => !sent.has(name) && !sent.has(`${name}=${value}`));
  const { action, parameters } = formOf(frame.addresses.register(definition.id));
  const words = filter.q;
  const query = words === undefined ? '' : typeof words === 'string' ? words : (words[0] ?? '');
  const hidden = [...parameters, ...others, ...kept].map(
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
function countNote({ wording }: Frame, { isBounded }: FilterFormOptions): Markup {
  return isBounded ? markup`<p class="hint">${wording.texts.register.countedLatest}</p>\n` : NOTHING;
}

/** The groups that fit into a page. */
function fitting(groups: readonly Group[]): readonly Group[] {
  let room = FILTERS_BYTES;
  return groups.filter((group) => (room -= Buffer.byteLength(group.markup.toString())) > 0);
}

/** The values of a field, of which any may be chosen. */
function facetGroup(frame: Frame, { field, values, more }: Facet, options: FilterFormOptions, isOpen: boolean): Group {
  const { wording } = frame;
  const { definition, filter } = options;
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
    markup: markup`<details class="group"${open}><summary>${breakableName(labelOf(texts, field, definition))}</summary>
<ul>
${items}</ul>
${left > 0 ? otherValues(frame, field, left, options) : NOTHING}</details>
`,
    sends: shown.map(({ value }) => `${field}=${value}`),
  };
}

/** The way to the values that are not offered. */
function otherValues(
  { wording, addresses }: Frame,
  field: string,
  left: number,
  { definition, filter }: FilterFormOptions,
): Markup {
  const { texts } = wording;
  const text = texts.register.moreValues(wording.number(left));
  const rest = filterEntries(filter).filter(([name]) => name !== field);
  const address = addresses.values(definition.id, queryOf([['field', field], ...rest]));
  if (address === null || areLong(rest)) return markup`<p class="hint">${text}</p>\n`;
  const label = labelOf(texts, field, definition);
  return markup`<p class="all"><a href="${address}">${text}<span class="hidden">: ${texts.register.allOf(label)}</span></a></p>\n`;
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
interface Range {
  /** As facets name it. */
  readonly field: string;
  readonly label: string;
  /** BCP 47, of the label; null: not known. */
  readonly language: string | null;
  readonly kind: 'date' | 'number';
  /** The two filters. */
  readonly names: readonly [from: string, to: string];
}

function rangeGroup(
  { wording }: Frame,
  { filter, ranges, faults, definition }: FilterFormOptions,
  { field, label, language, kind, names }: Range,
): Group {
  const { texts } = wording;
  const { register } = texts;
  const isChosen = names.some((name) => listOf(filter, name).length > 0 || faults.some((fault) => fault.name === name));
  if (!isChosen && !ranges.has(field)) return { markup: NOTHING, sends: [] };
  const words = kind === 'date' ? [register.since, register.until] : [register.minimum, register.maximum];
  const inputs = names.map((name, at) => {
    const fault = faults.find((one) => one.name === name);
    const [value = fault?.value ?? ''] = listOf(filter, name);
    // A browser shows nothing for a date-time in a field for dates, and would then remove the filter.
    const type = kind === 'date' && (value === '' || /^\d{4}-\d{2}-\d{2}$/.test(value)) ? 'date' : 'text';
    const id = inputId(name);
    const said =
      fault === undefined
        ? NOTHING
        : markup`<p class="error" id="${id}-error">${faultText(texts, fault, definition)}</p>\n`;
    return markup`<div><label class="small" for="${id}">${words[at]}</label>
${said}<input type="${type}"${kind === 'number' ? markup` inputmode="decimal"` : NOTHING}${
      fault === undefined ? NOTHING : markup` aria-invalid="true" aria-describedby="${id}-error"`
    } id="${id}" form="${FORM}" name="${name}" value="${shortened(value, VALUE_BYTES)}"></div>
`;
  });
  return {
    markup: markup`<details class="group"${isChosen ? markup` open` : NOTHING}><summary${ownText(wording, language)}>${breakableName(shortened(label, 200))}</summary>
<fieldset class="range"><legend class="hidden">${shortened(label, 200)}</legend>
${inputs}</fieldset></details>
`,
    sends: names,
  };
}

/** Whether filters are too long to be repeated in every link. */
function areLong(entries: readonly (readonly [string, string])[]): boolean {
  return entries.reduce((sum, [, value]) => sum + sizeOf(value), 0) > MAX_REMOVABLE_BYTES;
}

function chosenFilters(frame: Frame, options: FilterFormOptions): Markup {
  const { definition, filter, kept } = options;
  const { wording, addresses } = frame;
  const { texts } = wording;
  const entries = filterEntries(filter);
  const notes = faultNotes(frame, options);
  if (entries.length === 0) return notes;
  const isRemovable = entries.length <= MAX_REMOVABLE && !areLong(entries);
  const items = entries.slice(0, MAX_REMOVABLE).map(([name, value], at) => {
    const label = labelOf(texts, name, definition);
    const shown = shortened(value, 80);
    const text = markup`<span class="quiet">${label}:</span> <span${ownText(wording, definition.language)}>${shown}</span>`;
    if (!isRemovable) return markup`<li><span class="chip">${text}</span></li>\n`;
    const rest = queryOf([...entries.filter((_, other) => other !== at), ...kept]);
    return markup`<li><a class="chip" href="${addresses.register(definition.id, rest)}">${text} <span aria-hidden="true">×</span><span class="hidden">${texts.register.remove(label, shown)}</span></a></li>\n`;
  });
  return markup`${notes}<div class="chosen"><h3 class="hidden">${texts.register.chosen}</h3>
<ul>
${items}<li><a href="${addresses.register(definition.id, queryOf(kept))}">${texts.register.removeAll}</a></li>
</ul></div>
`;
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

/** The values of the fields that were asked for in vain. */
export function valuesThere(
  { wording, addresses }: Frame,
  { definition, facets, filter }: Pick<FilterFormOptions, 'definition' | 'filter'> & { readonly facets: Facets | null },
): Markup {
  const { texts } = wording;
  const asked = (facets?.facets ?? []).filter(({ field, values }) => field in filter && values.length > 0);
  if (asked.length === 0) return NOTHING;
  const rows = asked.map(({ field, values }) => {
    const names = nearestFirst(
      listOf(filter, field)[0]!,
      values.map(({ value }) => value),
    );
    const links = names.map((value) => {
      const address = addresses.register(definition.id, new URLSearchParams([[field, value]]));
      return markup`<li><a${ownText(wording, definition.language)} href="${address}">${shortened(value, 100)}</a></li>\n`;
    });
    return markup`<h3>${labelOf(texts, field, definition)}</h3>\n<ul class="values">\n${links}</ul>\n`;
  });
  return markup`<p>${texts.register.valuesThere}</p>\n${rows}`;
}
