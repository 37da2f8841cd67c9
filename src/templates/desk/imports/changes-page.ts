// All that one import changes, record by record: of each what is another, of a new one what it says.
import type { JsonValue } from '../../../register/canonical-json.ts';
import type { RegisterDefinition } from '../../../register/record.ts';
import type { ImportEntry } from '../../../stores/contract/imports/log.ts';
import { badge, facts, phrase, type SignInFrame } from '../../account/parts.ts';
import { markup, type Markup, NOTHING } from '../../markup.ts';
import { shortened } from '../../parts/excerpt.ts';
import { ownText } from '../../parts/texts.ts';
import { diffRow, diffTable, valueChanges } from '../../parts/versions.ts';
import { leadOf } from './import-page.ts';
import { deskChangesPath, deskImportPath, deskPage, fieldLabel, recordLink, registerCrumb } from '../parts.ts';

/** In the address: behind what the page begins. */
export const AFTER_PARAMETER = 'after';

/** How many characters of a value of a new record are shown. */
const VALUE_LENGTH = 900;

/** What becomes of a record. */
interface Change {
  readonly record_id: string;
  readonly title: string | null;
  readonly becomes: 'added' | 'changed' | 'restored' | 'withdrawn';
  readonly isAsked: boolean;
  readonly fields: readonly { readonly field: string; readonly before: JsonValue; readonly after: JsonValue }[];
}

/** What the page shows. */
export interface DeskChangesParts {
  /** The register, with its fields as the import has them. */
  readonly definition: RegisterDefinition;
  readonly entry: ImportEntry;
  readonly changes: readonly Change[];
  /** Behind what the next page begins; null: this is the last. */
  readonly next: string | null;
  readonly isFirst: boolean;
  /** Whether it is known of each record what becomes of it. */
  readonly isKnown: boolean;
}

/** The page. */
export function deskChangesPage(frame: SignInFrame, parts: DeskChangesParts): string {
  const { definition, entry, changes, next, isFirst, isKnown } = parts;
  const { imports, overview } = frame.wording.desk;
  const { changes: texts } = imports;
  const number = String(entry.number);
  const { state } = entry;
  const title = texts.heading.replace('{number}', number);
  const path = deskChangesPath(definition.id, entry.number);
  const link = (rel: string, parameters: URLSearchParams, text: string): Markup =>
    markup`<li><a rel="${rel}" href="${frame.at(path, parameters)}">${text}</a></li>`;
  const pages =
    isFirst && next === null
      ? NOTHING
      : markup`<nav class="pages" aria-label="${frame.wording.texts.pages}"><ul>${isFirst ? NOTHING : link('first', new URLSearchParams(), texts.first)}${
          next === null ? NOTHING : link('next', new URLSearchParams({ [AFTER_PARAMETER]: next }), texts.next)
        }</ul></nav>`;
  const main = markup`${registerCrumb(frame, definition)}<h1>${title}</h1>
<p class="lead">${changes.length > 0 ? (state === 'proposed' ? texts.would : texts.did) : isKnown ? texts.none : leadOf(frame, entry)}</p>
<p><a href="${frame.at(deskImportPath(definition.id, entry.number))}">${phrase(overview.number, { number })}</a></p>
<div class="parts">
${changes.map((change) => changeSection(frame, definition, change))}</div>
${pages}`;
  return deskPage(frame, { title, section: '/desk', main });
}

function changeSection(frame: SignInFrame, definition: RegisterDefinition, change: Change): Markup {
  const { wording } = frame;
  const { imports } = wording.desk;
  const { record_id: id, title, becomes, isAsked, fields } = change;
  const own = ownText(wording, definition.language);
  const name = title === null ? imports.changes.erased : markup`<span${own}>${shortened(title, 300)}</span>`;
  const asked = isAsked ? markup` ${badge(imports.changes.asked, 'bad')}` : NOTHING;
  const rows = fields.flatMap(({ field, before, after }) =>
    valueChanges(wording, definition, field, [before, after]).map((one) => {
      const member = one.member === null ? NOTHING : markup` <span class="quiet">› ${one.member}</span>`;
      return { ...one, label: markup`${fieldLabel(wording, field, definition)}${member}` };
    }),
  );
  const isNew = fields.every(({ before }) => before === null) && becomes !== 'changed';
  const said = rows.map(
    ({ label, after }) => [label, markup`<span${own}>${shortened(after, VALUE_LENGTH)}</span>`] as const,
  );
  const shown =
    rows.length === 0
      ? NOTHING
      : isNew
        ? markup`<details><summary>${imports.changes.says}</summary>${facts(said, 'fields')}</details>`
        : diffTable(
            wording,
            wording.texts.record.field,
            rows.map((row) => diffRow(wording, definition, row.label, row)),
          );
  return markup`<section><h2 class="long">${name}</h2>
<p class="facts">${badge(imports.counts[becomes], becomes === 'withdrawn' ? 'bad' : 'idle')}${asked} ${recordLink(frame, id)}</p>
${shown}</section>
`;
}
