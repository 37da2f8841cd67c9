// A register that can be made of a file: what was found in it, how its first records would look, what can be chosen otherwise, and
// the forms that make, propose or discard it.
import { CORE_FIELDS, coreField } from '../../register/fields.ts';
import type { FieldType, RegisterDefinition, RegisterRecord } from '../../register/record.ts';
import { isUnknownSource } from '../../register/url.ts';
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
import { type Content, markup, type Markup, NOTHING } from '../markup.ts';
import { shortened } from '../parts/excerpt.ts';
import { ownText } from '../parts/texts.ts';
import { valueOf } from '../parts/values.ts';
import { countOf, deskPage, fieldLabel, languageChoices, languageName } from './parts.ts';
import { failureOf, remarkOf } from './imports/found.ts';
import { choiceLabel, optionText, readingFields, type ShownChoice } from './reading-form.ts';

/** What the page shows. */
export interface NewRegisterParts {
  readonly id: string;
  /** The name of the file. */
  readonly file: string;
  /** Who uploaded it. */
  readonly who: string;
  readonly feedId: string;
  readonly title: string;
  readonly language: string | null;
  readonly access: 'open' | 'tiered';
  readonly fields: RegisterDefinition['fields'];
  /** How many records would be published, and how many rows are left out. */
  readonly records: number;
  readonly refused: number;
  readonly columns: readonly {
    readonly name: string;
    readonly field: string | null;
    readonly type: string;
    readonly values: number;
  }[];
  readonly first: readonly RegisterRecord[];
  /** In English. */
  readonly remarks: readonly string[];
  readonly choices: readonly ShownChoice[];
  /** The names of those in which somebody chose otherwise than was found. */
  readonly chosen: ReadonlySet<string>;
  /** Why the file is not read as it was chosen last, in English. */
  readonly reason: string | null;
  readonly digest: string;
  /** What the reader may do with it. */
  readonly may: 'make' | 'ask' | 'approve' | 'wait';
  readonly sent: Sent | null;
}

/** The form in which everything can be changed. */
export const REGISTER_FORM = 'register';

/** How many columns are listed, and how many fields of a record are shown. */
const [COLUMNS, FIELDS] = [200, 40];

/** The bytes of a page that a value may take. */
const VALUE_BYTES = 300;

/** The page. */
export function newRegisterPage(frame: SignInFrame, parts: NewRegisterParts): string {
  const { wording } = frame;
  const { making } = wording.desk;
  const { file, who, records, refused, first, remarks, may, reason, sent } = parts;
  const name = markup`<span class="long">${file}</span>`;
  const lead = { make: making.foundLead, ask: making.foundLead, approve: making.askedLead, wait: making.waitsLead }[
    may
  ];
  const main = markup`<h1>${phrase(making.title, { file: name })}</h1>
<p class="lead">${phrase(lead, { who: markup`<strong>${who}</strong>` })}</p>
${reason === null ? NOTHING : markup`<div class="note warn" role="alert"><p><strong>${making.notAsChosen}.</strong></p>${failureOf(frame, parts, reason)}</div>\n`}<p class="facts">${wording.texts.records(records, wording.number(records))}${refused === 0 ? NOTHING : markup` <span aria-hidden="true">·</span> ${countOf(wording, making.refused, refused)}`}</p>
<div class="parts">
${remarks.length === 0 ? NOTHING : markup`<section><h2>${making.remarks}</h2>\n<ul class="long">${remarks.slice(0, 20).map((remark) => markup`<li>${remarkOf(frame, parts, remark)}</li>\n`)}</ul></section>\n`}<section><h2>${making.first}</h2>
${first.length === 0 ? markup`<p>${making.none}</p>\n` : markup`${first.map((record) => recordOf(frame, parts, record))}`}</section>
<section><h2>${making.fields}</h2>
${columnsOf(frame, parts)}</section>
${may === 'make' || may === 'ask' ? changing(frame, parts) : deciding(frame, parts)}</div>`;
  return deskPage(frame, {
    title: phrase(making.title, { file: shortened(file, 100) }).toString(),
    section: '/desk',
    main,
    problem: sent?.problem ?? null,
  });
}

/** A record, as it would be published. */
function recordOf({ wording }: SignInFrame, { fields, language }: NewRegisterParts, record: RegisterRecord): Markup {
  const { texts } = wording;
  const options = { language, bytes: VALUE_BYTES };
  const stated = CORE_FIELDS.flatMap(({ name }): readonly (readonly [Content, Content])[] => {
    const value = record[name];
    // The heading has the title.
    if (!Object.hasOwn(texts.core, name) || value === null || value === record.title) return [];
    const isUnknown = typeof value === 'string' && isUnknownSource(value);
    const shown = isUnknown ? texts.sourceUnknown : valueOf(wording, coreField(name), value, options);
    return [[fieldLabel(wording, name, { fields, language }), shown]];
  });
  const own = fields.slice(0, FIELDS).flatMap((field): readonly (readonly [Content, Content])[] => {
    const value = record.data[field.name] ?? null;
    if (value === null) return [];
    return [
      [
        markup`<span${ownText(wording, language)}>${shortened(field.label, 200)}</span>`,
        valueOf(wording, field, value, options),
      ],
    ];
  });
  return markup`<article class="preview"><h3${ownText(wording, language)}>${shortened(record.title, 300)}</h3>
${facts([...stated, ...own], 'fields')}</article>
`;
}

