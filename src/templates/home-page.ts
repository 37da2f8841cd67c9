// The first page: which registers there are, what each holds, and when it last changed; and what a search through all of them finds.
import type { Matched } from '../register/page.ts';
import type { RegisterDefinition } from '../register/record.ts';
import { type Frame, layout } from './layout.ts';
import { markup, type Markup, NOTHING } from './markup.ts';
import { fittingItems, shortened } from './parts/excerpt.ts';
import { formOf } from './parts/filters/form.ts';
import { foundText } from './parts/matched.ts';
import { type ListedRecord, recordItems } from './parts/records-list.ts';
import { type RefusedWords, searchField } from './parts/filters/search-field.ts';
import { ownText } from './parts/texts.ts';
import { timeOf } from './wording.ts';

/** A register in the list. */
export interface ListedRegister {
  readonly definition: Pick<RegisterDefinition, 'id' | 'title' | 'description' | 'language'>;
  readonly total: number;
  readonly lastChange: string | null;
}

/** What a search found. */
export interface FoundRecords {
  readonly query: string;
  /** By register. */
  readonly groups: readonly {
    readonly definition: ListedRegister['definition'];
    readonly records: readonly ListedRecord[];
    readonly matched: Matched | null;
    readonly hasMore: boolean;
  }[];
  /** Some of the registers that were not searched. */
  readonly left: readonly ListedRegister[];
}

/** What the page shows. */
export interface HomePage {
  /** Some of them, those that changed last first. */
  readonly registers: readonly ListedRegister[];
  /** What the pages before and after are asked for with; null: there is none. */
  readonly before: URLSearchParams | null;
  readonly after: URLSearchParams | null;
  /** Whether there is a search: files have none. */
  readonly hasSearch: boolean;
  /** Null: nothing was searched for. */
  readonly found: FoundRecords | null;
  /** What cannot be searched for; null: nothing of the kind was asked. */
  readonly refused?: RefusedWords | null;
  /** Of how many of the latest records of a register readers see all, if not of all; null: of all. */
  readonly window: number | null;
  /** The address of the page that checks what is signed. Absent: there is none. */
  readonly verify?: string;
}

/** How many bytes the results, and the registers, may take. */
const LIST_BYTES = 36_000;

/** How many registers that were not searched are named. */
const MAX_LEFT = 20;

/** The page. */
export function homePage(frame: Frame, page: HomePage): string {
  const { service, wording } = frame;
  const { texts } = wording;
  const { found, refused = null } = page;
  const main = markup`<h1>${service.title}</h1>
<p class="lead">${texts.home.lead}</p>
${page.hasSearch && page.registers.length > 0 ? searchForm(frame, found?.query ?? '', refused) : NOTHING}${frame.search?.markup}${found === null ? registerList(frame, page) : results(frame, page, found)}`;
  const heading = found === null ? null : `${texts.home.resultsFor} ${shortened(found.query, 200)}`;
  return layout(frame, {
    title: heading,
    description: texts.home.lead,
    main,
    current: 'home',
    isHidden: found !== null || refused !== null,
  });
}

function searchForm({ wording, addresses }: Frame, query: string, refused: RefusedWords | null): Markup {
  const { home } = wording.texts;
  const { action, parameters } = formOf(addresses.home());
  return markup`<form class="search" role="search" method="get" action="${action}">
${searchField(wording, { label: home.search, query, refused })}${parameters.map(([name, value]) => markup`<input type="hidden" name="${name}" value="${value}">\n`)}</form>
`;
}

