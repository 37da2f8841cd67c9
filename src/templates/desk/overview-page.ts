// The first page of the desk: the registers that an editor works on, how each is, and what was last taken in.
import type { Editor } from '../../stores/contract/desk/editors.ts';
import type { ImportEntry } from '../../stores/contract/imports/log.ts';
import { badge, phrase, type SignInFrame } from '../account/parts.ts';
import type { ListedRegister } from '../home-page.ts';
import { markup, type Markup, NOTHING } from '../markup.ts';
import { shortened } from '../parts/excerpt.ts';
import { ownText } from '../parts/texts.ts';
import { timeOf } from '../wording.ts';
import { countOf, deskPage, deskRegisterPath, importRow } from './parts.ts';

/** A register that an editor works on. */
export interface DeskRegister extends ListedRegister {
  /** When a file was last taken in whole; null: never, or so long ago that other imports came since. */
  readonly takenAt: string | null;
  /** How many proposals wait. */
  readonly waiting: number;
  /** How often a file is expected where none was taken in for longer. Null: it is not overdue. */
  readonly overdue: { readonly count: number; readonly unit: 'hour' | 'day' } | null;
  /** The latest, newest first. */
  readonly imports: readonly ImportEntry[];
  /** The numbers of those that wait in vain. */
  readonly outdated: ReadonlySet<number>;
}

/** What the page shows. */
export interface DeskOverview {
  readonly editor: Pick<Editor, 'name' | 'role'>;
  readonly registers: readonly DeskRegister[];
  /** Registers that are being made of files. */
  readonly making: readonly {
    readonly id: string;
    readonly file: string;
    readonly who: string;
    readonly isAsked: boolean;
  }[];
  /** Whether the editor may make one. */
  readonly mayMake: boolean;
  /** What the pages before and after are asked for with; null: there is none. */
  readonly before: URLSearchParams | null;
  readonly after: URLSearchParams | null;
}

/** The page. */
export function deskOverviewPage(frame: SignInFrame, overview: DeskOverview): string {
  const { editor, registers, before, after, mayMake, making } = overview;
  const { overview: texts, making: words } = frame.wording.desk;
  const lead = phrase(texts.lead[editor.role], { name: markup`<strong>${editor.name}</strong>` });
  const link = (parameters: URLSearchParams | null, rel: string, text: string): Markup =>
    parameters === null
      ? NOTHING
      : markup`<li><a rel="${rel}" href="${frame.at('/desk', parameters)}">${text}</a></li>`;
  const pages =
    before === null && after === null
      ? NOTHING
      : markup`<nav class="pages" aria-label="${frame.wording.texts.pages}"><ul>${link(before, 'prev', texts.before)}${link(after, 'next', texts.after)}</ul></nav>`;
  const main = markup`<h1>${texts.title}</h1>
<p class="lead">${lead}</p>
${mayMake ? markup`<p><a href="${frame.at('/desk/new')}">${words.heading}</a></p>\n` : NOTHING}${making.length === 0 ? NOTHING : markup`<section><h2>${words.listed}</h2>\n<ul class="rows">${making.map((one) => makingRow(frame, one, editor.name))}</ul></section>\n`}${registers.length === 0 ? markup`<p>${texts.none}</p>` : markup`<div class="parts">\n${registers.map((register) => sectionOf(frame, register))}</div>`}
${pages}`;
  return deskPage(frame, { title: texts.title, section: '/desk', main });
}

/** A register that is being made. */
function makingRow(
  frame: SignInFrame,
  { id, file, who, isAsked }: DeskOverview['making'][number],
  reader: string,
): Markup {
  const { making } = frame.wording.desk;
  const asked = who === reader ? making.asked : making.askedYou;
  return markup`<li><p><a class="long" href="${frame.at(`/desk/new/${id}`)}">${file}</a>${isAsked ? markup` ${badge(asked, 'idle')}` : NOTHING}</p>
<p class="quiet">${who}</p></li>
`;
}

function sectionOf(
  frame: SignInFrame,
  { definition, total, lastChange, takenAt, overdue, waiting, imports, outdated }: DeskRegister,
): Markup {
  const { wording } = frame;
  const { texts, desk } = wording;
  const { id, title, language } = definition;
  const facts = [
    markup`<code>${id}</code>`,
    total === 0 ? texts.home.empty : texts.records(total, wording.number(total)),
    lastChange === null ? texts.neverChanged : texts.changedOn(timeOf(wording, lastChange)),
    ...(takenAt === null ? [] : [phrase(desk.overview.takenIn, { date: timeOf(wording, takenAt) })]),
    ...(overdue === null ? [] : [badge(countOf(wording, desk.overview.expected[overdue.unit], overdue.count), 'bad')]),
  ];
  return markup`<section><h2><a href="${frame.at(deskRegisterPath(id))}"><span${ownText(wording, language)}>${shortened(title, 300)}</span></a></h2>
<p class="facts">${facts.map((fact, at) => (at === 0 ? fact : markup` <span aria-hidden="true">·</span> ${fact}`))}</p>
${waiting === 0 ? NOTHING : markup`<p><a href="${frame.at(deskRegisterPath(id))}"><strong>${countOf(wording, desk.imports.waits, waiting)}</strong></a></p>\n`}${
    imports.length === 0
      ? NOTHING
      : markup`<h3>${desk.overview.imports}</h3>\n<ol class="rows">\n${imports.map((entry) => importRow(frame, id, entry, outdated))}</ol>\n`
  }</section>
`;
}
