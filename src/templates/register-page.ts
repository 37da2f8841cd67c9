// A register: what it is, its records, what to choose among them, and how to use it.
import type { Facets } from '../register/finding/facets.ts';
import { filterEntries, type Filter } from '../register/finding/filter.ts';
import type { Matched } from '../register/page.ts';
import type { RegisterDefinition } from '../register/record.ts';
import { isHttpUrl } from '../register/url.ts';
import { utf8, utf8Of } from '../web/utf8.ts';
import { type Frame, type HeadLink, languageChoices, layout } from './layout.ts';
import { markup, type Markup, NOTHING, trusted } from './markup.ts';
import { fittingItems, shortened } from './parts/excerpt.ts';
import { type FilterForm, queryOf, valuesThere } from './parts/filters/form.ts';
import { figuresLink, matchedText, orderNote } from './parts/matched.ts';
import type { Offer } from './parts/offer.ts';
import { accessNote, type LateRegister, registerFacts } from './parts/register-facts.ts';
import { choiceEntries, columnChoice } from './parts/column-choice.ts';
import {
  type Density,
  type RecordsTable,
  recordsTable,
  type SortableAs,
  type TableRecord,
} from './parts/records-table.ts';
import { languageOf, ownText } from './parts/texts.ts';
import { siteNameOf } from './parts/values.ts';
import { timeOf } from './wording.ts';

/** What the page shows. */
export interface RegisterPage {
  readonly definition: RegisterDefinition;
  /** Null: the page does not say how many there are, nor when they changed. */
  readonly total: number | null;
  readonly lastChange: string | null;
  /** How often a file is expected where none was taken in for longer, and when it last was. Absent or null: it is not overdue. */
  readonly overdue?: LateRegister | null;
  /** How many of the latest records the reader sees, or previews of all but the latest; null: all. */
  readonly window: number | 'previews' | null;
  readonly filter: Filter;
  /** Whether something that was asked for cannot be, and was left out. Absent: no. */
  readonly isRefused?: boolean;
  /** How many records match; null: nothing was asked for. Absent: as null. */
  readonly matched?: Matched | null;
  readonly records: readonly TableRecord[];
  /** The names of the own fields that the reader chose. Absent or null: those that are short. */
  readonly columns?: readonly string[] | null;
  /** How they can be sorted; null: they cannot. Absent: as null. */
  readonly sortable?: SortableAs | null;
  /** Whether they could be sorted if fewer matched. Absent: no. */
  readonly areTooMany?: boolean;
  /** How much is said of each. Default: all. */
  readonly density?: Density;
  /** Whether these are the newest records of the list. */
  readonly isFirst: boolean;
  /** The parameters of the page after these records; null: there is none. */
  readonly next: URLSearchParams | null;
  /** The values that there are, and the form to choose from them; null: nothing can be chosen, as in files. */
  readonly facets: Facets | null;
  readonly form: FilterForm | null;
  /** How many records were published in which month; null: no chart. */
  readonly chart: Markup | null;
  /** The formats in which the reader may have all that is listed in one file. Absent: none. */
  readonly wholes?: readonly string[];
  /** The calendars of its dates. Default: none. */
  readonly calendars?: readonly { readonly label: string; readonly url: string }[];
  /** What exports are named and are. */
  readonly formats: readonly { readonly name: string; readonly mediaType: string }[];
  /** The feeds. Default: the formats that are feeds. */
  readonly feeds?: readonly HeadLink[];
  /** The public address of the register's page. */
  readonly url: string;
  /** Where a key is to be had; null: the operator names no place. */
  readonly keysUrl: string | null;
  /** What each older record costs; null: nothing is sold to the reader. Absent: as null. */
  readonly offer?: Offer | null;
  /** The ids of the records that the reader has bought. Absent: none. */
  readonly bought?: ReadonlySet<string>;
  /** Structured data, for a page that search engines read; null: none. */
  readonly data: (() => object) | null;
}

/** The largest page, in bytes. */
const MAX_PAGE_BYTES = 59_000;

/** A page in UTF-8, and how many of its records it shows. */
export interface WrittenRegisterPage {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly shown: number;
}

/**
 * A page without its records, the links to other pages of the list and the languages to choose from: what stands around all lists that are
 * read alike, in UTF-8, in three parts.
 */
export type RegisterSurroundings = readonly Uint8Array[];

/**
 * The page with all of its records that fit.
 *
 * @param surroundings what was made for another list that is read alike. Default: made
 */