function registerList(frame: Frame, { registers, before, after, verify }: HomePage): Markup {
  const { wording, addresses } = frame;
  const { texts } = wording;
  if (registers.length === 0) return markup`<p>${texts.home.none}</p>`;
  const items = registers.map(({ definition, total, lastChange }) => {
    const { id, title, description, language } = definition;
    const holds = total === 0 ? texts.home.empty : texts.records(total, wording.number(total));
    return markup`<li><h2><a href="${addresses.register(id)}"><span${ownText(wording, language)}>${shortened(title, 300)}</span></a></h2>
${description === '' ? NOTHING : markup`<p${ownText(wording, language)}>${shortened(description, 300)}</p>\n`}<p class="facts">${holds}${
      lastChange === null
        ? NOTHING
        : markup` <span aria-hidden="true">·</span> ${texts.changedOn(timeOf(wording, lastChange.slice(0, 10)))}`
    }</p></li>
`;
  });
  const fitting = fittingItems(items, LIST_BYTES);
  const left = registers.slice(fitting.length);
  return markup`<ul class="registers">
${fitting}</ul>
${left.length === 0 ? NOTHING : registerNames(frame, texts.home.others(wording.number(left.length)), left)}${pageLinks(frame, before, after)}${
    verify === undefined
      ? NOTHING
      : markup`<p class="after small"><a href="${verify}">${wording.proof.verify.home}</a></p>\n`
  }`;
}

function pageLinks(
  { wording: { texts }, addresses }: Frame,
  before: URLSearchParams | null,
  after: URLSearchParams | null,
): Markup {
  if (before === null && after === null) return NOTHING;
  const link = (parameters: URLSearchParams | null, rel: string, text: string): Markup =>
    parameters === null ? NOTHING : markup`<li><a rel="${rel}" href="${addresses.home(parameters)}">${text}</a></li>`;
  return markup`<nav class="pages" aria-label="${texts.pages}"><ul>${link(before, 'prev', texts.home.before)}${link(after, 'next', texts.home.after)}</ul></nav>
`;
}

function results(frame: Frame, { window }: HomePage, { query, groups, left }: FoundRecords): Markup {
  const { wording, addresses } = frame;
  const { texts } = wording;
  const shown = groups.filter(({ records, hasMore }) => records.length > 0 || hasMore);
  let room = LIST_BYTES;
  const sections = shown.map(({ definition, records, matched, hasMore }, at) => {
    const { id, title, language } = definition;
    const items = recordItems(frame, records, { language, level: 3 });
    const fitting = fittingItems(items, room);
    room = Math.max(0, room - fitting.reduce((sum, item) => sum + Buffer.byteLength(item.toString()), 0));
    const name = shortened(title, 200);
    return markup`<section aria-labelledby="found-${at}"><h2 id="found-${at}"><a href="${addresses.register(id)}"><span${ownText(wording, language)}>${name}</span></a></h2>
${matched === null ? NOTHING : markup`<p class="hint">${foundText(wording, matched)}</p>\n`}${records.length === 0 ? NOTHING : markup`<ol class="records">\n${fitting}</ol>\n`}${
      hasMore || fitting.length < items.length
        ? markup`<p class="more"><a href="${addresses.register(id, new URLSearchParams({ q: query }))}">${texts.home.more(name)}</a></p>\n`
        : NOTHING
    }</section>
`;
  });
  return markup`<p><a href="${addresses.home()}">${texts.home.back}</a></p>
${window === null ? NOTHING : markup`<div class="note"><p>${texts.home.latestOnly(window)}</p></div>\n`}${
    shown.length === 0 ? markup`<p>${texts.home.nothing}</p>\n` : sections
  }${left.length === 0 ? NOTHING : registerNames(frame, texts.home.notSearched, left.slice(0, MAX_LEFT))}`;
}

function registerNames({ wording, addresses }: Frame, text: string, registers: readonly ListedRegister[]): Markup {
  const items = registers.map(({ definition: { id, title, language } }) => {
    return markup`<li><a${ownText(wording, language)} href="${addresses.register(id)}">${shortened(title, 60)}</a></li>\n`;
  });
  return markup`<p class="after">${text}</p>
<ul class="values">
${items}</ul>`;
}