/** What becomes of the columns. */
function columnsOf(frame: SignInFrame, { columns, fields, language }: NewRegisterParts): Markup {
  const { wording } = frame;
  const { making, reading } = wording.desk;
  const becomes = (field: string | null): Content => {
    if (field === null) return markup`<span class="quiet">${making.field.unused}</span>`;
    if (Object.hasOwn(reading.names, field)) return reading.names[field as keyof typeof reading.names];
    return markup`<span class="long">${fieldLabel(wording, field, { fields, language })}</span>`;
  };
  const rows = columns
    .slice(0, COLUMNS)
    .map(
      ({ name, field, type, values }) =>
        markup`<tr><th scope="row" class="long">${shortened(name, 200)}</th><td>${becomes(field)}</td><td>${making.types[type as FieldType]}</td><td class="number">${wording.number(values)}</td></tr>\n`,
    );
  return markup`<div class="scroll" tabindex="0" role="region" aria-label="${making.fields}"><table class="plain"><thead><tr><th scope="col">${making.field.column}</th><th scope="col">${making.field.label}</th><th scope="col">${making.field.type}</th><th scope="col" class="number">${making.field.values}</th></tr></thead>
<tbody>
${rows}</tbody></table></div>
`;
}

/** The form in which everything can be changed, and what is done then. */
function changing(frame: SignInFrame, parts: NewRegisterParts): Markup {
  const { making } = frame.wording.desk;
  const { id, feedId, title, language, access, fields, choices, digest, first, may, sent } = parts;
  const said = { form: REGISTER_FORM, sent };
  // Where the file is read otherwise by now, numbers say other columns.
  const same = sent?.problem.field === null ? null : sent;
  const content = markup`<input type="hidden" name="digest" value="${digest}">
<fieldset class="choices"><legend>${making.register}</legend>
${textField({ ...said, name: 'register-title', label: making.form.title, value: title, isRequired: true })}${textField({ ...said, name: 'feed', label: making.form.feed, hint: making.form.feedHint, value: feedId, isRequired: true })}${selectField({ ...said, name: 'language', label: making.form.language, choices: languageChoices(frame.wording, language), value: language ?? '' })}${selectField({ ...said, name: 'access', label: making.form.access, choices: (['open', 'tiered'] as const).map((one) => [one, making.form[one]]), value: access })}</fieldset>
${readingFields(frame, REGISTER_FORM, choices, { fields, language }, same)}
<p><button type="submit" name="do" value="look" class="plain">${making.look}</button></p>
${first.length === 0 ? NOTHING : markup`<p>${may === 'make' ? making.makeHint : making.askHint}</p>\n<p><button type="submit" name="do" value="make">${may === 'make' ? making.make : making.ask}</button></p>`}`;
  return markup`<section><h2>${making.register}</h2>
${form(frame, { id: REGISTER_FORM, action: `/desk/new/${id}` }, content)}
${discarding(frame, parts)}</section>
`;
}

/** What another editor does with what was proposed. */
function deciding(frame: SignInFrame, parts: NewRegisterParts): Markup {
  const { making } = frame.wording.desk;
  const { id, feedId, title, language, access, digest, may, choices, chosen, who, fields } = parts;
  const { reading } = frame.wording.desk;
  const changed = markup` ${badge(phrase(making.changedBy, { who }), 'idle')}`;
  const read = choices.map(
    ({ name, options }) =>
      [
        choiceLabel(frame, name, { fields }),
        markup`<span class="long">${optionText(frame, options[0]!)}</span>${chosen.has(name) ? changed : NOTHING}`,
      ] as const,
  );
  const register = facts([
    [making.form.title, markup`<span${ownText(frame.wording, language)}>${title}</span>`],
    [making.form.feed, markup`<code>${feedId}</code>`],
    [making.form.language, languageName(frame.wording, language)],
    [making.form.access, making.form[access]],
  ]);
  const make = markup`<input type="hidden" name="digest" value="${digest}">
<p>${making.approveHint}</p>
<p><button type="submit" name="do" value="make">${making.approve}</button></p>`;
  return markup`<section><h2>${reading.heading}</h2>
${facts(read)}</section>
<section><h2>${making.register}</h2>
${register}
${may === 'approve' ? form(frame, { id: REGISTER_FORM, action: `/desk/new/${id}` }, make) : NOTHING}
${discarding(frame, parts)}</section>
`;
}

function discarding(frame: SignInFrame, { id }: NewRegisterParts): Markup {
  const { making } = frame.wording.desk;
  return form(
    frame,
    { id: 'discard', action: `/desk/new/${id}/discard` },
    markup`<p>${making.discardHint}</p>\n${button(making.discard, 'danger')}`,
  );
}
