// What the pages of an account and those of the desk share: their frame, forms, lists of facts, and texts with values in
// them. Every form works without a script: it is sent, and the answer is a page.
import { type Frame, layout, type PageParts } from '../layout.ts';
import { attribute } from '../layout.ts';
import type { WebhookEndpoint } from '../../stores/contract/endpoints.ts';
import { troubleOf } from './endpoint-mail.ts';
import { type Content, markup, type Markup, NOTHING } from '../markup.ts';

/** What the pages have that are somebody's own, or lead there. */
export interface SignInFrame extends Frame {
  /** The address of a page by its path, such as `/account/keys`. */
  at(path: string, parameters?: URLSearchParams): string;
  /** Every form carries it: another site cannot know it. */
  readonly token: string;
  /** What was just done, to be said at the head of the page. Null: nothing. */
  readonly said: string | null;
}

/** What the pages of an account have. */
export interface OwnerFrame extends SignInFrame {
  /** The endpoints of the account that were disabled, or have failed for a day. */
  readonly troubled: readonly WebhookEndpoint[];
}

/** What is wrong with a form that was sent. */
export interface FormProblem {
  /** The form, as {@link FormParts.id}. */
  readonly form: string;
  /** The field, by its name; null: none in particular. */
  readonly field: string | null;
  /** What to do, in the reader's language. */
  readonly text: string;
  /** What the service says, in English. Null: nothing. */
  readonly detail: string | null;
}

/** What was written into a form, to be shown again beside an error. */
export interface Sent {
  readonly problem: FormProblem;
  readonly fields: URLSearchParams;
}

/** The entries of the account's own navigation, by their paths. */
const ENTRIES = [
  ['/account', 'overview'],
  ['/account/keys', 'keys'],
  ['/account/endpoints', 'endpoints'],
  ['/account/deliveries', 'deliveries'],
] as const;

/** A page below a navigation of its own. */
export interface SectionPage<Path extends string> extends Pick<PageParts, 'title' | 'main'> {
  /** The entry of the navigation that leads here, or above it. */
  readonly section: Path;
  readonly problem?: FormProblem | null;
}

/** A page of the account. */
export function ownerPage(frame: OwnerFrame, page: SectionPage<(typeof ENTRIES)[number][0]>): string {
  const { navigation } = frame.wording.account;
  return ownPage(frame, {
    ...page,
    current: 'account',
    label: navigation.label,
    entries: ENTRIES.map(([path, name]) => [path, navigation[name]]),
    signOut: [navigation.signOut, '/sign-out'],
    notes: frame.troubled.map((endpoint) => troubleNote(frame, endpoint)),
  });
}

/** A page for somebody signed in, below a navigation of its own and a button to sign out. */
export function ownPage(
  frame: SignInFrame,
  page: SectionPage<string> & {
    readonly current?: PageParts['current'];
    /** What the navigation is. */
    readonly label: string;
    /** Its entries, by their paths. */
    readonly entries: readonly (readonly [path: string, text: string])[];
    readonly signOut: readonly [text: string, path: string];
    /** What stands between what was just done and what is wrong. */
    readonly notes?: readonly Markup[];
  },
): string {
  const { section, problem = null, title, main, current, notes = [] } = page;
  const entries = page.entries.map(([path, text]) => {
    const isHere = path === section ? markup` aria-current="page"` : NOTHING;
    return markup`<li><a href="${frame.at(path)}"${isHere}>${text}</a></li>\n`;
  });
  const [text, action] = page.signOut;
  const content = markup`<div class="owner-bar"><nav aria-label="${page.label}"><ul>
${entries}</ul></nav>
${form(frame, { id: 'sign-out', action }, button(text, 'plain'))}</div>
${frame.said === null ? NOTHING : markup`<p class="note done" role="status">${frame.said}</p>\n`}${notes}${problemNote(frame, problem)}${main}`;
  return layout(frame, { title, main: content, ...(current === undefined ? {} : { current }), isHidden: true });
}

