// A record at the desk: the form that corrects it, and those that withdraw or restore it. Every form carries the version that was
// read.
import { OWN_PREFIX } from '../../register/finding/own-filters.ts';
import type { FieldType, RegisterDefinition } from '../../register/record.ts';
import type { StoredRecord } from '../../stores/contract/registers.ts';
import {
  badge,
  button,
  facts,
  form,
  phrase,
  selectField,
  type Sent,
  type SignInFrame,
  textField,
} from '../account/parts.ts';
import { markup, type Markup, NOTHING } from '../markup.ts';
import { shortened } from '../parts/excerpt.ts';
import { ownText } from '../parts/texts.ts';
import { deskPage, deskRecordPath, fieldLabel, registerCrumb } from './parts.ts';

/** A field of the form. */
export interface RecordField {
  /** As in `changed` of a version. */
  readonly name: string;
  readonly type: FieldType;
  /** The only values that it may have. Null: any of its type. */
  readonly values: readonly string[] | null;
  /** As a person writes it; empty: none. */
  readonly value: string;
  readonly control: 'line' | 'lines' | 'date' | 'choice';
}

/** What the page shows. */
export interface DeskRecordParts {
  readonly definition: RegisterDefinition;
  readonly stored: StoredRecord;
  /** What of it is as somebody set it by hand: fields, by their names, and whether it is published or withdrawn so. */
  readonly byHand: { readonly fields: readonly string[]; readonly isState: boolean };
  /** Null: it cannot be corrected. */
  readonly form: { readonly fields: readonly RecordField[]; readonly left: readonly string[] } | null;
  /** Whether the reader may change it. */
  readonly mayChange: boolean;
  /** Whether what she does waits for another editor. */
  readonly isProposal: boolean;
  /** What the fields say by now that somebody changed meanwhile, by their names. */
  readonly meanwhile: ReadonlyMap<string, string>;
  readonly sent: Sent | null;
}

const CORRECT = 'correct';

/** The page. */
export function deskRecordPage(frame: SignInFrame, parts: DeskRecordParts): string {
  const { wording, addresses } = frame;
  const { records } = wording.desk;
  const { definition, stored, mayChange, isProposal, sent } = parts;
  const { id, state, version, record } = stored;
  const name = record?.title ?? id;
  const address = addresses.record(id, null);
  const isOpen = mayChange && state !== 'redacted';
  const main = markup`${registerCrumb(frame, definition)}<h1><span${ownText(wording, definition.language)}>${shortened(name, 300)}</span></h1>
${facts([
  [records.id, markup`<code class="long">${id}</code>`],
  [records.state, badge(records.states[state], state === 'live' ? 'good' : 'idle')],
  [records.latest, wording.number(version)],
  ...byHand(frame, parts),
])}${address === null || state === 'redacted' ? NOTHING : markup`<p><a href="${address}">${records.publicPage}</a></p>\n`}${
    isOpen && isProposal ? markup`<p><strong>${records.proposal}</strong></p>\n` : NOTHING
  }${state === 'redacted' ? markup`<p>${records.erased}</p>\n` : mayChange ? NOTHING : markup`<p>${records.readOnly}</p>\n`}
<div class="parts">
${isOpen ? markup`${correction(frame, parts)}${fate(frame, parts)}${erasure(frame, id)}` : NOTHING}</div>`;
  return deskPage(frame, { title: shortened(name, 300), section: '/desk', main, problem: sent?.problem ?? null });
}

/** What files leave alone until they say something new of it. */
function byHand(
  { wording }: SignInFrame,
  { definition, stored: { state }, byHand: { fields, isState } }: DeskRecordParts,
): readonly (readonly [string, Markup])[] {
  const { records } = wording.desk;
  const said = [
    ...(isState ? [markup`${records.states[state]}`] : []),
    ...fields.map((name) => fieldLabel(wording, name, definition)),
  ];
  if (state === 'redacted' || said.length === 0) return [];
  return [[records.byHand.set, markup`${said.map((one, at) => markup`${at > 0 ? ', ' : ''}${one}`)}`]];
}

