// The second question before a record is erased: what goes, what stays, and that nobody brings it back.
import type { RegisterDefinition } from '../../register/record.ts';
import type { StoredRecord } from '../../stores/contract/registers.ts';
import { button, checkboxes, form, type Sent, type SignInFrame } from '../account/parts.ts';
import { markup, NOTHING } from '../markup.ts';
import { shortened } from '../parts/excerpt.ts';
import { ownText } from '../parts/texts.ts';
import { deskPage, deskRecordPath, registerCrumb } from './parts.ts';

/** The page. @param parts.isAlone whether all else needs a second editor @param parts.areTold whether those who approve are told by mail */
export function deskErasePage(
  frame: SignInFrame,
  parts: {
    readonly definition: RegisterDefinition;
    readonly stored: StoredRecord;
    readonly isAlone: boolean;
    readonly areTold: boolean;
    readonly sent: Sent | null;
  },
): string {
  const { wording } = frame;
  const { erase } = wording.desk.records;
  const { definition, stored, isAlone, areTold, sent } = parts;
  const { id, record } = stored;
  const title =
    record === null
      ? NOTHING
      : markup`<p class="lead"><span${ownText(wording, definition.language)}>${shortened(record.title, 300)}</span></p>\n`;
  const list = (heading: string, items: readonly string[]): ReturnType<typeof markup> =>
    markup`<h2>${heading}</h2>\n<ul>\n${items.map((item) => markup`<li>${item}</li>\n`)}</ul>\n`;
  const main = markup`${registerCrumb(frame, definition)}<h1>${erase.question}</h1>
${title}<p><code class="long">${id}</code></p>
${list(erase.goes, erase.goesItems)}${list(erase.stays, erase.staysItems)}<p><strong>${erase.final}</strong></p>
${isAlone ? markup`<p>${areTold ? erase.told : erase.untold}</p>\n` : NOTHING}<p>${erase.seen}</p>
${form(
  frame,
  { id: 'erase', action: `${deskRecordPath(id)}/erase` },
  markup`${checkboxes({
    ...{ form: 'erase', name: 'confirmed', label: erase.confirm, sent, chosen: [] },
    choices: [{ value: 'yes', text: erase.confirmText }],
  })}<div class="actions">${button(erase.button, 'danger')}
<a href="${frame.at(deskRecordPath(id))}">${erase.back}</a></div>`,
)}`;
  return deskPage(frame, { title: erase.question, section: '/desk', main, problem: sent?.problem ?? null });
}
