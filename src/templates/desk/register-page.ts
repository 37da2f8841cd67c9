// A register at the desk: what waits to be approved, and the latest imports.
import type { RegisterDefinition } from '../../register/record.ts';
import type { DeskEntry } from '../../stores/contract/desk/editors.ts';
import type { ImportEntry } from '../../stores/contract/imports/log.ts';
import type { SignInFrame } from '../account/parts.ts';
import { markup, type Markup, NOTHING } from '../markup.ts';
import { shortened } from '../parts/excerpt.ts';
import { ownText } from '../parts/texts.ts';
import { timeOf } from '../wording.ts';
import { logRow } from './log-page.ts';
import { deskPage, deskRegisterPath, importRow } from './parts.ts';
import { recordSearch } from './records-page.ts';

/** What the page shows. */
export interface DeskRegisterParts {
  readonly definition: RegisterDefinition;
  readonly total: number;
  readonly lastChange: string | null;
  /** Whether the editor may upload a file. */
  readonly isUploadable: boolean;
  /** Whether the editor may change its settings. */
  readonly isSettable: boolean;
  /** Proposals, newest first. */
  readonly waiting: readonly ImportEntry[];
  /** The numbers of proposals that wait in vain. */
  readonly outdated: ReadonlySet<number>;
  /** The latest erasures of records, newest first. */
  readonly erasures: readonly DeskEntry[];
  /** All other imports, newest first. */
  readonly latest: readonly ImportEntry[];
}

/** The page. */
export function deskRegisterPage(frame: SignInFrame, parts: DeskRegisterParts): string {
  const { wording, addresses } = frame;
  const { texts, desk } = wording;
  const { imports } = desk;
  const { definition, total, lastChange, isUploadable, isSettable, waiting, outdated, erasures, latest } = parts;
  const { id, title, language } = definition;
  const list = (heading: string, entries: readonly ImportEntry[]): Markup =>
    markup`<section><h2>${heading}</h2>
<ol class="rows">\n${entries.map((entry) => importRow(frame, id, entry, outdated))}</ol></section>
`;
  const records = markup`<section><h2>${desk.records.heading}</h2>
${recordSearch(frame, id)}
<p><a href="${frame.at(`${deskRegisterPath(id)}/records`)}">${desk.records.all}</a></p></section>
`;
  const main = markup`<h1><span${ownText(wording, language)}>${shortened(title, 300)}</span></h1>
<p class="facts"><code>${id}</code> <span aria-hidden="true">·</span> ${
    total === 0 ? texts.home.empty : texts.records(total, wording.number(total))
  } <span aria-hidden="true">·</span> ${
    lastChange === null ? texts.neverChanged : texts.changedOn(timeOf(wording, lastChange))
  } <span aria-hidden="true">·</span> <a href="${addresses.register(id)}">${imports.publicPage}</a></p>
${isUploadable ? markup`<p><a href="${frame.at(`/desk/feeds/${id}/upload`)}">${desk.upload.heading}</a></p>\n` : NOTHING}${
    isSettable
      ? markup`<p><a href="${frame.at(`${deskRegisterPath(id)}/settings`)}">${desk.settings.heading}</a></p>\n`
      : NOTHING
  }<div class="parts">
${waiting.length === 0 ? NOTHING : list(imports.waiting, waiting)}${lastChange === null ? NOTHING : records}${
    latest.length > 0 ? list(imports.latest, latest) : waiting.length > 0 ? NOTHING : markup`<p>${imports.none}</p>\n`
  }${
    erasures.length === 0
      ? NOTHING
      : markup`<section><h2>${desk.records.erase.lately}</h2>\n<ol class="rows">\n${erasures.map((entry) => logRow(frame, entry))}</ol></section>\n`
  }</div>`;
  return deskPage(frame, { title: shortened(title, 300), section: '/desk', main });
}