export function registerPage(
  frame: Frame,
  page: RegisterPage,
  surroundings: RegisterSurroundings = registerSurroundings(frame, page),
): WrittenRegisterPage {
  const { language, fields } = page.definition;
  const { records, bought, density = 'columns', columns = null, sortable = null } = page;
  const options = {
    records,
    fields,
    language,
    density,
    columns,
    sortable,
    ...(bought === undefined ? {} : { bought }),
  };
  const table = recordsTable(frame, options);
  const items = table.rows.map((item) => item.toString());
  const [head, middle, end] = surroundings as [Uint8Array, Uint8Array, Uint8Array];
  const [before, after] = list(frame, page, table);
  const languages = languageChoices(frame).toString();
  const bytesWith = (shown: readonly string[]): Uint8Array<ArrayBuffer> =>
    utf8Of([head, before, ...shown, after, middle, languages, end]);
  if (items.reduce((size, item) => size + item.length, 0) <= MAX_PAGE_BYTES) {
    const whole = bytesWith(items);
    if (whole.length <= MAX_PAGE_BYTES) return { bytes: whole, shown: items.length };
  }
  const fitting = fittingItems(items, MAX_PAGE_BYTES - bytesWith([]).length);
  return { bytes: bytesWith(fitting), shown: fitting.length };
}

/** Where what changes from list to list comes: a character that nothing in a page can have. */
const SLOT: Markup = trusted('\0');

/** Makes what stands around a list: it does not depend on `records`, `bought` and `next`. */
export function registerSurroundings(frame: Frame, page: RegisterPage): RegisterSurroundings {
  return document(frame, page)
    .split(SLOT.toString())
    .map((part) => utf8(part));
}

function document(frame: Frame, page: RegisterPage): string {
  const { wording } = frame;
  const { texts } = wording;
  const { definition, filter, form, isRefused = false } = page;
  const { title, description, language } = definition;
  const isAsked = filterEntries(filter).length > 0;
  const isHidden = isAsked || isRefused || !page.isFirst || page.sortable?.sorting != null;
  const heading = isAsked
    ? texts.register.found
    : page.isFirst && page.sortable?.sorting == null
      ? texts.register.latest
      : texts.register.records;
  const main = markup`<nav class="crumbs" aria-label="${texts.crumbs}"><ol><li><a href="${frame.addresses.home()}">${texts.registers}</a></li></ol></nav>
<h1${ownText(wording, language)}>${shortened(title, 600)}</h1>
${description === '' ? NOTHING : markup`<p class="lead"${ownText(wording, language)}>${shortened(description, 1500)}</p>\n`}${registerFacts(frame, page)}
${accessNote(frame, page)}<div class="with-side">
<div>
${form === null ? NOTHING : markup`${form.search}\n`}${frame.search?.markup}<p class="jump"><a href="#side">${form === null ? texts.register.jumpToUse : texts.register.jump}</a></p>
<section aria-labelledby="records"><h2 id="records">${heading}</h2>
${form?.chosen ?? NOTHING}${SLOT}
</section>
</div>
<div class="side" id="side">
${page.chart ?? NOTHING}
${form?.filters ?? NOTHING}
${usage(frame, page)}
</div>
</div>`;
  return layout(frame, {
    title: shortened(title, 300),
    description: shortened(description, 300),
    links: headLinks(frame, page),
    // For search engines, which leave the other pages out.
    data: isHidden || page.data === null ? null : page.data(),
    isHidden,
    languages: SLOT,
    main,
  });
}

/** What stands before the records and what after them. */
function list(frame: Frame, page: RegisterPage, table: RecordsTable): readonly [string, string] {
  const links = pageLinks(frame, page);
  const count = matchedText(frame.wording, page);
  const matched =
    count === null ? NOTHING : markup`<p class="matched"><strong>${count.found}</strong>${count.of}</p>\n`;
  if (page.records.length === 0) {
    return [markup`${page.next === null ? NOTHING : matched}${nothingShown(frame, page)}`.toString(), links.toString()];
  }
  const choice = page.form === null ? NOTHING : columnChoice(frame, page, table.columns);
  return [
    markup`${matched}${figuresLink(frame, page)}${orderNote(frame, page)}${choice}${table.head}`.toString(),
    `${table.end}${links.toString()}`,
  ];
}

function nothingShown(frame: Frame, page: RegisterPage): Markup {
  const { texts } = frame.wording;
  const { next, filter } = page;
  if (next !== null) return markup`<p>${texts.register.goesOn}</p>\n`;
  const isAsked = filterEntries(filter).length > 0;
  return markup`<p>${isAsked ? texts.register.nothing : texts.register.nothingHere}</p>\n${valuesThere(frame, page)}`;
}

