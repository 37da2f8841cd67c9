// Records of a register at the desk: the newest, or those with some words.
import { coreField, STATED_FIELDS } from '../../register/fields.ts';
import { OWN_PREFIX } from '../../register/finding/own-filters.ts';
import type { RegisterDefinition, RegisterRecord } from '../../register/record.ts';
import type { SignInFrame } from '../account/parts.ts';
import { markup, type Markup } from '../markup.ts';
import { shortened } from '../parts/excerpt.ts';
import { formOf } from '../parts/filters/form.ts';
import { ownText } from '../parts/texts.ts';
import { valueOf } from '../parts/values.ts';
import { timeOf, type Wording } from '../wording.ts';
import { deskPage, deskRecordPath, deskRegisterPath, fieldLabel, registerCrumb } from './parts.ts';

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
    (record) =>
      markup`<li><p><a href="${frame.at(deskRecordPath(record.id))}"><span${own}>${shortened(record.title.trim() === '' ? record.id : record.title, 280)}</span></a></p>
<p class="quiet">${valuesOf(wording, definition, record)}<code class="long">${shortened(record.id, 200)}</code></p></li>
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

/** How many fields tell records of one title apart, and how long a value is that does. */
const [FIELDS, LENGTH] = [4, 60];

/** What tells a record from others of its title: the day, and its first short fields. */
function valuesOf(wording: Wording, { fields, language }: RegisterDefinition, record: RegisterRecord): Markup {
  // The first is the day that the source says, the other when it was seen.
  const published = record[STATED_FIELDS.find((name) => coreField(name).type === 'datetime')!];
  const day = published === null ? [] : [timeOf(wording, published)];
  const own = fields.flatMap((field) => {
    const value = record.data[field.name] ?? null;
    const isShort = value !== null && typeof value !== 'object' && String(value).length <= LENGTH;
    if (!isShort || value === '' || value === record.title) return [];
    const label = fieldLabel(wording, OWN_PREFIX + field.name, { fields, language });
    return [markup`${label}: ${valueOf(wording, field, value, { language, bytes: LENGTH * 4 })}`];
  });
  return markup`${[...day, ...own.slice(0, FIELDS)].map((one) => markup`${one} <span aria-hidden="true">·</span> `)}`;
}
