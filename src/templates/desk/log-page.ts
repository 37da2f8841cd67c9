// What an editor did, and what was done to the registers that she works on, newest first.
import type { DeskAction, DeskEntry } from '../../stores/contract/desk/editors.ts';
import { phrase, type SignInFrame } from '../account/parts.ts';
import { markup, type Markup, NOTHING } from '../markup.ts';
import { timeOf } from '../wording.ts';
import { deskImportPath, deskPage, deskRegisterPath, recordLink } from './parts.ts';

const PATH = '/desk/log';

/** A page of the log. */
export interface DeskLogParts {
  readonly entries: readonly DeskEntry[];
  /** The parameters of the page with older entries; null: these are the oldest. */
  readonly older: URLSearchParams | null;
}

/** The page. */
export function deskLogPage(frame: SignInFrame, { entries, older }: DeskLogParts): string {
  const texts = frame.wording.desk.log;
  const rows = entries.map((entry) => logRow(frame, entry));
  const main = markup`<h1>${texts.title}</h1>
<p class="lead">${texts.lead}</p>
${entries.length === 0 ? markup`<p>${texts.none}</p>` : markup`<ol class="rows">\n${rows}</ol>`}
${older === null ? NOTHING : markup`<p><a class="button plain" href="${frame.at(PATH, older)}">${texts.older}</a></p>`}`;
  return deskPage(frame, { title: texts.title, section: PATH, main });
}

/** An entry of the log. */
export function logRow(frame: SignInFrame, { at, who, role, action, feed, subject }: DeskEntry): Markup {
  const { wording } = frame;
  const { log, roles } = wording.desk;
  const register =
    feed === null
      ? NOTHING
      : action === 'register_proposed'
        ? // It is not there, and may never be.
          markup` <code>${feed}</code>`
        : markup` <a href="${frame.at(deskRegisterPath(feed))}">${feed}</a>`;
  const what = subject === null ? NOTHING : markup` ${subjectOf(frame, action, feed, subject)}`;
  const by = phrase(log.by, { who: who ?? log.somebody, role: roles[role] });
  return markup`<li><p><strong>${log.actions[action]}</strong>${register}${what}</p>
<p class="quiet">${timeOf(wording, at)} <span aria-hidden="true">·</span> ${by}</p></li>
`;
}

/** What something was done to: an import, a record, or what else has a name. */
function subjectOf(frame: SignInFrame, action: DeskAction, feed: string | null, subject: string): Markup {
  if (feed !== null && (action.startsWith('import_') || action === 'settings_changed') && /^\d+$/.test(subject)) {
    const text = frame.wording.desk.overview.number.replace('{number}', subject);
    return markup`<a href="${frame.at(deskImportPath(feed, Number(subject)))}">${text}</a>`;
  }
  if (action.startsWith('record_')) return recordLink(frame, subject);
  return markup`<code class="long">${subject}</code>`;
}