/** An endpoint that its owner should look at. */
function troubleNote(frame: OwnerFrame, endpoint: WebhookEndpoint): Markup {
  return markup`<div class="note warn"><p>${troubleOf(frame.wording, endpoint)}</p>
<p><a href="${frame.at(`/account/endpoints/${endpoint.id}`)}" class="long">${endpoint.url}</a></p></div>
`;
}

/** What is wrong, at the head of a page, with a link to the field. */
export function problemNote({ wording }: Frame, problem: FormProblem | null): Markup {
  if (problem === null) return NOTHING;
  const texts = wording.account.form;
  const { field, text, detail, form: id } = problem;
  const what = field === null ? text : markup`<a href="#${id}-${field}">${text}</a>`;
  return markup`<div class="note warn" role="alert"><p><strong>${texts.problem}.</strong> ${what}</p>
${detail === null ? NOTHING : detailOf(wording, detail)}</div>
`;
}

function detailOf({ language, account }: Frame['wording'], detail: string): Markup {
  const foreign = language === 'en' ? NOTHING : markup` lang="en"`;
  return markup`<p class="small"><span class="quiet">${account.form.detail}:</span> <span class="long"${foreign}>${detail}</span></p>
`;
}

/** Where a form goes, and how its fields are named. */
export interface FormParts {
  /** Before the names of its fields, so that ids are unique on a page. */
  readonly id: string;
  /** A path, as in {@link SignInFrame.at}. */
  readonly action: string;
}

/** A form that is sent by POST. */
export function form(frame: Pick<SignInFrame, 'at' | 'token'>, { id, action }: FormParts, content: Content): Markup {
  return markup`<form method="post" action="${frame.at(action)}" id="${id}" class="owner-form">
<input type="hidden" name="token" value="${frame.token}">
${content}
</form>`;
}

/**
 * Tells one sending of a form from another, so that a form that a browser sends again, because somebody loaded the answer
 * again, is not done again.
 */
export function onceField(once: string): Markup {
  return markup`<input type="hidden" name="once" value="${once}">\n`;
}

/** A button that sends its form. @param choice a field that it alone sends, where there are several */
export function button(
  text: string,
  kind: 'plain' | 'danger' | null = null,
  choice: Readonly<Record<'name' | 'value', string>> | null = null,
): Markup {
  const { name = null, value = null } = choice ?? {};
  return markup`<button type="submit"${attribute('class', kind)}${attribute('name', name)}${attribute('value', value)}>${text}</button>`;
}

/** What all fields have. */
export interface FieldParts {
  readonly form: string;
  readonly name: string;
  readonly label: Content;
  readonly hint?: Content;
  readonly sent?: Sent | null;
}

/** A line to write in, or several. */
export function textField(
  parts: FieldParts & {
    readonly type?: 'text' | 'email' | 'url' | 'number' | 'date';
    readonly value?: string | number | null;
    readonly lines?: number;
    readonly isRequired?: boolean;
    readonly autocomplete?: string;
    /** Attributes of what is in another language than the page. */
    readonly own?: Markup;
    readonly min?: number;
    readonly max?: number;
    readonly size?: 'short';
  },
): Markup {
  const { type = 'text', lines, isRequired = false, autocomplete = 'off', own = NOTHING } = parts;
  const value = valueIn(parts);
  const common = markup`${controlOf(parts)} autocomplete="${autocomplete}"${own}${isRequired ? markup` required` : NOTHING}${attribute('min', parts.min?.toString())}${attribute('max', parts.max?.toString())}`;
  const control =
    lines === undefined
      ? markup`<input type="${type}" ${common} value="${value}">`
      : markup`<textarea ${common} rows="${lines}" spellcheck="false">\n${value}</textarea>`;
  return labelled(parts, control);
}

/** A choice of one among several. */
export function selectField(
  parts: FieldParts & {
    readonly choices: readonly (readonly [value: string, text: string])[];
    readonly value: string;
    readonly size?: 'short';
  },
): Markup {
  const value = valueIn(parts);
  const options = parts.choices.map(
    ([one, text]) => markup`<option value="${one}"${one === value ? markup` selected` : NOTHING}>${text}</option>\n`,
  );
  return labelled(parts, markup`<select ${controlOf(parts)}>\n${options}</select>`);
}