function correction(frame: SignInFrame, parts: DeskRecordParts): Markup {
  const { wording } = frame;
  const { records } = wording.desk;
  const { definition, stored, form: fields, isProposal, sent } = parts;
  if (fields === null) return NOTHING;
  const left = fields.left.map((name) => fieldLabel(wording, name, definition));
  const more =
    left.length === 0
      ? NOTHING
      : markup`<p class="hint">${phrase(records.tooLong, {
          fields: markup`${left.map((label, at) => markup`${at > 0 ? ', ' : ''}${label}`)}`,
        })}</p>\n`;
  const cause = selectField({
    ...{ form: CORRECT, name: 'cause', label: records.cause, hint: records.causeHint, sent, value: '' },
    choices: [
      ['', records.choose],
      ['source_change', records.causes.source_change],
      ['extraction_correction', records.causes.extraction_correction],
    ],
  });
  return markup`<section><h2>${records.correct}</h2>
${form(
  frame,
  { id: CORRECT, action: `${deskRecordPath(stored.id)}/correct` },
  markup`${versionField(stored)}${fields.fields.map((field) => controlOf(frame, parts, field))}${more}${cause}${button(
    isProposal ? records.correctProposed : records.correctButton,
  )}`,
)}</section>
`;
}

/** The version that was read. */
function versionField({ version }: StoredRecord): Markup {
  return markup`<input type="hidden" name="read" value="${String(version)}">\n`;
}

function controlOf(
  { wording }: SignInFrame,
  { definition, meanwhile, sent }: DeskRecordParts,
  field: RecordField,
): Markup {
  const { records } = wording.desk;
  const { name, type, values, value, control } = field;
  const own = ownText(wording, definition.language);
  const now = meanwhile.get(name);
  const hint =
    now === undefined
      ? type === 'url' && value === '' && !name.startsWith(OWN_PREFIX)
        ? records.sourceUnknown
        : records.hints[type]
      : phrase(records.now, { value: markup`<strong${own}>${now === '' ? '–' : shortened(now, 300)}</strong>` });
  const parts = {
    ...{ form: CORRECT, name, label: fieldLabel(wording, name, definition), sent, value },
    ...(hint !== undefined && { hint }),
  };
  if (control === 'choice') {
    const choices =
      values === null
        ? ([
            ['', wording.texts.noValue],
            ['true', wording.texts.yes],
            ['false', wording.texts.no],
          ] as const)
        : values.map((one) => [one, records.contentTypes[one] ?? one] as const);
    return selectField({ ...parts, choices, size: 'short' });
  }
  if (control === 'date') return textField({ ...parts, type: 'date', size: 'short' });
  return textField({ ...parts, ...(type === 'text' && { own }), ...(control === 'lines' && { lines: 4 }) });
}

function fate(frame: SignInFrame, { stored, isProposal }: DeskRecordParts): Markup {
  const { records } = frame.wording.desk;
  const act = stored.state === 'live' ? 'withdraw' : 'restore';
  const texts = records[act];
  return markup`<section><h2>${texts.heading}</h2>
${form(
  frame,
  { id: act, action: `${deskRecordPath(stored.id)}/${act}` },
  markup`${versionField(stored)}<p>${texts.hint}</p>
${button(isProposal ? texts.proposed : texts.button, 'plain')}`,
)}</section>
`;
}

function erasure(frame: SignInFrame, id: string): Markup {
  const { erase } = frame.wording.desk.records;
  return markup`<section><h2>${erase.heading}</h2>
<p>${erase.lead}</p>
<p><a class="button plain" href="${frame.at(`${deskRecordPath(id)}/erase`)}">${erase.toPage}</a></p></section>
`;
}
