// What the pages of an account share: their frame, forms, lists of facts, and texts with values in them. Every form works
// without a script: it is sent, and the answer is a page.
import { type Frame, layout, type PageParts } from '../layout.ts';
import { attribute } from '../layout.ts';
import type { WebhookEndpoint } from '../../stores/contract/endpoints.ts';
import { troubleOf } from './endpoint-mail.ts';
import { type Content, markup, type Markup, NOTHING } from '../markup.ts';

/** What the pages for somebody signed in have. */
export interface OwnerFrame extends Frame {
  /** The address of a page by its path, such as `/account/keys`. */
  at(path: string, parameters?: URLSearchParams): string;
  /** Every form carries it: another site cannot know it. */
  readonly token: string;
  /** What was just done, to be said at the head of the page. Null: nothing. */
  readonly said: string | null;
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

/** A page of the account. */
export function ownerPage(
  frame: OwnerFrame,
  page: Pick<PageParts, 'title' | 'main'> & {
    /** The entry of the navigation that leads here, or above it. */
    readonly section: (typeof ENTRIES)[number][0];
    readonly problem?: FormProblem | null;
  },
): string {
  const { navigation } = frame.wording.account;
  const { section, problem = null, title, main } = page;
  const entries = ENTRIES.map(([path, name]) => {
    const current = path === section ? markup` aria-current="page"` : NOTHING;
    return markup`<li><a href="${frame.at(path)}"${current}>${navigation[name]}</a></li>\n`;
  });
  const content = markup`<div class="owner-bar"><nav aria-label="${navigation.label}"><ul>
${entries}</ul></nav>
${form(frame, { id: 'sign-out', action: '/sign-out' }, button(navigation.signOut, 'plain'))}</div>
${frame.said === null ? NOTHING : markup`<p class="note done" role="status">${frame.said}</p>\n`}${frame.troubled.map((endpoint) => troubleNote(frame, endpoint))}${problemNote(frame, problem)}${main}`;
  return layout(frame, { title, main: content, current: 'account', isHidden: true });
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
  /** A path, as in {@link OwnerFrame.at}. */
  readonly action: string;
}

/** A form that is sent by POST. */
export function form(frame: Pick<OwnerFrame, 'at' | 'token'>, { id, action }: FormParts, content: Content): Markup {
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

/** A button that sends its form. */
export function button(text: string, kind: 'plain' | 'danger' | null = null): Markup {
  return markup`<button type="submit"${attribute('class', kind)}>${text}</button>`;
}

/** What all fields have. */
export interface FieldParts {
  readonly form: string;
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
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
    readonly min?: number;
    readonly max?: number;
    readonly size?: 'short';
  },
): Markup {
  const { form: of, name, label, hint, sent, type = 'text', lines, isRequired = false, autocomplete = 'off' } = parts;
  const error = errorOf(parts);
  const value = mine(sent, of) ? (sent!.fields.get(name) ?? '') : (parts.value ?? '');
  const id = `${of}-${name}`;
  const described = [hint === undefined ? null : `${id}-hint`, error === null ? null : `${id}-error`];
  const common = markup`id="${id}" name="${name}" autocomplete="${autocomplete}"${attribute(
    'aria-describedby',
    described.filter((one) => one !== null).join(' ') || null,
  )}${error === null ? NOTHING : markup` aria-invalid="true"`}${isRequired ? markup` required` : NOTHING}${attribute(
    'min',
    parts.min?.toString(),
  )}${attribute('max', parts.max?.toString())}`;
  const control =
    lines === undefined
      ? markup`<input type="${type}" ${common} value="${value}">`
      : markup`<textarea ${common} rows="${lines}" spellcheck="false">\n${value}</textarea>`;
  return markup`<div class="field${parts.size === 'short' ? ' short' : ''}">
<label for="${id}">${label}</label>
${hint === undefined ? NOTHING : markup`<p class="hint" id="${id}-hint">${hint}</p>\n`}${errorText(id, error)}${control}
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