function pageLinks(
  { wording, addresses }: Frame,
  { definition, next, isFirst, filter, columns = null, sortable }: RegisterPage,
): Markup {
  const { texts } = wording;
  const { id } = definition;
  const links = [
    isFirst
      ? null
      : markup`<a href="${addresses.register(id, queryOf([...filterEntries(filter), ...choiceEntries(columns)]))}">${texts.register.newest}</a>`,
    next === null
      ? null
      : markup`<a rel="next" href="${addresses.register(id, next)}">${sortable?.sorting == null ? texts.pagesAfter : texts.register.furtherRecords} <span aria-hidden="true">→</span></a>`,
  ].filter((link) => link !== null);
  if (links.length === 0) return NOTHING;
  return markup`\n<nav class="pages" aria-label="${texts.pages}"><ul>${links.map((link) => markup`<li>${link}</li>`)}</ul></nav>`;
}

/** Formats, feeds, how to cite, the licence. */
function usage(frame: Frame, page: RegisterPage): Markup {
  const { wording, addresses, service } = frame;
  const { texts } = wording;
  const { definition, formats, window, lastChange, url, wholes = [], calendars = [] } = page;
  const { language, rights, author, title } = definition;
  const query = queryOf(filterEntries(page.filter));
  // Two buttons of the same name would be two files.
  const isWhole = wholes.length > 0;
  const offered = isWhole ? formats.filter(({ mediaType }) => FEED_TYPES.includes(mediaType.split(';')[0]!)) : formats;
  const dates = calendars.map(({ label, url: href }) => {
    return markup`<li><a rel="nofollow" href="${href}">${shortened(label, 100)} (iCalendar)</a></li>\n`;
  });
  const feeds = offered.flatMap(({ name }) => {
    const address = addresses.export(definition.id, name, query);
    return address === null ? [] : [markup`<li><a href="${address}">${name.toUpperCase()}</a></li>\n`];
  });
  const links = [...feeds, ...dates];
  const licence = rights ?? service.licenceUrl;
  return markup`<section class="use" aria-labelledby="use"><h2 id="use">${texts.register.use}</h2>
${downloads(frame, page, query)}${
    links.length === 0
      ? NOTHING
      : markup`<div class="files"><h3>${isWhole ? texts.register.follow : texts.register.formats}</h3>
<ul class="formats">
${links}</ul>
<p class="hint">${typeof window === 'number' ? texts.register.formatsKey : isWhole ? texts.register.followHint : texts.register.formatsHint}</p></div>
`
  }<h3>${texts.register.cite}</h3>
<p class="cite">${author === null ? NOTHING : markup`<span${ownText(wording, language)}>${shortened(author, 300)}</span>. `}<cite${ownText(wording, language)}>${shortened(title, 600)}</cite>. ${service.title}${
    lastChange === null ? NOTHING : markup`, ${texts.register.cited} ${timeOf(wording, lastChange.slice(0, 10))}`
  }. <span class="long">${url}</span></p>
<h3>${texts.register.licence}</h3>
<p>${
    licence === null
      ? texts.register.noLicence
      : isHttpUrl(licence)
        ? markup`<a rel="license noopener" class="long" href="${licence}">${shortened(rights === null ? siteNameOf(licence) : licence, 300)}</a>`
        : markup`<span${languageOf(wording, language)}>${shortened(licence, 600)}</span>`
  }</p>
</section>`;
}

/** All that is listed as one file, which search engines need not fetch. */
function downloads({ wording, addresses }: Frame, page: RegisterPage, query: URLSearchParams): Markup {
  const { definition, wholes = [], total } = page;
  const { texts } = wording;
  const links = wholes.flatMap((name) => {
    const address = addresses.whole(definition.id, name, query);
    return address === null ? [] : [markup`<li><a rel="nofollow" href="${address}">${name.toUpperCase()}</a></li>\n`];
  });
  if (links.length === 0) return NOTHING;
  const records = total === null ? null : texts.records(total, wording.number(total));
  return markup`<div class="files"><h3>${texts.register.download}</h3>
<p class="hint">${query.size > 0 ? texts.register.wholeFound(matchedText(wording, page)?.found ?? null) : texts.register.whole(records)}</p>
<ul class="formats">
${links}</ul></div>
`;
}

function headLinks({ addresses }: Frame, page: RegisterPage): HeadLink[] {
  const { definition, formats, filter, isFirst, url } = page;
  const query = queryOf(filterEntries(filter));
  const isAsked = query.size > 0;
  const canonical: HeadLink[] = isFirst && !isAsked ? [{ rel: 'canonical', href: url }] : [];
  if (page.feeds !== undefined) return [...canonical, ...page.feeds];
  const feeds = formats.flatMap(({ name, mediaType }): HeadLink[] => {
    const type = mediaType.split(';')[0]!;
    const href = FEED_TYPES.includes(type) ? addresses.export(definition.id, name, query) : null;
    if (href === null) return [];
    return [{ rel: 'alternate', type, href, title: `${shortened(definition.title, 200)} (${name.toUpperCase()})` }];
  });
  return [...canonical, ...feeds];
}

/** The media types that feed readers look for. */
const FEED_TYPES = ['application/atom+xml', 'application/rss+xml'];