/** What was sent in a field, or else is there. */
function valueIn({ form: of, name, sent, value }: FieldParts & { readonly value?: string | number | null }): Content {
  return mine(sent, of) ? (sent!.fields.get(name) ?? '') : (value ?? '');
}

/** The attributes of a control that tie its label, hint and error to it. */
function controlOf(parts: FieldParts): Markup {
  const error = errorOf(parts);
  const id = `${parts.form}-${parts.name}`;
  const described = [parts.hint === undefined ? null : `${id}-hint`, error === null ? null : `${id}-error`];
  return markup`id="${id}" name="${parts.name}"${attribute(
    'aria-describedby',
    described.filter((one) => one !== null).join(' ') || null,
  )}${error === null ? NOTHING : markup` aria-invalid="true"`}`;
}

function labelled(parts: FieldParts & { readonly size?: 'short' }, control: Markup): Markup {
  const { form: of, name, label, hint, size } = parts;
  const id = `${of}-${name}`;
  return markup`<div class="field${size === 'short' ? ' short' : ''}">
<label for="${id}">${label}</label>
${hint === undefined ? NOTHING : markup`<p class="hint" id="${id}-hint">${hint}</p>\n`}${errorText(id, errorOf(parts))}${control}
</div>
`;
}

/** A choice among several, none or all of them. */
export function checkboxes(
  parts: FieldParts & {
    readonly choices: readonly { readonly value: string; readonly text: Content }[];
    readonly chosen: readonly string[];
  },
): Markup {
  const { form: of, name, label, hint, sent, choices } = parts;
  const error = errorOf(parts);
  const chosen = mine(sent, of) ? sent!.fields.getAll(name) : parts.chosen;
  const id = `${of}-${name}`;
  return markup`<fieldset class="field" id="${id}"${attribute('aria-describedby', hint === undefined ? null : `${id}-hint`)}>
<legend>${label}</legend>
${hint === undefined ? NOTHING : markup`<p class="hint" id="${id}-hint">${hint}</p>\n`}${errorText(id, error)}${choices.map(
    ({ value, text }) =>
      markup`<label class="check"><input type="checkbox" name="${name}" value="${value}"${
        chosen.includes(value) ? markup` checked` : NOTHING
      }> <span>${text}</span></label>\n`,
  )}</fieldset>
`;
}

function mine(sent: Sent | null | undefined, id: string): boolean {
  return sent?.problem.form === id;
}

function errorOf({ form: of, name, sent }: FieldParts): string | null {
  return mine(sent, of) && sent!.problem.field === name ? sent!.problem.text : null;
}

function errorText(id: string, error: string | null): Markup {
  return error === null ? NOTHING : markup`<p class="error" id="${id}-error">${error}</p>\n`;
}

/** A list of facts: what, and its value. @param kind beside each other, or each in a row of its own */
export function facts(
  entries: readonly (readonly [name: Content, value: Content])[],
  kind: 'own-facts' | 'fields' = 'own-facts',
): Markup {
  return markup`<dl class="${kind}">
${entries.map(([name, value]) => markup`<div><dt>${name}</dt><dd>${value}</dd></div>\n`)}</dl>
`;
}

/** A text with values in the places that it names. @example phrase('until {date}', { date: timeOf(wording, date) }) */
export function phrase(text: string, values: Readonly<Record<string, Content>>): Markup {
  const parts = text.split(/\{([a-z]+)\}/);
  return markup`${parts.map((part, at) => (at % 2 === 0 ? part : values[part]))}`;
}

/** A state, told by its word; the colour only helps. */
export function badge(text: Content, kind: 'good' | 'bad' | 'idle'): Markup {
  return markup`<span class="badge ${kind}">${text}</span>`;
}

/** A secret that is shown once. A click on it selects all of it. */
export function secretBox(label: string, secret: string): Markup {
  return markup`<p class="secret"><span class="quiet small" id="secret-label">${label}</span>
<code aria-labelledby="secret-label" class="whole">${secret}</code></p>
`;
}
