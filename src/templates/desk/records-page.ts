// Records of a register at the desk: the newest, or those with some words.
import type { RegisterDefinition, RegisterRecord } from '../../register/record.ts';
import type { SignInFrame } from '../account/parts.ts';
import { markup, type Markup } from '../markup.ts';
import { shortened } from '../parts/excerpt.ts';
import { formOf } from '../parts/filters/form.ts';
import { ownText } from '../parts/texts.ts';
import { deskPage, deskRecordPath, deskRegisterPath, registerCrumb } from './parts.ts';

/** The parameter of what is looked for. */
export const RECORD_PARAMETER = 'record';

/** The page. @param found null: there can be nothing with these words */
export function deskRecordsPage(
  frame: SignInFrame,
  {
    definition,
    text,
    found,
  }: {
    readonly definition: RegisterDefinition;
    readonly text: string;
    readonly found: readonly RegisterRecord[] | null;
  },
): string {
  const { wording } = frame;
  const { records } = wording.desk;
  const own = ownText(wording, definition.language);
  const items = (found ?? []).map(
    ({ id, title }) =>
      markup`<li><p><a href="${frame.at(deskRecordPath(id))}"><span${own}>${shortened(title.trim() === '' ? id : title, 280)}</span></a></p>
<p class="quiet"><code class="long">${shortened(id, 200)}</code></p></li>
`,
  );
  const main = markup`${registerCrumb(frame, definition)}<h1>${records.heading}</h1>
${recordSearch(frame, definition.id, text)}
${
  items.length === 0
    ? markup`<p role="status">${found === null ? records.noWords : text === '' ? records.none : records.nothing}</p>`
    : markup`<h2>${text === '' ? records.newest : records.found}</h2>\n<ol class="rows">\n${items}</ol>`
}`;
  return deskPage(frame, { title: records.heading, section: '/desk', main });
}

/** The form that looks for a record. */
export function recordSearch(frame: SignInFrame, feedId: string, text = ''): Markup {
  const { records } = frame.wording.desk;
  const { action, parameters } = formOf(frame.at(`${deskRegisterPath(feedId)}/records`));
  return markup`<form class="choice" method="get" action="${action}">
<label for="record">${records.search}</label>
<p class="hint" id="record-hint">${records.searchHint}</p>
<div class="with-button"><input id="record" name="${RECORD_PARAMETER}" value="${text}" aria-describedby="record-hint" autocomplete="off">
<button class="plain">${records.searchButton}</button></div>
${parameters.map(([name, value]) => markup`<input type="hidden" name="${name}" value="${value}">\n`)}</form>`;
}
