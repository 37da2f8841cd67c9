// The settings of a register: the form that changes them, and how a change of them is shown to whoever approves it.
import type { JsonValue } from '../../register/canonical-json.ts';
import { canBeFilterable, OWN_PREFIX } from '../../register/finding/own-filters.ts';
import type { Field, RegisterDefinition } from '../../register/record.ts';
import {
  button,
  checkboxes,
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
import { diffRow, diffTable } from '../parts/versions.ts';
import { deskPage, deskRegisterPath, fieldLabel, languageChoices, languageName, registerCrumb } from './parts.ts';

/** How a register is set. */
interface Settings {
  readonly title: string;
  readonly description: string;
  readonly language: string | null;
  readonly rights: string | null;
  readonly filterable: readonly string[];
  readonly findings: Readonly<Record<string, string>>;
}

/** The page. @param parts.isChanged whether somebody changed them while the form was filled in */
export function deskSettingsPage(
  frame: SignInFrame,
  parts: {
    readonly definition: RegisterDefinition;
    readonly settings: Settings;
    /** What is done with findings where nobody says otherwise. */
    readonly usual: Readonly<Record<string, string>>;
    /** What tells these settings from others. */
    readonly read: string;
    readonly isProposal: boolean;
    readonly isChanged: boolean;
    readonly sent: Sent | null;
  },
): string {
  const { wording } = frame;
  const { settings: texts, imports, records } = wording.desk;
  const { definition, settings, usual, read, isProposal, isChanged, sent } = parts;
  const own = ownText(wording, definition.language);
  const hintOf = (name: string, value: string): { readonly hint?: Content } => {
    const typed = sent?.fields.get(name) ?? value;
    if (isChanged && typed !== value)
      return {
        hint: phrase(records.now, {
          value: markup`<strong${own}>${name === 'language' ? languageName(wording, value === '' ? null : value) : value === '' ? texts.none : shortened(value, 300)}</strong>`,
        }),
      };
    const hint = texts.hints[name];
    return hint === undefined ? {} : { hint };
  };
  const { title, description, language, rights } = settings;
  const fields = Object.entries({ title, description, language, rights }).map(([name, value]) => {
    const field = { form: 'settings', name, label: texts.names[name]!, sent, ...hintOf(name, value ?? '') };
    return name === 'language'
      ? selectField({ ...field, value: value ?? '', choices: languageChoices(wording, value), size: 'short' })
      : textField({ ...field, value, own, ...(name === 'description' && { lines: 4 }) });
  });
  const filters = definition.fields.filter(canBeFilterable).map(({ name }) => ({
    value: name,
    text: fieldLabel(wording, OWN_PREFIX + name, definition),
  }));
  const actionText = (code: string, action: string): string => {
    const text = texts.actions[action as keyof typeof texts.actions];
    return usual[code] === action ? texts.byDefault.replace('{action}', text) : text;
  };
  const actions = Object.entries(settings.findings).map(([code, value]) =>
    selectField({
      ...{ form: 'settings', name: code, label: imports.codes[code] ?? code, sent, value },
      ...(isChanged && sent?.fields.get(code) !== value && hintOf(code, actionText(code, value))),
      choices: Object.keys(texts.actions).map((action) => [action, actionText(code, action)] as const),
    }),
  );
  const main = markup`${registerCrumb(frame, definition)}<h1>${texts.heading}</h1>
<p class="lead">${texts.lead}</p>
${isProposal ? markup`<p><strong>${texts.proposal}</strong></p>\n` : NOTHING}${form(
    frame,
    { id: 'settings', action: `${deskRegisterPath(definition.id)}/settings` },
    markup`<input type="hidden" name="read" value="${read}">
<h2>${texts.described}</h2>
${fields}${
      filters.length === 0
        ? NOTHING
        : markup`<h2>${texts.filters}</h2>\n${checkboxes({
            ...{
              form: 'settings',
              name: 'filterable',
              label: texts.names.filterable!,
              sent,
              ...hintOf('filterable', ''),
            },
            ...{ choices: filters, chosen: settings.filterable },
          })}`
    }<h2>${texts.findings}</h2>
${actions}${button(isProposal ? texts.buttonProposed : texts.button)}`,
  )}`;
  return deskPage(frame, { title: texts.heading, section: '/desk', main, problem: sent?.problem ?? null });
}

/** What an import changes of the settings. */
export function settingChanges(
  { wording }: SignInFrame,
  definition: RegisterDefinition,
  settings: readonly { readonly setting: string; readonly before: JsonValue; readonly after: JsonValue }[] = [],
): Markup {
  if (settings.length === 0) return NOTHING;
  const { settings: texts, imports } = wording.desk;
  const rows = settings.map(({ setting, ...sides }) => {
    const code = /^finding (.*)/.exec(setting)?.[1];
    const label = code === undefined ? texts.names[setting] : imports.codes[code];
    const [before, after] = [sides.before, sides.after].map((value) => {
      if (Array.isArray(value)) return value.map((name) => labelOf(definition.fields, String(name))).join(', ');
      const text = typeof value === 'string' ? value : '';
      if (setting === 'language') return languageName(wording, text === '' ? null : text);
      if (setting === 'order' && text !== '') return wording.desk.reading.words[text as 'by-date'];
      const isAction = code !== undefined && Object.hasOwn(texts.actions, text);
      return isAction ? texts.actions[text as keyof typeof texts.actions] : text;
    });
    return diffRow(wording, definition, markup`${label ?? setting}`, { before: before!, after: after! });
  });
  return markup`<section><h2>${texts.change}</h2>
${diffTable(wording, texts.setting, rows)}</section>
`;
}

function labelOf(fields: readonly Field[], name: string): string {
  return fields.find((field) => field.name === name)?.label ?? name;
}
